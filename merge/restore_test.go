package merge_test

import (
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
