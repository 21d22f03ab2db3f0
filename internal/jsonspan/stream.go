package jsonspan

import (
	"bytes"
	"io"
)

// recordSeparator may stand before each text of a stream (RFC 7464).
const recordSeparator = 0x1E

// readerBlock is how much is read at once.
const readerBlock = 256 << 10

// Reader takes a stream of JSON texts apart: concatenated, one a line, or with record separators. It keeps one text in memory.
//
// For each text: Next, then Advance by what was read of it, or Resync if that failed.
type Reader struct {
	r     io.Reader // nil when the whole stream is in buf
	buf   []byte
	start int // of what has not been passed, in buf
	eof   bool

	offset    int64 // of buf[start] in the stream
	line      int   // line feeds before it
	column    int   // characters before it on its line
	number    int
	lines     bool // no text so far had a line feed in it
	separated bool // a record separator stood before a text
}

// NewReader returns a reader of r, which grows a buffer to the largest text.
func NewReader(r io.Reader) *Reader { return &Reader{r: r, lines: true} }

// NewBytesReader returns a reader of a stream that is in memory as a whole.
func NewBytesReader(b []byte) *Reader { return &Reader{buf: b, eof: true, lines: true} }

// Offset is the place in the stream of the text that Next returned.
func (r *Reader) Offset() int64 { return r.offset }

// Line is the number of line feeds in the stream before the text that Next returned.
func (r *Reader) Line() int { return r.line }

// Column is the number of characters before the text that Next returned on the line that it begins on.
func (r *Reader) Column() int {
	if r.r == nil {
		return columnBehind(0, r.buf[:r.start])
	}
	return r.column
}

// columnBehind is the column behind some text that begins at a column.
func columnBehind(column int, text []byte) int {
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		column, text = 0, text[i+1:]
	}
	return column + CountCharacters(text)
}

// CountCharacters counts the characters of UTF-8 text without a copy of it.
func CountCharacters(text []byte) (n int) {
	for _, b := range text {
		if !continues(b) {
			n++
		}
	}
	return n
}

// Number counts the texts from 1.
func (r *Reader) Number() int { return r.number }

