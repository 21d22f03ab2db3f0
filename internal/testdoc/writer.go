package testdoc

import (
	"fmt"
	"unicode/utf8"
)

// A JSON value is nil, a bool, a string, a number, an object or an array.
type (
	// number is the spelling of a JSON number.
	number string
	// member is one member of an object.
	member struct {
		name  string
		value any
	}
	// object keeps its members in order.
	object []member
	// array is a JSON array.
	array []any
	// rendered is JSON text that a writer made before, for the depth where it stands.
	rendered []byte
)

// put adds a member.
func (o *object) put(name string, value any) {
	*o = append(*o, member{name, value})
}

// textArray makes an array of strings.
func textArray(list []string) array {
	out := make(array, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// order says what a writer does to the members of an object.
type order int

const (
	kept order = iota
	reversed
	shuffled
)

// layout is how a writer spells a document.
type layout struct {
	// indent is the indentation of one level; without it there is no white space.
	indent string
	// newline ends a line where there is an indent.
	newline string
	// odd puts random white space between all tokens instead.
	odd bool
	// order is the order of members.
	order order
	// escapes and nameEscapes are how many characters in 100 are escaped without need, in values and in names.
	escapes, nameEscapes int
}

// writer writes JSON text. The dice may be nil for a layout that leaves nothing to chance.
type writer struct {
	layout
	dice *dice
	text []byte
}

// value writes one value that stands at a depth.
func (w *writer) value(v any, depth int) {
	switch v := v.(type) {
	case nil:
		w.text = append(w.text, "null"...)
	case bool:
		w.text = fmt.Append(w.text, v)
	case number:
		w.text = append(w.text, v...)
	case string:
		w.quoted(v, w.escapes)
	case object:
		w.object(v, depth)
	case array:
		w.array(v, depth)
	case rendered:
		w.text = append(w.text, v...)
	default:
		panic(fmt.Sprintf("testdoc: %T is no JSON value", v))
	}
}

// object writes an object and its members in the layout's order.
func (w *writer) object(o object, depth int) {
	w.text = append(w.text, '{')
	for i, m := range w.ordered(o) {
		w.separate(i, depth+1)
		w.name(m.name)
		w.value(m.value, depth+1)
	}
	w.close(len(o), depth, '}')
}

// array writes an array.
func (w *writer) array(a array, depth int) {
	w.text = append(w.text, '[')
	for i, v := range a {
		w.separate(i, depth+1)
		w.value(v, depth+1)
	}
	w.close(len(a), depth, ']')
}

// ordered returns the members in the order to write them.
func (w *writer) ordered(o object) object {
	if w.order == kept {
		return o
	}
	out := append(object(nil), o...)
	if w.order == shuffled {
		shuffle(w.dice, out)
		return out
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// separate writes what stands before element i of a container.
func (w *writer) separate(i, depth int) {
	if i > 0 {
		w.gap()
		w.text = append(w.text, ',')
	}
	w.lineBreak(depth)
}

// close ends a container of n elements.
func (w *writer) close(n, depth int, bracket byte) {
	if n > 0 || w.odd {
		w.lineBreak(depth)
	}
	w.text = append(w.text, bracket)
}

// name writes a member's name and colon.
func (w *writer) name(name string) {
	w.quoted(name, w.nameEscapes)
	w.gap()
	w.text = append(w.text, ':')
	if w.indent != "" {
		w.text = append(w.text, ' ')
	}
	w.gap()
}

// lineBreak begins a line at a depth.
func (w *writer) lineBreak(depth int) {
	if w.odd {
		w.gap()
		return
	}
	if w.indent == "" {
		return
	}
	w.text = append(w.text, w.newline...)
	for range depth {
		w.text = append(w.text, w.indent...)
	}
}

// oddGaps is white space as no tool writes it.
var oddGaps = []string{"", "", "", "", " ", " ", "  ", "\t", "\n", "\r\n", " \r\n ", "\r", " \t ", "   \n"}

// gap writes odd white space in an odd layout.
func (w *writer) gap() {
	if w.odd {
		w.text = append(w.text, pick(w.dice, oddGaps)...)
	}
}

// quoted writes a string, escaping what must be and escapes in 100 of the rest.
func (w *writer) quoted(s string, escapes int) {
	w.text = append(w.text, '"')
	for _, r := range s {
		switch {
		case escapes > 0 && w.dice.chance(escapes):
			w.needless(r)
		case r == '"' || r == '\\':
			w.text = append(w.text, '\\', byte(r))
		case r < ' ':
			w.control(r)
		default:
			w.text = utf8.AppendRune(w.text, r)
		}
	}
	w.text = append(w.text, '"')
}

// control writes the shortest escape of a control character.
func (w *writer) control(r rune) {
	if short, ok := shortEscape(r); ok {
		w.text = append(w.text, '\\', short)
		return
	}
	w.text = fmt.Appendf(w.text, "\\u%04x", r)
}

// needless writes some escape of a character, needed or not.
func (w *writer) needless(r rune) {
	short, ok := shortEscape(r)
	switch {
	case ok && w.dice.chance(50):
		w.text = append(w.text, '\\', short)
	case r > 0xFFFF:
		w.unit(0xD800 + (r-0x10000)>>10)
		w.unit(0xDC00 + (r-0x10000)&0x3FF)
	default:
		w.unit(r)
	}
}

// unit writes one UTF-16 code unit as an escape, its digits in either case.
func (w *writer) unit(u rune) {
	verb := "\\u%04x"
	if w.dice.chance(40) {
		verb = "\\u%04X"
	}
	w.text = fmt.Appendf(w.text, verb, u)
}

// shortEscape returns the letter of a two-character escape.
func shortEscape(r rune) (byte, bool) {
	switch r {
	case '"', '\\', '/':
		return byte(r), true
	case '\b':
		return 'b', true
	case '\f':
		return 'f', true
	case '\n':
		return 'n', true
	case '\r':
		return 'r', true
	case '\t':
		return 't', true
	}
	return 0, false
}
