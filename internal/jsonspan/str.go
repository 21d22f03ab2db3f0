package jsonspan

import (
	"encoding/binary"
	"math/bits"
)

const (
	ones = 0x0101010101010101
	high = 0x8080808080808080
)

// special has the high bit of every byte of x set that a string cannot pass over: a control character, a quote, a
// backslash, anything beyond ASCII. Bits above the lowest one may be set wrongly by a borrow, so only the lowest counts.
func special(x uint64) uint64 {
	quote := x ^ ones*'"'
	slash := x ^ ones*'\\'
	return (x | (x - ones*0x20) | (quote - ones) | (slash - ones)) & high
}

// str reads the string at Pos, eight bytes at a time.
func (c *Cursor) str() Text {
	src, i := c.Src, c.Pos+1
	escaped := false
	for {
		for i+8 <= len(src) {
			if m := special(binary.LittleEndian.Uint64(src[i:])); m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i >= len(src) {
			c.fail(Truncated, len(src))
			return Text{}
		}
		b := src[i]
		switch {
		case b == '"':
			t := Text{Span{c.Pos, i + 1}, escaped}
			c.Pos = i + 1
			return t
		case b == '\\':
			escaped = true
			i = c.escape(i)
		case b < 0x20:
			c.failFound(i, "a control character in a string; write it as an escape")
		case b < 0x80:
			i++
		default:
			i = c.runes(i)
		}
		if c.Err != nil {
			return Text{}
		}
	}
}

// runes passes the characters beyond ASCII that begin at i.
func (c *Cursor) runes(i int) int {
	for i < len(c.Src) && c.Src[i] >= 0x80 {
		n, kind := checkRune(c.Src[i:])
		if n == 0 {
			c.fail(kind, i)
			return i
		}
		i += n
	}
	return i
}

// checkRune returns the length of the character that b begins with, beyond ASCII, or 0 and what is wrong with it: not UTF-8
// by the table of RFC 3629 §4, a surrogate, or a noncharacter.
func checkRune(b []byte) (int, Kind) {
	switch b0 := b[0]; {
	case b0 < 0xC2:
		return 0, NotUTF8
	case b0 < 0xE0:
		if len(b) < 2 || !continues(b[1]) {
			return 0, NotUTF8
		}
		return 2, 0
	case b0 < 0xF0:
		if len(b) < 3 || !continues(b[1]) || !continues(b[2]) || b0 == 0xE0 && b[1] < 0xA0 {
			return 0, NotUTF8
		}
		if b0 == 0xED && b[1] >= 0xA0 {
			return 0, Surrogate
		}
		if b0 == 0xEF && (b[1] == 0xB7 && 0x90 <= b[2] && b[2] <= 0xAF || b[1] == 0xBF && b[2] >= 0xBE) {
			return 0, Noncharacter
		}
		return 3, 0
	case b0 < 0xF5:
		if len(b) < 4 || !continues(b[1]) || !continues(b[2]) || !continues(b[3]) ||
			b0 == 0xF0 && b[1] < 0x90 || b0 == 0xF4 && b[1] >= 0x90 {
			return 0, NotUTF8
		}
		if b[1]&0x0F == 0x0F && b[2] == 0xBF && b[3] >= 0xBE {
			return 0, Noncharacter
		}
		return 4, 0
	}
	return 0, NotUTF8
}

func continues(b byte) bool { return b&0xC0 == 0x80 }

// escape passes the escape whose backslash is at i and adds to Waste what its shortest spelling would save.
func (c *Cursor) escape(i int) int {
	if i+1 >= len(c.Src) {
		c.fail(Truncated, len(c.Src))
		return i
	}
	switch c.Src[i+1] {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case '/':
		c.Waste++
		return i + 2
	case 'u':
		r, n := c.unicodeEscape(i)
		if c.Err == nil {
			c.Waste += n - spelledLen(r)
		}
		return i + n
	}
	c.failFound(i, "an unknown escape; one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u is meant")
	return i
}

// unicodeEscape reads \uXXXX at i, or two of them that form a surrogate pair, and returns the code point and the bytes read.
func (c *Cursor) unicodeEscape(i int) (rune, int) {
	r := hex4(c.Src, i+2)
	if r < 0 && len(c.Src) < i+6 && hex4(append(c.Src[i+2:len(c.Src):len(c.Src)], "0000"...), 0) >= 0 {
		c.fail(Truncated, len(c.Src))
		return 0, 0
	}
	if r < 0 {
		c.failFound(i, "a \\u escape without four hexadecimal digits")
		return 0, 0
	}
	n := 6
	if 0xD800 <= r && r < 0xE000 {
		low := rune(-1)
		if i+7 < len(c.Src) && c.Src[i+6] == '\\' && c.Src[i+7] == 'u' {
			low = hex4(c.Src, i+8)
		}
		if r >= 0xDC00 || low < 0xDC00 || low >= 0xE000 {
			c.fail(Surrogate, i)
			return 0, 0
		}
		r, n = 0x10000+(r-0xD800)<<10+(low-0xDC00), 12
	}
	if 0xFDD0 <= r && r <= 0xFDEF || r&0xFFFE == 0xFFFE {
		c.fail(Noncharacter, i)
		return 0, 0
	}
	return r, n
}

// hex4 reads four hexadecimal digits of src at i, or returns -1.
func hex4(src []byte, i int) rune {
	if i+4 > len(src) {
		return -1
	}
	var r rune
	for _, b := range src[i : i+4] {
		switch {
		case '0' <= b && b <= '9':
			b -= '0'
		case 'a' <= b && b <= 'f':
			b -= 'a' - 10
		case 'A' <= b && b <= 'F':
			b -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(b)
	}
	return r
}
