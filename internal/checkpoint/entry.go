package checkpoint

import (
	"strings"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// ParseEntry reads one entry of a type from the text of an accepted document, as its entry 0. References are not resolved, and level 2 is not
// checked.
func ParseEntry(t Type, text []byte) *Document {
	d := newDocument(text, Options{Lenient: true})
	w := &walker{doc: d, c: jsonspan.Cursor{Src: text, Lenient: true}, entry: -1}
	w.c.Start()
	if w.c.Peek() == '"' {
		w.textEntry(objectTypes[t])
	} else {
		w.object(objectTypes[t])
	}
	return d
}

// HasExtensions says whether an entry of the type may carry extension data (§7).
func (t Type) HasExtensions() bool { return objectTypes[t].has("extensions") }

// Place is the JSON Pointer of where entries of a type stand, with a slash behind that of a list.
func (t Type) Place() string {
	switch {
	case t == Top:
		return ""
	case t == Focus:
		return "/progress/focus"
	case lists[t].name == "":
		return "/" + objectTypes[t].name
	}
	return lists[t].owner.Place() + "/" + lists[t].name + "/"
}

// Owner is the type in which entries of a type are listed.
func (t Type) Owner() Type { return lists[t].owner }

// Forbidden finds the operations that a stop condition without until names in applies_to, and the latest of those conditions (§6.8). An until that
// lists nothing is reached at once.
func (d *Document) Forbidden() map[int32]int32 {
	forbidden := map[int32]int32{}
	for _, r := range d.Refs {
		if r.Field == AppliesToField && !d.Has(r.From, "until") {
			forbidden[r.To] = r.From
		}
	}
	return forbidden
}

// IsInputResource says whether an entry stands for the input of a derivation of ours.
func (d *Document) IsInputResource(i int32) bool {
	return d.Objects[i].Type == Resource && strings.HasPrefix(string(d.ID(i)), InputResourceID) && string(d.StringField(i, "media_type")) == MediaType
}
