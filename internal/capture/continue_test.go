package capture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// continueOptions fix all that is not the log's. Beginnings of a log need not say what the work is about.
func continueOptions(n int) Options {
	return Options{ID: fmt.Sprintf("urn:example:captured-%d", n), Now: testNow, Objective: "x"}
}

// sameObjects says whether two checkpoints say the same, whatever they derive from.
func sameObjects(t testing.TB, name string, got, want []byte) {
	t.Helper()
	var a, b map[string]json.RawMessage
	if json.Unmarshal(got, &a) != nil || json.Unmarshal(want, &b) != nil {
		t.Fatal("no JSON")
	}
	for _, member := range []string{"source", "task", "progress", "statements", "resources", "operations", "application_context", "continuation", "extensions"} {
		if !bytes.Equal(a[member], b[member]) {
			t.Fatalf("%s: %s differ\n%s\nwant\n%s", name, member, difference(a[member], b[member]), difference(b[member], a[member]))
		}
	}
	var c, d struct{ Omissions, Transformations json.RawMessage }
	json.Unmarshal(a["derivation"], &c)
	json.Unmarshal(b["derivation"], &d)
	if !bytes.Equal(c.Omissions, d.Omissions) || !bytes.Equal(c.Transformations, d.Transformations) {
		t.Fatalf("%s: derivation\n%s\nwant\n%s", name, a["derivation"], b["derivation"])
	}
}

// difference is the part of a text around where it begins to differ from another.
func difference(a, b []byte) []byte {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return a[max(i-300, 0):min(i+300, len(a))]
}

// follows checks that a checkpoint is valid beside its parent.
func follows(t testing.TB, head, child []byte) {
	t.Helper()
	parent, err := checkpoint.ParseOne(head, checkpoint.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := checkpoint.ParseOne(child, checkpoint.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	if broken := checkpoint.CheckPair(parent, doc); len(broken) > 0 {
		t.Fatal(broken)
	}
	want, _ := parent.Digest()
	item, ok := doc.ParentDigest()
	if !ok || !bytes.Contains(child[item.Value.Start:item.Value.End], []byte(want.String())) {
		t.Errorf("the parent's digest is not in it: %.300s", child)
	}
}

// continued captures a log in pieces that end at some places. It returns nil where one of them says that it cannot go on.
func continued(t testing.TB, log []byte, cuts ...int) *Result {
	t.Helper()
	r, err := Capture(bytes.NewReader(log[:cuts[0]]), continueOptions(0))
	for i, end := range append(cuts[1:], len(log)) {
		if errors.Is(err, ErrRestart) || errors.Is(err, ErrFormat) || errors.Is(err, ErrNoRecord) || errors.Is(err, ErrEmpty) {
			return nil
		}
		if err != nil {
			t.Fatal(cuts, err)
		}
		var next *Result
		if next, err = Continue(r.Bytes(), r.State(), bytes.NewReader(log[:end]), continueOptions(i+1)); err == nil {
			follows(t, r.Bytes(), next.Bytes())
			sound(t, next)
			r = next
		}
	}
	if err != nil {
		return nil
	}
	return r
}

// ends are the offsets behind each line of a log.
func ends(log []byte) (list []int) {
	for i, b := range log {
		if b == '\n' {
			list = append(list, i+1)
		}
	}
	return list
}

// TestContinueLaw holds that what is captured in two pieces is what is captured at once, wherever the log was cut.
func TestContinueLaw(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			whole, err := Capture(bytes.NewReader(s.log), continueOptions(9))
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(1, 2))
			cuts := ends(s.log)
			random.Shuffle(len(cuts), func(i, j int) { cuts[i], cuts[j] = cuts[j], cuts[i] })
			cuts = cuts[:min(len(cuts), testdoc.Few(60))]
			for range testdoc.Few(30) {
				cuts = append(cuts, 1+random.IntN(len(s.log)-1))
			}
			if len(s.log) > 200<<10 {
				cuts = cuts[:min(len(cuts), testdoc.Few(8))]
			}
			done := 0
			for _, n := range cuts {
				if r := continued(t, s.log, n); r != nil {
					sameObjects(t, fmt.Sprintf("cut at %d of %d", n, len(s.log)), r.Bytes(), whole.Bytes())
					done++
				}
			}
			t.Logf("%d of %d cuts", done, len(cuts))
		})
	}
}

