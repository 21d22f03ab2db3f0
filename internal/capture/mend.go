package capture

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// mender copies a JSON text and makes an I-JSON message of it.
type mender struct {
	src   []byte
	pos   int
	out   []byte
	flaws []int           // offsets in out
	cuts  []jsonspan.Span // of out, that are taken away in the end
}

func (m *mender) flaw() { m.flaws = append(m.flaws, len(m.out)) }

// peek passes white space and returns the byte behind it, 0 at the end.
func (m *mender) peek() byte {
	for m.pos < len(m.src) {
		switch m.src[m.pos] {
		case ' ', '\t', '\r', '\n':
			m.pos++
		default:
			return m.src[m.pos]
		}
	}
	return 0
}

// take passes b, which must be next, and copies it.
func (m *mender) take(b byte) bool {
	if m.peek() != b {
		return false
	}
	m.pos++
	m.out = append(m.out, b)
	return true
}

// value copies one value. It returns false where the text is no JSON. A value that cannot be held becomes null, as its neighbours in an
// array would otherwise change their places.
func (m *mender) value(depth int) bool {
	b := m.peek()
	switch {
	case (b == '{' || b == '[') && depth >= jsonspan.MaxDepth:
		return m.drop()
	case b == '{':
		return m.object(depth + 1)
	case b == '[':
		return m.array(depth + 1)
	case b == '"':
		return m.str()
	case b == 0:
		return false
	}
	return m.scalar()
}

// scalar copies a number or a literal.
func (m *mender) scalar() bool {
	start := m.pos
	for m.pos < len(m.src) && bytes.IndexByte([]byte(" \t\r\n,]}"), m.src[m.pos]) < 0 {
		m.pos++
	}
	text := m.src[start:m.pos]
	if err := jsonspan.Check(text); err == nil {
		m.out = append(m.out, text...)
	} else if (err.Kind == jsonspan.NumberRange || err.Kind == jsonspan.NumberPrecision) && json.Valid(text) { // perhaps no number
		m.null()
	} else {
		return false
	}
	return true
}

func (m *mender) null() {
	m.flaw()
	m.out = append(m.out, "null"...)
}

// drop passes a value that is nested too deeply, without recursion.
func (m *mender) drop() bool {
	depth := 0
	for m.pos < len(m.src) {
		switch m.src[m.pos] {
		case '"':
			if !m.passString() {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		m.pos++
		if depth == 0 {
			m.null()
			return true
		}
	}
	return false
}

func (m *mender) passString() bool {
	for m.pos++; m.pos < len(m.src); m.pos++ {
		switch m.src[m.pos] {
		case '\\':
			m.pos++
		case '"':
			m.pos++
			return true
		}
	}
	return false
}

func (m *mender) array(depth int) bool {
	m.take('[')
	for first := true; m.peek() != ']'; first = false {
		if !first && !m.take(',') || !m.value(depth) {
			return false
		}
	}
	return m.take(']')
}

// object copies an object without the members whose name occurs twice. Which of them the client meant nothing tells.
func (m *mender) object(depth int) bool {
	m.take('{')
	var places []jsonspan.Span // of the members in out, with the comma before each
	byName := map[string][]int{}
	for first := true; m.peek() != '}'; first = false {
		start := len(m.out)
		if !first && !m.take(',') {
			return false
		}
		from := len(m.out)
		if m.peek() != '"' || !m.str() {
			return false
		}
		name := string(jsonspan.AppendPlain(nil, m.out[from:]))
		if !m.take(':') || !m.value(depth) {
			return false
		}
		byName[name] = append(byName[name], len(places))
		places = append(places, jsonspan.Span{Start: start, End: len(m.out)})
	}
	if len(byName) < len(places) {
		m.leaveOut(places, byName)
	}
	return m.take('}')
}

// leaveOut cuts the members of an object whose name is not theirs alone. places are the members with the comma before each.
func (m *mender) leaveOut(places []jsonspan.Span, byName map[string][]int) {
	twice := make([]bool, len(places))
	for _, list := range byName {
		for _, i := range list {
			twice[i] = len(list) > 1
		}
	}
	kept := false
	for i, p := range places {
		switch {
		case twice[i]:
			m.cuts = append(m.cuts, p)
		case !kept && i > 0:
			m.cuts = append(m.cuts, jsonspan.Span{Start: p.Start, End: p.Start + 1})
			kept = true
		default:
			kept = true
		}
	}
}

// finish makes all cuts at once, so that objects within objects cost no more than others.
func (m *mender) finish() {
	slices.SortFunc(m.cuts, func(a, b jsonspan.Span) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	var out []byte
	var flaws []int
	at, next := 0, 0
	pass := func(until int) { // takes over what is before a cut
		for ; next < len(m.flaws) && m.flaws[next] < until; next++ {
			if m.flaws[next] >= at {
				flaws = append(flaws, len(out)+m.flaws[next]-at)
			}
		}
		out = append(out, m.out[at:until]...)
	}
	for _, cut := range m.cuts {
		if cut.End <= at {
			continue // within another
		}
		pass(cut.Start)
		at = cut.End
		if cut.Len() > 1 { // more than a comma
			flaws = append(flaws, len(out))
		}
	}
	pass(len(m.out))
	m.out, m.flaws = out, flaws
}

// str copies a string.
func (m *mender) str() bool {
	m.out = append(m.out, '"')
	for m.pos++; m.pos < len(m.src); {
		switch b := m.src[m.pos]; {
		case b == '"':
			m.pos++
			m.out = append(m.out, '"')
			return true
		case b < ' ':
			return false
		case b == '\\':
			if !m.escape() {
				return false
			}
		case b < utf8.RuneSelf:
			m.pos++
			m.out = append(m.out, b)
		default:
			m.character()
		}
	}
	return false
}

// character copies a character beyond ASCII.
func (m *mender) character() {
	r, n := utf8.DecodeRune(m.src[m.pos:])
	m.pos += n
	if r == utf8.RuneError && n == 1 || isNoncharacter(r) {
		m.flaw()
		r = utf8.RuneError
	}
	m.out = utf8.AppendRune(m.out, r)
}

// isNoncharacter says whether I-JSON forbids a code point (RFC 7493 §2.1).
func isNoncharacter(r rune) bool { return 0xFDD0 <= r && r <= 0xFDEF || r&0xFFFE == 0xFFFE }

// escape copies an escape, or two that form a surrogate pair.
func (m *mender) escape() bool {
	rest := m.src[m.pos:]
	if len(rest) < 2 {
		return false
	}
	if rest[1] != 'u' {
		m.pos += 2
		m.out = append(m.out, rest[:2]...)
		return bytes.IndexByte([]byte(`"\\/bfnrt`), rest[1]) >= 0
	}
	r, n := codeUnit(rest), 6
	if r < 0 {
		return false
	}
	held := true
	if utf16.IsSurrogate(r) {
		if r = utf16.DecodeRune(r, codeUnit(rest[6:])); r == utf8.RuneError {
			held = false
		} else {
			n = 12
		}
	}
	m.pos += n
	if held && !isNoncharacter(r) {
		m.out = append(m.out, rest[:n]...)
		return true
	}
	m.flaw()
	m.out = append(m.out, `\ufffd`...)
	return true
}

// codeUnit is the UTF-16 code unit of the escape that b begins with, or -1.
func codeUnit(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}
