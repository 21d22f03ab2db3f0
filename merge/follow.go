package merge

import "github.com/opencheckpoint/ocp/internal/checkpoint"

// follower walks through a document's entries beside those of the first document: most are there, with the same bytes and in the same order, and
// need not be looked up.
type follower struct {
	base, doc *checkpoint.Document
	entry     int32 // of the first document, of the last one that was found
	of        int32 // of the document, the same
}

// follower is nil for the first document itself.
func (m *Merger) follower(d *document) *follower {
	if d == m.docs[0] {
		return nil
	}
	return &follower{base: m.docs[0].Document, doc: d.Document}
}

// has says whether an entry is in the first document with the same bytes, and entry then says where.
func (f *follower) has(i int32) bool {
	if f == nil {
		return false
	}
	if f.of == i && i > 0 {
		return true
	}
	return f.try(i, f.entry+i-f.of) || f.search(i)
}

func (f *follower) try(i, j int32) bool {
	if j < 0 || int(j) >= len(f.base.Objects) || f.base.Objects[j].Type != f.doc.Objects[i].Type || !sameBytes(f.base, j, f.doc, i) {
		return false
	}
	f.entry, f.of = j, i
	return true
}

// search finds the entry by its id where the two documents went apart.
func (f *follower) search(i int32) bool {
	id := f.doc.ID(i)
	if id == nil {
		return false
	}
	j, ok := f.base.Find(id)
	return ok && f.try(i, j)
}
