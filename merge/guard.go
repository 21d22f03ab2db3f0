package merge

import (
	"maps"
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// record is what one fork records of a guard.
type record struct {
	fork *forkData
	guardData
}

// liftGuards lifts the guards of the forks that have come together again, and keeps the others with what a later merge needs to lift them. A stop
// condition is lifted only if each tip that has it records it as a guard, and every record allows it: the records are as untrusted as the rest of
// the documents.
func (m *Merger) liftGuards() {
	records := map[string][]record{}
	var ids []string
	for _, f := range m.forks {
		for _, g := range f.Guards {
			if records[g.StopCondition] == nil {
				ids = append(ids, g.StopCondition)
			}
			records[g.StopCondition] = append(records[g.StopCondition], record{f, g})
		}
	}
	lifted := map[string]bool{}
	for _, id := range ids {
		lifted[id] = m.lift(id, records[id])
	}
	m.forkEntry = m.baseForkEntry()
	for _, f := range slices.Backward(m.forks) {
		rest := *f
		rest.Guards = slices.DeleteFunc(slices.Clone(f.Guards), func(g guardData) bool { return lifted[g.StopCondition] || m.guardEntity(g) == nil })
		for _, u := range m.unowned {
			if u.fork == f.key() {
				rest.Guards = append(rest.Guards, m.guard(u))
			}
		}
		if len(rest.Guards) > 0 {
			m.forkEntry = forkText(&rest, m.forkEntry)
		}
	}
	m.missSiblings()
}

// guardRestored guards a pending effect that no tip has, since forks removed it, as long as a fork is missing that may own it (§9.3), of whatever
// generation.
func (m *Merger) guardRestored(e *entity) {
	for k := range m.bases {
		if d, i := m.doc(e, k); i < 0 || !d.Objects[i].PendingEffect() {
			return
		}
	}
	if slices.ContainsFunc(e.at[len(m.bases):], func(i int32) bool { return i >= 0 }) {
		return
	}
	for _, f := range m.forks {
		if slices.ContainsFunc(f.Siblings, func(id string) bool { return !m.covered[id] }) {
			m.unowned = append(m.unowned, unowned{f.key(), e.key})
			return
		}
	}
}

// unowned is an operation that forks removed and none at hand owns.
type unowned struct{ fork, operation string }

// guard adds a stop condition as a fork does.
func (m *Merger) guard(u unowned) guardData {
	id := m.free("fork-guard." + u.operation)
	only := jsonspan.Strings([]string{u.operation})
	m.append(checkpoint.StopCondition, []byte(objectOf("id", quoted(id), "description",
		quoted(checkpoint.MergeGuardText(u.operation)), "applies_to", only, "refs", only)))
	m.result.Kept = append(m.result.Kept, Guard{u.operation, id, "a fork that may own the operation is no input"})
	return guardData{Operation: u.operation, StopCondition: id}
}

// findForks finds the forks that come together, and which of their siblings are here.
func (m *Merger) findForks() {
	m.covered = map[string]bool{}
	for _, d := range m.tips {
		m.covered[d.id] = true
		maps.Copy(m.covered, m.lineage.of(d))
	}
	m.forks = m.freshForks()
}

// freshForks are the forks that the tips record and the bases do not, with the guards of all tips under the names that they have here.
func (m *Merger) freshForks() (forks []*forkData) {
	old := map[string]bool{}
	for _, b := range m.bases {
		for _, f := range forksOf(b.given) {
			old[f.key()] = true
		}
	}
	at := map[string]*forkData{}
	for _, d := range m.tips {
		for _, f := range forksOf(d.given) {
			key := f.key()
			if old[key] {
				continue
			}
			if at[key] == nil {
				at[key] = &forkData{Parent: f.Parent, Siblings: f.Siblings, taken: map[string]bool{}}
				forks = append(forks, at[key])
			}
			at[key].take(f.Guards, d.renamed)
			d.record(f.Guards)
		}
	}
	return forks
}

// record remembers which of its stop conditions a tip records as guards.
func (d *document) record(guards []guardData) {
	if d.guards == nil {
		d.guards = map[string]bool{}
	}
	for _, g := range guards {
		id := g.StopCondition
		if to, ok := d.renamed[id]; ok {
			id = to
		}
		d.guards[id] = true
	}
}

// guardEntity is the stop condition of a guard, if it still has the shape of one: it says what a fork says, names the operation in applies_to and
// in refs, and nothing lifts it.
func (m *Merger) guardEntity(g guardData) *entity {
	e := m.called(g.StopCondition)
	if e == nil || e.gone || e.t != checkpoint.StopCondition || e.disputed {
		return nil
	}
	text := string(m.bytesOf(e))
	if !checkpoint.IsGuardText(plain(memberText(text, "description")), g.Operation, g.owner()) {
		return nil // somebody made it a condition of their own
	}
	only := jsonspan.Strings([]string{g.Operation})
	if memberText(text, "until") != "" || canonical([]byte(memberText(text, "applies_to"))) != canonical([]byte(only)) ||
		canonical([]byte(memberText(text, "refs"))) != canonical([]byte(only)) {
		return nil
	}
	return e
}

// lift drops a guard from the result, or says why it stays.
func (m *Merger) lift(id string, records []record) bool {
	e := m.called(id)
	if e == nil || e.gone {
		return false
	}
	why := ""
	for _, r := range records {
		reason, allowed := m.mayLift(r, e)
		if why = reason; !allowed {
			m.result.Kept = append(m.result.Kept, Guard{r.Operation, id, why})
			return false
		}
	}
	e.gone = true
	m.result.Lifted = append(m.result.Lifted, Guard{records[0].Operation, id, why})
	return true
}

// mayLift says whether one record of a guard allows it to be lifted.
func (m *Merger) mayLift(g record, e *entity) (why string, allowed bool) {
	missing := slices.DeleteFunc(slices.Clone(g.fork.Siblings), func(id string) bool { return m.comesWith(id, g.Operation) })
	switch {
	case m.guardEntity(g.guardData) == nil:
		return "it is not what the fork wrote", false
	case !m.isRecordedByAll(e):
		return "an input has it as a condition of its own", false
	case !m.common[g.fork.Parent] || m.inSomeBase(e):
		return "it comes from an earlier fork", false
	case slices.Contains(m.opts.Lift, g.Operation):
		return "it was asked for", true
	case m.isOver(g.Operation):
		return "the operation is over", true
	case g.Owner != nil && m.comesFree(*g.Owner, g.guardData):
		return "the fork that owns the operation is an input", true
	case g.Owner != nil:
		return "no input has the operation from the fork that owns it: " + *g.Owner, false
	case len(missing) == 0:
		return "all forks are inputs", true
	}
	return "not all forks are inputs: " + checkpoint.Some(missing) + " is missing", false
}

// comesFree says whether the owner of an operation, or what derives from it, is an input that has the operation and not the guard.
func (m *Merger) comesFree(owner string, g guardData) bool {
	e := m.called(g.Operation)
	for k := len(m.bases); e != nil && k < len(m.docs); k++ {
		if d := m.docs[k]; e.at[k] >= 0 && !d.guards[g.StopCondition] && (d.id == owner || m.lineage.of(d)[owner]) {
			return true
		}
	}
	return false
}

// comesWith says whether a fork, or what derives from it, is an input that has an operation: one that lacks it may have left it to a fork of its own.
func (m *Merger) comesWith(fork, operation string) bool {
	e := m.called(operation)
	for k := len(m.bases); e != nil && k < len(m.docs); k++ {
		if d := m.docs[k]; e.at[k] >= 0 && (d.id == fork || m.lineage.of(d)[fork]) {
			return true
		}
	}
	return false
}

// isRecordedByAll says whether every tip that has a stop condition records it as a guard.
func (m *Merger) isRecordedByAll(e *entity) bool {
	for k := len(m.bases); k < len(m.docs); k++ {
		if e.at[k] >= 0 && !m.docs[k].guards[e.key] {
			return false
		}
	}
	return true
}

// isOver says whether an operation is terminal in the result and nobody disputes it.
func (m *Merger) isOver(operation string) bool {
	e := m.called(operation)
	if e == nil || e.gone || e.t != checkpoint.Operation || m.open[e.path+"/status"] {
		return false
	}
	d, i := m.entryOf(e)
	return checkpoint.Terminal(d.Objects[i].Fact(checkpoint.Status))
}

// missSiblings notes forks of the base that are no inputs.
func (m *Merger) missSiblings() {
	missing := map[string]bool{}
	var list []string
	for _, d := range m.tips {
		for n, f := range forksOf(d.given) {
			for _, id := range f.Siblings {
				if m.isForkOfBase(n, f) && !m.covered[id] && !missing[id] {
					missing[id] = true
					list = append(list, id)
				}
			}
		}
	}
	if len(list) > 0 {
		m.note("not all forks are inputs: %s is missing", checkpoint.Some(list))
	}
}

// isForkOfBase says whether a fork is one of the base; without a base at hand the innermost of a document is.
func (m *Merger) isForkOfBase(n int, f *forkData) bool {
	if len(m.bases) == 0 {
		return n == 0 && m.common[f.Parent]
	}
	return slices.ContainsFunc(m.bases, func(b *document) bool { return b.id == f.Parent })
}

// baseForkEntry is the fork entry of the base as it is.
func (m *Merger) baseForkEntry() string {
	for _, b := range m.bases {
		if span, ok := b.given.Extension(checkpoint.ForkKey); ok {
			return string(b.given.Src[span.Start:span.End])
		}
	}
	return ""
}

// checkLifts refuses to lift what is no guard, or one that has to stay.
func (m *Merger) checkLifts() error {
	for _, operation := range m.opts.Lift {
		isOf := func(g Guard) bool { return g.Operation == operation }
		if slices.ContainsFunc(m.result.Lifted, isOf) {
			continue
		}
		if i := slices.IndexFunc(m.result.Kept, isOf); i >= 0 {
			return refuse("the fork guard of operation %s cannot be lifted: %s", operation, m.result.Kept[i].Why)
		}
		var guarded []string
		for _, g := range slices.Concat(m.result.Lifted, m.result.Kept) {
			guarded = append(guarded, g.Operation)
		}
		if guarded == nil {
			return refuse("no fork guard forbids operation %s", operation).hint("nothing is guarded; leave out --lift")
		}
		return refuse("no fork guard forbids operation %s", operation).hint("guarded are: %s", checkpoint.Some(guarded))
	}
	return nil
}
