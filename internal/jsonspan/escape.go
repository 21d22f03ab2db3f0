package jsonspan

import (
	"bytes"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// spelledLen is the number of bytes that AppendSpelled writes for r.
func spelledLen(r rune) int {
	switch {
	case r == '"' || r == '\\' || r == '\b' || r == '\f' || r == '\n' || r == '\r' || r == '\t':
		return 2
	case r < 0x20:
		return 6
	}
	return utf8.RuneLen(r)
}

// appendSpelled appends r as RFC 8785 §3.2.2.2 spells it inside a string: escaped only where JSON demands it, and then in
// the shortest way.
func appendSpelled(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	if r < 0x20 {
		return append(dst, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
	}
	return utf8.AppendRune(dst, r)
}

// decodeEscape returns the code point of the escape that b, of accepted text, begins with, and its length.
func decodeEscape(b []byte) (rune, int) {
	switch b[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r := hex4(b, 2)
		if 0xD800 <= r && r < 0xDC00 {
			return 0x10000 + (r-0xD800)<<10 + (hex4(b, 8) - 0xDC00), 12
		}
		return r, 6
	}
	return rune(b[1]), 2
}

// eachPart splits the inside of an accepted string into runs without a backslash and the code points of its escapes.
func eachPart(inside []byte, run func([]byte), escape func(rune)) {
	for {
		i := bytes.IndexByte(inside, '\\')
		if i < 0 {
			run(inside)
			return
		}
		run(inside[:i])
		r, n := decodeEscape(inside[i:])
		escape(r)
		inside = inside[i+n:]
	}
}

// AppendCanonical appends the accepted string s, quotes included, with every character spelled as RFC 8785 does.
func AppendCanonical(dst, s []byte) []byte {
	eachPart(s, func(run []byte) { dst = append(dst, run...) }, func(r rune) { dst = appendSpelled(dst, r) })
	return dst
}

// AppendPlain appends the characters that the accepted string s, quotes included, stands for.
func AppendPlain(dst, s []byte) []byte {
	eachPart(s[1:len(s)-1], func(run []byte) { dst = append(dst, run...) }, func(r rune) { dst = utf8.AppendRune(dst, r) })
	return dst
}

// AppendQuoted appends text, which is valid UTF-8, as a JSON string spelled as RFC 8785 does.
func AppendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for _, r := range text {
		dst = appendSpelled(dst, r)
	}
	return append(dst, '"')
}

// QuotedLen is the number of bytes that AppendQuoted appends for text.
func QuotedLen(text string) int {
	n := 2
	for _, r := range text {
		n += spelledLen(r)
	}
	return n
}

// Plain returns the characters that t stands for: the source's own bytes unless t has escapes.
func Plain(src []byte, t Text) []byte {
	if !t.Escaped {
		return src[t.Start+1 : t.End-1]
	}
	return AppendPlain(make([]byte, 0, t.Len()), src[t.Start:t.End])
}

// IsText says whether a string can stand in an I-JSON message: valid UTF-8 without noncharacters.
func IsText(s string) bool {
	return Check(AppendQuoted(nil, s)) == nil && utf8.ValidString(s)
}

// Strings is the text of an array of strings, which must be Unicode.
func Strings(list []string) string {
	b := []byte{'['}
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendQuoted(b, s)
	}
	return string(append(b, ']'))
}
