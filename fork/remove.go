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
	for changed := true; changed; {
		changed = false
		for _, r := range w.doc.Refs {
			if going[r.To] && !going[r.From] && !w.repairable(&r) {
				delete(going, r.To)
				changed = true
			}
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

// repairReferences drops the references to operations that this fork does not have.
func (w *writer) repairReferences() {
	if len(w.removed) == 0 {
		return
	}
	for i, r := range w.doc.Refs {
		if w.removed[r.To] && !w.removed[r.From] {
			w.derived.DropRefs = append(w.derived.DropRefs, int32(i))
		}
	}
}
