package fork_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/opencheckpoint/ocp/fork"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// head begins a checkpoint of required members only.
const head = `{"opencheckpoint":"0.1","id":"urn:x:parent","created_at":"2026-01-02T03:04:05Z","source":{},"task":{"objective":"o","status":"active"}`

func action(id string, more string) string {
	return `{"id":"` + id + `","kind":"action","status":"planned","description":"d"` + more + `}`
}

// held makes forks and holds all laws against them.
func held(t *testing.T, src string, n int, opts fork.Options) *trial {
	t.Helper()
	if opts.Now.IsZero() {
		opts.Now = later
	}
	for i := len(opts.IDs); i < n; i++ {
		opts.IDs = append(opts.IDs, fmt.Sprint("urn:x:fork-", i))
	}
	trial, err := run([]byte(src), n, opts)
	if err != nil {
		t.Fatalf("%.300s: %v", src, err)
	}
	for _, err := range trial.hold() {
		t.Errorf("%.300s: %v", src, err)
	}
	return trial
}

// TestOracle: the tests' scanner finds the elements and members that gjson finds, byte for byte.
func TestOracle(t *testing.T) {
	var same func(v *value, g gjson.Result)
	same = func(v *value, g gjson.Result) {
		if v.raw() != g.Raw {
			t.Fatalf("%q, gjson has %q", v.raw(), g.Raw)
		}
		if v.kind() == '{' || v.kind() == '[' {
			i := 0
			g.ForEach(func(_, item gjson.Result) bool { same(v.kids[i], item); i++; return true })
			if i != len(v.kids) {
				t.Fatalf("%d of %s, gjson has %d", len(v.kids), v.raw(), i)
			}
		}
	}
	for seed := range uint64(200) {
		src, _ := document(seed)
		v := mustDecode(src)
		same(v, gjson.Parse(strings.Trim(string(src), " \t\r\n")))
	}
}

// TestShapes: parents that lack what a fork adds to, in every combination, minified and in lines, for 1, 2 and 50 forks.
func TestShapes(t *testing.T) {
	parts := []string{
		`,"operations":[` + action("op", "") + `,{"id":"x","kind":"action","status":"failed","effect":"idempotent","description":"d"}]`,
		`,"continuation":{}`, `,"derivation":{"method":"captured"}`, `,"extensions":{}`, `,"resources":[ ]`, `,"statements":[]`, `,"parent":{"id":"urn:x:grand"}`,
	}
	full := []string{parts[0], `,"continuation":{"stop_conditions":[]}`, `,"derivation":{"method":"merged","inputs":[],"omissions":[],"transformations":[]}`,
		`,"extensions":{"` + forkKey + `" : [1.50] }`, `,"resources":[{"id":"r","uri":"u:r"}]`, `,"statements":[{"id":"s","kind":"constraint","text":"t","origin":{"type":"user"}}]`,
		`,"parent":{"id":"urn:x:grand","digest":{"algorithm":"a","value":"b"}}`}
	for set := range 1 << len(parts) {
		src := head
		for i := range parts {
			switch {
			case set>>i&1 == 0:
			case set%3 == 0:
				src += full[i]
			default:
				src += parts[i]
			}
		}
		src += "}"
		if set%5 == 0 {
			src = string(laidOut(newDice(uint64(set), 1), []byte(src)))
		}
		opts := fork.Options{Remove: set%2 == 0, Spread: set%7 == 1, Statements: []fork.Statement{{Fork: "1", Kind: "constraint", Text: "t", By: fork.Origin{Type: "user"}}}}
		if strings.Contains(src, `"s"`) {
			opts.Supersede = []string{"s"}
		}
		n := []int{1, 2, 50}[set%3]
		held(t, src, n, opts)
	}
}

// TestCompletedTask: even a completed task can have an action that failed.
func TestCompletedTask(t *testing.T) {
	src := strings.Replace(head, "active", "completed", 1) + `,"operations":[{"id":"a","kind":"action","status":"failed","description":"d"}]}`
	if trial := held(t, src, 2, fork.Options{}); len(trial.owners) != 1 {
		t.Errorf("%v", trial.owners)
	}
	held(t, strings.Replace(head, "active", "completed", 1)+"}", 3, fork.Options{Spread: true, Remove: true})
}

