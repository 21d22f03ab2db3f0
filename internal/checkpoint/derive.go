package checkpoint

import (
	"cmp"
	"slices"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// MemberAt is a member of an entry, by the offset of its name.
type MemberAt struct {
	Entry int32
	At    uint32
}

// Derived says how a checkpoint derived from a document differs from it. What it does not name stays as it is.
type Derived struct {
	Stamp
	Drop        func(entry int32) bool     // nil drops none
	DropMembers []MemberAt                 // of entries, or of their extensions
	DropRefs    []int32                    // places in Refs, of references that stand in lists
	First, Last [numTypes][][]byte         // entries to add to the list of their type, before and behind the others
	Order       [numTypes][]jsonspan.Piece // all entries of a list anew, those that stay by their number; nil leaves the list as it is
	Set         []NewMember                // members of entries to replace or add
	SetOf       []MemberOf
	Key, Data   string // extension data to set at the top level, as a key and a JSON text; "" for none
}

// MemberOf is a member that the entry of a type gets of which a document has at most one; where there is none, the document gets one.
type MemberOf struct {
	Owner       Type
	Name, Value string
}

func (w *deriver) setOf(m MemberOf) {
	if entry := w.doc.Only(m.Owner); entry >= 0 {
		w.set(entry, m.Name, []byte(m.Value))
		return
	}
	w.lacking[m.Owner] = append(w.lacking[m.Owner], memberText(m.Name, []byte(m.Value)))
}

// NewMember is a member that an entry gets: a name and a JSON text.
type NewMember struct {
	Entry       int32
	Name, Value string
}

// Edit adds to e what makes d the derived checkpoint.
func (d *Document) Edit(e *jsonspan.Edits, c *Derived) {
	w := &deriver{doc: d, e: e, c: c, added: map[int32][][]byte{}}
	w.identity()
	w.differences()
}

// Change adds to e the differences that c names, and leaves the identity.
func (d *Document) Change(e *jsonspan.Edits, c *Derived) {
	w := &deriver{doc: d, e: e, c: c, added: map[int32][][]byte{}}
	w.differences()
}

func (w *deriver) differences() {
	for _, m := range w.c.Set {
		w.set(m.Entry, m.Name, []byte(m.Value))
	}
	for _, m := range w.c.SetOf {
		w.setOf(m)
	}
	w.extension()
	w.listsOfEntries()
	w.references()
	w.members()
}

// deriver writes the edits of one derivation. Additions to an entry's members are collected first, since an object's commas are
// settled in one go.
type deriver struct {
	doc     *Document
	e       *jsonspan.Edits
	c       *Derived
	added   map[int32][][]byte
	lacking [numTypes][][]byte // members for an object that the document lacks
}

// memberText is the text of a member: a name and a value.
func memberText(name string, value []byte) []byte {
	return append(append(jsonspan.AppendQuoted(nil, name), ':'), value...)
}

// set replaces the value of a member, or adds the member.
func (w *deriver) set(entry int32, name string, value []byte) {
	if item, ok := w.doc.Field(entry, name); ok {
		w.e.Replace(item.Value, value)
		return
	}
	w.added[entry] = append(w.added[entry], memberText(name, value))
}

func quoted(s string) []byte { return jsonspan.AppendQuoted(nil, s) }

// InputText is an entry of derivation.inputs, and the value of parent.
func InputText(id, digest string) []byte {
	b := append([]byte(`{"id":`), quoted(id)...)
	b = append(append(b, `,"digest":`...), quoted(digest)...)
	return append(b, '}')
}

func (w *deriver) identity() {
	d := w.doc
	id := d.GlobalID()
	w.set(0, "id", quoted(w.c.ID))
	created, _ := d.Member(Top, "created_at")
	w.e.Replace(created.Value, quoted(w.c.CreatedAt))
	if parent := d.Only(Parent); parent >= 0 {
		w.set(parent, "id", quoted(id))
		w.set(parent, "digest", quoted(w.c.Digest))
	} else {
		lead := w.e.Lead(d.Objects[0].Span(), jsonspan.Spans(d.Members(0)))
		w.e.Insert(created.Value.End, slices.Concat([]byte{','}, lead, memberText("parent", InputText(id, w.c.Digest))))
	}
	w.set(d.Only(Source), "producer", producer)
	direct := InputText(id, w.c.Digest)
	if derivation := d.Only(Derivation); derivation >= 0 {
		w.set(derivation, "method", quoted(w.c.Method))
	} else {
		w.lacking[Derivation] = append(w.lacking[Derivation], memberText("method", quoted(w.c.Method)))
	}
	w.c.First[Input] = append([][]byte{direct}, w.c.First[Input]...)
}

// extension sets extension data at the top level.
func (w *deriver) extension() {
	if w.c.Key == "" {
		return
	}
	member, ok := w.doc.Member(Top, "extensions")
	if !ok {
		w.added[0] = append(w.added[0], memberText("extensions", slices.Concat([]byte{'{'}, memberText(w.c.Key, []byte(w.c.Data)), []byte{'}'})))
		return
	}
	keys := jsonspan.Items(w.doc.Src, member.Value)
	if old, ok := jsonspan.Find(w.doc.Src, keys, w.c.Key); ok {
		w.e.Replace(old.Value, []byte(w.c.Data))
		return
	}
	w.e.Items(member.Value, jsonspan.Spans(keys), jsonspan.Change{Last: [][]byte{memberText(w.c.Key, []byte(w.c.Data))}})
}

// listsOfEntries drops and adds entries.
func (w *deriver) listsOfEntries() {
	for _, l := range w.doc.Lists() {
		if w.arrange(l) {
			continue
		}
		change := jsonspan.Change{}
		if w.c.Drop != nil {
			change.Dropped = func(i int) bool { return l.Entries[i] >= 0 && w.c.Drop(l.Entries[i]) }
		}
		if w.c.Drop != nil && l.Owner != 0 && w.c.Drop(l.Owner) {
			continue
		}
		change.First, change.Last = w.c.First[l.Type], w.c.Last[l.Type]
		w.c.First[l.Type], w.c.Last[l.Type] = nil, nil
		w.e.Items(l.Span, l.Spans, change)
	}
	for t := range w.c.First {
		items := slices.Concat(w.c.First[t], w.c.Last[t])
		for _, p := range w.c.Order[t] {
			items = append(items, p.Text)
		}
		if len(items) > 0 {
			w.newList(Type(t), items)
		}
	}
}

// arrange writes a list anew, if that is asked for.
func (w *deriver) arrange(l List) bool {
	order := w.c.Order[l.Type]
	if order == nil {
		return false
	}
	place := map[int]int{}
	for i, entry := range l.Entries {
		place[int(entry)] = i
	}
	pieces := slices.Clone(order)
	for i, p := range pieces {
		if p.Item >= 0 {
			pieces[i].Item = place[p.Item]
		}
	}
	w.e.Arrange(l.Span, l.Spans, pieces)
	w.c.Order[l.Type] = nil
	return true
}

// newList adds a list that the document lacks.
func (w *deriver) newList(t Type, items [][]byte) {
	text := append([]byte{'['}, slices.Concat(joined(items), []byte{']'})...)
	member := memberText(lists[t].name, text)
	if owner := w.doc.Only(lists[t].owner); owner >= 0 {
		w.added[owner] = append(w.added[owner], member)
		return
	}
	w.lacking[lists[t].owner] = append(w.lacking[lists[t].owner], member)
}

func joined(items [][]byte) (text []byte) {
	for i, item := range items {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, item...)
	}
	return text
}

