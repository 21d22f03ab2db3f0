// Package jsonspan reads JSON text strictly and edits it without rebuilding it.
//
// A [Cursor] accepts exactly the I-JSON messages of RFC 7493 in UTF-8 (RFC 3629, RFC 8259): no byte order mark, no duplicate
// member names, no surrogates or noncharacters, no number that a double would change, at most [MaxDepth] levels. It
// moves once over the text and hands out byte ranges; it builds no values. An [Edits] list changes some of those ranges and
// copies the rest as it is, so what an edit does not name keeps its member order, white space, escapes and number spellings.
//
// The package knows nothing of checkpoints. Only text that a Cursor has accepted may be given to the functions documented
// as taking accepted text: they rely on it and check nothing.
package jsonspan

import "strings"

// MaxDepth is how many arrays and objects may be open at once.
const MaxDepth = 1000

// MaxText is the largest size of a text in bytes: offsets and lengths are kept in 32 bits, some with a sign.
const MaxText = 1<<31 - 1

// Span is a range of bytes, Start included and End not.
type Span struct{ Start, End int }

// Len is the number of bytes in the span.
func (s Span) Len() int { return s.End - s.Start }

// Text is the span of a string with its quotes.
type Text struct {
	Span
	Escaped bool // it holds at least one backslash
}

// Cursor moves over one JSON text from left to right. The first failure is kept in Err; from then on Peek returns 0, Next
// returns false, and every other method returns at once, so a caller may check once at the end.
type Cursor struct {
	Src []byte
	Pos int
	Err *SyntaxError

	// Lenient keeps a number that a double would round; its offset is added to Imprecise.
	Lenient   bool
	Imprecise []int

	// White counts the insignificant white space passed so far, Waste the bytes that needless string escapes cost.
	White, Waste int

	depth  int
	fresh  bool // an array or object was opened and nothing of it was read
	isCut  bool // Src was longer than a text may be
	names  []Text
	tape   *Tape
	nested []int32 // tape entries of the open arrays and objects
}

// Record makes the cursor add every array and object it passes to t.
func (c *Cursor) Record(t *Tape) { c.tape = t }

// Peek passes white space and returns the first byte of what follows, 0 at the end of the text or after a failure.
func (c *Cursor) Peek() byte {
	if c.Pos < len(c.Src) && c.Src[c.Pos] > ' ' && c.Err == nil {
		return c.Src[c.Pos]
	}
	return c.peekPastWhite()
}

func (c *Cursor) peekPastWhite() byte {
	if c.Err != nil {
		return 0
	}
	i := c.Pos
	for i < len(c.Src) && isWhite(c.Src[i]) {
		i++
	}
	c.White += i - c.Pos
	c.Pos = i
	if i == len(c.Src) {
		return 0
	}
	return c.Src[i]
}

func isWhite(b byte) bool { return b == ' ' || b == '\n' || b == '\r' || b == '\t' }

// Open enters the array or object at hand; Peek has returned '[' or '{'.
func (c *Cursor) Open() {
	if c.Err != nil {
		return
	}
	if c.depth == MaxDepth {
		c.fail(TooDeep, c.Pos)
		return
	}
	c.depth++
	if c.tape != nil {
		c.nested = append(c.nested, c.tape.open())
	}
	c.Pos++
	c.fresh = true
}

// Next says whether the open array (closer ']') or object (closer '}') has another item, and moves to it. When it has
// none the cursor is behind the closer.
func (c *Cursor) Next(closer byte) bool {
	b := c.Peek()
	if b == closer {
		c.close()
		return false
	}
	if c.fresh {
		c.fresh = false
		return c.Err == nil
	}
	if b != ',' {
		c.failAt(b, "',' or '"+string(closer)+"'")
		return false
	}
	c.Pos++
	if c.Peek() == closer {
		c.failAt(closer, "a value after ','")
	}
	return c.Err == nil
}

func (c *Cursor) close() {
	c.Pos++
	c.depth--
	c.fresh = false
	if c.tape != nil {
		last := len(c.nested) - 1
		c.tape.close(c.nested[last], c.Pos)
		c.nested = c.nested[:last]
	}
}

// Name reads a member name and its colon.
func (c *Cursor) Name() Text {
	if b := c.Peek(); b != '"' {
		c.failAt(b, "a member name in quotes")
		return Text{}
	}
	name := c.str()
	if b := c.Peek(); b != ':' {
		c.failAt(b, "':' after the member name")
		return Text{}
	}
	c.Pos++
	return name
}

// Str reads the string at hand; Peek has returned '"'.
func (c *Cursor) Str() Text {
	if c.Err != nil {
		return Text{}
	}
	return c.str()
}

// Jump passes n bytes of text that was accepted elsewhere: values of the open array or object, with what stands between them.
func (c *Cursor) Jump(n int) { c.Pos += n }

// Skip reads the value at hand, whatever it is, and returns its span.
func (c *Cursor) Skip() Span {
	b := c.Peek()
	start := c.Pos
	switch {
	case b == '"':
		c.str()
	case b == '{':
		c.skipObject()
	case b == '[':
		c.skipArray()
	case b == '-' || '0' <= b && b <= '9':
		c.number()
	case b == 't':
		c.literal("true")
	case b == 'f':
		c.literal("false")
	case b == 'n':
		c.literal("null")
	default:
		c.failAt(b, "a value")
	}
	return Span{start, c.Pos}
}

func (c *Cursor) skipArray() {
	c.Open()
	for c.Next(']') {
		c.Skip()
	}
}

func (c *Cursor) skipObject() {
	set := c.NewNames()
	c.Open()
	for c.Next('}') {
		c.Unique(&set, c.Name())
		c.Skip()
	}
	c.Forget(&set)
}

func (c *Cursor) literal(word string) {
	end := c.Pos + len(word)
	switch {
	case end <= len(c.Src) && string(c.Src[c.Pos:end]) == word:
	case end > len(c.Src) && strings.HasPrefix(word, string(c.Src[c.Pos:])):
		c.fail(Truncated, len(c.Src))
		return
	default:
		c.failAt(c.Src[c.Pos], "a value")
		return
	}
	c.Pos = end
}

// End passes white space and fails unless the text ends there.
func (c *Cursor) End() {
	if b := c.Peek(); b != 0 || c.Err == nil && c.Pos < len(c.Src) {
		c.failAt(b, "the end of the document")
	}
}

// Check reports why src is not one I-JSON value with nothing but white space around it, or nil.
func Check(src []byte) *SyntaxError {
	c := Cursor{Src: src}
	c.Start()
	c.Skip()
	c.End()
	return c.Err
}

// Start moves to the first value and refuses a byte order mark (RFC 8259 §8.1). Of a longer stream it looks at no more than a text may have.
func (c *Cursor) Start() {
	if len(c.Src)-c.Pos > MaxText {
		c.Src, c.isCut = c.Src[:c.Pos+MaxText], true
	}
	if rest := c.Src[c.Pos:]; len(rest) >= 3 && string(rest[:3]) == "\xef\xbb\xbf" {
		c.fail(ByteOrderMark, c.Pos)
	}
	c.Peek()
}

// TrimWhite returns src without the white space it begins with.
func TrimWhite(src []byte) []byte {
	for len(src) > 0 && isWhite(src[0]) {
		src = src[1:]
	}
	return src
}
