package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// findRepeats finds pending actions that repeat an action of another input. In the result at most one copy of an action is actionable: a stop condition forbids the
// others, and a conflict asks which one is meant.
func (m *Merger) findRepeats() {
	for _, path := range m.heldOf("repeated_action") {
		m.repeatAgain(path)
	}
	isFresh := func(e *entity) bool { return e.t == checkpoint.Operation && !e.gone && !m.isOld(e) }
	if !slices.ContainsFunc(m.entities, isFresh) {
		return
	}
	list := newCalls()
	var fresh []*done
	for _, e := range m.entities {
		if d := m.actionOf(e); d != nil {
			list.add(d)
			if isFresh(e) {
				fresh = append(fresh, d)
			}
		}
	}
	for _, a := range fresh {
		for _, b := range list.alike(a) {
			if !m.isInOne(a, b) {
				m.openRepeat(a, b)
			}
		}
	}
}

// actionOf is the action that an entity of the result is, nil if it is none or over without having been done.
func (m *Merger) actionOf(e *entity) *done {
	if e.t != checkpoint.Operation || e.gone {
		return nil
	}
	doc, i := m.entryOf(e)
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

// isOld says whether an entity is in a base, or, without a base, in every tip.
func (m *Merger) isOld(e *entity) bool {
	if len(m.bases) > 0 {
		return m.inSomeBase(e)
	}
	for _, i := range e.at {
		if i < 0 {
			return false
		}
	}
	return true
}

// isInOne says whether one document has both actions, each done, over or open as it is in the result, so that somebody knew of both.
func (m *Merger) isInOne(a, b *done) bool {
	isKnown := func(d *done, k int) bool {
		doc, i := m.doc(d.entity, k)
		if i < 0 {
			return false
		}
		status := doc.Objects[i].Fact(checkpoint.Status)
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
		why: fmt.Sprintf("operation %s repeats operation %s of another input: it must not run until that is resolved", a.entity.key, b.entity.key)}
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
