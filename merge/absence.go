package merge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// settleAbsence decides what becomes of entities of the base that some input lacks.
func (m *Merger) settleAbsence() {
	for _, e := range m.entities {
		if m.inBase(e) || m.wasOpen(e) {
			m.settlePresence(e)
		}
	}
}

func (m *Merger) settlePresence(e *entity) {
	m.guardRestored(e)
	f := m.deletion(e)
	if f == nil {
		return
	}
	switch {
	case m.isProtected(e):
		m.result.Restored = append(m.result.Restored, m.absence(e, f.terms[0].inputs))
	case m.wasOpen(e) || m.isChangedSomewhere(e):
		f.kind = "deletion"
		m.openOn(f, e)
	default:
		e.gone = true
		m.result.Deleted = append(m.result.Deleted, m.absence(e, f.terms[0].inputs))
	}
}

// absence says which object some inputs lack.
func (m *Merger) absence(e *entity, inputs []string) Deletion {
	const most = 40
	d := Deletion{Object: e.path, Inputs: inputs}
	if _, id, _ := cutLast(e.path); strings.HasPrefix(id, "#") {
		text := string(m.bytesOf(e))
		says := []rune(cmp.Or(plain(text), plain(memberText(text, "description")), plain(memberText(text, "application"))))
		d.Says = string(says[:min(len(says), most)])
	}
	return d
}

// title is what a person calls an entity: its local id, or the beginning of what it says.
func (m *Merger) title(e *entity) string {
	if a := m.absence(e, nil); a.Says != "" {
		return quoted(a.Says)
	}
	_, id, _ := cutLast(e.path)
	return id
}

// deletion is the field that an entity's presence is, if a tip deleted the entity or a conflict about that is open.
func (m *Merger) deletion(e *entity) *field {
	var f *field
	for k := len(m.bases); k < len(m.docs); k++ {
		d := m.docs[k]
		h := d.held[e.path]
		open := h != nil && h.kind == "deletion" && !m.isSettled(e.path)
		if !open && !m.isDeleted(e, k) {
			continue
		}
		if f == nil {
			f = &field{m: m, path: e.path, rule: alone("", nil), known: true, base: single(`"present"`), result: single(`"present"`)}
		}
		if open {
			f.addHeld(h)
		} else {
			f.add(single(""), d.id)
		}
	}
	return f
}

// isDeleted says whether a tip lacks an entity because somebody deleted it there.
func (m *Merger) isDeleted(e *entity, k int) bool {
	d := m.docs[k]
	return e.at[k] < 0 && m.inBase(e) && !m.isRenamed(e, k) && (!d.forgetful || d.deleted[e.path] || m.isEdited(e, k))
}

// isEdited says whether a tip lacks application context of the base, which has no id, because it moved a draft of it elsewhere: it did not forget what
// it has.
func (m *Merger) isEdited(e *entity, k int) (edited bool) {
	if e.t != checkpoint.Context {
		return false
	}
	b, i := m.doc(e, 0)
	if b.ID(i) != nil {
		return false
	}
	eachDraft(b.Document, i, func(j int32, _ string) {
		_, has := m.docs[k].Find(b.ID(j))
		edited = edited || b.ID(j) != nil && has
	})
	return edited
}

// mayBeOver says whether a tip lacks an action of the base that was pending and may change the world, although it only forgot: a compaction keeps what is not
// over, so that it may have been done there since.
func (m *Merger) mayBeOver(e *entity, k int) bool {
	d := m.docs[k]
	if e.t != checkpoint.Operation || k < len(m.bases) || e.at[k] >= 0 || !d.forgetful || d.removed[e.key] || d.deleted[e.path] || m.isRenamed(e, k) {
		return false
	}
	for b := range m.bases {
		if base, i := m.doc(e, b); i >= 0 && base.Objects[i].PendingEffect() {
			return true
		}
	}
	return false
}

// isRenamed says whether a tip has another version of an entity, under another id.
func (m *Merger) isRenamed(e *entity, k int) bool {
	return isWhole(e.t) && m.docs[k].renamed[e.key] != ""
}

