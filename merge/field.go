package merge

import (
	"cmp"
	"slices"
)

// term is one of the values that inputs changed a field to, and which inputs did.
type term struct {
	value
	inputs []string
}

// field is one field of an entity, or of an object of which a document has one, in all documents: one member, or several that a rule ties together.
type field struct {
	m     *Merger
	path  string
	rule  *rule
	at    []value // in each of Merger.docs
	has   []bool  // whether the document has the object
	base  value
	known bool   // there is a value that is the base's
	terms []term // the distinct changes from it, in the order of their canonical forms

	held bool // a conflict about it is open in an input

	result value
	kind   string // of the conflict, "" for none
}

// rule says which members make a field and what becomes of different changes.
type rule struct {
	name    string // the last part of the path
	members []string
	policy  func(*field)
	list    bool                       // of references or texts, which an input that forgets may lack one by one
	nature  bool                       // of what an object is: another one is another object
	solid   bool                       // its absence says something also where things are forgotten
	normal  func(value) (canon string) // nil compares the members as they are
}

// newField collects the values of a field.
func (m *Merger) newField(path string, r *rule, read func(k int) (value, bool)) *field {
	f := &field{m: m, path: path, rule: r, at: make([]value, len(m.docs)), has: make([]bool, len(m.docs))}
	for k := range m.docs {
		f.at[k], f.has[k] = read(k)
		if f.has[k] && r.normal != nil {
			f.at[k].canon = r.normal(f.at[k])
		}
	}
	f.findBase()
	if r.list {
		f.remember()
	}
	f.findTerms()
	f.decide()
	return f
}

// findBase takes the value that all bases have, or, without a base, the one that is equal everywhere. What an input may have forgotten does not
// differ.
func (f *field) findBase() {
	from, to := 0, len(f.m.bases)
	if to == 0 {
		from, to = 0, len(f.m.docs)
	}
	for k := from; k < to; k++ {
		switch {
		case !f.has[k] && len(f.m.bases) > 0:
			f.base, f.known = value{}, false
			return
		case !f.has[k] || len(f.m.bases) == 0 && f.forgets(k):
		case !f.known:
			f.base, f.known = f.at[k], true
		case f.base.canon != f.at[k].canon:
			f.base, f.known = value{}, false
			return
		}
	}
	if !f.known && len(f.m.bases) == 0 { // absent everywhere, or open in an input
		f.base, f.known = value{texts: make([]string, len(f.rule.members))}, f.isAbsent()
		f.normalize(&f.base)
	}
}

func (f *field) normalize(v *value) {
	if f.rule.normal != nil {
		v.canon = f.rule.normal(*v)
	}
}

func (f *field) isAbsent() bool {
	for k := range f.at {
		if f.has[k] && !f.at[k].absent() {
			return false
		}
	}
	return true
}

// forgets says whether the absence of the value in a tip says nothing.
func (f *field) forgets(k int) bool {
	return f.m.docs[k].forgetful && !f.rule.solid && f.at[k].absent()
}

// findTerms collects the changes. An input in which the field is in conflict contributes the terms of the conflict; one that has the conflict of
// the base has changed nothing.
func (f *field) findTerms() {
	open := f.heldInBase()
	for k := len(f.m.bases); k < len(f.m.docs); k++ {
		h := f.m.docs[k].held[f.path]
		switch {
		case !f.has[k]:
		case h != nil && open != nil && sameHeld(h, open):
			if f.known && f.at[k].canon != f.base.canon {
				f.add(f.at[k], f.m.docs[k].id)
			}
		case h != nil:
			f.addHeld(h)
			f.held = true
			if f.valueFrom(h.stands).canon != f.at[k].canon {
				f.add(f.at[k], f.m.docs[k].id)
			}
		case open == nil && f.known && f.at[k].canon == f.base.canon:
		case f.forgets(k):
		default:
			f.add(f.at[k], f.m.docs[k].id)
		}
	}
	if open != nil && len(f.terms) == 0 {
		f.addHeld(open)
		f.held = true
	}
	f.sortTerms()
}

func (f *field) sortTerms() {
	slices.SortFunc(f.terms, func(a, b term) int { return cmp.Compare(a.canon, b.canon) })
}

