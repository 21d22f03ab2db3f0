package merge

import (
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// This file is about questions of a merge that were closed in the document itself, by a person or by an earlier resolution. What stands there is the
// answer, whatever it is; what the merge made to have it asked goes then.

// questions are the local ids of the merge's questions that a document has, open or not: what refers to them is about the conflicts.
func (e *entryData) questions(d *checkpoint.Document) map[string]bool {
	ids := map[string]bool{}
	for _, c := range slices.Concat(e.Conflicts, e.answered) {
		if _, ok := questionIn(d, c.Question); ok {
			ids[c.Question] = true
		}
	}
	return ids
}

// stopsLifted are the stop conditions that an answer in the document ends: those of a question that is resolved, as if what stands had been chosen.
// One that was withdrawn says nothing about them.
func (e *entryData) stopsLifted(d *checkpoint.Document) (ids []string) {
	for _, c := range e.answered {
		if q, ok := questionIn(d, c.Question); ok && d.Objects[q].Fact(checkpoint.Status) == checkpoint.Resolved {
			ids = append(ids, c.stopsWithout(0)...)
		}
	}
	return ids
}

// stopsWithout are the stop conditions that go with the choice of a term: where an action repeats another one it must not run if nobody chose it.
func (c *conflictData) stopsWithout(term int) []string {
	if c.Kind == "repeated_action" && term == 0 {
		return nil
	}
	return c.Made
}

// questionIn is the entry of a document that is a merge's question with this local id.
func questionIn(d *checkpoint.Document, id string) (int32, bool) {
	i, ok := d.Lookup(id)
	return i, ok && d.Objects[i].Type == checkpoint.Statement && d.Objects[i].Fact(checkpoint.Kind) == checkpoint.Question && isMade(d, i, nil)
}

// isOpenQuestion says whether a local id is that of an active question of a merge.
func isOpenQuestion(d *checkpoint.Document, id string) bool {
	i, ok := questionIn(d, id)
	return ok && d.Objects[i].Live()
}

// closeAnswered does for the questions that were closed in the document what does not depend on the answer.
func (r *resolution) closeAnswered() {
	r.dropMade(r.entry.stopsLifted(r.doc.Document))
	for _, c := range r.entry.answered {
		r.giveBack(c.Path)
	}
}

// acknowledge takes a choice of no open conflict: of one that was closed in the document there is only what stands.
func (r *resolution) acknowledge(choice Choice) error {
	isAnswered := slices.ContainsFunc(r.entry.answered, func(c conflictData) bool { return c.Question == choice.Question })
	switch {
	case isAnswered && choice.Term == 0:
		if r.asked[choice.Question] { // else it is not there any more
			r.closed = append(r.closed, choice.Question)
		}
		r.changes = append(r.changes, choice.Question+" as the document has it")
		return nil
	case isAnswered:
		return refuse("%s is no open question of the document any more", choice.Question).hint("--resolve %s=0 takes away what is left of the conflict", choice.Question)
	case len(r.entry.Conflicts) == 0 && len(r.closed) == 0:
		return r.noneOpen()
	}
	return refuse("there is no open conflict %q", choice.Question).hint("open are: %s", checkpoint.Some(r.questions()))
}

// noneOpen says why there is nothing to choose, although the document has the merge's entry.
func (r *resolution) noneOpen() error {
	return refuse("%s has no open merge conflict: all were closed in the document", r.doc.id).
		hint("--resolve %s=0 takes away what is left of them", r.entry.answered[0].Question)
}
