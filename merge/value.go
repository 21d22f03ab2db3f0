package merge

import (
	"bytes"
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// value is what a field has: the JSON text of each of its members, "" for one that is absent. Values are equal if their canonical forms are.
type value struct {
	texts []string
	canon string
	whole string // the object that the members are of, where all of it is at stake
}

// absent says whether no member is there.
func (v value) absent() bool {
	return !slices.ContainsFunc(v.texts, func(text string) bool { return text != "" })
}

// wholeValue is the value of members of an object all of which is at stake.
func wholeValue(object []byte, members []string) value {
	v := readGroup(object, members)
	v.whole, v.canon = string(object), canonical(object)
	return v
}

// single is the value of a field of one member.
func single(text string) value { return value{texts: []string{text}, canon: canonical([]byte(text))} }

// group is the value of several members that are settled together.
func group(texts ...string) value {
	v := value{texts: texts}
	for _, text := range texts {
		v.canon += canonical([]byte(text)) + "\x00"
	}
	return v
}

// valueOf is a member of an entry.
func valueOf(d *checkpoint.Document, i int32, member string) value {
	item, ok := d.Field(i, member)
	if !ok {
		return single("")
	}
	return single(string(d.Src[item.Value.Start:item.Value.End]))
}

// canonical is the canonical form of an accepted text, or of none.
func canonical(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if text[0] == '"' && bytes.IndexByte(text, '\\') < 0 {
		return string(text)
	}
	form, _ := jsonspan.Canonical(text)
	return string(form)
}

// quoted is a string as JSON text.
func quoted(s string) string { return string(jsonspan.AppendQuoted(nil, s)) }

// plain is the string that a JSON text is, or "" if it is none.
func plain(text string) string {
	if text == "" || text[0] != '"' {
		return ""
	}
	return string(jsonspan.Plain([]byte(text), jsonspan.TextAt([]byte(text), 0)))
}

// change sets a member of an object to a JSON text, or drops it if that is "".
type change struct{ name, text string }

// edited is an object's text with some members changed. Nothing else of it is touched.
func edited(text []byte, changes []change) []byte {
	whole := jsonspan.Span{End: len(text)}
	items := jsonspan.Items(text, whole)
	e := jsonspan.Edits{Src: text}
	places := make(map[string]int, len(items))
	for i, item := range items {
		places[string(jsonspan.Plain(text, item.Name))] = i
	}
	dropped := map[int]bool{}
	var added [][]byte
	for _, c := range changes {
		at, found := places[c.name]
		switch {
		case !found && c.text != "":
			added = append(added, []byte(quoted(c.name)+":"+c.text))
		case found && c.text == "":
			dropped[at] = true
		case found:
			e.Replace(items[at].Value, []byte(c.text))
		}
	}
	if len(dropped)+len(added) > 0 {
		e.Items(whole, jsonspan.Spans(items), jsonspan.Change{Dropped: func(i int) bool { return dropped[i] }, Last: added})
	}
	return e.AppendTo(nil)
}

// elements are the items of a JSON array, as texts.
func elements(text string) (list []string) {
	if text == "" || text[0] != '[' {
		return nil
	}
	for _, item := range jsonspan.Items([]byte(text), jsonspan.Span{End: len(text)}) {
		list = append(list, text[item.Value.Start:item.Value.End])
	}
	return list
}

// arrayOf is the text of a JSON array.
func arrayOf(texts []string) string {
	b := []byte{'['}
	for i, text := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, text...)
	}
	return string(append(b, ']'))
}
