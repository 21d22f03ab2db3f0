package checkpoint

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// ProducerVersion is the version of this program, which derived checkpoints carry in source.producer.
const ProducerVersion = "0.1.0"

// producer is source.producer of every checkpoint that this program derives.
var producer = []byte(`{"name":"ocp","version":"` + ProducerVersion + `"}`)

// MediaType is the media type of checkpoints (§3).
const MediaType = "application/vnd.opencheckpoint+json"

// Stamp is the identity of a derived checkpoint: its own, and its parent's.
type Stamp struct {
	ID          string
	CreatedAt   string
	ClockBehind bool // the clock was behind the parent, so CreatedAt is the parent's latest timestamp as it is spelled
	Method      string
	Digest      string // of the parent
}

// ErrSameID is a wish for an id that the parent has (OCP-S004), or a checkpoint that the parent derives from.
var ErrSameID = errors.New("the new checkpoint's id is that of a checkpoint from which it derives")

func (d *Document) isInLineage(id string) bool {
	if id == d.GlobalID() || d.Only(Parent) >= 0 && id == string(d.StringField(d.Only(Parent), "id")) {
		return true
	}
	for i := range d.Objects {
		if d.IsCheckpointInput(int32(i)) && id == string(d.StringField(int32(i), "id")) {
			return true
		}
	}
	return false
}

// ErrText is a wish for an id that no JSON string can hold.
var ErrText = errors.New("the new checkpoint's id is no Unicode text that JSON can hold")

// InstantError is a created_at that names no instant, so that nothing can be derived from its document.
type InstantError struct{ CreatedAt string }

// Error says what created_at is.
func (e *InstantError) Error() string {
	return "created_at " + e.CreatedAt + " names no instant, so nothing can be derived from the document"
}

// NewStamp makes the identity of a checkpoint derived from d. An empty id stands for a new UUIDv7, a zero time for now.
func (d *Document) NewStamp(method, id string, now time.Time) (Stamp, error) {
	s := Stamp{ID: id, Method: method}
	if id == "" {
		u, err := uuid.NewV7()
		if err != nil {
			return Stamp{}, err
		}
		s.ID = u.URN()
	}
	if !jsonspan.IsText(s.ID) {
		return Stamp{}, ErrText
	}
	if d.isInLineage(s.ID) {
		return Stamp{}, ErrSameID
	}
	if now.IsZero() {
		now = time.Now()
	}
	s.CreatedAt = now.UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano)
	latest, ok := parseInstant([]byte(d.Latest()))
	if !ok {
		return Stamp{}, &InstantError{d.Created()}
	}
	if at, _ := parseInstant([]byte(s.CreatedAt)); latest.After(at) {
		s.CreatedAt, s.ClockBehind = d.Latest(), true
	}
	return s, nil
}

// InputResource is the text of a resource that stands for the parent, from which what is omitted can be recovered. uri "" is the
// parent's id.
func (d *Document) InputResource(s *Stamp, id, uri string) []byte {
	if uri == "" {
		uri = d.GlobalID()
	}
	b := jsonspan.AppendQuoted([]byte(`{"id":`), id)
	uri = strings.ToValidUTF8(uri, "\uFFFD")
	if hasUserinfo([]byte(uri)) { // an id may be any text, a resource's uri may not (OCP-S008)
		b = append(jsonspan.AppendQuoted(append(b, `,"locator":{"system":"opencheckpoint","key":`...), uri), '}')
	} else {
		b = jsonspan.AppendQuoted(append(b, `,"uri":`...), uri)
	}
	b = jsonspan.AppendQuoted(append(b, `,"media_type":`...), MediaType)
	b = jsonspan.AppendQuoted(append(b, `,"digest":`...), s.Digest)
	b = jsonspan.AppendQuoted(append(b, `,"observed_at":`...), s.CreatedAt)
	return append(b, '}')
}

// MemberAt is a member of an entry, by the offset of its name.
type MemberAt struct {
	Entry int32
	At    uint32
}