// TestContinueChain goes on several times, and says that it can wherever no branch is left.
func TestContinueChain(t *testing.T) {
	for _, s := range samples(t) {
		if len(s.log) > 200<<10 || isExport(s.log) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			whole, err := Capture(bytes.NewReader(s.log), continueOptions(9))
			if err != nil {
				t.Fatal(err)
			}
			if r := continued(t, s.log, ends(s.log)...); r != nil {
				sameObjects(t, s.name, r.Bytes(), whole.Bytes())
			} else if !leavesBranch[s.name] {
				t.Error("it cannot be continued")
			}
		})
	}
}

// leavesBranch are the samples in which a branch is left, so that what was settled changes.
var leavesBranch = map[string]bool{"claude-code-rewound": true, "codex-rolled-back": true, "gemini-cli-rewound": true, "pi-tree": true}

// TestContinueHostile holds the law over logs that no client writes: many calls with one id, branches everywhere, turns taken back.
func TestContinueHostile(t *testing.T) {
	for name, make := range hostile {
		log := []byte(make(12))
		whole, err := Capture(bytes.NewReader(log), continueOptions(9))
		if err != nil {
			t.Fatal(err)
		}
		lines := ends(log)
		for i := range lines {
			for _, cuts := range [][]int{{lines[i]}, {lines[i], lines[(i+len(lines))/2]}, {lines[i] - 1}, {lines[i] - 7}} {
				if r := continued(t, log, cuts...); r != nil {
					sameObjects(t, fmt.Sprintf("%s cut at %v", name, cuts), r.Bytes(), whole.Bytes())
				}
			}
		}
	}
}

// TestContinueNothing goes on from a log that has nothing more.
func TestContinueNothing(t *testing.T) {
	for _, s := range samples(t) {
		if isExport(s.log) || len(s.log) > 200<<10 {
			continue
		}
		r := continued(t, s.log, len(s.log), len(s.log))
		whole, _ := Capture(bytes.NewReader(s.log), continueOptions(9))
		if r == nil {
			t.Fatalf("%s: it cannot be continued", s.name)
		}
		sameObjects(t, s.name, r.Bytes(), whole.Bytes())
	}
}