// TestPending names what is a pending effect and what is not.
func TestPending(t *testing.T) {
	for _, c := range []struct {
		operation, stop string
		pending         bool
	}{
		{action("a", ""), "", true},
		{action("a", `,"effect":"none"`), "", false},
		{action("a", `,"effect":"idempotent"`), "", true},
		{action("a", `,"effect":"unknown"`), "", true},
		{`{"id":"a","kind":"wait","status":"planned","description":"d","effect":"non_idempotent"}`, "", false},
		{`{"id":"a","kind":"action","status":"completed","description":"d"}`, "", false},
		{`{"id":"a","kind":"action","status":"cancelled","description":"d"}`, "", false},
		{`{"id":"a","kind":"action","status":"failed","description":"d"}`, "", true},
		{`{"id":"a","kind":"action","status":"awaiting","description":"d"}`, "", true},
		{`{"id":"a","kind":"action","status":"uncertain","description":"d","resume":"ask"}`, "", true},
		{action("a", ""), `"applies_to":["a"]`, false},
		{action("a", ""), `"applies_to":["a"],"refs":["a"]`, false},
		{action("a", ""), `"applies_to":[]`, true},
		{action("a", ""), `"refs":["a"]`, true},
		{action("a", ""), `"applies_to":["a"],"until":[{"operation":"a","status":"failed"}]`, true},
		{action("a", ""), `"applies_to":["a"],"until":[]`, true},
		{action("a", ""), `"appl\u0069es_to":["\u0061"]`, false},
		{action("a", ""), `"applies_to":["a"],"unti\u006c":[]`, true},
	} {
		src := head + `,"operations":[` + c.operation + `]`
		if c.stop != "" {
			src += `,"continuation":{"stop_conditions":[{"description":"d",` + c.stop + `}]}`
		}
		trial := held(t, src+"}", 2, fork.Options{Owner: "2"})
		if got := slices.Equal(trial.forks[0].result.Guarded, []string{"a"}); got != c.pending {
			t.Errorf("%s, %s: guarded %v", c.operation, c.stop, got)
		}
	}
}

// TestGroups: what depends on each other has one owner, through operations that are not over, whatever their kind and whatever forbids them.
func TestGroups(t *testing.T) {
	src := head + `,"operations":[` + strings.Join([]string{
		action("a", ""), `{"id":"w","kind":"wait","status":"awaiting","description":"d","depends_on":["a"]}`, action("b", `,"depends_on":["w"]`),
		`{"id":"over","kind":"wait","status":"completed","description":"d","depends_on":["a"]}`, action("c", `,"depends_on":["over"]`),
		action("no", `,"depends_on":["c"]`), action("d", `,"depends_on":["no"]`),
		action("e", `,"depends_on":["f"]`), action("f", `,"depends_on":["e"]`), action("g", `,"depends_on":["g"]`),
	}, ",") + `],"continuation":{"stop_conditions":[{"description":"d","applies_to":["no"]}]}}`
	trial := held(t, src, 3, fork.Options{Spread: true})
	want := [][]string{{"a", "b", "g"}, {"c", "d"}, {"e", "f"}}
	for i, f := range trial.forks {
		if !slices.Equal(f.result.Owns, want[i]) {
			t.Errorf("fork %d owns %v, not %v", i+1, f.result.Owns, want[i])
		}
	}
	held(t, src, 3, fork.Options{Owner: "1", Assign: []fork.Assignment{{Operation: "b", Fork: "2"}, {Operation: "a", Fork: "2"}}})
}