// Derived says how a checkpoint derived from a document differs from it. What it does not name stays as it is.
type Derived struct {
	Stamp
	Drop        func(entry int32) bool // nil drops none
	DropMembers []MemberAt             // of entries, or of their extensions
	DropRefs    []int32                // places in Refs, of references that stand in lists
	First, Last [numTypes][][]byte     // entries to add to the list of their type, before and behind the others
	Set         []NewMember            // members of entries to replace or add
	Key, Data   string                 // extension data to set at the top level, as a key and a JSON text; "" for none
}

// NewMember is a member that an entry gets: a name and a JSON text.
type NewMember struct {
	Entry       int32
	Name, Value string
}

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

// Edit adds to e what makes d the derived checkpoint.
func (d *Document) Edit(e *jsonspan.Edits, c *Derived) {
	w := &deriver{doc: d, e: e, c: c, added: map[int32][][]byte{}}
	w.identity()
	for _, m := range c.Set {
		w.set(m.Entry, m.Name, []byte(m.Value))
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
		if items := slices.Concat(w.c.First[t], w.c.Last[t]); len(items) > 0 {
			w.newList(Type(t), items)
		}
	}
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
	if singles.has(lists[t].owner) {
		item, ok = d.Member(lists[t].owner, lists[t].name)
	}
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

// FreeID returns a local id that the document does not have: the wish itself, or with .2, .3 and so on behind it. A wish of more than 109
// characters is cut to 100, with 8 hexadecimal digits of its digest behind them.
func (d *Document) FreeID(wish string) string {
	if len(wish) > maxWish {
		sum := sha256.Sum256([]byte(wish))
		wish = wish[:100] + "." + fmt.Sprintf("%x", sum[:4])
	}
	id := wish
	for n := 2; ; n++ {
		if _, taken := d.Lookup(id); !taken {
			return id
		}
		id = wish + "." + strconv.Itoa(n)
	}
}

// maxWish leaves room for a number behind an id, which has at most 128 characters (§4.1).
const maxWish = 109

// maxInputs is how many checkpoints derivation.inputs keeps, the new direct one included.
const maxInputs = 64

// Our own extension data: KeyPrefix is what its keys begin with. Under ForkKey a fork says whose sibling it is, under MergeKey a merge which conflicts are
// open.
const (
	KeyPrefix = "io.github.opencheckpoint/"
	ForkKey   = KeyPrefix + "fork"
	MergeKey  = KeyPrefix + "merge"
)

// InputResourceID begins the id of a resource that stands for the parent of a derived checkpoint.
const InputResourceID = "ocp.input"

// IsCheckpointInput says whether an entry is an input of the derivation that is a checkpoint, not a session.
func (d *Document) IsCheckpointInput(i int32) bool {
	return d.Objects[i].Type == Input && !d.Has(i, "protocol")
}

// ForkBases are the ids that the document's fork entry names: a merge finds its base by them.
func (d *Document) ForkBases() map[string]bool {
	bases := map[string]bool{}
	if entry, ok := d.Extension(ForkKey); ok {
		jsonspan.EachString(d.Src, entry, func(s string) { bases[s] = true })
	}
	return bases
}

// OldestInputs are the checkpoints among the inputs for which a derived checkpoint has no place. The oldest come last; the bases of a fork stay.
func (d *Document) OldestInputs() (oldest []int32) {
	bases := d.ForkBases()
	room := maxInputs - 1
	for i := range d.Objects {
		if !d.IsCheckpointInput(int32(i)) {
			continue
		}
		if room--; room < 0 && !bases[string(d.StringField(int32(i), "id"))] {
			oldest = append(oldest, int32(i))
		}
	}
	return oldest
}

// HasUserinfo says whether a URI contains userinfo, which no resource may have (OCP-S008).
func HasUserinfo(uri string) bool { return hasUserinfo([]byte(uri)) }

// StatementKinds lists the words of kind (§6.5).
func StatementKinds() []string { return slices.Clone(statementKinds) }

// OriginTypes lists the words of origin.type (§6.5).
func OriginTypes() []string { return slices.Clone(originTypes) }