// heldInBase is the conflict that is open in the base.
func (f *field) heldInBase() *held {
	if len(f.m.bases) != 1 {
		return nil
	}
	return f.m.bases[0].held[f.path]
}

// isResolved says whether a tip has settled a conflict of the base, and none has it still open in other terms.
func (f *field) isResolved() bool {
	open := f.heldInBase()
	if open == nil {
		return false
	}
	settled := false
	for k := len(f.m.bases); k < len(f.m.docs); k++ {
		switch h := f.m.docs[k].held[f.path]; {
		case h == nil && f.has[k]:
			settled = true
		case h != nil && !sameHeld(h, open):
			return false
		}
	}
	return settled
}

func sameHeld(a, b *held) bool {
	return slices.EqualFunc(a.terms, b.terms, func(x, y termData) bool { return canonical(x.Value) == canonical(y.Value) })
}

// valueFrom reads a value of the field from the data of a conflict.
func (f *field) valueFrom(text []byte) (v value) {
	if f.rule.nature && memberText(string(text), "id") != "" {
		return wholeValue(text, f.rule.members)
	}
	if len(f.rule.members) == 1 {
		v = single(string(text))
	} else {
		v = readGroup(text, f.rule.members)
	}
	f.normalize(&v)
	return v
}

// addHeld adds the terms of a conflict.
func (f *field) addHeld(h *held) {
	for _, t := range h.terms {
		f.add(f.valueFrom(t.Value), t.Inputs...)
	}
}

// add adds a change.
func (f *field) add(v value, inputs ...string) {
	i := slices.IndexFunc(f.terms, func(t term) bool { return t.canon == v.canon })
	if i < 0 {
		i = len(f.terms)
		f.terms = append(f.terms, term{value: v})
	}
	t := &f.terms[i]
	t.inputs = append(t.inputs, inputs...)
	slices.Sort(t.inputs)
	t.inputs = slices.Compact(t.inputs)
}

// decide takes the base's value if nothing changed, what a conflict of the base was resolved to, and else asks the rule.
func (f *field) decide() {
	f.result = f.base
	switch {
	case len(f.terms) == 1 && f.isResolved():
		f.result = f.terms[0].value
	case len(f.terms) > 0:
		f.rule.policy(f)
		f.keepOpen()
	}
	if len(f.result.texts) == 0 {
		f.result.texts = make([]string, len(f.rule.members))
	}
}

// conflict leaves a value standing until somebody resolves what the inputs disagree on.
func (f *field) conflict(stands value) {
	f.result, f.kind = stands, "difference"
}

// keepOpen keeps a conflict that is open in an input: only its resolution closes one. What stood there, and neither is the base's nor what stands
// now, is one more term.
func (f *field) keepOpen() {
	if !f.held {
		return
	}
	if f.kind == "" {
		f.conflict(f.standing())
	}
	n := len(f.terms)
	for k := len(f.m.bases); k < len(f.m.docs); k++ {
		if f.m.docs[k].held[f.path] != nil && f.has[k] && f.at[k].canon != f.result.canon && !(f.known && f.at[k].canon == f.base.canon) && !f.isCovered(f.at[k]) {
			f.add(f.at[k], f.m.docs[k].id)
		}
	}
	if len(f.terms) > n {
		f.sortTerms()
		f.kind = ""
		if f.rule.policy(f); f.kind == "" {
			f.conflict(f.standing())
		}
	}
}

// isCovered says whether all items of a list are the base's or a term's.
func (f *field) isCovered(v value) bool {
	items, _ := elementsOf(v)
	covered, _ := elementsOf(f.base)
	for _, t := range f.terms {
		more, _ := elementsOf(t.value)
		covered = append(covered, more...)
	}
	return len(items) > 0 && includes(covered, items)
}

// standing is the base's value, or, if nobody knows it, the first of the terms.
func (f *field) standing() value {
	if f.known {
		return f.base
	}
	return f.terms[0].value
}

// values are those of the terms.
func (f *field) values() []value {
	list := make([]value, len(f.terms))
	for i, t := range f.terms {
		list[i] = t.value
	}
	return list
}
