package merge

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// findDoubles finds actions that two tips completed and that were open in the base: a conflict for an operation that several completed, and, where
// a tip completed one that another has not, for each with one that only that other completed.
func (m *Merger) findDoubles() {
	pairs := map[string][]*done{}
	for _, path := range m.heldOf("double_execution") {
		pairs[path] = nil
	}
	alone := map[int]*calls{} // by tip
	for _, e := range m.entities {
		if e.t != checkpoint.Operation || m.wasCompleted(e) {
			continue
		}
		list := m.completions(e)
		if len(list) > 1 {
			m.pairUp(pairs, list)
		} else if len(list) == 1 {
			if alone[list[0].k] == nil {
				alone[list[0].k] = newCalls()
			}
			alone[list[0].k].add(list[0])
		}
	}
	m.matchCalls(pairs, alone)
	for _, path := range slices.Sorted(maps.Keys(pairs)) {
		m.openDouble(path, pairs[path])
	}
}

// pairUp pairs the completions of one operation.
func (m *Merger) pairUp(pairs map[string][]*done, list []*done) {
	for i, a := range list {
		for _, b := range list[i+1:] {
			if !m.haveFromOneAncestor(a, b) {
				path := doublePath(a.entity, b.entity)
				pairs[path] = append(pairs[path], a, b)
			}
		}
	}
}

// matchCalls pairs completions of different operations, each with at most one of each other tip.
func (m *Merger) matchCalls(pairs map[string][]*done, alone map[int]*calls) {
	tips := slices.Sorted(maps.Keys(alone))
	for i, k := range tips {
		for _, other := range tips[i+1:] {
			matched := map[*done]bool{}
			for _, a := range alone[k].all {
				if b := alone[other].first(a, matched, func(*done) bool { return true }); b != nil {
					matched[b] = true
					path := doublePath(a.entity, b.entity)
					pairs[path] = append(pairs[path], a, b)
				}
			}
			alone[other].rewind()
		}
	}
}

// noteSteps notes steps that several tips completed.
func (m *Merger) noteSteps() {
	for _, e := range m.entities {
		if e.t != checkpoint.Step || m.wasDone(e) {
			continue
		}
		var ids []string
		for k := len(m.bases); k < len(m.docs); k++ {
			if e.at[k] >= 0 && m.docs[k].Objects[e.at[k]].Type == checkpoint.Step {
				ids = append(ids, m.docs[k].id)
			}
		}
		if len(ids) > 1 && (len(m.bases) > 0 || len(ids) < len(m.tips)) {
			what := "step " + m.title(e) + " was done in " + strings.Join(ids, ", ")
			m.note("%s", what)
			m.changes = append(m.changes, what)
		}
	}
}

// wasCompleted says whether a base has an operation completed.
func (m *Merger) wasCompleted(e *entity) bool {
	for k := range m.bases {
		if d, i := m.doc(e, k); i >= 0 && d.Objects[i].Fact(checkpoint.Status) == checkpoint.Completed {
			return true
		}
	}
	return len(m.bases) == 0 && m.isCompletedEverywhere(e)
}

func (m *Merger) isCompletedEverywhere(e *entity) bool {
	for k := range m.docs {
		if d, i := m.doc(e, k); i < 0 || d.Objects[i].Fact(checkpoint.Status) != checkpoint.Completed {
			return false
		}
	}
	return true
}

// completions are the tips in which an operation is a completed action. It counts as one also where a tip says that it had no effect and another
// document does not.
func (m *Merger) completions(e *entity) (list []*done) {
	if !m.mayHaveEffect(e) {
		return nil
	}
	for k := len(m.bases); k < len(m.docs); k++ {
		d, i := m.doc(e, k)
		if i < 0 {
			continue
		}
		if a, ok := actionAt(d.Document, i); ok && a.status == checkpoint.Completed {
			list = append(list, &done{action: a, entity: e, k: k})
		}
	}
	return list
}

// mayHaveEffect says whether the effect of an operation is another one than none in some document.
func (m *Merger) mayHaveEffect(e *entity) bool {
	for k := range m.docs {
		if d, i := m.doc(e, k); i >= 0 && d.Objects[i].Fact(checkpoint.Effect) != checkpoint.NoEffect {
			return true
		}
	}
	return false
}

// haveFromOneAncestor says whether two tips have one completed operation from a document at hand from which both derive.
func (m *Merger) haveFromOneAncestor(a, b *done) bool {
	if a.entity != b.entity {
		return false
	}
	up := m.lineage.of(m.docs[b.k])
	for id := range m.lineage.of(m.docs[a.k]) {
		d, ok := m.lineage.at[id]
		if !ok || !up[id] {
			continue
		}
		if i, ok := d.given.Lookup(a.entity.key); ok && d.given.Objects[i].Type == checkpoint.Operation && d.given.Objects[i].Fact(checkpoint.Status) == checkpoint.Completed {
			return true
		}
	}
	return false
}

func doublePath(a, b *entity) string {
	if a == b {
		return a.path + "/double_execution"
	}
	first, second := min(a.path, b.path), max(a.path, b.path)
	_, id, _ := cutLast(second)
	return first + "/double_execution/" + id
}

// openDouble opens a conflict with one term for each input that completed the action, even where they say the same of it.
func (m *Merger) openDouble(path string, list []*done) {
	c := &conflict{path: path, kind: "double_execution"}
	for _, d := range list {
		if m.docs[d.k].held[path] != nil {
			continue // what the conflict there is about
		}
		c.addCompletion(string(m.bytesAt(d.entity, d.k)), m.docs[d.k].id)
	}
	for _, h := range m.heldAt(path) {
		for _, t := range h.terms {
			for _, id := range t.Inputs {
				c.addCompletion(string(t.Value), id)
			}
		}
	}
	slices.SortFunc(c.terms, func(a, b term) int {
		return cmp.Or(cmp.Compare(a.canon, b.canon), cmp.Compare(a.inputs[0], b.inputs[0]))
	})
	m.add(c)
}

// addCompletion adds a term that is told from others by its input too.
func (c *conflict) addCompletion(text, input string) {
	if !slices.ContainsFunc(c.terms, func(t term) bool { return t.inputs[0] == input && t.canon == canonical([]byte(text)) }) {
		c.terms = append(c.terms, term{single(text), []string{input}})
	}
}