// Next returns bytes that begin with the next text and hold all of it; they are good until the next call. At the end of
// the stream the error is io.EOF.
func (r *Reader) Next() ([]byte, error) {
	if err := r.passGap(); err != nil {
		return nil, err
	}
	r.number++
	if r.r == nil {
		return r.buf[r.start:], nil
	}
	var f framer
	probed := readerBlock
	for {
		text := r.buf[r.start:]
		if end := f.find(text); end >= 0 {
			return text[:end], nil
		}
		if r.eof {
			return text, nil
		}
		if len(text) > 4*probed {
			// A text whose end cannot be found would draw the rest of the stream into memory.
			if err := Check(text); err != nil && err.Kind != Truncated && err.Offset < len(text)-cutToken {
				return text, nil
			}
			probed = len(text)
		}
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
}

// passGap moves to the first byte of the next text.
func (r *Reader) passGap() error {
	for {
		i := r.start
		for i < len(r.buf) && (isWhite(r.buf[i]) || r.buf[i] == recordSeparator) {
			r.separated = r.separated || r.buf[i] == recordSeparator
			i++
		}
		r.move(i - r.start)
		if r.start < len(r.buf) {
			return nil
		}
		if r.eof {
			return io.EOF
		}
		if err := r.fill(); err != nil {
			return err
		}
	}
}

func (r *Reader) move(n int) {
	passed := r.buf[r.start : r.start+n]
	r.line += bytes.Count(passed, []byte{'\n'})
	if r.r != nil { // else what was passed is still there
		r.column = columnBehind(r.column, passed)
	}
	r.start += n
	r.offset += int64(n)
}

// fill reads another block behind what is there, first making room for it.
func (r *Reader) fill() error {
	if r.start > 0 {
		r.buf = r.buf[:copy(r.buf, r.buf[r.start:])]
		r.start = 0
	}
	if cap(r.buf)-len(r.buf) < readerBlock {
		grown := make([]byte, len(r.buf), 2*cap(r.buf)+2*readerBlock)
		copy(grown, r.buf)
		r.buf = grown
	}
	n, err := r.r.Read(r.buf[len(r.buf):cap(r.buf)])
	r.buf = r.buf[:len(r.buf)+n]
	if err == io.EOF {
		r.eof = true
		return nil
	}
	return err
}

// cutToken is more than a fault can be away from the end of a text that is cut there, in the middle of a character, an escape, a literal or a number.
const cutToken = 4 << 10

// lineProbe is how far into a text a line feed is looked for: printed text has one near its start.
const lineProbe = 4096

// Advance ends the text that Next returned; n of its bytes were read.
func (r *Reader) Advance(n int) {
	probe := r.buf[r.start : r.start+min(n, lineProbe)]
	r.lines = r.lines && bytes.IndexByte(probe, '\n') < 0
	r.move(n)
}

// Resync ends a text that failed at offset failed of it: it moves to the next record separator, if the stream has them, or else, in a stream of one text
// a line, to the next line. It returns false when nothing tells where the next text begins.
func (r *Reader) Resync(failed int) (bool, error) {
	if r.number == 1 && bytes.IndexByte(r.buf[r.start:r.start+min(failed, len(r.buf)-r.start)], '\n') >= 0 {
		r.lines = false // it may be printed over several lines, or the first of many that is torn
	}
	mark := byte('\n')
	switch {
	case r.separated:
		mark = recordSeparator
	case !r.lines:
		return false, nil
	}
	for {
		rest := r.buf[r.start:]
		i := bytes.IndexByte(rest, mark)
		switch {
		case i < 0:
			r.move(len(rest))
		case r.separated || i+1 < len(rest):
			r.move(i)
			return r.separated || rest[i+1] == '{', nil
		case r.eof:
			r.move(len(rest))
		default:
			r.move(i) // what the line feed is followed by is not there yet
		}
		if r.eof {
			return true, nil
		}
		if err := r.fill(); err != nil {
			return false, err
		}
	}
}

// framer finds where a text ends without checking it.
type framer struct {
	pos      int
	depth    int
	inString bool
	opened   int // offset of the open string
}

// find returns the offset behind the text that b begins with, or -1 if b ends before it; it goes on where it stopped, so b must be
// the same text as before, longer. In a malformed text it returns some offset behind the fault.
func (f *framer) find(b []byte) int {
	for f.pos < len(b) {
		if f.inString {
			if end := f.passString(b); end != 0 {
				return end
			}
			continue
		}
		switch c := b[f.pos]; {
		case c == '"':
			f.inString, f.opened = true, f.pos
		case c == '{' || c == '[':
			f.depth++
		case c == '}' || c == ']':
			if f.depth--; f.depth <= 0 {
				return f.pos + 1
			}
		case f.depth == 0 && (isWhite(c) || c == ',' || c == recordSeparator):
			return max(f.pos, 1)
		case c == recordSeparator:
			return f.pos + 1
		}
		f.pos++
	}
	return -1
}

// passString moves behind the open string. It returns an offset if the text ends there, 0 if it goes on, -1 if b does not hold the
// end of the string.
func (f *framer) passString(b []byte) int {
	n := bytes.IndexByte(b[f.pos:], '"')
	inside := b[f.pos:]
	if n >= 0 {
		inside = inside[:n]
	}
	if i := bytes.IndexByte(inside, '\n'); i >= 0 {
		return f.pos + i + 1 // no string of JSON holds a raw line feed
	}
	f.pos += len(inside)
	if n < 0 {
		return -1
	}
	f.inString = oddBackslashes(b[f.opened+1 : f.pos])
	f.pos++
	if f.depth == 0 && !f.inString {
		return f.pos
	}
	return 0
}
