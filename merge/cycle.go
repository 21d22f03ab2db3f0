package merge

import (
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// breakCycles finds statements that supersede each other in a circle that no single document has. What inputs changed in it is undone and disputed,
// and a conflict.
func (m *Merger) breakCycles() {
	if !slices.ContainsFunc(m.entities, func(e *entity) bool { return e.fields["status"] != nil && e.t == checkpoint.Statement }) {
		return
	}
	replaced := map[string]string{}
	for _, e := range m.entities {
		if e.t == checkpoint.Statement && !e.gone {
			if to := m.replacementOf(e); to != "" {
				replaced[e.key] = to
			}
		}
	}
	m.undoUnlike(replaced)
	done := map[string]bool{}
	for _, e := range m.entities {
		if cycle := cycleFrom(e.key, replaced, done); cycle != nil && !m.isInOneDocument(cycle, replaced) {
			m.breakCycle(cycle)
		}
	}
}

// undoUnlike undoes replacements by a statement of another kind (OCP-S007), which can be where an input changed the kind of that one, and makes a
// conflict of each.
func (m *Merger) undoUnlike(replaced map[string]string) {
	for _, e := range m.entities {
		by := m.called(replaced[e.key])
		f := e.fields["status"]
		if by == nil || f == nil || len(f.terms) == 0 || m.mayReplace(by, e) {
			continue
		}
		delete(replaced, e.key)
		m.reopen(e, f)
		if f.kind == "" {
			f.kind = "difference"
			m.openOn(f, e)
		}
	}
}

// mayReplace is OCP-S007 for two statements of the result.
func (m *Merger) mayReplace(by, e *entity) bool {
	d, i := m.entryOf(e)
	b, j := m.entryOf(by)
	return mayReplaceKind(d.Objects[i].Fact(checkpoint.Kind), b.Objects[j].Fact(checkpoint.Kind))
}

// mayReplaceKind says whether a statement of one kind may be superseded by one of another.
func mayReplaceKind(kind, by uint8) bool {
	return kind == by || kind == checkpoint.Hypothesis && by == checkpoint.Observation
}

// reopen makes a statement active again, spelled as in the base.
func (m *Merger) reopen(e *entity, f *field) {
	f.result = f.reopened()
	e.text = edited(e.text, []change{{"status", f.result.texts[statusMember]}, {"superseded_by", f.result.texts[supersededMember]}})
}

// replacementOf is the id that a superseded statement names.
func (m *Merger) replacementOf(e *entity) string {
	if e.text != nil {
		return plain(memberText(string(e.text), "superseded_by"))
	}
	d, i := m.doc(e, e.carrier)
	if d.Objects[i].Fact(checkpoint.Status) != checkpoint.Superseded {
		return ""
	}
	return string(d.StringField(i, "superseded_by"))
}

// cycleFrom follows replacements from an id and returns a circle that was not found before.
func cycleFrom(id string, replaced map[string]string, done map[string]bool) []string {
	var path []string
	for id != "" && !done[id] {
		done[id] = true
		path = append(path, id)
		id = replaced[id]
	}
	if start := slices.Index(path, id); id != "" && start >= 0 {
		return path[start:]
	}
	return nil
}

func (m *Merger) isInOneDocument(cycle []string, replaced map[string]string) bool {
	return slices.ContainsFunc(m.docs, func(d *document) bool {
		return !slices.ContainsFunc(cycle, func(id string) bool {
			i, ok := d.Lookup(id)
			return !ok || string(d.StringField(i, "superseded_by")) != replaced[id]
		})
	})
}

func (m *Merger) breakCycle(cycle []string) {
	for _, id := range cycle {
		e := m.called(id)
		f := e.fields["status"]
		if f == nil || len(f.terms) == 0 || f.kind != "" {
			continue
		}
		m.reopen(e, f)
		m.dispute(e, f.path)
		f.kind = "cycle"
		m.openOn(f, e)
	}
}
