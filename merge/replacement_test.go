package merge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/merge"
)

// statementOf is a statement of a person.
func statementOf(id, more string) string {
	return `{"id":"` + id + `","kind":"observation","text":"of ` + id + `","origin":{"type":"user"}` + more + `}`
}

// supersedes are edits by which a statement supersedes s, and statements are added.
func supersedes(id string, added ...string) []string {
	edits := []string{`"text":"t"`, `"text":"t","status":"superseded","superseded_by":"` + id + `"`}
	if len(added) > 0 {
		edits = append(edits, `"statements":[`, `"statements":[`+strings.Join(added, ",")+",")
	}
	return edits
}

// resolved is a document with some conflicts settled.
func resolved(t *testing.T, src []byte, choices ...merge.Choice) (*merge.Result, *document) {
	t.Helper()
	r, err := merge.Resolve(src, choices, merge.Options{ID: "urn:x:resolved", Now: muchLater})
	if err != nil {
		t.Fatalf("%v: %s", err, src)
	}
	return r, read(r.Bytes())
}

// TestLosingReplacement: of what superseded a statement in the input that lost only a statement goes that this input added for it.
func TestLosingReplacement(t *testing.T) {
	added, more := statementOf("x", ""), statementOf("y", "")
	for _, c := range []struct {
		name       string
		one, other []string
		id, status string // of the losing replacement, which is that of one
	}{
		{"added", supersedes("x", added), supersedes("y", more), "x", "retracted"},
		{"in the base", supersedes("loose"), supersedes("y", more), "loose", ""},
		{"in both inputs", supersedes("x", added), supersedes("y", more, added), "x", ""},
		{"superseded", supersedes("x", statementOf("x", `,"status":"superseded","superseded_by":"z"`), statementOf("z", "")), supersedes("y", more), "x", "superseded"},
		{"in the place of another one too", append(supersedes("x", added), `"id":"loose"`, `"status":"superseded","superseded_by":"x","id":"loose"`), supersedes("y", more), "x", ""},
		{"of another kind", append(supersedes("loose"), `"hypothesis"`, `"observation"`), []string{`"hypothesis"`, `"external"`}, "loose", ""},
	} {
		merged, _ := mergedOf(t, withBase, pair(t, origin, c.one, c.other)...)
		_, out := resolved(t, merged.Bytes(), choicesFor(merged, "urn:x:b")...)
		if status := str(out.byID[c.id].object, "status"); status != c.status {
			t.Errorf("%s: %s is %q, not %q", c.name, c.id, status, c.status)
		}
	}
}

// TestLosingReplacementLater: what a merge knows of its inputs the next one knows too; a document that does not say it keeps what it has.
func TestLosingReplacementLater(t *testing.T) {
	srcs := pair(t, origin, supersedes("x", statementOf("x", "")), supersedes("y", statementOf("y", "")))
	first, _ := mergedOf(t, withBase, srcs...)
	again := withBase
	again.ID = "urn:x:again"
	third := next(t, "urn:x:c", "2026-02-03T00:00:00Z", []string{origin}, `"o"`, `"p"`)
	second, _ := mergedOf(t, again, string(first.Bytes()), third)
	child := next(t, "urn:x:child", "2035-01-01T00:00:00Z", []string{string(first.Bytes())}, `"o"`, `"q"`)
	fourth, _ := mergedOf(t, merge.Options{ID: "urn:x:fourth", Now: muchLater}, string(first.Bytes()), string(second.Bytes()), child)
	for name, r := range map[string]*merge.Result{"first": first, "second": second, "of the merge's child": fourth} {
		if _, out := resolved(t, r.Bytes(), choicesFor(r, "urn:x:b")...); str(out.byID["x"].object, "status") != "retracted" {
			t.Errorf("%s: what lost stays", name)
		}
		silent := []byte(strings.ReplaceAll(string(r.Bytes()), `,"added":true`, ""))
		if _, out := resolved(t, silent, choicesFor(r, "urn:x:b")...); str(out.byID["x"].object, "status") != "" {
			t.Errorf("%s: x is retracted, and nothing says that it was added", name)
		}
	}
}

// choicesFor settles all conflicts of a result, that of the statement for an input.
func choicesFor(r *merge.Result, input string) (choices []merge.Choice) {
	for _, c := range r.Conflicts {
		choice := merge.Choice{Question: c.Question}
		if strings.HasPrefix(c.Path, "/statements/s/") {
			choice.Term = 1 + slices.IndexFunc(c.Terms, func(k merge.Term) bool { return slices.Contains(k.Inputs, input) })
		}
		choices = append(choices, choice)
	}
	return choices
}
