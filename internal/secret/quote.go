package secret

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// A quote is a sign that text stands in, and how many backslashes are before it: none, or more in a JSON string that is itself in a
// JSON string. The zero quote is none.
//
// Where a quote opens, one of the same sign and depth ends. So the values in quotes of one sign and depth share no byte, and to read
// every one to its end takes linear time.
type quote struct {
	sign  byte
	depth int
}

func isQuote(b byte) bool { return b == '"' || b == '\'' || b == '`' }

// quoteBefore returns the quote that ends at i.
func quoteBefore(text []byte, i int) quote {
	const deepest = 7
	if i == 0 || !isQuote(text[i-1]) {
		return quote{}
	}
	from := i - 1
	for from > 0 && text[from-1] == '\\' {
		if from--; i-1-from > deepest {
			return quote{}
		}
	}
	return quote{text[i-1], i - 1 - from}
}

// behind returns the position after q at i, or i when it is not there.
func (q quote) behind(text []byte, i int) int {
	if to := i + q.depth + 1; to <= len(text) && quoteBefore(text[i:], to-i) == q {
		return to
	}
	return i
}

// end returns where the value ends that begins at i within q: at the closing quote, at a space, at a control character or the escape of
// one, or where apart says so of a '&', ';' or ','.
func (q quote) end(text []byte, i int, apart func(text []byte, i int) bool) int {
	for i < len(text) {
		switch b := text[i]; {
		case b <= ' ' || b == 0x7F:
			return i
		case b == '\\' || isQuote(b):
			n := q.within(text, i)
			if n == i {
				return i
			}
			i = n
		case (b == '&' || b == ';' || b == ',') && apart(text, i):
			return i
		default:
			i++
		}
	}
	return i
}

// within returns the end of the backslashes and the quote at i that belong to a value in q, or i when they end it.
func (q quote) within(text []byte, i int) int {
	j := i
	for j < len(text) && text[j] == '\\' {
		j++
	}
	switch {
	case j == len(text):
		return i
	case isQuote(text[j]):
		if q.closes(text, j, j-i) {
			return i
		}
		return j + 1
	case blank(text, j) && q.escapes(j-i):
		return i
	}
	return j
}

// closes tells whether the quote at i, behind some backslashes, ends a value in q.
func (q quote) closes(text []byte, i, backslashes int) bool {
	switch {
	case q.sign == 0:
		return true
	case q.sign != '"' && text[i] == '"':
		return closesString(text, i+1)
	case text[i] != q.sign:
		return false
	case q.sign == '"' && backslashes > q.depth:
		return (backslashes-q.depth)/(q.depth+1)%2 == 0
	}
	return backslashes <= q.depth
}

// closesString tells whether the '"' before i may end a JSON string: what can follow one is a sign of JSON, white space, or the end of
// the string around it.
func closesString(text []byte, i int) bool {
	return i == len(text) || text[i] <= ' ' || bytes.IndexByte([]byte(`,:]}"\`), text[i]) >= 0
}

// blank tells whether the rest of an escape at i is that of a control character or a space.
func blank(text []byte, i int) bool {
	if text[i] == 'u' {
		return at(text, i, "u000") || at(text, i, "u001") || at(text, i, "u0020")
	}
	return escaped(text, i) > i
}

// escapes tells whether so many backslashes make an escape of what is behind them. Of signs other than '"' nobody knows the depth.
func (q quote) escapes(backslashes int) bool {
	unit := q.depth + 1
	return backslashes > 0 && (q.sign != '"' || backslashes < unit || backslashes/unit%2 == 1)
}

// appendPlain appends value without its JSON escapes to dst, at most a sample of it. At every depth backslashes in a row are one.
func appendPlain(dst, value []byte) []byte {
	for i := 0; i < len(value) && len(dst) < sample; {
		if value[i] != '\\' {
			dst = append(dst, value[i])
			i++
			continue
		}
		for i < len(value) && value[i] == '\\' {
			i++
		}
		dst, i = appendEscape(dst, value, i)
	}
	return dst
}

// appendEscape appends what the escape says whose backslashes end at i, and returns its end.
func appendEscape(dst, value []byte, i int) ([]byte, int) {
	if i < len(value) && (value[i] == '/' || isQuote(value[i])) {
		return dst, i
	}
	if at(value, i, "u") && i+5 <= len(value) {
		if r, err := strconv.ParseUint(string(value[i+1:i+5]), 16, 16); err == nil {
			return utf8.AppendRune(dst, rune(r)), i + 5
		}
	}
	return append(dst, '\\'), i
}