// TestRestart says so where the checkpoint, the state or the log is another one.
func TestRestart(t *testing.T) {
	log := []byte(claudeHead + claudeCall("c", "Bash", `{"command":"x"}`))
	r, err := Capture(bytes.NewReader(log), continueOptions(0))
	if err != nil {
		t.Fatal(err)
	}
	other, _ := Capture(bytes.NewReader(log), continueOptions(1))
	longer := append(bytes.Clone(log), claudeAnswer("c", "done", false)...)
	changed := bytes.Replace(longer, []byte("do it"), []byte("do ut"), 1)
	newer := bytes.Replace(r.State(), []byte(`{"Version":1`), []byte(`{"Version":2`), 1)
	for name, c := range map[string]struct{ head, state, log []byte }{
		"another checkpoint": {other.Bytes(), r.State(), longer},
		"no state":           {r.Bytes(), nil, longer},
		"a broken state":     {r.Bytes(), r.State()[:100], longer},
		"a newer state":      {r.Bytes(), newer, longer},
		"a log that was cut": {r.Bytes(), r.State(), log[:len(log)-1]},
		"a log that differs": {r.Bytes(), r.State(), changed},
	} {
		if _, err := Continue(c.head, c.state, bytes.NewReader(c.log), continueOptions(2)); !errors.Is(err, ErrRestart) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Continue(r.Bytes(), r.State(), bytes.NewReader(longer), continueOptions(2)); err != nil {
		t.Error(err)
	}
	unended := []byte(claudeHead + strings.TrimSuffix(claudeCall("c", "Bash", `{}`), "\n"))
	r, _ = Capture(bytes.NewReader(unended), continueOptions(0))
	if _, err := Continue(r.Bytes(), r.State(), bytes.NewReader(append(unended, "x\n"...)), continueOptions(2)); !errors.Is(err, ErrRestart) {
		t.Errorf("a line that was longer: %v", err)
	}
}

// TestForgotten says so where what is appended is about a record that is remembered no more.
func TestForgotten(t *testing.T) {
	var claude, gemini strings.Builder
	claude.WriteString(claudeHead)
	gemini.WriteString(geminiHead)
	for i := range 2 * mostPassed {
		fmt.Fprintf(&claude, `{"type":"user","uuid":"u%d","parentUuid":%q,"sessionId":"s","message":{"role":"user","content":"more %[1]d"}}`+"\n", i, previous(i))
		fmt.Fprintf(&gemini, `{"id":"u%d","type":"user","content":"more"}`+"\n", i)
	}
	for name, c := range map[string]struct {
		log, more string
		restarts  bool
	}{
		"a new turn":           {claude.String(), `{"type":"user","uuid":"v","parentUuid":"u511","sessionId":"s","message":{"role":"user","content":"go on"}}`, false},
		"an old branch":        {claude.String(), `{"type":"user","uuid":"v","parentUuid":"u7","sessionId":"s","message":{"role":"user","content":"back"}}`, true},
		"a late branch":        {claude.String(), `{"type":"user","uuid":"v","parentUuid":"u505","sessionId":"s","message":{"role":"user","content":"back"}}`, true},
		"an old copy":          {claude.String(), `{"type":"last-prompt","lastPrompt":"more 7","sessionId":"s"}`, true},
		"a late copy":          {claude.String(), `{"type":"last-prompt","lastPrompt":"more 505","sessionId":"s"}`, false},
		"an unknown leaf":      {claude.String(), `{"type":"summary","summary":"x","leafUuid":"u7"}`, true},
		"a new message":        {gemini.String(), `{"id":"v","type":"user","content":"more"}`, false},
		"a late message again": {gemini.String(), `{"id":"u500","type":"user","content":"more"}`, true},
		"going back":           {gemini.String(), `{"$rewindTo":"u7"}`, true},
		"other messages":       {gemini.String(), `{"$set":{"messages":[]}}`, true},
	} {
		r, err := Capture(strings.NewReader(c.log), continueOptions(0))
		if err != nil {
			t.Fatal(err)
		}
		if len(r.State()) > 64<<10 {
			t.Errorf("%s: the state has %d bytes", name, len(r.State()))
		}
		next, err := Continue(r.Bytes(), r.State(), strings.NewReader(c.log+c.more+"\n"), continueOptions(1))
		if errors.Is(err, ErrRestart) != c.restarts || err != nil && !c.restarts {
			t.Errorf("%s: %v", name, err)
		}
		if whole, _ := Capture(strings.NewReader(c.log+c.more+"\n"), continueOptions(2)); err == nil {
			sameObjects(t, name, next.Bytes(), whole.Bytes())
		}
	}
}

// previous is the record before u0, u1 and so on in a log of Claude Code.
func previous(i int) string {
	if i == 0 {
		return "u"
	}
	return fmt.Sprintf("u%d", i-1)
}

// TestContinueWitness goes on with a journal: what it proved stays, and what is joined stays joined.
func TestContinueWitness(t *testing.T) {
	name := []Journaled{{Call: Call{Tool: "run_shell_command", Arguments: []byte(`{"command":"x"}`), At: "2026-01-01T00:00:01Z"}, Proof: Finished}}
	first := geminiHead + geminiTurn(1, `{"command":"x"}`, "2026-01-01T00:00:02Z") + `{"id":"u2","type":"user","content":"more"}` + "\n"
	got := goOn(t, first, `{"id":"u3","type":"user","content":"more"}`+"\n", name, name)
	expect(t, got, "")
	open := claudeHead + claudeCall("c", "Bash", `{"command":"x"}`)
	proved := []Journaled{{Call: Call{ID: "c", Tool: "Bash"}, Proof: Finished}}
	got = goOn(t, open, claudeAnswer("c", "done", false), proved, proved)
	expect(t, got, "")
	got = goOn(t, open, claudeAnswer("c", "Command timed out", true), proved, proved)
	expect(t, got, "op.c=completed")
	got = goOn(t, open, claudeAnswer("c", "Command timed out", true), proved, nil) // the journal is gone, and what is over stays over
	expect(t, got, "op.c=completed")
	got = goOn(t, open, claudeCall("d", "Bash", `{}`), proved, nil)
	expect(t, got, "op.c=completed, op.d=uncertain verify_first")
	unlogged := []Journaled{{Call: Call{ID: "e", Tool: "Write", Arguments: []byte(`{"file_path":"/a"}`)}}}
	got = goOn(t, open, claudeAnswer("c", "done", false), unlogged, nil) // nobody says any more that it was dispatched
	expect(t, got, "op.e=uncertain verify_first")
	got = goOn(t, open, claudeAnswer("c", "done", false)+claudeCall("e", "Write", `{"file_path":"/a"}`)+claudeAnswer("e", "done", false), unlogged, unlogged)
	expect(t, got, "")
	lost := geminiHead + `{"id":"m","type":"gemini","content":""}` + "\n"
	got = goOn(t, lost, `{"id":"u2","type":"user","content":"go on"}`+"\n", nil, nil)
	expect(t, got, "op.turn.3=uncertain verify_first")
	got = goOn(t, lost, `{"id":"m","type":"gemini","content":"done"}`+"\n", nil, nil)
	expect(t, got, "")
}

// goOn captures a log, and what it has more with another journal: from there, or as a whole where that cannot be, and once more. It returns the operations.
func goOn(t *testing.T, log, more string, before, after []Journaled) map[string]string {
	t.Helper()
	opts := continueOptions(0)
	opts.Journaled = before
	r, err := Capture(strings.NewReader(log), opts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		opts := continueOptions(i + 1)
		opts.Journaled = after
		next, err := Continue(r.Bytes(), r.State(), strings.NewReader(log+more), opts)
		if errors.Is(err, ErrRestart) {
			if i > 0 {
				t.Errorf("it cannot go on for the %d. time", i+1)
			}
			opts.Parent = r.Bytes()
			next, err = Capture(strings.NewReader(log+more), opts)
		}
		if err != nil {
			t.Fatal(err)
		}
		follows(t, r.Bytes(), next.Bytes())
		r = next
	}
	found := map[string]string{}
	for _, o := range viewOf(t, r).Operations {
		found[o.ID] = strings.TrimSuffix(o.Status+" "+o.Resume, " ")
	}
	return found
}

// TestReached says that a record which was settled would have become something else.
func TestReached(t *testing.T) {
	l := &ledger{}
	for range 3 {
		l.set(l.begin(), bookkeeping)
	}
	l.part(2, media)
	var next ledger
	next.resume(l.keep([]int{2}))
	next.set(2, mapped)
	if c, each := next.counts(); next.reached || c != (Counts{3, 1, 0, 2}) || each[bookkeeping] != 2 || len(next.omissions()) != 2 {
		t.Errorf("%v %+v %v", next.reached, c, next.omissions())
	}
	if next.set(3, mapped); !next.reached {
		t.Error("a settled record was changed, and nobody knows")
	}
}

// TestBackgroundEnd ends a task that went on behind its result by a record that has no place in the tree: at once, and when the log goes on.
func TestBackgroundEnd(t *testing.T) {
	log := claudeHead + claudeCall("c", "Bash", `{"command":"x"}`) + claudeAnswer("c", "Command running in background with ID: x", false)
	end := `{"type":"queue-operation","operation":"enqueue","timestamp":"2026-01-01T00:01:00Z","sessionId":"s",` +
		`"content":"<task-notification><task-id>x</task-id><status>completed</status></task-notification>"}` + "\n"
	got, _ := witnessed(t, log+end, Options{})
	expect(t, got, "")
	expect(t, goOn(t, log, "", nil, nil), "op.c=uncertain verify_first")
	expect(t, goOn(t, log, end, nil, nil), "")
}

// TestContinueSameID goes on where the id of a call that is over is used again.
func TestContinueSameID(t *testing.T) {
	log := piLog(4)
	whole, err := Capture(bytes.NewReader(log), continueOptions(9))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range ends(log)[1:] {
		r := continued(t, log, n)
		if r == nil {
			t.Fatalf("cut at %d: it cannot be continued", n)
		}
		sameObjects(t, fmt.Sprintf("cut at %d", n), r.Bytes(), whole.Bytes())
	}
}
