package jsonspan

import (
	"strconv"
	"strings"
)

// shortNumber is how many digits any double keeps: a number with no more, and no exponent, needs no further check.
const shortNumber = 15

// maxSignificant is how many significant digits identify every double.
const maxSignificant = 17

// number reads the number at Pos (RFC 8259 §6).
func (c *Cursor) number() {
	start := c.Pos
	i := start
	if c.Src[i] == '-' {
		i++
	}
	digits := i
	i = passDigits(c.Src, i)
	if i == digits || c.Src[digits] == '0' && i > digits+1 {
		c.failFound(start, "not a number of JSON")
		return
	}
	integer := true
	if i < len(c.Src) && c.Src[i] == '.' {
		integer = false
		fraction := i + 1
		if i = passDigits(c.Src, fraction); i == fraction {
			c.failFound(start, "a number that ends in its decimal point")
			return
		}
	}
	short := i-digits <= shortNumber
	if i < len(c.Src) && c.Src[i]|0x20 == 'e' {
		integer, short = false, false
		i++
		if i < len(c.Src) && (c.Src[i] == '+' || c.Src[i] == '-') {
			i++
		}
		exponent := i
		if i = passDigits(c.Src, i); i == exponent {
			c.failFound(start, "a number whose exponent has no digits")
			return
		}
	}
	if !short {
		c.precise(Span{start, i}, integer)
	}
	c.Pos = i
}

func passDigits(src []byte, i int) int {
	for i < len(src) && '0' <= src[i] && src[i] <= '9' {
		i++
	}
	return i
}

// precise checks that a double can hold the number (RFC 7493 §2.2): finite, not a zero unless it is spelled as one, at most 17
// significant digits, and exact if it is spelled as an integer, without fraction and exponent.
func (c *Cursor) precise(s Span, integer bool) {
	text := string(c.Src[s.Start:s.End])
	value, err := strconv.ParseFloat(text, 64)
	significant := significantDigits(text)
	switch {
	case err != nil, value == 0 && significant > 0:
		c.fail(NumberRange, s.Start)
	case significant > maxSignificant, integer && strconv.FormatFloat(value, 'f', 0, 64) != text:
		if c.Lenient {
			c.Imprecise = append(c.Imprecise, s.Start)
			return
		}
		c.fail(NumberPrecision, s.Start)
	}
}

// significantDigits counts the digits of a number less the zeros that lead and trail.
func significantDigits(text string) int {
	if e := strings.IndexAny(text, "eE"); e >= 0 {
		text = text[:e]
	}
	text = strings.TrimLeft(text, "-0.")
	if strings.IndexByte(text, '.') >= 0 {
		return len(strings.TrimRight(text, "0.")) - strings.Count(strings.TrimRight(text, "0."), ".")
	}
	return len(strings.TrimRight(text, "0"))
}
