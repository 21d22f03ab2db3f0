package jsonspan

import (
	"fmt"
	"strings"
)

// Kind says which demand of RFC 8259 or RFC 7493 a text fails.
type Kind uint8

// The kinds of failure.
const (
	Grammar         Kind = iota // not JSON (RFC 8259)
	Truncated                   // the text ends inside a value
	NotUTF8                     // bytes that are not UTF-8 (RFC 3629)
	ByteOrderMark               // the text begins with U+FEFF (RFC 8259 §8.1)
	DuplicateName               // two members of one object have the same name (RFC 7493 §2.3)
	Surrogate                   // a surrogate without its pair, escaped or raw (RFC 7493 §2.1)
	Noncharacter                // a noncharacter, escaped or raw (RFC 7493 §2.1)
	NumberRange                 // a number beyond the range of a double (RFC 7493 §2.2)
	NumberPrecision             // a number that a double would round (RFC 7493 §2.2)
	TooDeep                     // more than MaxDepth levels
	TooLarge                    // more than MaxText bytes
)

var kindNames = [...]string{"grammar", "truncated", "utf-8", "byte-order-mark", "duplicate-name", "surrogate",
	"noncharacter", "number-range", "number-precision", "depth", "size"}

// String returns a short name for machines, such as "duplicate-name".
func (k Kind) String() string { return kindNames[k] }

// SyntaxError is a text that is not an I-JSON message. Offset counts bytes from the start of the text; Line, Column (in
// characters, both from 1) and Pointer (RFC 6901, the innermost value at hand) are zero until Locate has filled them.
type SyntaxError struct {
	Kind    Kind
	Offset  int
	Line    int
	Column  int
	Pointer string
	detail  string // what was found or expected, for Grammar
}

// Locate fills Line, Column and Pointer from the text that the error was found in.
func (e *SyntaxError) Locate(src []byte) {
	p := NewLocator(src).At(e.Offset)
	e.Line, e.Column, e.Pointer = p.Line, p.Column, p.Pointer
}

// Error is one line without a location.
func (e *SyntaxError) Error() string {
	switch e.Kind {
	case Truncated:
		return "the text ends inside a value"
	case NotUTF8:
		return "bytes that are not UTF-8"
	case ByteOrderMark:
		return "a byte order mark before the document"
	case DuplicateName:
		return "a member name that this object has already"
	case Surrogate:
		return "a surrogate without its pair"
	case Noncharacter:
		return "a Unicode noncharacter"
	case NumberRange:
		return "a number beyond the range of an IEEE 754 double"
	case NumberPrecision:
		return "a number that an IEEE 754 double would round"
	case TooDeep:
		return fmt.Sprintf("more than %d levels of nesting", MaxDepth)
	case TooLarge:
		return "a document of 2 GiB or more"
	}
	return e.detail
}

// Hint says what to type instead, or is empty.
func (e *SyntaxError) Hint() string {
	switch e.Kind {
	case NumberRange, NumberPrecision:
		return "write the number as a string"
	case ByteOrderMark:
		return "save the file as UTF-8 without a byte order mark"
	}
	return ""
}

func (c *Cursor) fail(kind Kind, offset int) {
	if kind == Truncated && c.isCut {
		kind = TooLarge
	}
	if c.Err == nil {
		c.Err = &SyntaxError{Kind: kind, Offset: offset}
	}
}

// failFound reports what stands at offset, which ends inside it if the text does.
func (c *Cursor) failFound(offset int, found string) {
	if c.Err == nil {
		c.Err = &SyntaxError{Kind: Grammar, Offset: offset, detail: found}
	}
}

// failAt reports that b stands where something else is expected; b is 0 at the end of the text.
func (c *Cursor) failAt(b byte, expected string) {
	switch {
	case b == 0 && c.Pos >= len(c.Src):
		c.fail(Truncated, len(c.Src))
	case b >= 0x80:
		if n, kind := checkRune(c.Src[c.Pos:]); n == 0 {
			c.fail(kind, c.Pos)
			return
		}
		c.failFound(c.Pos, "a character that is no JSON where "+expected+" is expected")
	default:
		c.failFound(c.Pos, fmt.Sprintf("%s where %s is expected", strings.TrimSpace(fmt.Sprintf("%q", rune(b))), expected))
	}
}
