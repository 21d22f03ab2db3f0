package jsonspan

import (
	"bytes"
	"strconv"
	"strings"
)

// Position is a place in a text as people and editors name it: line and column from 1, the column counted in characters, and
// the JSON Pointer (RFC 6901) of the value that begins there or encloses it.
type Position struct {
	Line, Column int
	Pointer      string
}

// Locator finds the positions of offsets. It reads any bytes, valid JSON or not, and must be asked in ascending order,
// so that all positions of a text cost one pass.
type Locator struct {
	src    []byte
	pos    int // everything before it has been read
	frames []frame

	line, column, counted int // of the offset counted
}

// frame is an open array or object.
type frame struct {
	array   bool
	index   int  // of the element at hand
	name    Span // of the member at hand, with quotes
	naming  bool // a member name comes next
	hasName bool
}

// NewLocator returns a locator for src.
func NewLocator(src []byte) *Locator { return &Locator{src: src, line: 1, column: 1} }

// At returns the position of offset.
func (l *Locator) At(offset int) Position {
	offset = min(offset, len(l.src))
	for l.pos < offset {
		l.read()
	}
	if l.atName(offset) {
		l.readString()
	}
	l.count(offset)
	return Position{Line: l.line, Column: l.column, Pointer: l.pointer()}
}

// count moves line and column forward to offset.
func (l *Locator) count(offset int) {
	between := l.src[l.counted:max(offset, l.counted)]
	if lines := bytes.Count(between, []byte{'\n'}); lines > 0 {
		l.line += lines
		l.column = 1
		between = between[bytes.LastIndexByte(between, '\n')+1:]
	}
	l.column += CountCharacters(between)
	l.counted = max(offset, l.counted)
}

// atName says whether a member name begins at offset.
func (l *Locator) atName(offset int) bool {
	top := len(l.frames) - 1
	return l.pos == offset && offset < len(l.src) && l.src[offset] == '"' && top >= 0 && l.frames[top].naming
}

// read passes one string or one other byte.
func (l *Locator) read() {
	top := len(l.frames) - 1
	switch l.src[l.pos] {
	case '{':
		l.frames = append(l.frames, frame{naming: true})
	case '[':
		l.frames = append(l.frames, frame{array: true})
	case '}', ']':
		if top >= 0 {
			l.frames = l.frames[:top]
		}
	case ',':
		if top >= 0 {
			l.frames[top].index++
			l.frames[top].naming, l.frames[top].hasName = !l.frames[top].array, false
		}
	case '"':
		l.readString()
		return
	}
	l.pos++
}

// readString passes the string at pos and keeps it if it is a member name.
func (l *Locator) readString() {
	start := l.pos
	l.pos = stringEnd(l.src, start)
	if top := len(l.frames) - 1; top >= 0 && l.frames[top].naming {
		l.frames[top].name = Span{start, l.pos}
		l.frames[top].naming, l.frames[top].hasName = false, true
	}
}

// stringEnd returns the offset behind the string that begins at start, the end of src if nothing closes it.
func stringEnd(src []byte, start int) int {
	for i := start + 1; ; {
		n := bytes.IndexByte(src[i:], '"')
		if n < 0 {
			return len(src)
		}
		i += n + 1
		if !oddBackslashes(src[start+1 : i-1]) {
			return i
		}
	}
}

// oddBackslashes says whether b ends in an odd number of backslashes.
func oddBackslashes(b []byte) bool {
	n := len(b)
	for n > 0 && b[n-1] == '\\' {
		n--
	}
	return (len(b)-n)%2 == 1
}

// A pointer longer than longPointer, and a name in it longer than longName, are cut: a hostile document could make each finding as large as itself.
const (
	longPointer = 4 << 10
	longName    = 1 << 10
)

func (l *Locator) pointer() string {
	var b strings.Builder
	for _, f := range l.frames {
		switch {
		case b.Len() > longPointer:
			return b.String() + "/…"
		case f.array:
			b.WriteByte('/')
			b.WriteString(strconv.Itoa(f.index))
		case f.hasName:
			b.WriteByte('/')
			b.WriteString(pointerToken(l.src[f.name.Start:f.name.End]))
		}
	}
	return b.String()
}

// pointerToken turns a member name, which may be malformed, into a reference token of RFC 6901.
func pointerToken(name []byte) string {
	if len(name) > longName {
		return pointerEscapes.Replace(string(bytes.ToValidUTF8(name[1:longName], nil))) + "…"
	}
	var c Cursor
	c.Src = name
	if t := c.Str(); c.Err == nil {
		name = Plain(name, t)
	} else {
		name = bytes.ToValidUTF8(bytes.Trim(name, `"`), []byte("\uFFFD"))
	}
	return pointerEscapes.Replace(string(name))
}

// pointerEscapes is RFC 6901 §3.
var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")
