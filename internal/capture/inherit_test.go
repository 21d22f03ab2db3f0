package capture

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// mustCaptureWith captures a log as the child of a checkpoint.
func mustCaptureWith(t testing.TB, log, parent []byte, n int) *Result {
	t.Helper()
	opts := continueOptions(n)
	opts.Parent = parent
	r, err := Capture(bytes.NewReader(log), opts)
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	follows(t, parent, r.Bytes())
	return r
}

// objectIDs are the ids of the statements, steps and operations of a checkpoint.
func objectIDs(t testing.TB, r *Result) (ids []string) {
	v := viewOf(t, r)
	for _, s := range v.Statements {
		ids = append(ids, s.ID)
	}
	for _, s := range v.Progress.Completed {
		ids = append(ids, s.ID)
	}
	for _, o := range v.Operations {
		ids = append(ids, o.ID+" "+o.Status)
	}
	slices.Sort(ids)
	return ids
}

// TestRestartLaw captures every log as a whole as the child of what its beginning made: it has what the log alone makes, and where no branch was left nothing
// else; where one was, the words of the person on it stay. What follows can be continued from.
func TestRestartLaw(t *testing.T) {
	for _, s := range samples(t) {
		if len(s.log) > 200<<10 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			whole, err := Capture(bytes.NewReader(s.log), continueOptions(9))
			if err != nil {
				t.Fatal(err)
			}
			want := objectIDs(t, whole)
			cuts := ends(s.log)
			for i := 0; i < len(cuts); i += 1 + len(cuts)/testdoc.Few(12) {
				first, err := Capture(bytes.NewReader(s.log[:cuts[i]]), continueOptions(0))
				if err != nil {
					continue
				}
				r := mustCaptureWith(t, s.log, first.Bytes(), 1)
				if got := objectIDs(t, r); !slices.Equal(got, want) && !leavesBranch[s.name] && s.name != "opencode-reverted" {
					t.Errorf("cut at %d: %v, want %v", cuts[i], got, want)
				} else if missing := lacking(got, want); len(missing) > 0 {
					t.Errorf("cut at %d: %v are missing", cuts[i], missing)
				}
				if lost := lacking(viewOf(t, r).instructions(), viewOf(t, first).instructions()); len(lost) > 0 {
					t.Errorf("cut at %d: what the person said is lost: %q", cuts[i], lost)
				}
				again := mustCaptureWith(t, s.log, r.Bytes(), 2)
				if !slices.Equal(objectIDs(t, again), objectIDs(t, r)) {
					t.Errorf("cut at %d: a second time there is %v, want %v", cuts[i], objectIDs(t, again), objectIDs(t, r))
				}
				restartAndContinue(t, s.log, cuts[i], want)
			}
		})
	}
}

// lacking are those of some ids that others do not have.
func lacking(got, want []string) []string {
	return slices.DeleteFunc(slices.Clone(want), func(id string) bool { return slices.Contains(got, id) })
}

// restartAndContinue goes on from a checkpoint that was captured with a parent.
func restartAndContinue(t *testing.T, log []byte, n int, want []string) {
	t.Helper()
	first, err := Capture(bytes.NewReader(log[:n]), continueOptions(0))
	if err != nil {
		return
	}
	second := mustCaptureWith(t, log[:n], first.Bytes(), 1)
	third, err := Continue(second.Bytes(), second.State(), bytes.NewReader(log), continueOptions(2))
	if errors.Is(err, ErrRestart) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	follows(t, second.Bytes(), third.Bytes())
	if got := objectIDs(t, third); !slices.Equal(got, want) {
		t.Errorf("cut at %d, restarted and continued: %v, want %v", n, got, want)
	}
}

// foreign is a checkpoint of the session in claudeHead that others changed: a person's constraint, a decision, a question, a hypothesis that nothing needs, a fork's guard,
// a payment that is over, and names that the log uses for something else.
const foreign = `{"opencheckpoint":"0.1","id":"urn:example:foreign","created_at":"2026-01-02T00:00:00Z",
 "source":{"producer":{"name":"other"}},
 "task":{"objective":"pay them","outcome":"they are paid","status":"active","success_criteria":[{"id":"paid","description":"paid","status":"unmet","evidence":["file.1"]}]},
 "progress":{"completed":[{"id":"step.old","description":"looked","evidence":["file.1"]}],"focus":{"description":"pay","refs":["ask"]},
  "next":[{"id":"then","description":"tell them","blocked_by":["ask"]}]},
 "statements":[
  {"id":"user.1","kind":"instruction","text":"an older word","origin":{"type":"user"}},
  {"id":"agent.9","kind":"observation","text":"seen","origin":{"type":"agent"},"evidence":["file.1"]},
  {"id":"limit","kind":"constraint","text":"no more than 10","origin":{"type":"user"}},
  {"id":"choice","kind":"decision","text":"by bank","rationale":"cheap","origin":{"type":"agent","ref":"file.1"}},
  {"id":"ask","kind":"question","text":"when?","origin":{"type":"agent"}},
  {"id":"asked","kind":"question","text":"who?","status":"resolved","resolution":"they","origin":{"type":"agent"}},
  {"id":"guess","kind":"hypothesis","text":"perhaps","origin":{"type":"agent"}}],
 "resources":[{"id":"file.1","uri":"file:///old","type":"file"},{"id":"result.z","uri":"file:///unused","type":"file"}],
 "operations":[
  {"id":"op.c","kind":"action","status":"completed","description":"paid","effect":"unknown","call":{"tool":"pay","arguments":{"to":"x"}},"target":"file.1","depends_on":["ok"],"extensions":{"org.example":{"a":1}}},
  {"id":"ok","kind":"approval","status":"awaiting","description":"may I","resume":"ask"},
  {"id":"op.gone","kind":"action","status":"uncertain","description":"what the log lacks","effect":"unknown","resume":"verify_first"}],
 "continuation":{"stop_conditions":[{"id":"guard","description":"another fork owns it","applies_to":["op.gone"],"refs":["file.1"]}]},
 "derivation":{"method":"forked","inputs":[{"id":"urn:example:older"}],"omissions":[{"id":"ocp.omission.7","description":"something","reason":"size","recoverable_from":"file.1"}],
  "transformations":[{"id":"short","description":"shortened","affected":["step.old"]}]},
 "extensions":{"org.example":{"b":2}}}`

