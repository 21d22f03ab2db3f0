// Package checkpoint reads OpenCheckpoint documents: level 1 and level 2 of §8 in one pass, and a read-only view of what was
// read, as places in the source. It changes nothing; a transform asks it what is there and edits the bytes.
//
// The table in table.go is §6 of the specification, with what document.md infers marked as such.
package checkpoint

import (
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// Options says how strictly to read.
type Options struct {
	// Strict makes findings that rest on an inferred shape errors.
	Strict bool
	// Lenient makes undefined members and numbers that a double would round warnings.
	Lenient bool
}

// Document is one checkpoint as it was read.
type Document struct {
	Src      []byte // the document, without white space around it
	Objects  []Object
	Refs     []Ref
	Findings Findings

	// White is the insignificant white space of the document in bytes, Waste what its needless string escapes cost.
	White, Waste int

	opts    Options
	ids     *jsonspan.Table
	members []Member        // of the entries that exist once
	only    [numTypes]int32 // the last entry of each type, -1 without one
	created uint32          // offset of created_at's string
	past    []uint32        // offsets of the strings of past events
	latest  uint32          // offset of the latest past event
}

// Object is one entry: an object of the table that has a name there. Entry 0 is the document; entries are in document order, a
// parent before its children.
type Object struct {
	Start, End uint32
	Min        uint32 // bytes without insignificant white space and needless escapes
	idAt       uint32 // offset of the id's string, 0 if it has none
	Parent     int32
	Has        uint32 // a bit for each member of its type that it has
	Type       Type
	facts      [numFacts]uint8
}

// Span is the object's place in Src.
func (o *Object) Span() jsonspan.Span { return jsonspan.Span{Start: int(o.Start), End: int(o.End)} }

// Fact returns the number of the word that a member had.
func (o *Object) Fact(f Fact) uint8 { return o.facts[f] }

// Live says whether a statement is active: its status is absent or active (§4.4).
func (o *Object) Live() bool { return o.facts[Status] == Absent || o.facts[Status] == Active }

// Ref is a reference to a local object, in entry From. To is the entry it names; -1 if there is none.
type Ref struct {
	From, To int32
	At       uint32 // offset of the string
	Field    Field
	targets  types
}

// Member is a member of an entry that exists once, such as the document or its task.
type Member struct {
	Owner int32
	jsonspan.Item
}

// Text returns the characters of the string at an offset.
func (d *Document) Text(at uint32) []byte {
	t := jsonspan.TextAt(d.Src, int(at))
	return jsonspan.Plain(d.Src, t)
}

// ID returns the local id of entry i, or an empty one.
func (d *Document) ID(i int32) []byte {
	if d.Objects[i].idAt == 0 {
		return nil
	}
	return d.Text(d.Objects[i].idAt)
}

// Lookup returns the entry with a local id.
func (d *Document) Lookup(id string) (int32, bool) {
	i, ok := d.ids.Lookup([]byte(id))
	return int32(i), ok
}

// Only returns the entry of a type of which a document has at most one, or -1.
func (d *Document) Only(t Type) int32 { return d.only[t] }

// Member returns a member of an entry that exists once.
func (d *Document) Member(owner Type, name string) (jsonspan.Item, bool) {
	for i := range d.members {
		m := &d.members[i]
		if d.Objects[m.Owner].Type == owner && string(jsonspan.Plain(d.Src, m.Name)) == name {
			return m.Item, true
		}
	}
	return jsonspan.Item{}, false
}

// Members lists the members of entry i.
func (d *Document) Members(i int32) []jsonspan.Item {
	return jsonspan.Items(d.Src, d.Objects[i].Span())
}

// Field returns a member of entry i, whatever its type.
func (d *Document) Field(i int32, name string) (jsonspan.Item, bool) {
	return jsonspan.Find(d.Src, d.Members(i), name)
}

// StringField returns the characters of a member of entry i that is a string, or nil.
func (d *Document) StringField(i int32, name string) []byte {
	item, ok := d.Field(i, name)
	if !ok || d.Src[item.Value.Start] != '"' {
		return nil
	}
	return d.Text(uint32(item.Value.Start))
}

// GlobalID is the document's id (§4.1).
func (d *Document) GlobalID() string { return string(d.StringField(0, "id")) }

// Created is created_at as it is spelled.
func (d *Document) Created() string { return string(d.Text(d.created)) }

// Latest is the later of created_at and every past event, as it is spelled.
func (d *Document) Latest() string {
	if d.latest != 0 {
		return string(d.Text(d.latest))
	}
	return d.Created()
}

// Err returns what makes the document invalid, or nil.
func (d *Document) Err() error {
	if d.Findings.Count(Error) == 0 {
		return nil
	}
	d.Locate()
	return &InvalidError{d.Findings}
}

// Locate fills in the lines, columns and pointers of the findings.
func (d *Document) Locate() { d.Findings.locate(d.Src) }