// TestRemoval: what something that stays refers to stays too, and what that depends on; what can do without a reference loses it.
func TestRemoval(t *testing.T) {
	for _, c := range []struct{ name, operations, more, removed string }{
		{"alone", action("a", ""), "", "a"},
		{"chain", action("a", "") + "," + action("b", `,"depends_on":["a"]`), "", "a b"},
		{"cycle", action("a", `,"depends_on":["b"]`) + "," + action("b", `,"depends_on":["a"]`), "", "a b"},
		{"top of a chain", action("a", "") + "," + action("b", `,"depends_on":["a"]`), `,"progress":{"next":[{"description":"d","refs":["b"]}]}`, ""},
		{"foot of a chain", action("a", "") + "," + action("b", `,"depends_on":["a"]`), `,"progress":{"next":[{"description":"d","blocked_by":["a"]}]}`, "b"},
		{"focus", action("a", ""), `,"progress":{"focus":{"description":"d","refs":["a"]}}`, ""},
		{"wait", action("a", "") + `,{"id":"w","kind":"wait","status":"planned","description":"d","depends_on":["a"]}`, "", ""},
		{"failed", action("a", "") + `,{"id":"w","kind":"action","effect":"none","status":"failed","description":"d","depends_on":["a"]}`, "", ""},
		{"over", action("a", "") + `,{"id":"w","kind":"wait","status":"cancelled","description":"d","depends_on":[ "a" , "a"]}`, "", "a"},
		{"stop condition", action("a", ""), `,"continuation":{"stop_conditions":[{"description":"d","refs":["a"]}]}`, ""},
		{"until", action("a", ""), `,"continuation":{"stop_conditions":[{"description":"d","until":[{"operation":"a","status":"completed"}]}]}`, ""},
		{"lifted", action("a", ""), `,"continuation":{"stop_conditions":[{"description":"d","applies_to":["a"],"until":[]}]}`, ""},
		{"precondition", action("a", ""), `,"continuation":{"preconditions":[{"description":"d","on_failure":"ask","refs":["a"]}]}`, ""},
		{"requirement", action("a", ""), `,"continuation":{"requirements":[{"id":"r","kind":"tool","necessity":"optional","refs":["a"]}]}`, ""},
		{"recovery", action("a", "") + "," + action("b", ""), `,"continuation":{"recovery":[{"description":"d","refs":["a","w","b"]},{"id":"rec","description":"d","refs":[ "b" ]}]}` +
			`,"resources":[{"id":"w","uri":"u:w"}]`, "a b"},
		{"transformation", action("a", ""), `,"derivation":{"method":"captured","transformations":[{"description":"d","affected":["a"]}]}`, "a"},
		{"open merge", action("a", "") + "," + action("b", ""), `,"extensions":{"` + mergeKey + `":{"conflicts":[{"terms":["a"]}]}}`, "b"},
		{"opaque", action("a", ""), `,"extensions":{"com.example":["a"]}`, "a"},
	} {
		src := head + `,"operations":[` + c.operations + `]` + c.more + "}"
		trial := held(t, src, 2, fork.Options{Owner: "1", Remove: true})
		if got := trial.forks[1].result.Removed; !slices.Equal(got, strings.Fields(c.removed)) {
			t.Errorf("%s: %v are removed", c.name, got)
		}
		held(t, string(laidOut(newDice(uint64(len(src)), 2), []byte(src))), 3, fork.Options{Spread: true, Remove: true})
	}
}