// isChangedSomewhere says whether a tip has another version of an entity than the base.
func (m *Merger) isChangedSomewhere(e *entity) bool {
	for k := len(m.bases); k < len(m.docs); k++ {
		if m.isRenamed(e, k) || e.at[k] >= 0 && m.isChanged(e, k) {
			return true
		}
	}
	return false
}

// wasOpen says whether an input has an open conflict about an entity's deletion.
func (m *Merger) wasOpen(e *entity) bool {
	return !m.isSettled(e.path) && slices.ContainsFunc(m.tips, func(d *document) bool { return d.held[e.path] != nil })
}

// isChanged says whether a tip has another version of an entity than the base.
func (m *Merger) isChanged(e *entity, k int) bool {
	if m.docs[k].heldOn[e.path] {
		return true
	}
	for b := range m.bases {
		if string(m.bytesAt(e, b)) != string(m.bytesAt(e, k)) && canonical(m.bytesAt(e, b)) != canonical(m.bytesAt(e, k)) {
			return true
		}
	}
	return false
}

// reviveReferenced keeps what something that stays refers to.
func (m *Merger) reviveReferenced() {
	if len(m.result.Deleted) == 0 && len(m.conflicts) == 0 {
		return
	}
	open := referencesIn(checkpoint.Focus, []byte(m.focus))
	for t, texts := range m.extra {
		for _, text := range texts {
			open = append(open, referencesIn(t, text)...)
		}
	}
	for _, e := range m.entities {
		if !e.gone {
			open = append(open, m.references(e)...)
		}
	}
	for len(open) > 0 {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		if e := m.called(id); e != nil && e.gone {
			e.gone = false
			open = append(open, m.references(e)...)
		}
		if list := m.within[id]; len(list) > 0 && !m.drafts[id] {
			m.putBack(list[0], slices.IndexFunc(list[0].at, func(i int32) bool { return i >= 0 }))
			open = append(open, m.references(list[0])...)
		}
	}
	m.keepReferenced()
	here := map[string]bool{}
	for _, e := range m.entities {
		here[e.path] = here[e.path] || !e.gone
	}
	m.result.Deleted = slices.DeleteFunc(m.result.Deleted, func(d Deletion) bool { return here[d.Object] })
}

// keepReferenced takes back the conflicts about the deletion of what something that stays refers to: nobody may delete it.
func (m *Merger) keepReferenced() {
	if !slices.ContainsFunc(m.conflicts, func(c *conflict) bool { return c.kind == "deletion" }) {
		return
	}
	referenced := map[string]bool{}
	for _, id := range referencesIn(checkpoint.Focus, []byte(m.focus)) {
		referenced[id] = true
	}
	for _, e := range m.entities {
		if e.gone {
			continue
		}
		for _, id := range m.references(e) {
			referenced[id] = referenced[id] || id != e.key
		}
	}
	m.conflicts = slices.DeleteFunc(m.conflicts, func(c *conflict) bool {
		needed := c.kind == "deletion" && referenced[c.entity.key]
		if needed {
			delete(m.open, c.path)
			m.result.Restored = append(m.result.Restored, m.absence(c.entity, c.terms[0].inputs))
		}
		return needed
	})
}

// references are the local ids that an entity's text in the result names, those of what a transformation affected excepted.
func (m *Merger) references(e *entity) []string {
	if e.text != nil {
		return referencesIn(e.t, e.text)
	}
	d, i := m.doc(e, e.carrier)
	from, to := d.RefsWithin(d.Objects[i].Span())
	return namesOf(d.Document, d.Refs[from:to])
}

func referencesIn(t checkpoint.Type, text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	d := checkpoint.ParseEntry(t, text)
	return namesOf(d, d.Refs)
}

func namesOf(d *checkpoint.Document, refs []checkpoint.Ref) (ids []string) {
	for _, r := range refs {
		if r.Field != checkpoint.AffectedField {
			ids = append(ids, string(d.Text(r.At)))
		}
	}
	return ids
}
