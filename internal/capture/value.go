package capture

import (
	"strconv"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// value is one JSON value within a text that a Cursor accepted. The zero value stands for one that is not there; every question to it
// has the empty answer, so that a reader need not ask whether each member of a hostile record exists.
type value struct {
	src  []byte
	span jsonspan.Span
}

// whole is the value that an accepted text consists of.
func whole(src []byte) value {
	c := jsonspan.Cursor{Src: src, Lenient: true}
	c.Peek()
	return value{src, jsonspan.Span{Start: c.Pos, End: len(src)}}
}

// first is the byte that the value begins with, which tells its type; 0 for one that is not there.
func (v value) first() byte {
	if v.src == nil {
		return 0
	}
	return v.src[v.span.Start]
}

func (v value) isObject() bool { return v.first() == '{' }
func (v value) isArray() bool  { return v.first() == '[' }
func (v value) isString() bool { return v.first() == '"' }
func (v value) isTrue() bool   { return v.first() == 't' }

// exists says whether there is a value other than null.
func (v value) exists() bool { return v.src != nil && v.first() != 'n' }

// get follows member names from object to object.
func (v value) get(names ...string) value {
	for _, name := range names {
		if !v.isObject() {
			return value{}
		}
		found := value{}
		jsonspan.EachItem(v.src, v.span, func(i jsonspan.Item) bool {
			if string(jsonspan.Plain(v.src, i.Name)) == name {
				found = value{v.src, i.Value}
			}
			return found.src == nil
		})
		v = found
	}
	return v
}

// members are those of an object, found in one pass. They hold offsets, which cost the garbage collector nothing.
func (v value) members() members {
	if !v.isObject() {
		return members{}
	}
	m := members{v.src, make([]member, 0, 16)}
	jsonspan.EachItem(v.src, v.span, func(i jsonspan.Item) bool {
		m.list = append(m.list, member{int32(i.Name.Start), int32(i.Name.End), int32(i.Value.Start), int32(i.Value.End), i.Name.Escaped})
		return true
	})
	return m
}

// members are the members of one object.
type members struct {
	src  []byte
	list []member
}

// member is the place of one member, its name with the quotes.
type member struct {
	name, nameEnd, value, valueEnd int32
	escaped                        bool // the name
}

func (m members) name(i int) []byte {
	p := &m.list[i]
	return jsonspan.Plain(m.src, jsonspan.Text{Span: jsonspan.Span{Start: int(p.name), End: int(p.nameEnd)}, Escaped: p.escaped})
}

func (m members) value(i int) value {
	return value{m.src, jsonspan.Span{Start: int(m.list[i].value), End: int(m.list[i].valueEnd)}}
}

// get returns the member with a name.
func (m members) get(name string) value {
	for i := range m.list {
		if string(m.name(i)) == name {
			return m.value(i)
		}
	}
	return value{}
}

// text is the text of a member that is a string.
func (m members) text(name string) string { return m.get(name).text() }

// each calls f for each element of an array.
func (v value) each(f func(value)) {
	if !v.isArray() {
		return
	}
	jsonspan.EachItem(v.src, v.span, func(i jsonspan.Item) bool {
		f(value{v.src, i.Value})
		return true
	})
}

// empty says whether an array or object has nothing in it, or is not there.
func (v value) empty() bool {
	switch v.first() {
	case '[', '{':
		return len(jsonspan.TrimWhite(v.src[v.span.Start+1:v.span.End])) == 1
	case '"':
		return v.span.Len() == 2
	}
	return !v.exists()
}

// text is the text of a string, "" for anything else.
func (v value) text(names ...string) string {
	return string(v.get(names...).plain())
}

// plain are the characters of a string, nil for anything else: bytes of the source unless it has escapes.
func (v value) plain() []byte {
	if !v.isString() {
		return nil
	}
	return jsonspan.Plain(v.src, jsonspan.TextAt(v.src, v.span.Start))
}

// number is a whole number, false for anything else.
func (v value) number() (int64, bool) {
	if c := v.first(); c != '-' && (c < '0' || c > '9') {
		return 0, false
	}
	n, err := strconv.ParseInt(string(v.raw()), 10, 64)
	return n, err == nil
}

// raw is the value's JSON text.
func (v value) raw() []byte {
	if v.src == nil {
		return nil
	}
	return v.src[v.span.Start:v.span.End]
}
