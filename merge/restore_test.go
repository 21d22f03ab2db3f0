package merge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/merge"
)

// TestStatusAfterEdit: with the last conflict the task has its status back, unless work was added meanwhile that a completed task must not have
// (OCP-S006).
func TestStatusAfterEdit(t *testing.T) {
	base := strings.ReplaceAll(origin, `"status":"planned"`, `"status":"completed"`)
	opts := merge.Options{Base: []byte(base), ID: "urn:x:merged", Now: muchLater}
	done := []string{`"status":"active"`, `"status":"completed"`}
	both := pair(t, base, append([]string{`"o"`, `"p"`}, done...), append([]string{`"o"`, `"q"`}, done...))
	first, _ := mergedOf(t, opts, both...)
	third := next(t, "urn:x:c", "2026-02-03T00:00:00Z", []string{base}, append([]string{`"text":"l"`, `"text":"k"`}, done...)...)
	for added, want := range map[string]string{"completed": "completed", "failed": "completed", "planned": "active", "uncertain": "active"} {
		operation := `{"id":"n","kind":"action","description":"n","effect":"none","resume":"verify_first","status":"` + added + `"},`
		edited := next(t, "urn:x:edited", "2035-01-01T00:00:00Z", []string{string(first.Bytes())}, `"operations":[`, `"operations":[`+operation)
		again := opts
		again.ID = "urn:x:again"
		second, _ := mergedOf(t, again, edited, third)
		for name, src := range map[string][]byte{"edited": []byte(edited), "merged": second.Bytes()} {
			for n := range 3 {
				choice := merge.Choice{Question: first.Conflicts[0].Question, Term: n}
				if _, out := resolved(t, src, choice); str(child(out.object, "task"), "status") != want {
					t.Errorf("%s with a %s operation, term %d: %s, not %s", name, added, n, str(child(out.object, "task"), "status"), want)
				}
			}
		}
	}
}

// answered is a child of a merged document in which a person closed the question of a path.
func answered(t *testing.T, r *merge.Result, path, status string) []byte {
	t.Helper()
	question := conflictAt(t, r, path).Question
	doc := read([]byte(next(t, "urn:x:answered", "2035-01-01T00:00:00Z", []string{string(r.Bytes())})))
	o := doc.byID[question].object
	if o["status"] = status; status == "resolved" {
		o["resolution"] = "by hand"
	}
	return encoded(doc.object)
}

// leftOf are what is left of a merge without open conflicts.
func leftOf(out *document) (left []string) {
	for _, id := range []string{"merge.next", "merge.ask"} {
		if out.byID[id] != nil {
			left = append(left, id)
		}
	}
	if status := str(child(out.object, "task"), "status"); status != "active" {
		left = append(left, status)
	}
	if strings.Contains(string(out.src), merge.Key) {
		left = append(left, merge.Key)
	}
	return left
}

