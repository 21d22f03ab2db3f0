package merge

import (
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// elementsOf are the canonical forms of a list's items and their texts.
func elementsOf(v value) (forms, texts []string) {
	if len(v.texts) == 0 {
		return nil, nil
	}
	texts = elements(v.texts[0])
	for _, text := range texts {
		forms = append(forms, canonical([]byte(text)))
	}
	return forms, texts
}

// remember gives a list back, input by input, what the base has and the input only forgot, or cannot have because it lacks an object that nobody
// may delete.
func (f *field) remember() {
	if !f.known {
		return
	}
	forms, texts := elementsOf(f.base)
	for k := len(f.m.bases); k < len(f.m.docs); k++ {
		if !f.has[k] || f.m.docs[k].held[f.path] != nil {
			continue
		}
		own, _ := elementsOf(f.at[k])
		var whole []string
		restored := false
		for i, form := range forms {
			lost := !slices.Contains(own, form)
			if lost && !f.m.isOnlyMissing(k, plain(texts[i])) {
				continue
			}
			restored = restored || lost
			whole = append(whole, texts[i])
		}
		if restored {
			f.at[k] = single(joinLists(whole, f.at[k]))
		}
	}
}

// isOnlyMissing says whether a tip lacks a reference to an object for another reason than that somebody removed it.
func (m *Merger) isOnlyMissing(k int, id string) bool {
	if m.docs[k].forgetful {
		return true
	}
	if _, ok := m.docs[k].Lookup(id); ok {
		return false
	}
	e := m.called(id)
	return e != nil && m.isProtected(e)
}

// joinLists adds the items of a list that are missing.
func joinLists(texts []string, v value) string {
	seen := map[string]bool{}
	for _, text := range texts {
		seen[canonical([]byte(text))] = true
	}
	forms, more := elementsOf(v)
	for i, form := range forms {
		if !seen[form] {
			seen[form] = true
			texts = append(texts, more[i])
		}
	}
	return arrayOf(texts)
}

// union takes one change as it is. If all changes only remove, all removals hold; else everything that the base or a change has stays.
func union(f *field) {
	if len(f.terms) == 1 {
		f.result = f.terms[0].value
		return
	}
	if f.known && f.onlyRemovals() {
		f.intersect()
		return
	}
	unionAll(f)
}

// unionAll keeps everything that the base or a change has.
func unionAll(f *field) {
	var texts []string
	if f.known {
		_, texts = elementsOf(f.base)
	}
	whole := arrayOf(texts)
	for k := len(f.m.bases); k < len(f.m.docs); k++ {
		if f.has[k] {
			whole = joinLists(elements(whole), f.at[k])
		}
	}
	for _, v := range f.values() {
		whole = joinLists(elements(whole), v)
	}
	f.result = f.shaped(whole)
}

func (f *field) onlyRemovals() bool {
	base, _ := elementsOf(f.base)
	for _, v := range f.values() {
		forms, _ := elementsOf(v)
		for _, form := range forms {
			if !slices.Contains(base, form) {
				return false
			}
		}
	}
	return true
}

// intersect keeps what every change left.
func (f *field) intersect() {
	var kept []string
	forms, texts := elementsOf(f.base)
	for i, form := range forms {
		missing := func(v value) bool {
			own, _ := elementsOf(v)
			return !slices.Contains(own, form)
		}
		if !slices.ContainsFunc(f.values(), missing) {
			kept = append(kept, texts[i])
		}
	}
	f.result = f.shaped(arrayOf(kept))
}

// shaped is a list's text as the base or an input writes it, if one has the same items; an empty list is absent.
func (f *field) shaped(whole string) value {
	v := single(whole)
	for _, other := range append([]value{f.base}, f.values()...) {
		if other.canon == v.canon {
			return other
		}
	}
	if whole == "[]" {
		return single("")
	}
	return v
}

// isProtected says whether no input may delete an object of the base: what the specification wants kept, and work that is done. An input that was
// compacted deletes nothing, so that this takes back no omission.
func (m *Merger) isProtected(e *entity) bool {
	for k := range m.bases {
		if e.at[k] < 0 {
			continue
		}
		d, i := m.doc(e, k)
		o := &d.Objects[i]
		switch o.Type {
		case checkpoint.Statement:
			if o.Live() && (o.Fact(checkpoint.Kind) <= checkpoint.Decision || o.Fact(checkpoint.Kind) == checkpoint.Question) {
				return true
			}
		case checkpoint.Operation:
			if !checkpoint.Terminal(o.Fact(checkpoint.Status)) || isDone(o) {
				return true
			}
		case checkpoint.StopCondition, checkpoint.Precondition, checkpoint.Requirement, checkpoint.Incompatibility, checkpoint.Step, checkpoint.Omission:
			return true
		}
	}
	return false
}

// isDone says whether an operation is an action that is done and may have had an effect, or an approval that was refused: without it, it would be
// done, or asked, again.
func isDone(operation *checkpoint.Object) bool {
	switch operation.Fact(checkpoint.Status) {
	case checkpoint.Completed:
		return operation.Fact(checkpoint.Kind) == checkpoint.Action && operation.Fact(checkpoint.Effect) != checkpoint.NoEffect
	case checkpoint.Rejected:
		return operation.Fact(checkpoint.Kind) == checkpoint.Approval
	}
	return false
}
