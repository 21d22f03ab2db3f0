// Package checkpoint reads OpenCheckpoint documents: level 1 and level 2 of §8 in one pass, and a read-only view of what was
// read, as places in the source. It changes nothing; a transform asks it what is there and edits the bytes.
//
// The table in table.go is §6 of the specification, with what document.md infers marked as such.
package checkpoint

import (
	"cmp"
	"slices"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/secret"
)

// Options says how strictly to read.
type Options struct {
	// Strict makes findings that rest on an inferred shape errors.
	Strict bool
	// Lenient makes undefined members and numbers that a double would round warnings.
	Lenient bool
	// Parts asks for Document.Parts.
	Parts bool
}

// Document is one checkpoint as it was read.
type Document struct {
	Src      []byte // the document, without white space around it
	Objects  []Object
	Refs     []Ref
	Findings Findings
	Parts    []MemberAt // members that a transform may drop or change by themselves, in document order

	// White is the insignificant white space of the document in bytes, Waste what its needless string escapes cost.
	White, Waste int

	opts     Options
	ids      *jsonspan.Table
	members  [numTypes][]jsonspan.Item // of the entries that exist once
	lists    []List                    // once they were asked for
	only     [numTypes]int32           // the last entry of each type, -1 without one
	created  uint32                    // offset of created_at's string, 0 without one
	past     []uint32                  // offsets of the strings of past events
	latest   uint32                    // offset of the latest past event, 0 if it is not later than created_at
	latestAt Instant
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

// Find is Lookup for an id in bytes.
func (d *Document) Find(id []byte) (int32, bool) {
	i, ok := d.ids.Lookup(id)
	return int32(i), ok
}

// Only returns the entry of a type of which a document has at most one, or -1.
func (d *Document) Only(t Type) int32 { return d.only[t] }

// Member returns a member of an entry that exists once.
func (d *Document) Member(owner Type, name string) (jsonspan.Item, bool) {
	if d.only[owner] < 0 {
		return jsonspan.Item{}, false
	}
	return d.Field(d.only[owner], name)
}

// Members lists the members of entry i; those of an entry that exists once are known, and it may be large.
func (d *Document) Members(i int32) []jsonspan.Item {
	if t := d.Objects[i].Type; singles.has(t) {
		return d.members[t]
	}
	return jsonspan.Items(d.Src, d.Objects[i].Span())
}

// EachMember calls f for each member of entry i.
func (d *Document) EachMember(i int32, f func(jsonspan.Item)) {
	if !singles.has(d.Objects[i].Type) {
		jsonspan.EachMember(d.Src, d.Objects[i].Span(), f)
		return
	}
	for _, item := range d.Members(i) {
		f(item)
	}
}

// Field returns a member of entry i, whatever its type, also one that the specification does not define.
func (d *Document) Field(i int32, name string) (jsonspan.Item, bool) {
	if len(d.Objects) == 0 {
		return jsonspan.Item{}, false // the document is no object
	}
	o := &d.Objects[i]
	switch {
	case singles.has(o.Type):
		return jsonspan.Find(d.Src, d.Members(i), name)
	case o.Type.defines(name) && !d.Has(i, name):
		return jsonspan.Item{}, false
	}
	return jsonspan.FindIn(d.Src, o.Span(), name)
}

// Has says whether entry i has one of some members that its type defines.
func (d *Document) Has(i int32, names ...string) bool {
	o := &d.Objects[i]
	for _, name := range names {
		if o.Has&o.Type.bit(name) != 0 {
			return true
		}
	}
	return false
}

// defines says whether the table has a member of an entry type.
func (t Type) defines(name string) bool { return objectTypes[t].slot(name) >= 0 }

// bit is the bit in Object.Has of a member of an entry type.
func (t Type) bit(name string) uint32 {
	if slot := objectTypes[t].slot(name); slot >= 0 {
		return 1 << slot
	}
	return 0
}

// objectTypes are the rows of the table by entry type.
var objectTypes = findObjectTypes()

func findObjectTypes() (found [numTypes]*objectType) {
	eachObjectType(topObject, func(t *objectType) { found[t.entry] = t })
	return found
}

// eachObjectType calls f for an object type and all that occur in it.
func eachObjectType(t *objectType, f func(*objectType)) {
	f(t)
	for i := range t.members {
		v := &t.members[i].value
		if v.shape == list {
			v = v.items
		}
		if v.object != nil {
			eachObjectType(v.object, f)
		}
	}
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

// Created is created_at as it is spelled, or empty if it is no string.
func (d *Document) Created() string {
	if d.created == 0 {
		return ""
	}
	return string(d.Text(d.created))
}

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

// HasErrorBut says whether the document breaks another rule than one.
func (d *Document) HasErrorBut(rule string) bool {
	return slices.ContainsFunc(d.Findings.List, func(v Violation) bool { return v.Severity == Error && v.Rule != rule })
}

// Locate fills in the lines, columns and pointers of the findings.
func (d *Document) Locate() { d.Findings.locate(d.Src) }

// Time returns the latest past event that entry i records, if it records one.
func (d *Document) Time(i int32) (latest Instant, known bool) {
	o := &d.Objects[i]
	from, _ := slices.BinarySearch(d.past, o.Start)
	for _, at := range d.past[from:] {
		if at >= o.End {
			break
		}
		if t, _ := parseInstant(d.Text(at)); !known || t.After(latest) {
			latest, known = t, true
		}
	}
	return latest, known
}

// RefsWithin returns the range of Refs that stand within a span.
func (d *Document) RefsWithin(s jsonspan.Span) (from, to int) {
	at := func(r Ref, offset int) int { return cmp.Compare(int(r.At), offset) }
	from, _ = slices.BinarySearchFunc(d.Refs, s.Start, at)
	to, _ = slices.BinarySearchFunc(d.Refs, s.End, at)
	return from, to
}

// Inside returns the place behind the entries that lie within entry i, which begin at i+1.
func (d *Document) Inside(i int32) int32 {
	end := d.Objects[i].End
	for i++; int(i) < len(d.Objects) && d.Objects[i].Start < end; i++ {
	}
	return i
}

// ParseOne reads a text that is one checkpoint and nothing else, and fails unless it is valid. The error, a *jsonspan.SyntaxError or an
// *InvalidError, is located.
func ParseOne(src []byte, opts Options) (*Document, error) {
	src = jsonspan.TrimWhite(src)
	d, err := ParseFirst(src, opts)
	if d == nil || err != nil {
		return nil, err
	}
	rest := jsonspan.Cursor{Src: src, Pos: len(d.Src)}
	if rest.End(); rest.Err != nil {
		rest.Err.Locate(src)
		return nil, rest.Err
	}
	return d, nil
}

// ParseFirst reads the checkpoint that src begins with, and fails unless it is valid, as ParseOne does. A document that is no I-JSON message is nil.
func ParseFirst(src []byte, opts Options) (*Document, error) {
	d, err := Parse(src, opts)
	if syntax, ok := err.(*jsonspan.SyntaxError); ok {
		syntax.Locate(src)
		return nil, err
	}
	return d, d.Err()
}

// Len is the length of the document in bytes, 0 for no document.
func (d *Document) Len() int {
	if d == nil {
		return 0
	}
	return len(d.Src)
}

// Extension returns the value of an extension key at the top level.
func (d *Document) Extension(key string) (jsonspan.Span, bool) {
	extensions, ok := d.Member(Top, "extensions")
	if !ok || d.Src[extensions.Value.Start] != '{' {
		return jsonspan.Span{}, false
	}
	item, ok := jsonspan.Find(d.Src, jsonspan.Items(d.Src, extensions.Value), key)
	return item.Value, ok
}

// WarnSecrets adds warnings about text that looks like a credential (§10.5). They do not show the text.
func (d *Document) WarnSecrets(matches []secret.Match) {
	for _, m := range matches {
		d.Findings.Add(Violation{Rule: "OCX-S", Level: 2, Severity: Warning, Offset: m.Start, Msg: "text that looks like a credential: " + m.Kind,
			Hint: "take it out, and make it invalid where it came from"})
	}
	d.Findings.sort()
}

// SetAside says whether Lenient made a warning of an error.
func (d *Document) SetAside() bool {
	return d.Findings.aside
}

// Violation returns an error at an offset, located, for a rule between documents.
func (d *Document) Violation(rule string, offset int) Violation {
	f := Findings{List: []Violation{{Rule: rule, Level: 2, Offset: offset}}}
	f.locate(d.Src)
	return f.List[0]
}

// SyntaxViolation is a located syntax error as a finding of level 0.
func SyntaxViolation(e *jsonspan.SyntaxError) Violation {
	return Violation{Rule: "OCX-J-" + e.Kind.String(), Offset: e.Offset, Line: e.Line, Column: e.Column, Pointer: e.Pointer, Msg: e.Error(), Hint: e.Hint()}
}

// RecordedDigest reads a member that records a digest: a string, or an object. The error is that of digest.Parse.
func (d *Document) RecordedDigest(member jsonspan.Item) (digest.Digest, error) {
	if d.Src[member.Value.Start] == '"' {
		return digest.Parse(string(d.Text(uint32(member.Value.Start))))
	}
	return digest.Parse(string(d.Src[member.Value.Start:member.Value.End]))
}

// Digest is the digest of the document's canonical form, in which a lenient reader's numbers are rounded.
func (d *Document) Digest() (digest.Digest, error) {
	if d.opts.Lenient {
		return digest.Lenient(d.Src)
	}
	return digest.Of(d.Src)
}
