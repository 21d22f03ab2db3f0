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
		item, ok := jsonspan.FindIn(v.src, v.span, name)
		if !ok {
			return value{}
		}
		v.span = item.Value
	}
	return v
}

// members are those of an object by name, found in one pass.
func (v value) members() members {
	if !v.isObject() {
		return nil
	}
	list := make(members, 0, 16)
	jsonspan.EachMember(v.src, v.span, func(i jsonspan.Item) {
		list = append(list, member{string(jsonspan.Plain(v.src, i.Name)), value{v.src, i.Value}})
	})
	return list
}

// member is one member of an object.
type member struct {
	name  string
	value value
}

type members []member

// get returns the member with a name.
func (m members) get(name string) value {
	for i := range m {
		if m[i].name == name {
			return m[i].value
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
	c := jsonspan.Cursor{Src: v.src[:v.span.End], Pos: v.span.Start, Lenient: true}
	c.Peek()
	c.Open()
	for c.Next(']') {
		f(value{v.src, c.Skip()})
	}
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
	v = v.get(names...)
	if !v.isString() {
		return ""
	}
	return string(jsonspan.Plain(v.src, jsonspan.TextAt(v.src, v.span.Start)))
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
