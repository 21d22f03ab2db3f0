package merge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/merge"
)

// TestOptionsOfIndented: a person reads the values, not how they were indented; the document keeps their spelling.
func TestOptionsOfIndented(t *testing.T) {
	value := func(n string) string { return "{\n    \"n\" : [\n      " + n + ",\n      \"a  b\"\n    ]\n  }" }
	extended := func(n string) []string {
		return []string{`"task"`, `"extensions":{"org.example.x":` + value(n) + `},"task"`}
	}
	merged, _ := mergedOf(t, withBase, pair(t, origin, extended("1.0"), extended("2"))...)
	c := conflictAt(t, merged, "/extensions/org.example.x")
	want := []string{"0: as it stands", `1: {"n":[1.0,"a  b"]}, in urn:x:a`, `2: {"n":[2,"a  b"]}, in urn:x:b`}
	if !slices.Equal(c.Options(), want) {
		t.Errorf("%q, not %q", c.Options(), want)
	}
	if c.Terms[0].Value != value("1.0") {
		t.Errorf("the term is %q", c.Terms[0].Value)
	}
	r, out := resolved(t, merged.Bytes(), merge.Choice{Question: c.Question, Term: 1})
	if text := str(out.byID[c.Question].object, "resolution"); !strings.HasPrefix(text, `{"n":[1.0,"a  b"]}`) || !strings.Contains(string(r.Bytes()), value("1.0")) {
		t.Errorf("resolved with %q: %s", text, r.Bytes())
	}
}