// TestAnsweredByHand: what a merge made goes with the last question, also if a person answered one in the document.
func TestAnsweredByHand(t *testing.T) {
	two := pair(t, origin, []string{`"o"`, `"p"`, `"text":"l"`, `"text":"m"`}, []string{`"o"`, `"q"`, `"text":"l"`, `"text":"n"`})
	one := pair(t, origin, []string{`"o"`, `"p"`}, []string{`"o"`, `"q"`})
	three := pair(t, origin, []string{`"o"`, `"p"`, `"text":"l"`, `"text":"m"`, `"text":"t"`, `"text":"v"`}, []string{`"o"`, `"q"`, `"text":"l"`, `"text":"n"`, `"text":"t"`, `"text":"w"`})
	third := next(t, "urn:x:c", "2026-02-03T00:00:00Z", []string{origin}, `"text":"t"`, `"text":"u"`)
	again := withBase
	again.ID = "urn:x:again"
	for _, status := range []string{"resolved", "retracted"} {
		first, _ := mergedOf(t, withBase, two...)
		byHand := answered(t, first, "/task/objective", status)
		other := merge.Choice{Question: conflictAt(t, first, "/statements/loose/text").Question, Term: 1}
		if _, out := resolved(t, byHand, other); len(leftOf(out)) > 0 {
			t.Errorf("%s, then the other one: %s is left", status, leftOf(out))
		}
		second, out := mergedOf(t, again, string(byHand), third)
		if len(second.Conflicts) != 1 || len(items(child(out.object, "progress"), "next")) != 1 {
			t.Errorf("%s, then merged: %s open, steps %s", status, paths(second), canon(child(out.object, "progress")["next"]))
		}

		first, _ = mergedOf(t, withBase, three...)
		half, out := resolved(t, answered(t, first, "/task/objective", status), merge.Choice{Question: conflictAt(t, first, "/statements/s/text").Question})
		if step := out.byID["merge.next"].object; !slices.Equal(texts(step, "blocked_by"), []string{half.Conflicts[0].Question}) {
			t.Errorf("%s, then one of two: %s", status, canon(step))
		}
		last, err := merge.Resolve(half.Bytes(), []merge.Choice{{Question: half.Conflicts[0].Question}}, merge.Options{Now: muchLater})
		if err != nil || len(leftOf(read(last.Bytes()))) > 0 {
			t.Errorf("%s, then one after the other: %v", status, err)
		}

		first, _ = mergedOf(t, withBase, one...)
		byHand = answered(t, first, "/task/objective", status)
		if _, out := mergedOf(t, again, string(byHand), third); len(leftOf(out)) > 0 {
			t.Errorf("%s the last one, then merged: %s is left", status, leftOf(out))
		}
		_, out = resolved(t, byHand, merge.Choice{Question: first.Conflicts[0].Question})
		if question := out.byID[first.Conflicts[0].Question].object; len(leftOf(out)) > 0 || str(question, "status") != status {
			t.Errorf("%s the last one, then resolved: %s is left, the question is %s", status, leftOf(out), canon(question))
		}
	}
}

// TestAnsweredAlready: there is nothing to choose any more where a person has answered.
func TestAnsweredAlready(t *testing.T) {
	first, _ := mergedOf(t, withBase, pair(t, origin, []string{`"o"`, `"p"`}, []string{`"o"`, `"q"`})...)
	byHand := answered(t, first, "/task/objective", "resolved")
	question := first.Conflicts[0].Question
	for _, c := range []struct {
		choices []merge.Choice
		says    string
	}{
		{[]merge.Choice{{Question: question, Term: 1}}, question + " is no open question of the document any more"},
		{[]merge.Choice{{Question: "merge.q.none"}}, "no open merge conflict: all were closed in the document"},
		{[]merge.Choice{{Question: question}, {Question: question}}, question + " is resolved twice"},
		{nil, "no open merge conflict: all were closed in the document"},
	} {
		if _, err := merge.Resolve(byHand, c.choices, merge.Options{}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c.choices, err)
		}
	}
}

// TestAnsweredStop: an answer ends what waited for it, but nobody chose an action that repeats another one.
func TestAnsweredStop(t *testing.T) {
	call := func(id string) []string {
		return []string{`"operations":[`, `"operations":[{"id":"` + id + `","kind":"action","status":"planned","description":"d","call":{"tool":"pay","arguments":{"n":1}}},`}
	}
	for _, c := range []struct {
		name, path string
		one, other []string
		status     string
		forbidden  string // operation that still must not run
	}{
		{"two ends", "/operations/a/status", []string{planned, finished}, []string{planned, `"kind":"action","status":"cancelled"`}, "resolved", ""},
		{"two ends, withdrawn", "/operations/a/status", []string{planned, finished}, []string{planned, `"kind":"action","status":"cancelled"`}, "retracted", "w"},
		{"a repeated action", "/operations/y/repeats/x", call("x"), call("y"), "resolved", "y"},
	} {
		first, _ := mergedOf(t, withBase, pair(t, origin, c.one, c.other)...)
		byHand := answered(t, first, c.path, c.status)
		again := withBase
		again.ID = "urn:x:again"
		_, merged := mergedOf(t, again, string(byHand), next(t, "urn:x:c", "2026-02-03T00:00:00Z", []string{origin}, `"text":"t"`, `"text":"u"`))
		_, settled := resolved(t, byHand, merge.Choice{Question: conflictAt(t, first, c.path).Question})
		for how, out := range map[string]*document{"merged": merged, "resolved": settled} {
			if len(out.forbidden()) > 0 != (c.forbidden != "") || c.forbidden != "" && !out.forbidden()[c.forbidden] {
				t.Errorf("%s, %s: %v must not run", c.name, how, out.forbidden())
			}
		}
	}
}