// TestRefused: wishes that cannot be met make nothing, and the error says why.
func TestRefused(t *testing.T) {
	src := head + `,"operations":[` + action("a", "") + "," + action("b", `,"depends_on":["a"]`) + "," + action("c", "") + `,{"id":"w","kind":"wait","status":"planned","description":"d"}` +
		`],"continuation":{"stop_conditions":[{"id":"stop","description":"d","applies_to":["c"]}]}` +
		`,"statements":[{"id":"s","kind":"constraint","text":"t","origin":{"type":"user"}},{"id":"gone","kind":"constraint","text":"t","origin":{"type":"user"},"status":"retracted"}]}`
	constrain := []fork.Statement{{Fork: "1", Kind: "constraint", Text: "t", By: fork.Origin{Type: "agent"}}}
	say := func(fork_, kind, by string) []fork.Statement {
		return []fork.Statement{{Fork: fork_, Kind: kind, Text: "t", By: fork.Origin{Type: by}}}
	}
	assign := func(s ...string) (list []fork.Assignment) {
		for i := 0; i < len(s); i += 2 {
			list = append(list, fork.Assignment{Operation: s[i], Fork: s[i+1]})
		}
		return list
	}
	for _, c := range []struct {
		n    int
		opts fork.Options
		says string
	}{
		{0, fork.Options{}, "0 forks"},
		{-1, fork.Options{}, "-1 forks"},
		{10_001, fork.Options{}, "10001 forks"},
		{2, fork.Options{Labels: []string{"A"}}, "1 labels"},
		{2, fork.Options{Labels: []string{"A", "A"}}, `"A"`},
		{2, fork.Options{Labels: []string{"A", ".b"}}, `".b"`},
		{2, fork.Options{Labels: []string{"A", ""}}, `""`},
		{2, fork.Options{Labels: []string{"A", "b/c"}}, `"b/c"`},
		{2, fork.Options{Labels: []string{"A", "ä"}}, `"ä"`},
		{2, fork.Options{IDs: []string{"urn:x:1"}}, "as many ids"},
		{2, fork.Options{IDs: []string{"urn:x:1", "urn:x:1"}}, "urn:x:1"},
		{2, fork.Options{Owner: "3"}, `"3"`},
		{2, fork.Options{Owner: "0"}, `"0"`},
		{2, fork.Options{Owner: "01"}, `"01"`},
		{2, fork.Options{Owner: "A"}, `"A"`},
		{2, fork.Options{Assign: assign("a", "3")}, `"3"`},
		{2, fork.Options{Assign: assign("nothing", "1")}, `"nothing"`},
		{2, fork.Options{Assign: assign("s", "1")}, `"s"`},
		{2, fork.Options{Assign: assign("w", "1")}, "w is no pending effect"},
		{2, fork.Options{Assign: assign("c", "1")}, "c is forbidden in the parent by stop condition stop"},
		{2, fork.Options{Assign: assign("a", "1", "b", "2")}, "a, b"},
		{2, fork.Options{Assign: assign("b", "2", "a", "2", "b", "1")}, "a, b"},
		{2, fork.Options{Owner: "1", Assign: assign("a", "2", "b", "1")}, "a, b"},
		{2, fork.Options{Statements: say("3", "constraint", "user")}, `"3"`},
		{2, fork.Options{Statements: say("1", "decision", "user")}, "decision"},
		{2, fork.Options{Statements: say("1", "", "user")}, "instructions and constraints"},
		{2, fork.Options{Statements: say("1", "instruction", "agent")}, `"agent"`},
		{2, fork.Options{Statements: say("1", "instruction", "")}, `""`},
		{2, fork.Options{Statements: say("1", "constraint", "")}, `""`},
		{2, fork.Options{Statements: say("1", "constraint", "User")}, `"User"`},
		{2, fork.Options{Supersede: []string{"s"}}, "s is constraint"},
		{2, fork.Options{Statements: say("1", "instruction", "user"), Supersede: []string{"s"}}, "s is constraint"},
		{2, fork.Options{Statements: constrain, Supersede: []string{"gone"}}, "gone is not active"},
		{2, fork.Options{Statements: constrain, Supersede: []string{"none"}}, `"none"`},
		{2, fork.Options{Statements: constrain, Supersede: []string{"a"}}, `"a"`},
		{2, fork.Options{Statements: constrain, Supersede: []string{"s", "s"}}, "s is to be superseded twice"},
		{2, fork.Options{Statements: []fork.Statement{{Fork: "1", Kind: "constraint", Text: "\xff", By: fork.Origin{Type: "user"}}}}, "text"},
		{2, fork.Options{Statements: []fork.Statement{{Fork: "1", Kind: "constraint", Text: "\uFFFF", By: fork.Origin{Type: "user"}}}}, "text"},
		{2, fork.Options{Statements: []fork.Statement{{Fork: "1", Kind: "constraint", By: fork.Origin{Type: "user", Name: "\U0001FFFE"}}}}, "name"},
	} {
		list, err := fork.Fork([]byte(src), c.n, c.opts)
		var request *fork.RequestError
		if list != nil || !errors.As(err, &request) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%d, %+v: %d forks, %T %v, not %q", c.n, c.opts, len(list), err, err, c.says)
		}
	}
	for id, want := range map[string]error{"urn:x:parent": checkpoint.ErrSameID, "\xff": checkpoint.ErrText, "\uFDD0": checkpoint.ErrText} {
		if list, err := fork.Fork([]byte(src), 2, fork.Options{IDs: []string{"urn:x:1", id}}); list != nil || !errors.Is(err, want) {
			t.Errorf("id %q: %v", id, err)
		}
	}
}

