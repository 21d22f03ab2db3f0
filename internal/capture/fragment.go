package capture

import (
	"bytes"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// fragment writes one JSON object. Members without a value are left out: an absent member means "not recorded" (§4.4).
type fragment struct{ b []byte }

// object begins an object.
func (f *fragment) object() *fragment {
	f.b = append(f.b[:0], '{')
	return f
}

// name writes the name of the next member.
func (f *fragment) name(name string) {
	if len(f.b) > 1 {
		f.b = append(f.b, ',')
	}
	f.b = append(jsonspan.AppendQuoted(f.b, name), ':')
}

func (f *fragment) text(name, text string) *fragment {
	if text != "" {
		f.name(name)
		f.b = jsonspan.AppendQuoted(f.b, text)
	}
	return f
}

func (f *fragment) raw(name string, text []byte) *fragment {
	if len(text) > 0 {
		f.name(name)
		f.b = append(f.b, text...)
	}
	return f
}

// refs writes a list of references; an empty one is left out.
func (f *fragment) refs(name string, ids ...string) *fragment {
	sep := byte('[')
	for _, id := range ids {
		if id == "" {
			continue
		}
		if sep == '[' {
			f.name(name)
		}
		f.b = jsonspan.AppendQuoted(append(f.b, sep), id)
		sep = ','
	}
	if sep == ',' {
		f.b = append(f.b, ']')
	}
	return f
}

// list writes a list of texts of JSON; an empty one is left out.
func (f *fragment) list(name string, items [][]byte) *fragment {
	if len(items) == 0 {
		return f
	}
	f.name(name)
	f.b = append(f.b, '[')
	for i, item := range items {
		if i > 0 {
			f.b = append(f.b, ',')
		}
		f.b = append(f.b, item...)
		items[i] = nil // a long list is not held twice
	}
	f.b = append(f.b, ']')
	return f
}

// done is the object; the fragment can begin another.
func (f *fragment) done() []byte {
	f.b = append(f.b, '}')
	return bytes.Clone(f.b)
}