// TestForeignParent holds what a checkpoint has that the log does not show.
func TestForeignParent(t *testing.T) {
	log := claudeHead + claudeCall("c", "Read", `{"file_path":"/new"}`) + claudeAnswer("c", "text", false) + claudeCall("d", "Bash", `{"command":"x"}`)
	log += strings.Replace(claudeCall("c", "pay", `{"to":"x"}`), `"uuid":"ac"`, `"uuid":"ac2"`, 1)
	r := mustCaptureWith(t, []byte(log), []byte(foreign), 1)
	text := string(r.Bytes())
	for _, want := range []string{
		`"method":"converted"`, `"inputs":[{"id":"urn:example:foreign","digest":"sha-256:`, `,{"id":"urn:example:older"},{"protocol":"claude-code","id":"s"}]`,
		`"id":"user.1.2","kind":"instruction","text":"an older word"`, `"id":"user.1","kind":"instruction","text":"do it"`,
		`"id":"limit"`, `"rationale":"cheap","origin":{"type":"agent","ref":"file.1.2"}`, `"id":"ask"`, `{"id":"file.1.2","uri":"file:///old"`, `{"id":"file.1","uri":"file:///new"`,
		`"id":"step.old","description":"looked","evidence":["file.1.2"]`, `"id":"op.c","kind":"action","status":"completed"`, `"target":"file.1.2"`, `{"org.example":{"a":1}}`,
		`"id":"ok","kind":"approval","status":"awaiting"`, `"id":"op.gone"`, `"applies_to":["op.gone"],"refs":["file.1.2"]`, `"outcome":"they are paid"`, `"evidence":["file.1.2"]}]`,
		`"objective":"x"`, `"focus":{"description":"pay","refs":["ask"]}`, `"blocked_by":["ask"]`, `"id":"ocp.omission.7"`, `"recoverable_from":"file.1.2"`, `"affected":["step.old"]`, `{"org.example":{"b":2}}`,
		`3 statements, 1 resource of the parent that the log does not show, or shows to be over","reason":"superseded","recoverable_from":"ocp.input"`, `"id":"op.d","kind":"action","status":"uncertain"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, unwanted := range []string{`"id":"guess"`, `"id":"asked"`, `"id":"agent.9"`, `file:///unused`} {
		if strings.Contains(text, unwanted) {
			t.Errorf("there is %s", unwanted)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
	longer := log + claudeAnswer("d", "done", false)
	next, err := Continue(r.Bytes(), r.State(), strings.NewReader(longer), continueOptions(2))
	if err != nil {
		t.Fatal(err)
	}
	follows(t, r.Bytes(), next.Bytes())
	after := string(next.Bytes())
	for _, want := range []string{`"id":"op.gone"`, `"id":"limit"`, `"id":"step.d"`, `"id":"guard"`, `{"org.example":{"b":2}}`, `"id":"op.c","kind":"action","status":"completed"`, `"id":"ocp.omission.7"`, `"id":"short"`} {
		if !strings.Contains(after, want) {
			t.Errorf("then there is no %s in %s", want, after)
		}
	}
	if strings.Contains(after, `"id":"op.d"`) {
		t.Error("a call that is over is still open")
	}
}

// TestParentErrors refuses a parent that is no checkpoint, and an id that is its own.
func TestParentErrors(t *testing.T) {
	opts := continueOptions(1)
	opts.Parent = []byte(`{"id":"x"}`)
	var invalid *checkpoint.InvalidError
	if _, err := Capture(strings.NewReader(claudeHead), opts); !errors.As(err, &invalid) {
		t.Error(err)
	}
	opts.Parent, opts.ID = []byte(foreign), "urn:example:foreign"
	if _, err := Capture(strings.NewReader(claudeHead), opts); !errors.Is(err, checkpoint.ErrSameID) {
		t.Error(err)
	}
	opts.ID = ""
	opts.Live = true
	r, err := Capture(strings.NewReader(claudeHead), opts)
	if err != nil || !bytes.Contains(r.Bytes(), []byte(`"method":"captured"`)) {
		t.Error(err)
	}
}
