package merge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// findRepeats finds pending actions that repeat an action of another input. In the result at most one copy of an action is actionable: a stop
// condition forbids the others, and a conflict asks which one is meant.
func (m *Merger) findRepeats() {
	for _, path := range m.heldOf("repeated_action") {
		m.repeatAgain(path)
	}
	groups := map[int]*calls{}
	for _, e := range m.entities {
		d := m.actionOf(e)
		if d == nil {
			continue
		}
		if g, listed := m.groupOf(d); listed {
			if groups[g] == nil {
				groups[g] = newCalls()
			}
			groups[g].add(d)
		}
	}
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		for _, other := range slices.Sorted(maps.Keys(groups)) {
			if g == other || g < 0 {
				continue
			}
			for _, a := range groups[g].all {
				if b := groups[other].first(a, nil, func(b *done) bool { return other >= 0 || !m.isInOne(a, b) }); b != nil {
					m.openRepeat(a, b)
				}
			}
		}
	}
}

// shared is the group of actions that several tips have, or the base, and that not all have, or not in one state.
const shared = -1

// groupOf is the tip that alone has an action, or shared. An action that all have in one state is in no group.
func (m *Merger) groupOf(d *done) (group int, listed bool) {
	group = shared
	n, differs := 0, false
	for k := range m.docs {
		doc, i := m.doc(d.entity, k)
		if i < 0 {
			continue
		}
		n++
		group = k
		_, stopped := m.stoppedIn(k)[i]
		differs = differs || stopped || (doc.Objects[i].Fact(checkpoint.Status) == checkpoint.Completed) != (d.status == checkpoint.Completed)
	}
	if n == 1 && m.isTip(group) {
		return group, true
	}
	return shared, differs || n < len(m.docs)
}

// actionOf is the action that an entity of the result is, nil if it is none or over without having been done.
func (m *Merger) actionOf(e *entity) *done {
	if e.t != checkpoint.Operation || e.gone {
		return nil
	}
	doc, i := m.entryOf(e)
	if doc.Objects[i].Fact(checkpoint.Effect) == checkpoint.NoEffect {
		return nil
	}
	a, ok := actionAt(doc, i)
	if ok && m.mayBeDone(e) {
		a.status = checkpoint.Completed
	}
	if !ok || a.status == checkpoint.Cancelled {
		return nil
	}
	return &done{action: a, entity: e, k: -1}
}

// mayBeDone says whether an input has an operation completed on whose status the inputs disagree.
func (m *Merger) mayBeDone(e *entity) bool {
	f := e.fields["status"]
	return f != nil && f.kind != "" && slices.ContainsFunc(f.values(), func(v value) bool { return operationStatusOf(v) == "completed" })
}

// entryOf is an entity of the result as an entry.
func (m *Merger) entryOf(e *entity) (*checkpoint.Document, int32) {
	if e.text != nil {
		return checkpoint.ParseEntry(e.t, e.text), 0
	}
	d, i := m.doc(e, e.carrier)
	return d.Document, i
}

// stoppedIn are the operations that a stop condition of a document forbids.
func (m *Merger) stoppedIn(k int) map[int32]int32 {
	if m.stopped == nil {
		m.stopped = make([]map[int32]int32, len(m.docs))
	}
	if m.stopped[k] == nil {
		m.stopped[k] = m.docs[k].Forbidden()
	}
	return m.stopped[k]
}

// isInOne says whether one document has both actions, each done, over or open as it is in the result, so that somebody knew of both.
func (m *Merger) isInOne(a, b *done) bool {
	isKnown := func(d *done, k int) bool {
		doc, i := m.doc(d.entity, k)
		if i < 0 {
			return false
		}
		status := doc.Objects[i].Fact(checkpoint.Status)
		if _, stopped := m.stoppedIn(k)[i]; stopped && !checkpoint.Terminal(status) {
			return false // nobody there could act on it
		}
		return checkpoint.Terminal(status) == checkpoint.Terminal(d.status) && (status == checkpoint.Completed) == (d.status == checkpoint.Completed)
	}
	for k := range m.docs {
		if isKnown(a, k) && isKnown(b, k) {
			return true
		}
	}
	return false
}

// openRepeat forbids the later one of two actions, or the one that is pending.
func (m *Merger) openRepeat(a, b *done) {
	if checkpoint.Terminal(a.status) || !checkpoint.Terminal(b.status) && a.entity.key < b.entity.key {
		a, b = b, a
	}
	path := a.entity.path + "/repeats/" + b.entity.key
	if checkpoint.Terminal(a.status) || m.open[path] {
		return
	}
	c := &conflict{path: path, kind: "repeated_action", stopped: []string{a.entity.key},
		why: fmt.Sprintf("operation %s repeats operation %s of another input: it must not run unless the conflict is resolved for it", a.entity.key, b.entity.key)}
	for _, d := range []*done{a, b} {
		c.terms = append(c.terms, term{single(string(m.bytesOf(d.entity))), m.inputsWith(d.entity)})
	}
	m.add(c)
}

// inputsWith are the tips that have an entity.
func (m *Merger) inputsWith(e *entity) (ids []string) {
	for k := len(m.bases); k < len(m.docs); k++ {
		if e.at[k] >= 0 {
			ids = append(ids, m.docs[k].id)
		}
	}
	return ids
}

// repeatAgain opens a conflict that was open in a tip, if it still is one.
func (m *Merger) repeatAgain(path string) {
	rest := strings.TrimPrefix(path, checkpoint.Operation.Place())
	x, y, ok := strings.Cut(rest, "/repeats/")
	if !ok || m.called(x) == nil || m.called(y) == nil {
		return
	}
	if a, b := m.actionOf(m.called(x)), m.actionOf(m.called(y)); a != nil && b != nil {
		m.openRepeat(a, b)
	}
}
