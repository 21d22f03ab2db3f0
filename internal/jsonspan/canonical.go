package jsonspan

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/gowebpki/jcs"
)

// canonicalBlock is how much canonical text is collected before it is handed on.
const canonicalBlock = 32 << 10

// WriteCanonical checks that src begins with an I-JSON message and writes its canonical form (RFC 8785) to w, which must not fail, such as a
// hash. It returns the length of the message. A lenient one rounds numbers to doubles, as the canonical form does. At no time is more than a block of the canonical form in memory.
func WriteCanonical(w io.Writer, src []byte, lenient bool) (int, *SyntaxError) {
	cursor := Cursor{Src: src, Lenient: lenient}
	var tape Tape
	cursor.Record(&tape)
	cursor.Start()
	value := cursor.Skip()
	if cursor.Err != nil {
		return 0, cursor.Err
	}
	c := canonicals.Get().(*canonical)
	c.src, c.tape, c.w = src, &tape, w
	c.value(value.Start, 0)
	c.flush()
	c.src, c.tape, c.w = nil, nil, nil
	clear(c.members[:cap(c.members)]) // they hold on to the text
	canonicals.Put(c)
	return value.End, nil
}

// canonical writes accepted text in canonical form.
type canonical struct {
	src     []byte
	tape    *Tape
	w       io.Writer
	out     []byte
	members []canonicalMember // of the objects that are open, the innermost last
}

// canonicals keeps buffers between texts: a stream has thousands.
var canonicals = sync.Pool{New: func() any { return &canonical{out: make([]byte, 0, canonicalBlock+256)} }}

// canonicalMember is a member of an object: its name after unescaping, where its name and value begin, and the tape's first entry from
// the value on.
type canonicalMember struct {
	plain []byte
	name  Text
	value int
	entry uint32
}

func (c *canonical) flush() {
	c.w.Write(c.out)
	c.out = c.out[:0]
}

func (c *canonical) put(b byte) {
	c.out = append(c.out, b)
	if len(c.out) >= canonicalBlock {
		c.flush()
	}
}

func (c *canonical) write(b []byte) {
	if len(c.out)+len(b) > canonicalBlock {
		c.flush()
	}
	if len(b) > canonicalBlock {
		c.w.Write(b)
		return
	}
	c.out = append(c.out, b...)
}

// value writes the value at pos; entry is the tape's first entry from there on.
func (c *canonical) value(pos int, entry uint32) {
	switch c.src[pos] {
	case '{':
		c.object(pos, entry)
	case '[':
		c.array(pos, entry)
	case '"':
		c.str(TextAt(c.src, pos))
	default:
		c.scalar(c.src[pos:scalarEnd(c.src, pos)])
	}
}

func (c *canonical) str(t Text) {
	s := c.src[t.Start:t.End]
	if !t.Escaped {
		c.write(s)
		return
	}
	eachPart(s, c.write, func(r rune) {
		c.out = appendSpelled(c.out, r)
		if len(c.out) >= canonicalBlock {
			c.flush()
		}
	})
}

// scalar writes a number or a literal.
func (c *canonical) scalar(b []byte) {
	if b[0] != '-' && (b[0] < '0' || b[0] > '9') || len(b) <= shortNumber && isPlainInteger(b) {
		c.write(b)
		return
	}
	value, _ := strconv.ParseFloat(string(b), 64)
	text, _ := jcs.NumberToJSON(value)
	c.write([]byte(text))
}

// isPlainInteger says whether a number is spelled as RFC 8785 spells it because it is an integer without exponent.
func isPlainInteger(b []byte) bool {
	for _, d := range b {
		if d < '0' || d > '9' {
			return false
		}
	}
	return true
}

func (c *canonical) array(pos int, entry uint32) {
	c.put('[')
	child := entry + 1
	first := true
	for i := passWhite(c.src, pos+1); c.src[i] != ']'; {
		if !first {
			c.put(',')
		}
		first = false
		c.value(i, child)
		i, child = c.pass(i, child)
		i = passComma(c.src, i)
	}
	c.put(']')
}

func (c *canonical) object(pos int, entry uint32) {
	base := len(c.members)
	c.collect(pos, entry+1)
	sortMembers(c.members[base:])
	c.put('{')
	for i := base; i < len(c.members); i++ {
		if i > base {
			c.put(',')
		}
		m := c.members[i]
		c.str(m.name)
		c.put(':')
		c.value(m.value, m.entry)
	}
	c.put('}')
	c.members = c.members[:base]
}

// collect appends the members of the object at pos, whose first array or object inside is entry child.
func (c *canonical) collect(pos int, child uint32) {
	for i := passWhite(c.src, pos+1); c.src[i] != '}'; {
		name := TextAt(c.src, i)
		i = passWhite(c.src, name.End)
		i = passWhite(c.src, i+1) // behind the colon
		c.members = append(c.members, canonicalMember{Plain(c.src, name), name, i, child})
		i, child = c.pass(i, child)
		i = passComma(c.src, i)
	}
}

// pass returns the offset behind the value at pos and the first tape entry from there on.
func (c *canonical) pass(pos int, entry uint32) (int, uint32) {
	switch c.src[pos] {
	case '{', '[':
		extent := c.tape.Extent(entry)
		return int(extent.End), extent.Next
	case '"':
		return stringEnd(c.src, pos), entry
	}
	return scalarEnd(c.src, pos), entry
}

func passWhite(src []byte, i int) int {
	for isWhite(src[i]) {
		i++
	}
	return i
}

// passComma moves behind a comma, or to the closer.
func passComma(src []byte, i int) int {
	i = passWhite(src, i)
	if src[i] == ',' {
		i = passWhite(src, i+1)
	}
	return i
}

// scalarEnd returns the offset behind the number or literal at pos.
func scalarEnd(src []byte, pos int) int {
	for pos < len(src) && src[pos] != ',' && src[pos] != ']' && src[pos] != '}' && !isWhite(src[pos]) {
		pos++
	}
	return pos
}

// sortMembers sorts by name in the order of UTF-16 code units (RFC 8785 §3.2.3).
func sortMembers(members []canonicalMember) {
	byName := func(a, b canonicalMember) int { return compareUTF16(a.plain, b.plain) }
	if len(members) > fewNames {
		slices.SortFunc(members, byName)
		return
	}
	for i := 1; i < len(members); i++ {
		for j := i; j > 0 && byName(members[j], members[j-1]) < 0; j-- {
			members[j], members[j-1] = members[j-1], members[j]
		}
	}
}

// compareUTF16 compares two UTF-8 texts by their UTF-16 code units. That is the order of their bytes, except that a character
// beyond U+FFFF, whose first byte is 0xF0 or more, comes before U+E000 to U+FFFF, whose first byte is 0xEE or 0xEF.
func compareUTF16(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		switch {
		case x == y:
			continue
		case x >= 0xF0 && (y == 0xEE || y == 0xEF):
			return -1
		case y >= 0xF0 && (x == 0xEE || x == 0xEF):
			return 1
		}
		return int(x) - int(y)
	}
	return len(a) - len(b)
}

// Canonical returns the canonical form of src (RFC 8785), which is one I-JSON message with nothing but white space around it; numbers are rounded to
// doubles, as the form demands.
func Canonical(src []byte) ([]byte, *SyntaxError) {
	var b bytes.Buffer
	n, err := WriteCanonical(&b, src, true)
	if err == nil {
		rest := Cursor{Src: src, Pos: n}
		rest.End()
		err = rest.Err
	}
	return b.Bytes(), err
}
