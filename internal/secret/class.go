package secret

// class is a set of characters, a bit for each part of the alphabet of tokens.
type class uint8

const (
	lower class = 1 << iota
	upper
	digit
	underscore
	dash
	dot
	sign // the rest of token68 (RFC 9110, section 11.2): + / = ~
	hex  // the digits and a to f

	letter  = lower | upper
	alnum   = letter | digit
	word    = alnum | underscore
	url64   = word | dash // base64url (RFC 4648, section 5)
	token68 = url64 | dot | sign
)

// classes gives the classes of every byte.
var classes = [256]class{
	'0': digit | hex, '1': digit | hex, '2': digit | hex, '3': digit | hex, '4': digit | hex,
	'5': digit | hex, '6': digit | hex, '7': digit | hex, '8': digit | hex, '9': digit | hex,
	'a': lower | hex, 'b': lower | hex, 'c': lower | hex, 'd': lower | hex, 'e': lower | hex, 'f': lower | hex,
	'g': lower, 'h': lower, 'i': lower, 'j': lower, 'k': lower, 'l': lower, 'm': lower, 'n': lower, 'o': lower, 'p': lower,
	'q': lower, 'r': lower, 's': lower, 't': lower, 'u': lower, 'v': lower, 'w': lower, 'x': lower, 'y': lower, 'z': lower,
	'A': upper, 'B': upper, 'C': upper, 'D': upper, 'E': upper, 'F': upper, 'G': upper, 'H': upper, 'I': upper, 'J': upper,
	'K': upper, 'L': upper, 'M': upper, 'N': upper, 'O': upper, 'P': upper, 'Q': upper, 'R': upper, 'S': upper, 'T': upper,
	'U': upper, 'V': upper, 'W': upper, 'X': upper, 'Y': upper, 'Z': upper,
	'_': underscore, '-': dash, '.': dot, '+': sign, '/': sign, '=': sign, '~': sign,
}

// is tells whether b belongs to c.
func (c class) is(b byte) bool { return classes[b]&c != 0 }

// span returns the end of the characters of c that begin at i. Where c has the slash, it takes the escape \/ for one.
func span(text []byte, i int, c class) int {
	for ; i < len(text); i++ {
		if !c.is(text[i]) && !(c&sign != 0 && slashEscape(text, i)) {
			break
		}
	}
	return i
}

// slashEscape tells whether text[i:] begins with \/, the one escape that a token may hold.
func slashEscape(text []byte, i int) bool {
	return text[i] == '\\' && i+1 < len(text) && text[i+1] == '/'
}

// at tells whether text[i:] begins with want.
func at(text []byte, i int, want string) bool {
	return i >= 0 && len(text)-i >= len(want) && string(text[i:i+len(want)]) == want
}

// atFold is at for a want of lower-case letters, the text in either case.
func atFold(text []byte, i int, want string) bool {
	if i < 0 || len(text)-i < len(want) {
		return false
	}
	for k := range len(want) {
		if text[i+k]|0x20 != want[k] {
			return false
		}
	}
	return true
}

// slash returns the position after a slash at i, plain or escaped, or -1.
func slash(text []byte, i int) int {
	switch {
	case i < 0:
		return -1
	case at(text, i, "/"):
		return i + 1
	case at(text, i, `\/`):
		return i + 2
	}
	return -1
}

// escaped returns how far the JSON escape goes whose backslashes end before i: i itself when there is none. An escape in a text
// that was escaped twice has several backslashes, so their number does not matter.
func escaped(text []byte, i int) int {
	if i >= len(text) {
		return i
	}
	switch text[i] {
	case 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		return min(i+5, len(text))
	}
	return i
}

// stretch is a range that a matcher has seen.
type stretch struct{ from, to int }

func (r stretch) has(i int) bool { return r.from <= i && i < r.to }
