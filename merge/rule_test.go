package merge_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// This file has the rows of the table of transforms.md §4 that are about one field, other than "one change holds, several conflict".

// values are what the changes made of a member that is text, "" where they removed it.
func (f *field) values(name string) (list []string) {
	for _, o := range f.changed {
		if v := str(o, name); v != str(f.e.object, name) && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// statementStatus: one change holds unless it closes a circle; different replacements conflict and the lowest id holds; superseded beats retracted; two
// resolutions reopen the question.
func (f *field) statementStatus() error {
	if f.inCircle() {
		if !f.any() || !live(f.now.object) {
			return fmt.Errorf("it supersedes itself in a circle and is %v", f.now.object["status"])
		}
		return nil
	}
	if len(f.changes) == 0 {
		return f.is(f.base)
	}
	if len(f.changes) == 1 {
		return errors.Join(f.is(f.changes[0]), f.conflicts(false))
	}
	statuses := f.values("status")
	slices.Sort(statuses)
	switch strings.Join(statuses, " ") {
	case "superseded":
		lowest := slices.Min(f.values("superseded_by"))
		if got := str(f.now.object, "superseded_by"); got != lowest || !f.any() {
			return fmt.Errorf("superseded by %q and not by %q, conflict %v", got, lowest, f.any())
		}
	case "retracted superseded":
		if len(f.values("superseded_by")) == 1 {
			return f.is(f.changes[slices.IndexFunc(f.changed, func(o object) bool { return o["status"] == "superseded" })])
		}
	case "resolved":
		if !live(f.now.object) || !f.any() {
			return fmt.Errorf("it has two resolutions and is %v, conflict %v", f.now.object["status"], f.any())
		}
	}
	return nil
}

// inCircle says whether what the inputs say supersedes what leads from the statement back to it, and no one document says so.
func (f *field) inCircle() bool {
	documents := append(slices.Clone(f.t.inputs), f.t.base)
	alone := slices.ContainsFunc(documents, func(m *member) bool { return f.circular([]*member{m}) })
	return !alone && f.circular(documents)
}

func (f *field) circular(documents []*member) bool {
	next := map[string][]string{}
	for _, m := range documents {
		for _, e := range m.doc.in("statements", nil) {
			if by := str(e.object, "superseded_by"); by != "" {
				next[f.t.name(m, e.id)] = append(next[f.t.name(m, e.id)], f.t.name(m, by))
			}
		}
	}
	seen, open := map[string]bool{}, []string{f.e.id}
	for len(open) > 0 {
		for _, id := range next[open[0]] {
			if id == f.e.id {
				return true
			}
			if !seen[id] {
				seen[id], open = true, append(open, id)
			}
		}
		open = open[1:]
	}
	return false
}

// states are the verifications from bad to good.
var states = []string{"disputed", "stale", "unverified", "verified"}

// verification: one change holds; of several the worst; what is verified by evidence that diverged may become stale, and a rival replacement disputed.
func (f *field) verification() error {
	want := str(f.e.object, "verification", "state")
	for i, o := range f.changed {
		state := str(o, "verification", "state")
		if i == 0 || slices.Index(states, state) < slices.Index(states, want) {
			want = state
		}
		if state == "" && len(f.changed) > 1 {
			return nil // no row says how bad it is that there is none
		}
	}
	got := str(f.now.object, "verification", "state")
	switch {
	case got == want, got == "disputed" && f.rival():
		return nil
	case want == "verified" && got == "stale" && f.diverged():
		return nil
	}
	return fmt.Errorf("it is %q and should be %q; base %s, changes %s", got, want, f.base, f.changes)
}

// rival says whether the statement replaces another one, or is in a circle: where that conflicts, it is disputed.
func (f *field) rival() bool {
	return f.inCircle() || slices.ContainsFunc(f.t.inputs, func(m *member) bool {
		return slices.ContainsFunc(m.doc.in("statements", nil), func(e *entry) bool { return f.t.name(m, str(e.object, "superseded_by")) == f.e.id })
	})
}

// diverged says whether an input changed what was verified, the evidence, or what is cited.
func (f *field) diverged() bool {
	for _, m := range f.t.inputs {
		e := m.doc.byID[f.e.id]
		if canonOf(e.object, "evidence", "text") != canonOf(f.e.object, "evidence", "text") {
			return true
		}
		for _, id := range texts(e.object, "evidence") {
			r, base := m.doc.byID[id], f.t.base.doc.byID[id]
			if base != nil && canonOf(r.object, "revision", "digest", "observed_at", "availability") != canonOf(base.object, "revision", "digest", "observed_at", "availability") {
				return true
			}
		}
	}
	return false
}

// caution orders the statuses of operations that are not over, the one that says most about what may have happened first.
var caution = []string{"uncertain", "approved", "failed", "awaiting", "planned"}

// operationStatus: what is over stays over; one change holds; a terminal status wins, and two of them conflict; else the most cautious one.
func (f *field) operationStatus() error {
	got, base := str(f.now.object, "status"), str(f.e.object, "status")
	statuses := f.values("status")
	final := slices.DeleteFunc(slices.Clone(statuses), func(s string) bool { return !isFinal(s) })
	switch {
	case isFinal(base):
		if got != base && f.t.conflict(f.path) == nil {
			return fmt.Errorf("it was %s and is %s", base, got)
		}
		return nil
	case len(final) > 1:
		if !f.any() {
			return fmt.Errorf("no conflict between %s", final)
		}
		return nil
	case len(final) == 1:
		return f.status(got, final[0])
	case got == "awaiting" && slices.Contains(statuses, "approved") && f.any():
		return nil // what was approved is not what others made of it
	case f.recordsDiffer():
		if got != "awaiting" || !f.any() {
			return fmt.Errorf("approval records differ; it is %s, conflict %v", got, f.any())
		}
		return nil
	case len(statuses) == 0:
		return f.status(got, base)
	}
	return f.status(got, slices.MinFunc(statuses, func(a, b string) int { return slices.Index(caution, a) - slices.Index(caution, b) }))
}

func (f *field) status(got, want string) error {
	if got != want {
		return fmt.Errorf("it is %s and should be %s; changes %s", got, want, f.changes)
	}
	return nil
}

// acted: one change holds, several conflict; but where an input acted on the operation, it did what that says, and other changes conflict.
func (f *field) acted() error {
	name := f.members[0]
	var did []object
	for _, m := range f.t.inputs {
		o := f.t.followed(m, m.doc.byID[f.e.id])
		if status := str(o, "status"); status != str(f.e.object, "status") && slices.Contains([]string{"completed", "uncertain", "failed", "approved", "rejected"}, status) {
			did = append(did, o)
		}
	}
	agreed := !slices.ContainsFunc(did, func(d object) bool { return canonOf(d, name) != canonOf(did[0], name) })
	called := f.now.object["call"] != nil && !slices.ContainsFunc([]string{"call", "target", "idempotency_key"}, func(other string) bool {
		return f.t.conflict("/operations/"+f.e.id+"/"+other) != nil
	})
	if len(did) == 0 || name == "description" && called && agreed { // the call says what was done
		return f.oneOrConflict()
	}
	other := slices.ContainsFunc(f.changed, func(o object) bool {
		return !slices.ContainsFunc(did, func(d object) bool { return canonOf(d, name) == canonOf(o, name) })
	})
	switch {
	case !slices.ContainsFunc(did, func(d object) bool { return canonOf(d, name) == canonOf(f.now.object, name) }) && !f.any():
		return fmt.Errorf("it is %s, and who acted had it otherwise; changes %s", canonOf(f.now.object, name), f.changes)
	case other && !f.any():
		return fmt.Errorf("it was acted on, others changed it to %s, and nothing conflicts", f.changes)
	}
	return nil
}

// recordsDiffer says whether two inputs changed the approval record in different ways.
func (f *field) recordsDiffer() bool {
	return len(f.t.field(f.e, f.now, []string{"approval"}).changes) > 1
}

// cautious: one change holds, of several at least the most cautious of them. What is uncertain and cannot be repeated has to be verified first.
func (f *field) cautious(words []string) error {
	got := slices.Index(words, str(f.now.object, f.members[0]))
	if f.members[0] == "resume" && got > 0 && f.now.object["status"] == "uncertain" {
		return nil
	}
	want := f.base
	if len(f.changes) == 1 {
		want = f.changes[0]
	}
	if len(f.changes) < 2 {
		return f.is(want)
	}
	for _, v := range f.values(f.members[0]) {
		if slices.Index(words, v) > got {
			return fmt.Errorf("it is %v and %s is more cautious", f.now.object[f.members[0]], v)
		}
	}
	return nil
}

// revision: one change holds; different revisions conflict, and nothing that cites the resource stays verified.
func (f *field) revision() error {
	switch {
	case len(f.changes) == 0:
		return f.is(f.base)
	case len(f.changes) == 1:
		return errors.Join(f.is(f.changes[0]), f.conflicts(false))
	case len(f.values("revision")) < 2:
		return nil
	case !f.any():
		return fmt.Errorf("no conflict between %s", f.changes)
	}
	for _, s := range f.t.out.in("statements", nil) {
		if slices.Contains(texts(s.object, "evidence"), f.e.id) && str(s.object, "verification", "state") == "verified" {
			return errors.New("statement " + s.id + " cites it and is verified")
		}
	}
	return nil
}

// sensitivity: one change holds, several conflict, and then the excerpt is kept from everyone.
func (f *field) sensitivity() error {
	if len(f.changes) > 1 && (!f.any() || f.now.object["excerpt"] != nil) {
		return fmt.Errorf("conflict %v, excerpt %v", f.any(), f.now.object["excerpt"])
	}
	if len(f.changes) == 1 {
		return f.is(f.changes[0])
	}
	return nil
}

// criterion: one change holds; met and unmet conflict, and no one knows.
func (f *field) criterion() error {
	statuses := f.values("status")
	switch {
	case len(f.changes) == 1:
		return f.is(f.changes[0])
	case slices.Contains(statuses, "met") && slices.Contains(statuses, "unmet") && (f.now.object["status"] != "unknown" || !f.any()):
		return fmt.Errorf("met and unmet: it is %v, conflict %v", f.now.object["status"], f.any())
	}
	return nil
}

// stopCondition: it forbids at least what it forbade in the base and in any input, and it is lifted no sooner; who wanted it otherwise is in conflict.
func (f *field) stopCondition() error {
	weakened, along := false, false
	targets := texts(f.now.object, "applies_to")
	had := texts(f.e.object, "applies_to")
	for i, o := range append([]object{f.e.object}, f.changed...) {
		for _, id := range texts(o, "applies_to") {
			if len(had) > 0 && !slices.Contains(targets, id) {
				return fmt.Errorf("it does not apply to %s", id)
			}
		}
		if i == 0 {
			continue
		}
		fewer := func(has func(string) bool) bool {
			return sooner(f.e.object, o, has) || slices.ContainsFunc(had, func(id string) bool { return !slices.Contains(texts(o, "applies_to"), id) && has(id) })
		}
		weakened = weakened || fewer(f.from[i-1].has) || str(o, "description") != str(f.e.object, "description")
		along = along || fewer(always) // a reference went with what it named, which may come back
	}
	switch {
	case str(f.now.object, "description") != str(f.e.object, "description"):
		return fmt.Errorf("it says %q", str(f.now.object, "description"))
	case sooner(f.e.object, f.now.object, always):
		return fmt.Errorf("it is lifted until %s", canon(f.now.object["until"]))
	case weakened && !f.any() || !weakened && !along && f.any():
		return fmt.Errorf("weakened %v, conflict %v; base %s, changes %s", weakened, f.any(), f.base, f.changes)
	}
	return nil
}

func (m *member) has(id string) bool { return m.doc.byID[id] != nil }

func always(string) bool { return true }

// sooner says whether a stop condition is lifted where it was not before: by an until where there was none, or without waiting for an operation that was
// waited for and that the document has.
func sooner(base, now object, has func(string) bool) bool {
	until, limited := now["until"]
	if _, was := base["until"]; !was {
		return limited
	}
	if limited && len(until.([]any)) == 0 { // which lifts it at once
		return len(items(base, "until")) > 0
	}
	return limited && slices.ContainsFunc(items(base, "until"), func(v any) bool {
		return has(str(v, "operation")) && !slices.ContainsFunc(until.([]any), func(u any) bool { return canon(u) == canon(v) })
	})
}

// weakened: what was required stays required, and who wanted less is in conflict.
func (f *field) weakened() error {
	strict := []string{"optional", "recommended", "required", "degrade", "ask", "halt"}
	rank := func(o object) int { return slices.Index(strict, str(o, f.members[0])) }
	for _, o := range f.changed {
		if rank(o) < rank(f.e.object) && !f.any() {
			return errors.New("it was weakened and nothing conflicts")
		}
	}
	if rank(f.now.object) < rank(f.e.object) {
		return fmt.Errorf("it was %s and is weaker", f.base)
	}
	return nil
}