// TestInvalid: what is wrong with a parent is told as what it is.
func TestInvalid(t *testing.T) {
	for src, is := range map[string]func(error) bool{
		"":               func(err error) bool { return errors.As(err, new(*jsonspan.SyntaxError)) },
		"{":              func(err error) bool { return errors.As(err, new(*jsonspan.SyntaxError)) },
		head + "}{}":     func(err error) bool { return errors.As(err, new(*jsonspan.SyntaxError)) },
		"{}":             func(err error) bool { return errors.As(err, new(*checkpoint.InvalidError)) },
		head + `,"x":1}`: func(err error) bool { return errors.As(err, new(*checkpoint.InvalidError)) },
		strings.Replace(head, "01-02", "02-30", 1) + "}": func(err error) bool { return errors.As(err, new(*checkpoint.InstantError)) },
	} {
		if list, err := fork.Fork([]byte(src), 2, fork.Options{}); list != nil || !is(err) {
			t.Errorf("%s: %T %v", src, err, err)
		}
	}
}

// TestFresh: without wishes the ids are UUIDs of version 7, the labels numbers, and all forks are of one time.
func TestFresh(t *testing.T) {
	list, err := fork.Fork([]byte(head+"}"), 30, fork.Options{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, r := range list {
		v := mustDecode(r.Bytes())
		if id := v.str("id"); len(id) != 45 || !strings.HasPrefix(id, "urn:uuid:") || id[23] != '7' || seen[id] || r.ID != id {
			t.Errorf("id %q", id)
		}
		seen[v.str("id")] = true
		if r.Label != fmt.Sprint(i+1) || v.str("created_at") != mustDecode(list[0].Bytes()).str("created_at") {
			t.Errorf("label %q, created_at %s", r.Label, v.str("created_at"))
		}
		if at, err := time.Parse(time.RFC3339Nano, v.str("created_at")); err != nil || time.Since(at) > time.Minute || at.Location() != time.UTC {
			t.Errorf("created_at %s", v.str("created_at"))
		}
	}
}

// TestFirst: of a stream, the first document; a clock that is behind and what stays forbidden are told.
func TestFirst(t *testing.T) {
	src := head + `,"operations":[` + action("a", "") + `],"continuation":{"stop_conditions":[{"id":"stop","description":"d","applies_to":["a"]},{"description":"e","applies_to":["a"]}]}}`
	f, n, err := fork.First([]byte(src+"\n"+src), 2, fork.Options{Now: earlier, Labels: []string{"A", "B"}})
	if err != nil || n != len(src) || f.Len() != 2 || f.Label(1) != "B" || string(f.Parent()) != src {
		t.Fatalf("%d of %d bytes: %v", n, len(src), err)
	}
	if f.ClockBehind != "2026-01-02T03:04:05Z" || len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "operation a stays forbidden") {
		t.Errorf("%q, %q", f.ClockBehind, f.Notes)
	}
	if f, _, _ := fork.First([]byte(src), 1, fork.Options{Now: later}); f.ClockBehind != "" {
		t.Errorf("%q", f.ClockBehind)
	}
}

// TestAllEnds: whoever stops listening may reuse the parent's memory at once.
func TestAllEnds(t *testing.T) {
	doc := testdoc.Large(1, 60_000, false)
	for range 40 {
		src := slices.Clone(doc)
		f, _, err := fork.First(src, 9, fork.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range f.All() {
			break
		}
		for i := range src {
			src[i] = '['
		}
	}
}

// TestTree: in a tree of forks of forks, where every fork is forked again, an effect is actionable in at most one leaf.
func TestTree(t *testing.T) {
	leaves := 0
	for seed := range uint64(60) {
		in := map[string]int{}
		var grow func(src []byte, depth int)
		grow = func(src []byte, depth int) {
			if depth == 0 {
				leaves++
				for _, id := range mustModel(src).pending() {
					in[id]++
				}
				return
			}
			n, opts := wishes(newDice(seed+uint64(len(src)), 17), mustModel(src))
			list, err := fork.Fork(src, n, opts)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, r := range list {
				grow(r.Bytes(), depth-1)
			}
		}
		grow(dense(seed), 3)
		for id, n := range in {
			if n > 1 {
				t.Errorf("seed %d: %s is actionable in %d leaves", seed, id, n)
			}
		}
	}
	t.Logf("%d leaves", leaves)
}

// TestNames: what the ids of guards are (transforms.md §1).
func TestNames(t *testing.T) {
	cut := func(wish string) string { return fmt.Sprintf("%s.%x", wish[:100], sha256.Sum256([]byte(wish)))[:109] }
	long, longer := strings.Repeat("y", 98), strings.Repeat("y", 128)
	ids := []string{"op", "taken", "fork-guard.taken", "fork-guard.taken.2", "clash", "clash.2", "fork-guard.clash", long, longer, hundred + "a", hundred + "b", longer[:125] + "abc"}
	want := []string{"fork-guard.op", "fork-guard.taken.3", "fork-guard.fork-guard.taken", "fork-guard.fork-guard.taken.2", "fork-guard.clash.2", "fork-guard.clash.2.2",
		"fork-guard.fork-guard.clash", "fork-guard." + long, cut("fork-guard." + longer), cut("fork-guard." + hundred + "a"), cut("fork-guard." + hundred + "b"),
		cut("fork-guard." + longer[:125] + "abc")}
	var operations []string
	for _, id := range ids {
		operations = append(operations, action(id, ""))
	}
	trial := held(t, head+`,"operations":[`+strings.Join(operations, ",")+"]}", 1, fork.Options{})
	var got []string
	for _, g := range trial.forks[0].items("continuation", "stop_conditions") {
		got = append(got, g.str("id"))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nnot\n%q", got, want)
	}
}

// TestInputs: 64 checkpoints and all sessions stay, and beyond them what the parent's own fork entry names.
func TestInputs(t *testing.T) {
	for n, gone := range map[int]int{0: 0, 62: 0, 63: 0, 64: 1, 65: 2, 90: 27} {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"id":"urn:x:%d"}`, i), fmt.Sprintf(`{"id":"urn:x:%d","protocol":"p"}`, i))
		}
		src := head + `,"derivation":{"method":"merged","inputs":[` + strings.Join(list, " , ") + `]}`
		held(t, src+"}", 2, fork.Options{})
		src += `,"extensions":{"` + forkKey + `":{"parent":"urn:x:63","of":["urn:x:70","urn:x:89",{"urn:x:64":""}]}}}`
		trial := held(t, src, 2, fork.Options{})
		for _, id := range []int{63, 70, 89} {
			if id < n {
				gone--
			}
		}
		if got := len(mustDecode(trial.forks[0].result.Bytes()).items("derivation", "inputs")); got != 2*n+1-max(gone, 0) {
			t.Errorf("%d inputs of %d, %d should be gone", got, 2*n+1, gone)
		}
	}
}

// TestDeepLineage: the parents' entries stand in each other until there is no room; then the wish is refused.
func TestDeepLineage(t *testing.T) {
	for depth, ok := range map[int]bool{990: true, 997: true, 998: false} {
		src := head + `,"extensions":{"` + forkKey + `":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}}`
		if ok {
			held(t, src, 2, fork.Options{})
		} else if list, err := fork.Fork([]byte(src), 2, fork.Options{}); list != nil || !errors.As(err, new(*fork.RequestError)) {
			t.Errorf("%d levels: %v", depth, err)
		}
	}
}
