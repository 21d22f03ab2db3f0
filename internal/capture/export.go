package capture

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// isExport says whether a log is an export: an object whose first member is the session or the list of its messages.
func isExport(head []byte) bool {
	head, ok := bytes.CutPrefix(jsonspan.TrimWhite(head), []byte("{"))
	if !ok {
		return false
	}
	head = jsonspan.TrimWhite(head)
	for name, opener := range map[string]byte{`"info"`: '{', `"messages"`: '['} {
		if rest, ok := bytes.CutPrefix(head, []byte(name)); ok {
			rest, ok = bytes.CutPrefix(jsonspan.TrimWhite(rest), []byte(":"))
			rest = jsonspan.TrimWhite(rest)
			return ok && len(rest) > 0 && rest[0] == opener
		}
	}
	return false
}

// values are the records of an export, read from one JSON value of any size without holding it: its info, and of each of its messages the
// info and the parts.
func values(s *source) func() (line, error) {
	s.in = bufio.NewReaderSize(io.TeeReader(s.in, s.sum), window)
	e := &export{source: s}
	e.step = e.start
	return e.next
}

// export walks through an export. Each step reads what comes next and says what follows.
type export struct {
	*source
	step  func() (found bool, err error)
	found line
}

var errBroken = errors.New("the export is no JSON")

// next returns the next record. Behind something that is no JSON nothing is read: the rest is one record that is cut off.
func (e *export) next() (line, error) {
	for e.step != nil {
		found, err := e.step()
		switch {
		case found:
			return e.found, nil
		case err == errBroken || err == io.ErrUnexpectedEOF || err == io.EOF:
			e.step = nil
			_, copyErr := io.Copy(io.Discard, e.in)
			return line{text: []byte{}}, copyErr
		case err != nil:
			return line{}, err
		}
	}
	return line{}, io.EOF
}

// peek passes white space and returns the next byte.
func (e *export) peek() (byte, error) {
	for {
		b, err := e.in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch b {
		case ' ', '\t', '\r', '\n':
		default:
			return b, e.in.UnreadByte()
		}
	}
}

func (e *export) expect(want byte) error {
	b, err := e.peek()
	if err == nil && b != want {
		err = errBroken
	}
	if err == nil {
		_, err = e.in.ReadByte()
	}
	return err
}

func (e *export) start() (bool, error) {
	if err := e.expect('{'); err != nil {
		return false, err
	}
	e.step = e.member
	return false, nil
}

// item passes the comma before the next item of a list; it returns false at the end of the list.
func (e *export) item(closer byte) (bool, error) {
	b, err := e.peek()
	if err != nil {
		return false, err
	}
	if b == closer || b == ',' {
		_, err = e.in.ReadByte()
		return b == ',', err
	}
	return true, nil
}

// name reads the name of a member and the colon behind it.
func (e *export) name() (string, error) {
	if b, err := e.peek(); err != nil || b != '"' {
		return "", cmpErr(err, errBroken)
	}
	l, err := e.value()
	if err != nil {
		return "", err
	}
	r, ok := readRecord(l.text)
	if !ok {
		return "", errBroken
	}
	return r.text(), e.expect(':')
}

// member reads a member of the export.
func (e *export) member() (bool, error) {
	more, err := e.item('}')
	if err != nil || !more {
		e.step = nil
		return false, err
	}
	name, err := e.name()
	if err != nil {
		return false, err
	}
	if name != "messages" {
		return e.take(name == "info")
	}
	e.step = e.message
	return false, e.expect('[')
}

// take reads a value, which is a record or passed over.
func (e *export) take(isRecord bool) (bool, error) {
	l, err := e.value()
	e.found = l
	return isRecord && err == nil, err
}

// message reads the beginning of a message.
func (e *export) message() (bool, error) {
	more, err := e.item(']')
	if err != nil {
		return false, err
	}
	if !more {
		e.step = e.member
		return false, nil
	}
	e.step = e.messageMember
	return false, e.expect('{')
}

func (e *export) messageMember() (bool, error) {
	more, err := e.item('}')
	if err != nil {
		return false, err
	}
	if !more {
		e.step = e.message
		return false, nil
	}
	name, err := e.name()
	if err != nil {
		return false, err
	}
	if name != "parts" {
		return e.take(name == "info")
	}
	e.step = e.part
	return false, e.expect('[')
}

func (e *export) part() (bool, error) {
	more, err := e.item(']')
	if err != nil {
		return false, err
	}
	if !more {
		e.step = e.messageMember
		return false, nil
	}
	return e.take(true)
}

// value reads one JSON value by its brackets and quotes; whether it is JSON the reader of records finds out.
func (e *export) value() (line, error) {
	if _, err := e.peek(); err != nil {
		return line{}, err
	}
	e.buf = e.buf[:0]
	v := valueEnd{}
	tooLong := false
	for {
		_, err := e.in.Peek(1)
		if err != nil {
			return line{}, errEnd(err)
		}
		block, _ := e.in.Peek(e.in.Buffered())
		n, over := v.pass(block)
		if tooLong = tooLong || len(e.buf)+n > maxRecord; !tooLong {
			e.buf = append(e.buf, block[:n]...)
		} else {
			e.buf = nil
		}
		if _, err := e.in.Discard(n); err != nil {
			return line{}, err
		}
		if over && n == 0 && len(e.buf) == 0 && !tooLong {
			return line{}, errBroken
		}
		if over {
			return line{e.lineText(tooLong), true}, nil
		}
	}
}

// valueEnd finds the end of a value that comes in blocks.
type valueEnd struct {
	depth             int
	inString, escaped bool
}

// pass returns how many bytes of a block belong to the value, and whether it ends with them.
func (v *valueEnd) pass(block []byte) (int, bool) {
	for i, b := range block {
		switch {
		case v.escaped:
			v.escaped = false
		case v.inString && b == '\\':
			v.escaped = true
		case b == '"':
			v.inString = !v.inString
			if !v.inString && v.depth == 0 {
				return i + 1, true
			}
		case v.inString:
		case b == '{' || b == '[':
			v.depth++
		case b == '}' || b == ']':
			if v.depth == 0 {
				return i, true
			}
			if v.depth--; v.depth == 0 {
				return i + 1, true
			}
		case v.depth == 0 && (b == ',' || b <= ' '):
			return i, true
		}
	}
	return len(block), false
}

func errEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
