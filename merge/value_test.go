package merge_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// object is a JSON object. The tests read documents with encoding/json and share nothing with the product's view of them.
type object = map[string]any

// decoded reads a JSON text that is known to be one; numbers keep their spelling.
func decoded(src []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

// encoded writes a value, members in alphabetical order.
func encoded(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// clone copies a value with all that is in it.
func clone[T any](v T) T { return cloned(v).(T) }

func cloned(v any) any {
	switch v := v.(type) {
	case object:
		o := make(object, len(v))
		for name, m := range v {
			o[name] = cloned(m)
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = cloned(item)
		}
		return list
	}
	return v
}

// canon is a text that two values share if they are equal as RFC 8785 sees them; empty for no value.
func canon(v any) string {
	if v == nil {
		return ""
	}
	return string(encoded(rounded(v)))
}

// rounded replaces spelled numbers by the doubles that they are.
func rounded(v any) any {
	switch v := v.(type) {
	case object:
		o := make(object, len(v))
		for name, m := range v {
			o[name] = rounded(m)
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = rounded(item)
		}
		return list
	case json.Number:
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil || f == 0 { // -0 is 0
			return 0
		}
		return f
	}
	return v
}

// canonOf is canon of some members together.
func canonOf(o object, names ...string) string {
	group := object{}
	for _, name := range names {
		if v, ok := o[name]; ok {
			group[name] = v
		}
	}
	return canon(group)
}

// get returns what stands at a path of member names, nil if nothing does.
func get(v any, path ...string) any {
	for _, name := range path {
		o, ok := v.(object)
		if !ok {
			return nil
		}
		v = o[name]
	}
	return v
}

// str is the string at a path, empty if there is none.
func str(v any, path ...string) string {
	s, _ := get(v, path...).(string)
	return s
}

// items are the elements of the list at a path.
func items(v any, path ...string) []any {
	list, _ := get(v, path...).([]any)
	return list
}

// texts are the strings among the elements of the list at a path.
func texts(v any, path ...string) (out []string) {
	for _, item := range items(v, path...) {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// listOf is a list for encoding/json.
func listOf[T any](values ...T) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}

// child returns a member that is an object, which it makes if it must.
func child(o object, name string) object {
	if _, ok := o[name].(object); !ok {
		o[name] = object{}
	}
	return o[name].(object)
}

// add appends to a member that is a list, which it makes if it must.
func add(o object, name string, v any) {
	list, _ := o[name].([]any)
	o[name] = append(slices.Clone(list), v)
}

// withoutEmpty copies an object; extension data that is not there and extension data without a key are the same.
func withoutEmpty(o object) object {
	o = clone(o)
	for _, v := range []any{any(o), o["source"], o["task"], o["progress"], o["continuation"]} {
		if part, ok := v.(object); ok && canon(part["extensions"]) == "{}" {
			delete(part, "extensions")
		}
	}
	return o
}

// allStrings are all strings in a value, joined, names of members too.
func allStrings(v any) string {
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, item := range v {
				walk(item)
			}
		case object:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				b.WriteString(name + "\n")
				walk(v[name])
			}
		}
	}
	walk(v)
	return b.String()
}

// rawAt is the text of the member at a path, as it is spelled; nil if there is none.
func rawAt(src []byte, path ...string) []byte {
	for _, name := range path {
		var members map[string]json.RawMessage
		if json.Unmarshal(src, &members) != nil {
			return nil
		}
		src = members[name]
	}
	return bytes.TrimSpace(src)
}

// rawItems are the texts of the elements of the list at a path, as they are spelled.
func rawItems(src []byte, path ...string) (list []json.RawMessage) {
	if src = rawAt(src, path...); src != nil {
		_ = json.Unmarshal(src, &list) // what is no list has no elements
	}
	return list
}
