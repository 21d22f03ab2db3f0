package merge

import (
	"maps"
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// This file keeps apart what several inputs gave one local id. Inputs that agree on what an id is, references followed, share it; otherwise the first
// keeps it and the others get new ones. After that an id means one object in all documents.

// claim is an object that a tip has under an id which others claim too.
type claim struct {
	doc   *document
	entry int32
	class string // claims of one id with one class are the same object
	base  bool   // it is as the base has it
}

// separate gives new local ids to objects whose id means another object elsewhere.
func (m *Merger) separate() error {
	m.ids = map[string]bool{}
	claims := map[string][]*claim{}
	same := m.sameEntries()
	for _, d := range m.docs {
		d.renamed = map[string]string{}
	}
	for _, d := range m.tips {
		for i := range d.Objects {
			if same[d][i] {
				continue
			}
			if id := d.ID(int32(i)); id != nil && m.mayCollide(d, int32(i), id) {
				claims[string(id)] = append(claims[string(id)], &claim{doc: d, entry: int32(i)})
			}
		}
	}
	m.classify(claims)
	for _, id := range slices.Sorted(maps.Keys(claims)) {
		m.rename(id, claims[id])
	}
	m.yield()
	for _, d := range m.docs {
		if err := m.applyNames(d); err != nil {
			return err
		}
	}
	return nil
}

// sameEntries finds, for each tip, the entries that are what the base has, or, without one base, what all tips have, by walking through all
// documents beside the first one.
func (m *Merger) sameEntries() map[*document][]bool {
	first := m.docs[0]
	count := make([]int, len(first.Objects))
	found := map[*document][]int32{}
	for _, d := range m.docs[1:] {
		old := m.follower(d)
		found[d] = make([]int32, len(d.Objects))
		for i := range d.Objects {
			if wholeOf(d.Document, int32(i)) == int32(i) && old.has(int32(i)) {
				found[d][i] = old.entry
				count[old.entry]++
			}
		}
	}
	same := map[*document][]bool{first: make([]bool, len(first.Objects))}
	for j, n := range count {
		same[first][j] = n == len(m.docs)-1
	}
	for d, at := range found {
		same[d] = make([]bool, len(at))
		for i, j := range at {
			same[d][i] = j > 0 && (len(m.bases) == 1 || count[j] == len(m.docs)-1)
		}
	}
	return same
}

// mayCollide says whether an object may be another one than what has its id elsewhere: the bases lack it, it is of another type there, or it is
// whole and another one there.
func (m *Merger) mayCollide(d *document, i int32, id []byte) bool {
	if isOwn(d.Document, i) {
		return false
	}
	if len(m.bases) == 0 {
		return m.hasRival(d, i, id)
	}
	lacking := true
	for _, b := range m.bases {
		j, ok := b.Find(id)
		if !ok {
			continue
		}
		lacking = false
		if !sameClass(b.Objects[j].Type, d.Objects[i].Type) {
			return true
		}
		if isWhole(d.Objects[i].Type) && !sameBytes(b.Document, wholeOf(b.Document, j), d.Document, wholeOf(d.Document, i)) {
			return true
		}
		if m.isReused(b.Document, j, d, i, string(id)) && !isFinalAt(d, i) {
			return true
		}
	}
	return lacking && m.hasRival(d, i, id)
}

// isOwn says whether an entry is a statement that a merge made.
func isOwn(d *checkpoint.Document, i int32) bool {
	return d.Objects[i].Type == checkpoint.Statement && isMade(d, i, nil)
}

// isReused says whether a document has an id of the base's for another object: it was compacted, or left the operation to another fork, and the
// object is another one.
func (m *Merger) isReused(base *checkpoint.Document, j int32, d *document, i int32, id string) bool {
	if d.removed[id] && d.Has(i, "call") && base.Has(j, "call") {
		return !sameMembers(base, j, d.Document, i, "call")
	}
	return (d.forgetful || d.removed[id]) && isAnother(base, j, d.Document, i)
}

// isFinalAt says whether an entry is an operation that is over: it keeps its id, by which others know that (OCP-T001).
func isFinalAt(d *document, i int32) bool {
	return d.Objects[i].Type == checkpoint.Operation && checkpoint.Terminal(d.Objects[i].Fact(checkpoint.Status))
}

// isAnother says whether two entries with one id have nothing in common that says what they are: after one was dropped, its id was used again.
func isAnother(a *checkpoint.Document, i int32, b *checkpoint.Document, j int32) bool {
	switch b.Objects[j].Type {
	case checkpoint.Statement:
		return !sameNature(a, i, b, j) && !sameMembers(a, i, b, j, "text")
	case checkpoint.Operation:
		return !sameMembers(a, i, b, j, "description") && !sameMembers(a, i, b, j, "call")
	case checkpoint.Resource:
		return !sameMembers(a, i, b, j, "uri", "locator")
	}
	return false
}

// wholeOf is the outermost entry around an entry with which it is merged as a whole.
func wholeOf(d *checkpoint.Document, i int32) int32 {
	for p := d.Objects[i].Parent; p > 0 && isWhole(d.Objects[p].Type); p = d.Objects[p].Parent {
		i = p
	}
	return i
}

// hasRival says whether another tip has something else under an id. In a lineage whose base is not at hand, objects that every tip has are one,
// whatever they have become, as long as they are of one nature; stop conditions that differ all hold. In unrelated documents an id says nothing.
func (m *Merger) hasRival(d *document, i int32, id []byte) bool {
	everywhere, differs := true, false
	for _, other := range m.tips {
		j, ok := other.Find(id)
		if !ok {
			everywhere = false
			continue
		}
		if !sameClass(other.Objects[j].Type, d.Objects[i].Type) {
			return true
		}
		if other == d {
			continue
		}
		if len(m.bases) > 0 {
			return true
		}
		switch same := sameBytes(other.Document, wholeOf(other.Document, j), d.Document, wholeOf(d.Document, i)); {
		case same:
		case isWhole(d.Objects[i].Type), d.Objects[i].Type == checkpoint.StopCondition, d.IsInputResource(i), m.result.Found == BaseUnrelated,
			!sameNature(other.Document, j, d.Document, i):
			return true
		case !sameCore(other.Document, j, d.Document, i):
			differs = true
		}
	}
	return differs && !everywhere
}

// sameClass says whether entries of two types can be one object: a next step becomes a completed one.
func sameClass(a, b checkpoint.Type) bool {
	return a == b || isStep(a) && isStep(b)
}

func isStep(t checkpoint.Type) bool { return t == checkpoint.Step || t == checkpoint.NextStep }

// isWhole says whether entries of a type are merged as a whole: with all that is in them, or not at all.
func isWhole(t checkpoint.Type) bool {
	switch t {
	case checkpoint.Context, checkpoint.Draft, checkpoint.Selection, checkpoint.Omission, checkpoint.Transformation:
		return true
	}
	return false
}

func sameBytes(a *checkpoint.Document, i int32, b *checkpoint.Document, j int32) bool {
	return string(a.Src[a.Objects[i].Start:a.Objects[i].End]) == string(b.Src[b.Objects[j].Start:b.Objects[j].End])
}

// sameCore says whether two entries say the same of what an object is, though not of what became of it.
func sameCore(a *checkpoint.Document, i int32, b *checkpoint.Document, j int32) bool {
	return sameMembers(a, i, b, j, "kind", "text", "origin", "uri", "locator", "call", "description")
}

// sameNature says whether two entries have one kind and one origin, which nothing changes (§6.5).
func sameNature(a *checkpoint.Document, i int32, b *checkpoint.Document, j int32) bool {
	return sameMembers(a, i, b, j, "kind", "origin")
}

func sameMembers(a *checkpoint.Document, i int32, b *checkpoint.Document, j int32, members ...string) bool {
	return !slices.ContainsFunc(members, func(member string) bool { return valueOf(a, i, member).canon != valueOf(b, j, member).canon })
}
