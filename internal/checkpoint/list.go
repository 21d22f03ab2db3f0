package checkpoint

import (
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// lists says in which member of which type a type of entries is listed.
var lists = findLists()

type listPlace struct {
	owner Type
	name  string
}

func findLists() (places [numTypes]listPlace) {
	eachObjectType(topObject, func(t *objectType) {
		for _, m := range t.members {
			if m.shape == list && m.items.object != nil && m.items.object.entry != NoType {
				places[m.items.object.entry] = listPlace{t.entry, m.name}
			}
		}
	})
	return places
}

// List is a list of entries in the document.
type List struct {
	Owner   int32
	Type    Type // of its entries
	Span    jsonspan.Span
	Spans   []jsonspan.Span // of its items
	Entries []int32         // the entry of each item; -1 for an item that is none
}

// Lists returns every list of entries that the document has, empty ones too.
func (d *Document) Lists() []List {
	if d.lists == nil {
		d.lists = d.findLists()
	}
	return d.lists
}

func (d *Document) findLists() []List {
	byOwner := map[listKey][]int32{}
	for i := range d.Objects {
		if o := &d.Objects[i]; lists[o.Type].name != "" {
			key := listKey{o.Parent, o.Type}
			byOwner[key] = append(byOwner[key], int32(i))
		}
	}
	out := []List{}
	for t := range lists {
		if lists[t].name == "" {
			continue
		}
		for _, owner := range d.owners(lists[t].owner) {
			if l, ok := d.list(owner, Type(t), byOwner[listKey{owner, Type(t)}]); ok {
				out = append(out, l)
			}
		}
	}
	return out
}

type listKey struct {
	owner int32
	t     Type
}

// owners are the entries of a type.
func (d *Document) owners(t Type) (owners []int32) {
	if singles.has(t) {
		if d.Only(t) >= 0 {
			owners = append(owners, d.Only(t))
		}
		return owners
	}
	for i := range d.Objects {
		if d.Objects[i].Type == t {
			owners = append(owners, int32(i))
		}
	}
	return owners
}

func (d *Document) list(owner int32, t Type, entries []int32) (List, bool) {
	item, ok := d.Field(owner, lists[t].name)
	if !ok || d.Src[item.Value.Start] != '[' {
		return List{}, false
	}
	l := List{Owner: owner, Type: t, Span: item.Value, Entries: entries}
	if t == Input {
		l.Spans = jsonspan.Spans(jsonspan.Items(d.Src, item.Value)) // its shape is inferred: an item may be no entry
		l.Entries = d.entriesAt(l.Spans, entries)
		return l, true
	}
	for _, i := range entries {
		l.Spans = append(l.Spans, d.Objects[i].Span())
	}
	return l, true
}

// entriesAt returns the entry that begins where each span does, or -1.
func (d *Document) entriesAt(spans []jsonspan.Span, entries []int32) []int32 {
	out := make([]int32, len(spans))
	for i, s := range spans {
		out[i] = -1
		if len(entries) > 0 && int(d.Objects[entries[0]].Start) == s.Start {
			out[i], entries = entries[0], entries[1:]
		}
	}
	return out
}

// ListOf returns the name of the list that entries of a type stand in, and whether the document has it; the type's owner is one of which a document has
// one.
func (d *Document) ListOf(t Type) (name string, present bool) {
	_, present = d.Member(lists[t].owner, lists[t].name)
	return lists[t].name, present
}
