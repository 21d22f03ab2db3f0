package merge_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/merge"
)

// origin is the tiny base of the cases in this file: a statement, an observation no one needs, an action and what it waits for.
const origin = `{"opencheckpoint":"0.1","id":"urn:x:base","created_at":"2026-01-02T03:04:05Z","source":{},"task":{"objective":"o","status":"active"},` +
	`"statements":[{"id":"loose","kind":"observation","text":"l","origin":{"type":"tool"}},{"id":"s","kind":"hypothesis","text":"t","origin":{"type":"agent"}}],` +
	`"operations":[{"id":"a","kind":"action","status":"planned","description":"d","idempotency_key":"k"},` +
	`{"id":"w","kind":"wait","status":"planned","description":"w","depends_on":["a"]}]}`

// next is a document made from others, the first one its parent, with some texts replaced: old, new, old, new.
func next(t *testing.T, id, at string, from []string, edits ...string) string {
	t.Helper()
	var parent string
	var inputs []string
	for i, src := range from {
		sum, err := digest.Of([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		input := `{"id":"` + str(decoded([]byte(src)), "id") + `","digest":"` + sum.String() + `"}`
		if inputs = append(inputs, input); i == 0 {
			parent = input
		}
	}
	o := decoded([]byte(from[0])).(object)
	o["id"], o["created_at"], o["parent"] = id, at, decoded([]byte(parent))
	o["derivation"] = object{"method": "captured", "inputs": decoded([]byte("[" + strings.Join(inputs, ",") + "]"))}
	src := string(encoded(o))
	for i := 0; i < len(edits); i += 2 {
		if !strings.Contains(src, edits[i]) {
			t.Fatalf("%s has no %s", src, edits[i])
		}
		src = strings.Replace(src, edits[i], edits[i+1], 1)
	}
	return src
}

// pair is two children of a base.
func pair(t *testing.T, base string, one, other []string) []string {
	t.Helper()
	return []string{next(t, "urn:x:a", "2026-02-01T00:00:00Z", []string{base}, one...), next(t, "urn:x:b", "2026-02-02T00:00:00Z", []string{base}, other...)}
}

// mergedOf merges texts.
func mergedOf(t *testing.T, opts merge.Options, srcs ...string) (*merge.Result, *document) {
	t.Helper()
	if opts.ID == "" {
		opts.ID, opts.Now = "urn:x:merged", muchLater
	}
	var list [][]byte
	for _, s := range srcs {
		list = append(list, []byte(s))
	}
	r, err := merge.Merge(list, opts)
	if err != nil {
		t.Fatalf("%s: %T: %v", srcs, err, err)
	}
	return r, read(r.Bytes())
}

var withBase = merge.Options{Base: []byte(origin), ID: "urn:x:merged", Now: muchLater}

// paths are the open conflicts.
func paths(r *merge.Result) (list []string) {
	for _, c := range r.Conflicts {
		list = append(list, c.Path+" "+c.Kind)
	}
	return list
}

const (
	loose    = `{"id":"loose","kind":"observation","origin":{"type":"tool"},"text":"l"},`
	captured = `"method":"captured"`
	planned  = `"kind":"action","status":"planned"`
	finished = `"kind":"action","status":"completed"`
)

// TestAbsence: what an input lacks is deleted, unless it was compacted since the base, by its method or because it says that it left something out.
func TestAbsence(t *testing.T) {
	for _, c := range []struct {
		name    string
		lacking []string
		deleted bool
	}{
		{"captured", []string{loose, ""}, true},
		{"compacted", []string{loose, "", captured, `"method":"compacted"`}, false},
		{"omitted", []string{loose, "", captured, captured + `,"omissions":[{"description":"one","reason":"size"}]`}, false},
	} {
		r, out := mergedOf(t, withBase, pair(t, origin, c.lacking, []string{`"o"`, `"p"`})...)
		if gone := out.byID["loose"] == nil; gone != c.deleted || len(r.Deleted) > 0 != c.deleted {
			t.Errorf("%s: gone %v, deleted %v", c.name, gone, r.Deleted)
		}
	}
	between := next(t, "urn:x:c", "2026-01-20T00:00:00Z", []string{origin}, loose, "", captured, `"method":"compacted"`)
	one := next(t, "urn:x:a", "2026-02-01T00:00:00Z", []string{between, origin}, `"o"`, `"p"`)
	other := next(t, "urn:x:b", "2026-02-02T00:00:00Z", []string{origin})
	opts := withBase
	opts.Ancestors = [][]byte{[]byte(between)}
	if _, out := mergedOf(t, opts, one, other); out.byID["loose"] == nil {
		t.Error("the absence that a compacted ancestor began is a deletion")
	}
}

// TestDoneStays: work that is done, and an approval that was refused, comes back where an input lacks it, so that a copy of it cannot act.
func TestDoneStays(t *testing.T) {
	for _, c := range []struct {
		operation string
		restored  bool
		copied    string
		repeated  bool
	}{
		{`"kind":"action","status":"completed"`, true, "planned", true},
		{`"kind":"action","status":"completed","effect":"idempotent"`, true, "uncertain", true},
		{`"kind":"action","status":"completed","effect":"none"`, false, "planned", false},
		{`"kind":"action","status":"cancelled"`, false, "planned", false},
		{`"kind":"approval","status":"rejected","approval":{"decided_by":"u","decided_at":"2026-01-01T00:00:00Z","evidence":["mail"]}`, true, "planned", false},
		{`"kind":"wait","status":"completed"`, false, "planned", false},
	} {
		over := `{"description":"d","id":"over","idempotency_key":"once",` + c.operation + `},`
		base := string(encoded(decoded([]byte(strings.Replace(origin, `"operations":[`, `"resources":[{"id":"mail","uri":"mid:1"}],"operations":[`+over, 1)))))
		again := `{"id":"again","kind":"action","status":"` + c.copied + `","description":"d","idempotency_key":"once","resume":"ask"},`
		x := []string{string(encoded(decoded([]byte(strings.TrimSuffix(over, ","))))) + ",", again}
		r, out := mergedOf(t, merge.Options{Base: []byte(base)}, pair(t, base, x, []string{`"o"`, `"p"`})...)
		isRestored := slices.ContainsFunc(r.Restored, func(d merge.Deletion) bool { return d.Object == "/operations/over" })
		if here := out.byID["over"] != nil; here != c.restored || isRestored != c.restored {
			t.Errorf("%s: here %v, restored %v", c.operation, here, r.Restored)
		}
		if repeated := slices.Contains(paths(r), "/operations/again/repeats/over repeated_action"); repeated != c.repeated || out.forbidden()["again"] != c.repeated {
			t.Errorf("%s: %s, forbidden %v", c.operation, paths(r), out.forbidden())
		}
	}
}

// TestDoneIsOmitted: what an input records as omitted comes back from the base and from nowhere else, and what the base omitted stays away.
func TestDoneIsOmitted(t *testing.T) {
	over := `{"id":"over","kind":"action","status":"completed","description":"d"},`
	base := string(encoded(decoded([]byte(strings.Replace(origin, `"operations":[`, `"operations":[`+over, 1)))))
	lacking := []string{string(encoded(decoded([]byte(strings.TrimSuffix(over, ","))))) + ",", "", captured, `"method":"compacted","omissions":[{"description":"1 omitted: 1 operation","reason":"size"}]`}
	r, out := mergedOf(t, merge.Options{Base: []byte(base)}, pair(t, base, lacking, []string{`"o"`, `"p"`})...)
	if out.byID["over"] == nil || len(r.Restored) > 0 {
		t.Errorf("it is lost, or restored: %+v", r.Restored)
	}
	dropped := next(t, "urn:x:c", "2026-01-20T00:00:00Z", []string{base}, lacking...)
	if r, out = mergedOf(t, merge.Options{Base: []byte(dropped), Ancestors: [][]byte{[]byte(base)}}, pair(t, dropped, []string{`"o"`, `"p"`}, nil)...); out.byID["over"] != nil {
		t.Errorf("the base had dropped it: %+v", r.Restored)
	}
}

// TestPendingIsForgotten: a compaction keeps what is not over, so that a pending action that a compacted input lacks may have been done there, and is not actionable as it
// was; merging in parts tells the same.
func TestPendingIsForgotten(t *testing.T) {
	pending := `{"id":"pay","kind":"action","status":"planned","effect":"non_idempotent","description":"d"},`
	base := string(encoded(decoded([]byte(strings.Replace(origin, `"operations":[`, `"operations":[`+pending, 1)))))
	lacking := []string{string(encoded(decoded([]byte(strings.TrimSuffix(pending, ","))))) + ",", "", captured, `"method":"compacted","omissions":[{"description":"1 omitted: 1 operation","reason":"size"}]`}
	opts := merge.Options{Base: []byte(base)}
	inputs := pair(t, base, lacking, []string{`"o"`, `"p"`})
	r, out := mergedOf(t, opts, inputs...)
	if pay := out.byID["pay"]; pay == nil || str(pay.object, "status") != "uncertain" || str(pay.object, "resume") != "verify_first" || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "pay") {
		t.Errorf("%v, %q", pay, r.Notes)
	}
	opts.ID = "urn:x:again"
	third := next(t, "urn:x:c", "2026-01-20T00:00:00Z", []string{base}, `"o"`, `"q"`)
	if _, out = mergedOf(t, opts, string(r.Bytes()), third); str(out.byID["pay"].object, "status") != "uncertain" {
		t.Errorf("in parts it is %v", out.byID["pay"].object)
	}
	done := next(t, "urn:x:d", "2026-01-20T00:00:00Z", []string{base}, `"id":"pay","kind":"action","status":"planned"`, `"id":"pay","kind":"action","status":"completed"`)
	if _, out = mergedOf(t, opts, string(r.Bytes()), done); str(out.byID["pay"].object, "status") != "completed" {
		t.Errorf("done elsewhere it is %v", out.byID["pay"].object)
	}
}

// TestDeletedAndModified: what one input changed and another one deleted stays, and the deletion is a term.
func TestDeletedAndModified(t *testing.T) {
	r, out := mergedOf(t, withBase, pair(t, origin, []string{loose, ""}, []string{`"text":"l"`, `"text":"changed"`})...)
	if out.byID["loose"] == nil || !slices.Equal(paths(r), []string{"/statements/loose " + r.Conflicts[0].Kind}) || len(r.Conflicts[0].Terms) != 1 {
		t.Fatalf("%+v", r.Conflicts)
	}
	if terms := r.Conflicts[0].Terms; terms[0].Value != "" || str(out.byID["loose"].object, "text") != "changed" {
		t.Errorf("%+v", terms)
	}
}

// TestUndefinedMember: a member that the specification does not define merges in an entry as any other does.
func TestUndefinedMember(t *testing.T) {
	for _, c := range []struct {
		name             string
		base, one, other string
		want             string
		terms            int
	}{
		{"of one", "", `"future":{"n":2},`, "", `{"n":2}`, 0},
		{"of the other", "", "", `"future":2,`, "2", 0},
		{"of both", "", `"future":2,`, `"future":2,`, "2", 0},
		{"differs", "", `"future":1,`, `"future":2,`, "", 2},
		{"edited", `"future":0,`, `"future":0,`, `"future":2,`, "2", 0},
		{"removed", `"future":0,`, "", `"future":0,`, "", 0},
		{"edited twice", `"future":0,`, `"future":1,`, `"future":2,`, "0", 2},
	} {
		for _, id := range []string{"loose", "a", "w"} {
			at := `"id":"` + id + `"`
			base := strings.Replace(origin, at, c.base+at, 1)
			r, out := mergedOf(t, merge.Options{Base: []byte(base), Lenient: true}, pair(t, base, []string{c.base + at, c.one + at}, []string{c.base + at, c.other + at})...)
			want := object{}
			if c.want != "" {
				want["future"] = decoded([]byte(c.want))
			}
			if got := canonOf(out.byID[id].object, "future"); got != canon(want) {
				t.Errorf("%s, %s: %s and not %s", id, c.name, got, canon(want))
			}
			if n := len(r.Conflicts); n != min(c.terms, 1) || n > 0 && len(r.Conflicts[0].Terms) != c.terms {
				t.Errorf("%s, %s: %+v", id, c.name, r.Conflicts)
			}
		}
	}
}

// TestDoubleExecution: an action that was open and that two inputs completed, whatever they call it, unless both know it from one document.
func TestDoubleExecution(t *testing.T) {
	twin := func(status, more string) string {
		return `"operations":[{"id":"twin","kind":"action","status":"` + status + `","description":"d",` + more + `},`
	}
	done := []string{planned, finished}
	for _, c := range []struct {
		name       string
		one, other []string
		path       string
	}{
		{"one id", done, done, "/operations/a/double_execution"},
		{"one key", done, []string{`"operations":[`, twin("completed", `"idempotency_key":"k"`)}, "/operations/a/double_execution/twin"},
		{"another key", done, []string{`"operations":[`, twin("completed", `"idempotency_key":"l"`)}, ""},
		{"without effect, says one", done, []string{planned, finished + `,"effect":"none"`}, "/operations/a/double_execution"},
		{"without effect, say both", []string{planned, finished + `,"effect":"none"`}, []string{planned, finished + `,"effect":"none"`}, "/operations/a/double_execution"},
		{"once", done, nil, ""},
		{"cancelled", done, []string{`"operations":[`, twin("cancelled", `"idempotency_key":"k"`)}, ""},
	} {
		r, _ := mergedOf(t, withBase, pair(t, origin, c.one, c.other)...)
		found := slices.ContainsFunc(r.Conflicts, func(k merge.Conflict) bool { return k.Path == c.path })
		if any := strings.Contains(strings.Join(paths(r), " "), "double_execution"); any != (c.path != "") || found != any {
			t.Errorf("%s: %s", c.name, paths(r))
		}
	}
	middle := next(t, "urn:x:c", "2026-01-20T00:00:00Z", []string{origin}, planned, finished)
	one := next(t, "urn:x:a", "2026-02-01T00:00:00Z", []string{middle, origin}, `"o"`, `"p"`)
	other := next(t, "urn:x:b", "2026-02-02T00:00:00Z", []string{middle, origin})
	opts := withBase
	opts.Ancestors = [][]byte{[]byte(middle)}
	if r, _ := mergedOf(t, opts, one, other); len(r.Conflicts) > 0 {
		t.Errorf("both know it from one document: %s", paths(r))
	}
}

// TestEffectOfWhatWasTried: what an input did keeps the effect that it says, and what several did the most cautious one that any document says.
func TestEffectOfWhatWasTried(t *testing.T) {
	base := string(encoded(decoded([]byte(strings.Replace(origin, planned, `"effect":"non_idempotent","kind":"action","resume":"ask","status":"uncertain"`, 1)))))
	for _, c := range []struct{ name, base, one, other, oneEffect, otherEffect, want string }{
		{"relabelled", "uncertain", "completed", "completed", "non_idempotent", "none", "non_idempotent"},
		{"relabelled by both", "uncertain", "completed", "completed", "idempotent", "none", "non_idempotent"},
		{"relabelled by one who did nothing", "planned", "completed", "planned", "non_idempotent", "none", "non_idempotent"},
		{"relabelled by the one who did it", "planned", "completed", "planned", "none", "non_idempotent", "none"},
		{"relabelled after it failed", "failed", "failed", "failed", "none", "non_idempotent", "none"},
		{"as cautious", "planned", "completed", "planned", "unknown", "non_idempotent", "unknown"},
		{"not tried", "planned", "planned", "planned", "idempotent", "non_idempotent", "idempotent"},
	} {
		base := strings.Replace(base, `"uncertain"`, `"`+c.base+`"`, 1)
		edit := func(status, effect string) []string {
			return append([]string{`"effect":"non_idempotent"`, `"effect":"` + effect + `"`}, `"status":"`+c.base+`"`, `"status":"`+status+`"`)
		}
		r, out := mergedOf(t, merge.Options{Base: []byte(base)}, pair(t, base, edit(c.one, c.oneEffect), edit(c.other, c.otherEffect))...)
		if got := str(out.byID["a"].object, "effect"); got != c.want {
			t.Errorf("%s: %s and not %s", c.name, got, c.want)
		}
		double := slices.Contains(paths(r), "/operations/a/double_execution double_execution")
		if double != (c.one == "completed" && c.other == "completed") {
			t.Errorf("%s: %s", c.name, paths(r))
		}
	}
}

// TestRepeated: of an action that two inputs plan in different words at most one can act.
func TestRepeated(t *testing.T) {
	call := func(id, arguments string) string {
		return `"operations":[{"id":"` + id + `","kind":"action","status":"planned","description":"d","call":{"tool":"pay","arguments":{` + arguments + `}}},`
	}
	for _, c := range []struct {
		one, other string
		repeated   bool
	}{
		{`"n":1`, `"n":1`, true},
		{`"n":1`, `"n":1.0,"m":2`, true},
		{`"n":1`, `"n":2`, false},
		{`"n":1,"m":3`, `"n":1,"m":2`, false},
	} {
		r, out := mergedOf(t, withBase, pair(t, origin, []string{`"operations":[`, call("x", c.one)}, []string{`"operations":[`, call("y", c.other)})...)
		acting := len(out.actionable())
		if kinds := strings.Join(paths(r), " "); strings.Contains(kinds, "repeated_action") != c.repeated || acting != map[bool]int{true: 2, false: 3}[c.repeated] {
			t.Errorf("%s and %s: %s, %d can act", c.one, c.other, kinds, acting)
		}
	}
}

// TestTwoEnds: what ended in two ways can act in neither, and what depends on it waits.
func TestTwoEnds(t *testing.T) {
	r, out := mergedOf(t, withBase, pair(t, origin, []string{planned, finished}, []string{planned, `"kind":"action","status":"cancelled"`})...)
	if t1 := "/operations/a/status"; !slices.ContainsFunc(r.Conflicts, func(c merge.Conflict) bool { return c.Path == t1 && len(c.Terms) == 2 }) {
		t.Errorf("conflicts %s", paths(r))
	}
	if !out.forbidden()["w"] || len(out.actionable()) > 0 {
		t.Errorf("forbidden %v, %d can act", out.forbidden(), len(out.actionable()))
	}
}

// TestVerifyFirst: an outcome that no one knows has to be looked up, if the effect may not be repeated.
func TestVerifyFirst(t *testing.T) {
	uncertain := `"kind":"action","status":"uncertain","effect":"idempotent","resume":"retry"`
	_, out := mergedOf(t, withBase, pair(t, origin, []string{planned, uncertain}, []string{planned, planned + `,"effect":"non_idempotent"`})...)
	if a := out.byID["a"].object; a["status"] != "uncertain" || a["effect"] != "non_idempotent" || !slices.Contains(resumes[1:], str(a, "resume")) {
		t.Errorf("%s", canon(a))
	}
}

// TestRefused: a lineage that does not hold, and wishes that cannot be met.
func TestRefused(t *testing.T) {
	srcs := pair(t, origin, []string{`"o"`, `"p"`}, nil)
	list := [][]byte{[]byte(srcs[0]), []byte(srcs[1])}
	other := strings.Replace(origin, `"text":"t"`, `"text":"u"`, 1)
	for _, opts := range []merge.Options{{Base: []byte(other)}, {Ancestors: [][]byte{[]byte(other)}}} {
		if _, err := merge.Merge(list, opts); !errors.As(err, new(*merge.DigestError)) {
			t.Errorf("another base: %v", err)
		}
	}
	stranger := strings.Replace(origin, "urn:x:base", "urn:x:stranger", 1)
	for _, c := range []struct {
		opts merge.Options
		want any
	}{
		{merge.Options{Base: []byte(stranger), Ancestors: [][]byte{[]byte(origin)}}, new(*merge.RequestError)},
		{merge.Options{Base: []byte("{}")}, new(*merge.DocumentError)},
		{merge.Options{Ancestors: [][]byte{[]byte("[")}}, new(*merge.DocumentError)},
	} {
		if _, err := merge.Merge(list, c.opts); err == nil || !errors.As(err, c.want) {
			t.Errorf("base %.60s: %T %v", c.opts.Base, err, err)
		}
	}
	for _, id := range []string{"urn:x:a", "urn:x:base"} {
		if _, err := merge.Merge(list, merge.Options{Base: []byte(origin), ID: id}); !errors.Is(err, checkpoint.ErrSameID) {
			t.Errorf("id %s: %v", id, err)
		}
	}
	if _, err := merge.Merge([][]byte{list[0], []byte(stranger)}, merge.Options{}); !errors.As(err, new(*merge.RequestError)) {
		t.Errorf("no common ancestor: %v", err)
	}
}

// TestClockBehind: the result is never older than an input.
func TestClockBehind(t *testing.T) {
	srcs := pair(t, origin, []string{`"o"`, `"p"`}, nil)
	opts := merge.Options{Base: []byte(origin), ID: "urn:x:merged", Now: time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)}
	r, out := mergedOf(t, opts, srcs...)
	if at := str(out.object, "created_at"); at != "2026-02-02T00:00:00Z" || r.ClockBehind != at {
		t.Errorf("created_at %s, clock behind %q", at, r.ClockBehind)
	}
}

// TestSeveralBases: where two nearest ancestors differ, no input's value is the one that was there before.
func TestSeveralBases(t *testing.T) {
	x := next(t, "urn:x:x", "2026-01-10T00:00:00Z", []string{origin}, `"text":"l"`, `"text":"x"`)
	y := next(t, "urn:x:y", "2026-01-11T00:00:00Z", []string{origin}, `"text":"t"`, `"text":"y"`)
	a := next(t, "urn:x:a", "2026-02-01T00:00:00Z", []string{x, y, origin}, `"text":"t"`, `"text":"y"`)
	b := next(t, "urn:x:b", "2026-02-02T00:00:00Z", []string{y, x, origin}, `"text":"l"`, `"text":"x"`)
	r, out := mergedOf(t, merge.Options{Ancestors: [][]byte{[]byte(x), []byte(y), []byte(origin)}}, a, b)
	if !slices.Equal(r.Base, []string{"urn:x:x", "urn:x:y"}) || len(r.Conflicts) > 0 || str(out.byID["loose"].object, "text") != "x" || str(out.byID["s"].object, "text") != "y" {
		t.Errorf("bases %s, conflicts %+v, %s", r.Base, r.Conflicts, out.src)
	}
}
