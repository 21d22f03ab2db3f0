package merge_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/internal/testdoc"
	"github.com/opencheckpoint/ocp/merge"
)

// withContexts is origin with application context.
func withContexts(list string) string {
	return string(encoded(decoded([]byte(strings.Replace(origin, `"operations"`, `"application_context":`+list+`,"operations"`, 1)))))
}

// contextsOf are the entries of application context, up to the names of renamed drafts.
func contextsOf(d *document) string {
	var list []string
	for _, e := range d.in("application_context", nil) {
		list = append(list, regexp.MustCompile(`(\.[0-9a-f]{8})+"`).ReplaceAllString(canon(e.object), `"`))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

const compacted = `"method":"compacted","omissions":[{"description":"one","reason":"size"}]`

// TestRecollected: an input that was compacted since the base is given back what it forgot, once: merging it in parts is merging it at once.
func TestRecollected(t *testing.T) {
	const unsaved = `[{"application":"mail","drafts":[{"content":"x","id":"n","status":"unsaved"}],"view":1}]`
	for _, c := range []struct {
		name, contexts string
		edit           []string
	}{
		{"without its drafts", unsaved, []string{`"drafts":[{"content":"x","id":"n","status":"unsaved"}],`, ""}},
		{"without drafts that have no ids", strings.Replace(unsaved, `"id":"n",`, "", 1), []string{`"drafts":[{"content":"x","status":"unsaved"}],`, ""}},
		{"a part of it", `[{"application":"mail","filters":{"a":1},"view":1}]`, []string{`"filters":{"a":1},`, ""}},
		{"two that are alike", `[{"application":"mail","view":1},{"application":"mail","view":1}]`, []string{`,"view":1`, ""}},
		{"a draft moved", `[{"application":"a","drafts":[{"content":"x","id":"n","status":"unsaved"}],"id":"p"},{"application":"b","id":"q"}]`,
			[]string{`"drafts":[{"content":"x","id":"n","status":"unsaved"}],`, "", `"application":"b"`, `"application":"b","drafts":[{"content":"x","id":"n","status":"unsaved"}]`}},
	} {
		base := withContexts(c.contexts)
		opts := merge.Options{Base: []byte(base)}
		a := next(t, "urn:x:a", "2026-02-01T00:00:00Z", []string{base}, c.edit...)
		b := next(t, "urn:x:b", "2026-02-02T00:00:00Z", []string{base}, captured, compacted)
		other := next(t, "urn:x:c", "2026-02-03T00:00:00Z", []string{base}, `"o"`, `"p"`)
		r, _ := mergedOf(t, opts, a, b)
		_, want := mergedOf(t, opts, a, b, other)
		opts.ID, opts.Now = "urn:x:again", muchLater
		_, got := mergedOf(t, opts, string(r.Bytes()), other)
		if contextsOf(got) != contextsOf(want) {
			t.Errorf("%s: in parts\n%s\nand at once\n%s", c.name, contextsOf(got), contextsOf(want))
		}
	}
}

// TestRecollectedOnce: whatever a compacted input makes of application context, nothing of it is in the result twice.
func TestRecollectedOnce(t *testing.T) {
	const all = `[{"application":"a","drafts":[{"content":"x","id":"n","status":"unsaved"}],"filters":2,"view":1},` +
		`{"application":"a","drafts":[{"content":"y","id":"m","status":"saved"}],"id":"p"},{"application":"a","view":1},{"application":"b","id":"q"}]`
	testdoc.Seeds(t, 200, func(seed uint64) []error {
		d := newDice(seed, 41)
		base := withContexts(all)
		var srcs [][]byte
		for _, id := range []string{"urn:x:a", "urn:x:b"} {
			o := decoded([]byte(next(t, id, "2026-02-01T00:00:00Z", []string{base}, captured, compacted))).(object)
			list := o["application_context"].([]any)
			for range 1 + d.IntN(4) {
				shuffleContexts(d, list)
			}
			srcs = append(srcs, encoded(o))
		}
		if _, err := attempt(srcs, merge.Options{Base: []byte(base)}); err != nil {
			return []error{err}
		}
		return nil
	})
}

// shuffleContexts takes a member of an entry away, or puts it into another one in place of what that has.
func shuffleContexts(d dice, list []any) {
	from, to := list[d.IntN(len(list))].(object), list[d.IntN(len(list))].(object)
	name := pick(d, []string{"drafts", "view", "filters"})
	v, ok := from[name]
	delete(from, name)
	if ok && d.chance(60) {
		to[name] = v
	}
}
