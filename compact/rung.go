package compact

import (
	"cmp"
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// free says whether an entry may be dropped by itself.
func (l *ladder) free(i int32) bool { return !l.gone[i] && !l.protected[i] && l.hard[i] == 0 }

// dropEntries drops the entries of a class that nothing kept refers to, one a step.
func (l *ladder) dropEntries(c class, entries []int32) {
	var candidates []candidate
	for _, i := range entries {
		if l.free(i) && (c != bareContexts || !l.hasDrafts(i)) {
			candidates = append(candidates, l.candidate(i, 0))
		}
	}
	for _, candidate := range inOrder(candidates) {
		l.take(c, l.dropping(candidate.entry, size))
	}
}

func (l *ladder) dropping(entry int32, r reason) action {
	return action{act: drop, reason: r, noun: l.noun(entry), entry: entry}
}

func (l *ladder) hasDrafts(context int32) bool {
	for i, end := context+1, l.doc.Inside(context); i < end; i++ {
		if l.doc.Objects[i].Type == checkpoint.Draft && !l.gone[i] {
			return true
		}
	}
	return false
}

// foldRecords is one step: all records of ours turn into those of this compaction, and the resources that stand for older inputs, to which the
// new input leads, go with them.
func (l *ladder) foldRecords() {
	var actions []action
	named := map[int32]int32{} // how many of the records say that what they cover can be recovered there
	for _, i := range l.byClass[oldRecords] {
		actions = append(actions, action{act: fold, entry: i})
		from, to := l.doc.RefsWithin(l.doc.Objects[i].Span())
		for _, r := range l.doc.Refs[from:to] {
			named[r.To]++
		}
	}
	for i, n := range named {
		if !l.protected[i] && l.doc.IsInputResource(i) && l.hard[i] == n {
			actions = append(actions, action{act: fold, entry: i})
		}
	}
	slices.SortFunc(actions, func(a, b action) int { return cmp.Compare(a.entry, b.entry) })
	if len(actions) > 0 {
		l.take(oldRecords, actions...)
	}
}

// dropExcerpts drops those that no live object depends on and those marked as sensitive; in the later class, all.
func (l *ladder) dropExcerpts(c class) {
	var candidates []candidate
	for _, m := range l.excerpts {
		if !l.gone[m.Entry] && !l.without[m] && (c == otherExcerpts || l.live[m.Entry] == 0 || l.isSensitive(m.Entry)) {
			candidates = append(candidates, l.candidate(m.Entry, m.At))
		}
	}
	for _, candidate := range inOrder(candidates) {
		a := action{act: dropPart, noun: anExcerpt, entry: candidate.entry, at: candidate.at}
		if l.isSensitive(candidate.entry) {
			a.reason = sensitive
		}
		l.take(c, a)
	}
}

func (l *ladder) isSensitive(resource int32) bool {
	_, ok := l.doc.Field(resource, "sensitivity")
	return ok
}

// dropContextMembers drops filters, view and state of application context entries; a state takes its schema along.
func (l *ladder) dropContextMembers() {
	var candidates []candidate
	for _, m := range l.contextParts {
		if !l.gone[m.Entry] {
			candidates = append(candidates, l.candidate(m.Entry, m.At))
		}
	}
	for _, candidate := range inOrder(candidates) {
		l.take(contextMembers, l.contextPart(candidate)...)
	}
}

func (l *ladder) contextPart(c candidate) []action {
	part := func(n noun, at uint32) action { return action{act: dropPart, noun: n, entry: c.entry, at: at} }
	name := string(l.doc.Text(c.at))
	switch name {
	case "filters":
		return []action{part(aFilter, c.at)}
	case "view":
		return []action{part(aView, c.at)}
	case "state_schema":
		return []action{part(aSchema, c.at)}
	}
	actions := []action{part(aState, c.at)}
	if schema, ok := l.doc.Field(c.entry, "state_schema"); ok {
		actions = append(actions, part(aSchema, uint32(schema.Name.Start)))
	}
	return actions
}

// condenseSteps turns completed steps into one, the oldest first: their order in the document is that of the work (§6.3).
func (l *ladder) condenseSteps() {
	for _, i := range l.byClass[completedSteps] {
		if l.free(i) {
			l.take(completedSteps, action{act: condense, entry: i})
		}
	}
}

// dropEvidence drops the evidence of kept statements, or of success criteria; a resource that nothing refers to any more goes with it.
func (l *ladder) dropEvidence(c class) {
	var candidates []candidate
	for _, m := range l.evidence {
		if !l.gone[m.Entry] && !l.without[m] && (l.doc.Objects[m.Entry].Type == checkpoint.Statement) == (c == evidence) {
			candidates = append(candidates, l.candidate(m.Entry, m.At))
		}
	}
	for _, candidate := range inOrder(candidates) {
		actions := []action{{act: dropPart, noun: someEvidence, entry: candidate.entry, at: candidate.at}}
		l.take(c, append(actions, l.orphans(candidate)...)...)
	}
}

// orphans are the resources that only one list of evidence refers to.
func (l *ladder) orphans(c candidate) (actions []action) {
	list, _ := l.part(c.at)
	from, to := l.doc.RefsWithin(list.Value)
	count := map[int32]int32{}
	for _, r := range l.doc.Refs[from:to] {
		count[r.To]++
	}
	for _, r := range l.doc.Refs[from:to] {
		if n := count[r.To]; n > 0 && l.hard[r.To] == n && !l.protected[r.To] && l.class[r.To] == resources {
			actions = append(actions, l.dropping(r.To, size))
		}
		delete(count, r.To)
	}
	return actions
}

// dropExtensions drops extension data key by key, except what a requirement or this program needs.
func (l *ladder) dropExtensions() {
	var candidates []candidate
	left := map[int32]int{} // keys of an entry
	for _, m := range l.extensions {
		if l.gone[m.Entry] {
			continue
		}
		left[m.Entry]++
		if !l.keepsKey(l.doc.Text(m.At)) {
			candidates = append(candidates, l.candidate(m.Entry, m.At))
		}
	}
	for _, candidate := range inOrder(candidates) {
		actions := []action{{act: dropPart, noun: anExtension, entry: candidate.entry, at: candidate.at}}
		if left[candidate.entry]--; left[candidate.entry] == 0 {
			member, _ := l.doc.Field(candidate.entry, "extensions")
			actions = append(actions, action{act: dropEmpty, entry: candidate.entry, at: uint32(member.Name.Start)})
		}
		l.take(extensionData, actions...)
	}
}

// runCycles drops what only its own class refers to, in circles.
func (l *ladder) runCycles(from, until class) {
	for c := from; c < until; c++ {
		if c == settledOperations || c == doneOperations && l.opts.DropDone {
			for _, circle := range l.circles(c) {
				var actions []action
				for _, i := range circle {
					actions = append(actions, l.dropping(i, size))
				}
				l.take(c, actions...)
				l.runFreed(until)
			}
		}
	}
}

// circles groups the entries of a class that nothing outside their group refers to.
func (l *ladder) circles(c class) [][]int32 {
	var open []int32
	for _, i := range l.byClass[c] {
		if !l.gone[i] && !l.protected[i] {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return newGroups(l.doc, open, func(f checkpoint.Field) bool { return f != checkpoint.AffectedField }).closed(l)
}
