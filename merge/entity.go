package merge

import (
	"fmt"
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// entity is an entry of the result, or one that some document has: known by its local id; without one a criterion or a step by its
// description, and everything else by its content.
type entity struct {
	t    checkpoint.Type
	key  string
	path string
	at   []int32 // the entry in each of Merger.docs, -1 where it is missing

	gone     bool
	carrier  int               // the document whose text is taken
	text     []byte            // of the result, nil if it is the carrier's
	fields   map[string]*field // by rule name, of one that was settled member by member
	disputed bool              // inputs disagree on something of it
}

// isMerged says whether entries of a type are entities: the items of lists. What stands in them goes with them.
func isMerged(t checkpoint.Type) bool {
	switch t {
	case checkpoint.Criterion, checkpoint.Step, checkpoint.NextStep, checkpoint.Statement, checkpoint.Resource, checkpoint.Context, checkpoint.Operation,
		checkpoint.Requirement, checkpoint.Precondition, checkpoint.StopCondition, checkpoint.RecoveryStep, checkpoint.Incompatibility, checkpoint.Omission,
		checkpoint.Transformation:
		return true
	}
	return false
}

// gather finds the entities of all documents, those of the bases first.
func (m *Merger) gather() {
	m.aliases, m.open = map[string]*entity{}, map[string]bool{}
	m.unnamed, m.within, m.extra = map[string]*entity{}, map[string][]*entity{}, map[checkpoint.Type][][]byte{}
	m.order, m.entityAt = make([]map[checkpoint.Type][]*entity, len(m.docs)), make([][]*entity, len(m.docs))
	for k, d := range m.docs {
		m.entityAt[k] = make([]*entity, len(d.Objects))
		m.order[k] = map[checkpoint.Type][]*entity{}
		m.gatherFrom(k)
	}
}

func (m *Merger) gatherFrom(k int) {
	d := m.docs[k]
	old := m.follower(d)
	seen := map[string]int{} // how many entries without an id are alike
	var next []int32         // steps without an id: those that are done are counted first
	var whole *entity        // the latest one
	for i := range d.Objects {
		entry := int32(i)
		switch t := d.Objects[i].Type; {
		case t == checkpoint.NextStep && d.ID(entry) == nil:
			next = append(next, entry)
		case isMerged(t) && d.ID(entry) != nil:
			whole = m.enter(k, entry, m.named(k, entry, old))
		case isMerged(t):
			whole = m.enter(k, entry, m.nameless(d, entry, seen))
		case t == checkpoint.Draft && d.ID(entry) != nil:
			id := string(d.ID(entry))
			m.within[id] = append(m.within[id], whole)
		}
	}
	for _, i := range next {
		m.enter(k, i, m.nameless(d, i, seen))
	}
	slices.SortStableFunc(m.order[k][checkpoint.NextStep], func(a, b *entity) int { return int(a.at[k] - b.at[k]) })
}

// named is the entity of an entry with an id.
func (m *Merger) named(k int, i int32, old *follower) *entity {
	d := m.docs[k]
	if old.has(i) {
		if e := m.entityAt[0][old.entry]; !m.docs[0].hasAliases() || e.key == string(d.ID(i)) {
			return e
		}
	}
	id := d.ID(i)
	to, aliased := d.alias(id)
	if aliased {
		id = []byte(to)
	}
	e := m.byID(id)
	if e == nil {
		e = m.newEntity(d.Objects[i].Type, string(id), d.Objects[i].Type.Place()+string(id))
	}
	if aliased {
		m.aliases[to] = e
	}
	return e
}

// nameless is the entity of an entry without an id.
func (m *Merger) nameless(d *document, i int32, seen map[string]int) *entity {
	key := keyOf(d.Document, i, seen)
	e := m.unnamed[key]
	if e == nil {
		e = m.newEntity(d.Objects[i].Type, key, pathOf(d.Document, i, key))
		m.unnamed[key] = e
	}
	return e
}

func (m *Merger) newEntity(t checkpoint.Type, key, path string) *entity {
	e := &entity{t: t, key: key, path: path, at: make([]int32, len(m.docs))}
	for n := range e.at {
		e.at[n] = -1
	}
	m.entities = append(m.entities, e)
	return e
}

func (m *Merger) enter(k int, i int32, e *entity) *entity {
	e.at[k] = i
	m.entityAt[k][i] = e
	t := m.docs[k].Objects[i].Type
	m.order[k][t] = append(m.order[k][t], e)
	return e
}

// byID is the entity with a local id, nil if there is none.
func (m *Merger) byID(id []byte) *entity {
	for k, d := range m.docs {
		if m.entityAt[k] == nil {
			break // not gathered yet
		}
		i, ok := d.Find(id)
		if !ok || m.entityAt[k][i] == nil {
			continue
		}
		if _, aliased := d.alias(id); aliased {
			continue
		}
		return m.entityAt[k][i]
	}
	return m.aliases[string(id)]
}

// called is the entity with a local id, nil if there is none.
func (m *Merger) called(id string) *entity { return m.byID([]byte(id)) }

// append adds an entry to the result that no document has.
func (m *Merger) append(t checkpoint.Type, text []byte) { m.extra[t] = append(m.extra[t], text) }

// keyOf is what an entry is known by in all documents.
func keyOf(d *checkpoint.Document, i int32, seen map[string]int) string {
	if id := d.ID(i); id != nil {
		return string(id)
	}
	t := d.Objects[i].Type
	text := ""
	switch t {
	case checkpoint.Criterion, checkpoint.Step, checkpoint.NextStep:
		text = string(d.StringField(i, "description"))
	default:
		text = canonical(d.Src[d.Objects[i].Start:d.Objects[i].End])
	}
	key := fmt.Sprintf("\x00%d\x00%s", unnamedClass(t), text)
	seen[key]++
	return fmt.Sprintf("%s\x00%d", key, seen[key])
}

// unnamedClass is one number for types whose entries can be one entity.
func unnamedClass(t checkpoint.Type) checkpoint.Type {
	if t == checkpoint.NextStep {
		return checkpoint.Step
	}
	return t
}

// pathOf is the path of an entity, by its id or by a digest of what it is known by.
func pathOf(d *checkpoint.Document, i int32, key string) string {
	if id := d.ID(i); id != nil {
		return d.Objects[i].Type.Place() + string(id)
	}
	return d.Objects[i].Type.Place() + "#" + hash8(key)
}

// doc returns a document and the entry that the entity is there.
func (m *Merger) doc(e *entity, k int) (*document, int32) { return m.docs[k], e.at[k] }

// bytesAt is the text of an entity in a document.
func (m *Merger) bytesAt(e *entity, k int) []byte {
	d, i := m.doc(e, k)
	text := d.Src[d.Objects[i].Start:d.Objects[i].End]
	if to, aliased := d.alias(d.ID(i)); aliased {
		return edited(text, []change{{"id", quoted(to)}})
	}
	return text
}

// bytesOf is the text of an entity in the result.
func (m *Merger) bytesOf(e *entity) []byte {
	if e.text != nil {
		return e.text
	}
	return m.bytesAt(e, e.carrier)
}

// isTip says whether a place in docs is that of a tip.
func (m *Merger) isTip(k int) bool { return k >= len(m.bases) }

// inBase says whether the entity is in every base, of which there is at least one.
func (m *Merger) inBase(e *entity) bool {
	for k := range m.bases {
		if e.at[k] < 0 {
			return false
		}
	}
	return len(m.bases) > 0
}

// inSomeBase says whether the entity is in a base.
func (m *Merger) inSomeBase(e *entity) bool {
	for k := range m.bases {
		if e.at[k] >= 0 {
			return true
		}
	}
	return false
}

// isSame says whether all documents that have the entity have the same bytes for it, and none an open conflict about it or another state of it.
func (m *Merger) isSame(e *entity) bool {
	first := -1
	for k := range m.docs {
		if m.docs[k].heldOn[e.path] {
			return false
		}
		if m.mayBeOver(e, k) {
			return false
		}
		if e.at[k] < 0 {
			continue
		}
		if first < 0 {
			first = k
		} else if string(m.bytesAt(e, k)) != string(m.bytesAt(e, first)) {
			return false
		}
	}
	return true
}

// choose takes the text of the parent, else of the first tip that has the entity, else of a base. Where it is a completed step in one document, it
// is one.
func (m *Merger) choose(e *entity) {
	best := -1
	for k := range m.docs {
		if e.at[k] < 0 {
			continue
		}
		if best < 0 || m.prefer(e, k) > m.prefer(e, best) {
			best = k
		}
	}
	e.carrier = best
	d, i := m.doc(e, best)
	e.t = d.Objects[i].Type
	if _, aliased := d.alias(d.ID(i)); aliased {
		e.text = m.bytesAt(e, best)
	}
}

func (m *Merger) prefer(e *entity, k int) (rank int) {
	if d, i := m.doc(e, k); d.Objects[i].Type == checkpoint.Step {
		rank += 4
	}
	if m.isTip(k) {
		rank++
	}
	if m.docs[k] == m.parent {
		rank++
	}
	return rank
}
