package fork

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// At makes fork i, from 0, and checks it.
func (f *Forks) At(i int) (*Result, error) {
	w := &writer{Forks: f, fork: i, result: &Result{ID: f.ids[i], Label: f.labels[i]}}
	w.derived.Stamp = f.stamp
	w.derived.ID = f.ids[i]
	w.removed = w.removable()
	w.derived.Drop = w.isDropped
	w.guardEffects()
	w.changeStatements()
	w.record()
	e := jsonspan.Edits{Src: f.doc.Src}
	f.doc.Edit(&e, &w.derived)
	w.result.out = e.AppendTo(make([]byte, 0, e.Len(f.doc.White, f.doc.Waste)))
	if err := w.check(e.Runs()); err != nil {
		return nil, err
	}
	return w.result, nil
}

// writer makes one fork.
type writer struct {
	*Forks
	fork     int
	result   *Result
	derived  checkpoint.Derived
	removed  map[int32]bool
	affected []string // ids of what this fork changed
	changes  []string // the same in words
	guards   []string // entries of the extension data, as JSON texts
}

// isDropped says whether this fork lacks an entry of the parent.
func (w *writer) isDropped(entry int32) bool {
	_, old := slices.BinarySearch(w.oldest, entry)
	return old || w.removed[entry]
}

// guardEffects forbids in this fork every pending effect that is not its own, or drops it.
func (w *writer) guardEffects() {
	for _, e := range w.effects {
		switch {
		case e.owner == w.fork:
			w.result.Owns = append(w.result.Owns, e.id)
		case w.removed[e.entry]:
			w.result.Removed = append(w.result.Removed, e.id)
		default:
			w.guard(e)
		}
	}
	if n := len(w.result.Guarded); n > 0 {
		w.changes = append(w.changes, checkpoint.Count(n, "guard")+" added")
	}
	if n := len(w.result.Removed); n > 0 {
		w.changes = append(w.changes, checkpoint.Count(n, "operation")+" removed")
	}
	w.repairReferences()
}

// guard adds a stop condition that names the operation and no status that would lift it (§6.8).
func (w *writer) guard(e effect) {
	owner, why := "null", checkpoint.GuardText(e.id, "", "")
	if e.owner != nobody {
		owner = string(jsonspan.AppendQuoted(nil, w.ids[e.owner]))
		why = checkpoint.GuardText(e.id, w.labels[e.owner], w.ids[e.owner])
	}
	id := jsonspan.AppendQuoted(nil, e.id)
	b := jsonspan.AppendQuoted([]byte(`{"id":`), e.guard)
	b = jsonspan.AppendQuoted(append(b, `,"description":`...), why)
	b = append(append(b, `,"applies_to":[`...), id...)
	b = append(append(append(b, `],"refs":[`...), id...), "]}"...)
	w.derived.Last[checkpoint.StopCondition] = append(w.derived.Last[checkpoint.StopCondition], b)
	w.guards = append(w.guards, fmt.Sprintf(`{"operation":%s,"stop_condition":%s,"owner":%s}`, id, jsonspan.AppendQuoted(nil, e.guard), owner))
	w.result.Guarded = append(w.result.Guarded, e.id)
	if w.opts.Remove && e.owner != nobody {
		w.result.Kept = append(w.result.Kept, e.id)
	}
	w.affected = append(w.affected, e.guard)
}

// changeStatements adds this fork's statements and marks those that they replace: only their status and superseded_by change.
func (w *writer) changeStatements() {
	for _, a := range w.added[w.fork] {
		w.derived.Last[checkpoint.Statement] = append(w.derived.Last[checkpoint.Statement], a.text)
		w.affected = append(w.affected, a.id)
		w.changes = append(w.changes, a.kind+" "+a.id+" added")
		for _, old := range a.replaces {
			w.derived.Set = append(w.derived.Set,
				checkpoint.NewMember{Entry: old, Name: "status", Value: `"superseded"`},
				checkpoint.NewMember{Entry: old, Name: "superseded_by", Value: string(jsonspan.AppendQuoted(nil, a.id))})
			id := string(w.doc.ID(old))
			w.affected = append(w.affected, id)
			w.changes = append(w.changes, a.kind+" "+id+" superseded by it")
		}
	}
}

// record says in derivation and in the extension data what this fork is.
func (w *writer) record() {
	what := fmt.Sprintf("forked as %s, %d of %d", w.labels[w.fork], w.fork+1, len(w.ids))
	if len(w.changes) > 0 {
		what += ": " + strings.Join(w.changes, "; ")
	}
	w.derived.Last[checkpoint.Transformation] = [][]byte{checkpoint.TransformationText(w.doc.FreeID("ocp.fork"), what, w.affected...)}
	w.recordOmissions()
	data := fmt.Sprintf(`{"parent":%s,"index":%d,"label":%s,"siblings":%s,"guards":[%s]`, jsonspan.AppendQuoted(nil, w.doc.GlobalID()), w.fork+1,
		jsonspan.AppendQuoted(nil, w.labels[w.fork]), w.siblings, strings.Join(w.guards, ","))
	if w.outer != "" {
		data += `,"of":` + w.outer
	}
	w.derived.Key, w.derived.Data = Key, data+"}"
}

// recordOmissions records removed operations and dropped inputs, and where they can be recovered.
func (w *writer) recordOmissions() {
	resource := w.doc.FreeID(checkpoint.InputResourceID)
	omit := func(id, what, reason string) {
		omission := checkpoint.OmissionText(w.doc.FreeID(id), what, reason, resource)
		w.derived.Last[checkpoint.Omission] = append(w.derived.Last[checkpoint.Omission], omission)
		w.derived.Last[checkpoint.Resource] = [][]byte{w.doc.InputResource(&w.derived.Stamp, resource, w.opts.ParentURI)}
	}
	if n := len(w.result.Removed); n > 0 {
		omit("ocp.fork.removed", checkpoint.RemovedText(checkpoint.Count(n, "operation"), w.result.Removed), "irrelevant")
	}
	if n := len(w.oldest); n > 0 {
		omit("ocp.fork.inputs", checkpoint.Count(n, "derivation input")+", the oldest", "size")
	}
}

// check holds the fork against levels 1 and 2 and its parent before it is handed out.
func (w *writer) check(runs []jsonspan.Run) error {
	_, err := checkpoint.Recheck(w.doc, w.result.out, runs, checkpoint.Options{Lenient: w.opts.Lenient}, nil)
	if syntax, ok := err.(*jsonspan.SyntaxError); ok && syntax.Kind == jsonspan.TooDeep {
		return refuse("the parent is the fork of a fork, and so on, too many times: %v", syntax)
	}
	if err != nil {
		return &InternalError{Err: err}
	}
	return nil
}
