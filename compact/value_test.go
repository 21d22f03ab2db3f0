package compact_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// The oracle of the laws shares nothing with the code under test: its own decoder, its own table of shapes and references, and its
// own reading of the specification. It says what a compaction did by comparing two decoded documents.

// The ways in which a compaction may write what it carries (rung 0 of the ladder).
const (
	asItStood = iota
	tight     // without insignificant white space
	plainest  // tight, and every string in its one canonical spelling; numbers as they stood
	numSpellings
)

// value is one JSON value, or a member with its name, of a decoded text.
type value struct {
	text  *decodedText
	kind  byte // its first byte; '0' for numbers
	chars string
	name  string
	at    [numSpellings][2]int // where its text is, in each spelling
	named [numSpellings][2]int // where its name is
	kids  []*value
}

// decodedText is a JSON text in all spellings.
type decodedText struct {
	spelled [numSpellings][]byte
	pos     int
}

// decode reads a JSON text in order. encoding/json is the judge of what is one.
func decode(src []byte) (*value, error) {
	if !json.Valid(src) {
		return nil, fmt.Errorf("no JSON: %.200s", src)
	}
	t := &decodedText{}
	t.spelled[asItStood] = src
	t.white()
	return t.value(), nil
}

// mustDecode decodes what is known to be JSON.
func mustDecode(src []byte) *value {
	v, err := decode(src)
	if err != nil {
		panic(err)
	}
	return v
}

func (t *decodedText) white() {
	for src := t.spelled[asItStood]; t.pos < len(src) && strings.IndexByte(" \t\r\n", src[t.pos]) >= 0; {
		t.pos++
	}
}

// ends are the lengths so far: where a value begins, or ends.
func (t *decodedText) ends() [numSpellings]int {
	return [numSpellings]int{t.pos, len(t.spelled[tight]), len(t.spelled[plainest])}
}

func since(from, to [numSpellings]int) (at [numSpellings][2]int) {
	for s := range at {
		at[s] = [2]int{from[s], to[s]}
	}
	return at
}

// put copies n bytes as they are.
func (t *decodedText) put(n int) {
	piece := t.spelled[asItStood][t.pos : t.pos+n]
	t.spelled[tight] = append(t.spelled[tight], piece...)
	t.spelled[plainest] = append(t.spelled[plainest], piece...)
	t.pos += n
}

func (t *decodedText) value() *value {
	v := &value{text: t, kind: t.spelled[asItStood][t.pos]}
	from := t.ends()
	switch v.kind {
	case '{', '[':
		t.container(v)
	case '"':
		v.chars = t.string()
	case 't', 'n':
		t.put(4)
	case 'f':
		t.put(5)
	default:
		v.kind = '0'
		src := t.spelled[asItStood][t.pos:]
		n := 0
		for n < len(src) && strings.IndexByte("+-.0123456789eE", src[n]) >= 0 {
			n++
		}
		v.chars = string(src[:n])
		t.put(n)
	}
	v.at = since(from, t.ends())
	return v
}

func (t *decodedText) container(v *value) {
	src := t.spelled[asItStood]
	for t.put(1); ; t.put(1) { // what is put is the bracket, or a comma
		if t.white(); src[t.pos] == '}' || src[t.pos] == ']' {
			break
		}
		v.kids = append(v.kids, t.item(v.kind == '{'))
		if t.white(); src[t.pos] != ',' {
			break
		}
	}
	t.put(1)
}

func (t *decodedText) item(isMember bool) *value {
	if !isMember {
		return t.value()
	}
	from := t.ends()
	name := t.string()
	named := since(from, t.ends())
	t.white()
	t.put(1)
	t.white()
	v := t.value()
	v.name, v.named = name, named
	return v
}

// string reads a string and spells it.
func (t *decodedText) string() (chars string) {
	src := t.spelled[asItStood][t.pos:]
	n := 1
	for src[n] != '"' {
		if src[n] == '\\' {
			n++
		}
		n++
	}
	n++
	if chars = string(src[1 : n-1]); strings.IndexByte(chars, '\\') >= 0 {
		if err := json.Unmarshal(src[:n], &chars); err != nil {
			panic(err)
		}
	}
	t.spelled[tight] = append(t.spelled[tight], src[:n]...)
	t.spelled[plainest] = appendString(t.spelled[plainest], chars)
	t.pos += n
	return chars
}

// appendString spells a string as RFC 8785 does.
func appendString(dst []byte, chars string) []byte {
	dst = append(dst, '"')
	for i := range len(chars) {
		switch c := chars[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= ' ':
			dst = append(dst, c)
		case strings.IndexByte("\b\t\n\f\r", c) >= 0:
			dst = append(dst, '\\', "btn.fr"[c-8])
		default:
			dst = fmt.Appendf(dst, "\\u%04x", c)
		}
	}
	return append(dst, '"')
}

// spelled is the text of a value.
func (v *value) spelled(s int) string { return string(v.text.spelled[s][v.at[s][0]:v.at[s][1]]) }

// raw is the text of a value as it stood.
func (v *value) raw() string { return v.spelled(asItStood) }

// get returns a member, or nil.
func (v *value) get(name string) *value {
	if v == nil || v.kind != '{' {
		return nil
	}
	for _, k := range v.kids {
		if k.name == name {
			return k
		}
	}
	return nil
}

// str returns the characters of a member that is a string.
func (v *value) str(name string) string {
	if m := v.get(name); m != nil && m.kind == '"' {
		return m.chars
	}
	return ""
}

// items returns the elements of a member that is an array.
func (v *value) items(name string) []*value {
	if m := v.get(name); m != nil && m.kind == '[' {
		return m.kids
	}
	return nil
}

// path returns the values at a path of members, through arrays.
func (v *value) path(path string) (found []*value) {
	if v == nil {
		return nil
	}
	if v.kind == '[' {
		for _, k := range v.kids {
			found = append(found, k.path(path)...)
		}
		return found
	}
	if path == "" {
		return []*value{v}
	}
	name, rest, _ := strings.Cut(path, "/")
	return v.get(name).path(rest)
}

// edit is a replacement in a text.
type edit struct {
	from, to int
	with     string
}

// edited applies edits, which stand in order.
func edited(src []byte, edits []edit) []byte {
	var out []byte
	pos := 0
	for _, e := range edits {
		out = append(append(out, src[pos:e.from]...), e.with...)
		pos = e.to
	}
	return append(out, src[pos:]...)
}

// parseTime reads a timestamp.
func parseTime(s string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return at
}
