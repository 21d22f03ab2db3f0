package merge

import (
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// settleWhole takes the changed version of an entity that is merged as a whole; of several, all but one have other ids by now.
func (m *Merger) settleWhole(e *entity) {
	for k := len(m.bases); k < len(m.docs); k++ {
		if e.at[k] >= 0 && (!m.inSomeBase(e) || m.isChanged(e, k)) {
			e.carrier, e.text = k, nil
			if d, i := m.doc(e, k); d.aliased {
				if _, aliased := d.alias(d.ID(i)); aliased {
					e.text = m.bytesAt(e, k)
				}
			}
			return
		}
	}
}

// keepDrafts puts back application context of the base in which a draft is unsaved that nothing in the result has (§6.7): the entry that was
// deleted, or, where an input changed it, a copy of it beside the changed one.
func (m *Merger) keepDrafts() {
	m.drafts = map[string]bool{}
	for _, e := range m.entities {
		if e.t == checkpoint.Context && !e.gone {
			d, i := m.doc(e, e.carrier)
			m.addDrafts(d.Document, i)
		}
	}
	for _, e := range m.entities {
		if e.t != checkpoint.Context || !m.inSomeBase(e) {
			continue
		}
		for k, b := range m.bases {
			if e.at[k] >= 0 && m.losesDraft(b.Document, e.at[k]) {
				m.putBack(e, k)
				break
			}
		}
	}
}

func (m *Merger) addDrafts(d *checkpoint.Document, context int32) {
	eachDraft(d, context, func(_ int32, key string) { m.drafts[key] = true })
}

func (m *Merger) losesDraft(d *checkpoint.Document, context int32) (loses bool) {
	eachDraft(d, context, func(i int32, key string) {
		if string(d.StringField(i, "status")) == "unsaved" && !m.drafts[key] {
			loses = true
		}
	})
	return loses
}

// eachDraft calls f for each draft of a context entry with what it is known by: its id, or what it would change.
func eachDraft(d *checkpoint.Document, context int32, f func(i int32, key string)) {
	for i := context + 1; i < d.Inside(context); i++ {
		if d.Objects[i].Type != checkpoint.Draft {
			continue
		}
		key := string(d.ID(i))
		if key == "" {
			text := d.Src[d.Objects[i].Start:d.Objects[i].End]
			key = canonical(edited(text, []change{{"status", ""}}))
		}
		f(i, key)
	}
}

// putBack keeps a base's version of a context entry, with new ids where the result has those already.
func (m *Merger) putBack(e *entity, k int) {
	restored := m.absence(e, m.withoutDrafts(e))
	d, i := m.doc(e, k)
	text := d.Src[d.Objects[i].Start:d.Objects[i].End]
	copied := checkpoint.ParseEntry(checkpoint.Context, text)
	names := map[string]string{}
	for j := range copied.Objects {
		if id := string(copied.ID(int32(j))); id != "" && (m.drafts[id] || id == e.key && !e.gone) {
			names[id] = m.free(id + "." + hash8(canonical(text)))
		}
	}
	m.addDrafts(d.Document, i)
	if e.gone && len(names) == 0 {
		e.gone = false
		m.result.Restored = append(m.result.Restored, restored)
		return
	}
	if to := names[e.key]; to != "" {
		restored.Object = e.t.Place() + to
		m.affected = append(m.affected, to)
	}
	m.result.Restored = append(m.result.Restored, restored)
	edits := jsonspan.Edits{Src: copied.Src}
	renameIn(copied, &edits, names)
	m.append(checkpoint.Context, edits.AppendTo(nil))
}

// withoutDrafts are the tips that have a context entry of the base in another version, or not at all.
func (m *Merger) withoutDrafts(e *entity) (ids []string) {
	for k := len(m.bases); k < len(m.docs); k++ {
		if e.at[k] < 0 || m.isChanged(e, k) {
			ids = append(ids, m.docs[k].id)
		}
	}
	return ids
}
