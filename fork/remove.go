package fork

import (
	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// removable finds the effects that this fork may drop: another fork owns them, and nothing that must stay refers to them, except effects
// that go too.
func (w *writer) removable() map[int32]bool {
	going := map[int32]bool{}
	if !w.opts.Remove {
		return going
	}
	for _, e := range w.effects {
		if e.owner != nobody && e.owner != w.fork {
			going[e.entry] = true
		}
	}
	outgoing := map[int32][]*checkpoint.Ref{}
	var open []int32
	for i := range w.doc.Refs {
		if r := &w.doc.Refs[i]; going[r.To] {
			outgoing[r.From] = append(outgoing[r.From], r)
			if !going[r.From] && !w.repairable(r) {
				open = append(open, r.To)
			}
		}
	}
	open = append(open, w.merging...)
	for len(open) > 0 { // what stays needs what it refers to
		i := open[len(open)-1]
		open = open[:len(open)-1]
		if !going[i] {
			continue
		}
		delete(going, i)
		for _, r := range outgoing[i] {
			open = append(open, r.To)
		}
	}
	return going
}

// repairable says whether a reference can simply go: one of a recovery step, of a transformation, or of an operation that is over. All else
// that can refer to an operation is protected in a compaction, and needs it here for the same reasons.
func (w *writer) repairable(r *checkpoint.Ref) bool {
	from := &w.doc.Objects[r.From]
	switch from.Type {
	case checkpoint.RecoveryStep, checkpoint.Transformation:
		return true
	case checkpoint.Operation:
		return r.Field == checkpoint.DependsOnField && checkpoint.Terminal(from.Fact(checkpoint.Status))
	}
	return false
}

// repairReferences drops the references to operations that this fork does not have, and records from where.
func (w *writer) repairReferences() {
	if len(w.removed) == 0 {
		return
	}
	repaired := 0
	last := int32(-1)
	for i, r := range w.doc.Refs {
		if !w.removed[r.To] || w.removed[r.From] {
			continue
		}
		w.derived.DropRefs = append(w.derived.DropRefs, int32(i))
		if w.doc.Objects[r.From].Type == checkpoint.Transformation {
			continue // it only told what an earlier producer changed
		}
		repaired++
		if id := w.doc.ID(r.From); id != nil && r.From != last {
			w.affected = append(w.affected, string(id))
		}
		last = r.From
	}
	if repaired > 0 {
		w.changes = append(w.changes, checkpoint.Count(repaired, "reference")+" to removed operations dropped")
	}
}