// references drops references from the lists that they stand in.
func (w *deriver) references() {
	refs := slices.Clone(w.c.DropRefs)
	slices.SortFunc(refs, func(a, b int32) int { return cmp.Compare(w.doc.Refs[a].At, w.doc.Refs[b].At) })
	for len(refs) > 0 {
		list := w.doc.listAround(&w.doc.Refs[refs[0]])
		items := jsonspan.Spans(jsonspan.Items(w.doc.Src, list))
		inside := refs
		if n := slices.IndexFunc(refs, func(i int32) bool { return int(w.doc.Refs[i].At) >= list.End }); n >= 0 {
			inside = refs[:n]
		}
		w.e.Items(list, items, jsonspan.Change{Dropped: func(i int) bool {
			_, found := slices.BinarySearchFunc(inside, items[i].Start, func(r int32, at int) int { return cmp.Compare(int(w.doc.Refs[r].At), at) })
			return found
		}})
		refs = refs[len(inside):]
	}
}

// listAround returns the list that a reference stands in.
func (d *Document) listAround(r *Ref) jsonspan.Span {
	for _, m := range d.Members(r.From) {
		if m.Value.Start < int(r.At) && int(r.At) < m.Value.End {
			return m.Value
		}
	}
	panic("checkpoint: a reference outside its entry")
}

// members drops members of entries and adds those that were collected.
func (w *deriver) members() {
	for t, members := range w.lacking {
		if members != nil {
			text := slices.Concat([]byte{'{'}, joined(members), []byte{'}'})
			w.added[0] = append(w.added[0], memberText(objectTypes[t].name, text))
		}
	}
	drops := slices.Clone(w.c.DropMembers)
	slices.SortFunc(drops, func(a, b MemberAt) int { return cmp.Or(cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.At, b.At)) })
	for len(drops) > 0 {
		entry := drops[0].Entry
		n := 0
		for n < len(drops) && drops[n].Entry == entry {
			n++
		}
		w.entryMembers(entry, drops[:n])
		drops = drops[n:]
	}
	for _, entry := range sortedKeys(w.added) {
		w.entryMembers(entry, nil)
	}
}

func sortedKeys(m map[int32][][]byte) (keys []int32) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// entryMembers settles the members of one entry, and those of its extensions.
func (w *deriver) entryMembers(entry int32, drops []MemberAt) {
	items := w.doc.Members(entry)
	dropped := func(item jsonspan.Item) bool {
		_, found := slices.BinarySearchFunc(drops, item.Name.Start, func(m MemberAt, at int) int { return cmp.Compare(int(m.At), at) })
		return found
	}
	w.e.Items(w.doc.Objects[entry].Span(), jsonspan.Spans(items), jsonspan.Change{
		Dropped: func(i int) bool { return dropped(items[i]) }, Last: w.added[entry]})
	delete(w.added, entry)
	extensions, ok := jsonspan.Find(w.doc.Src, items, "extensions")
	if !ok || dropped(extensions) {
		return
	}
	keys := jsonspan.Items(w.doc.Src, extensions.Value)
	if slices.ContainsFunc(keys, dropped) {
		w.e.Items(extensions.Value, jsonspan.Spans(keys), jsonspan.Change{Dropped: func(i int) bool { return dropped(keys[i]) }})
	}
}

// HasUserinfo says whether a URI contains userinfo, which no resource may have (OCP-S008).
func HasUserinfo(uri string) bool { return hasUserinfo([]byte(uri)) }
