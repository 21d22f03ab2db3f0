package capture

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// claudeCall is a line of Claude Code with a call, claudeAnswer one with its result.
func claudeCall(id, tool, arguments string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":"a%s","sessionId":"s","timestamp":"2026-01-01T00:00:01Z","message":{"id":"m%[1]s","content":[{"type":"tool_use","id":%[1]q,"name":%q,"input":%s}]}}`+"\n",
		id, tool, arguments)
}

func claudeAnswer(id, text string, isError bool) string {
	return fmt.Sprintf(`{"type":"user","uuid":"r%s","sessionId":"s","timestamp":"2026-01-01T00:00:09Z","message":{"content":[{"type":"tool_result","tool_use_id":%[1]q,"content":%q,"is_error":%v}]}}`+"\n",
		id, text, isError)
}

const claudeHead = `{"type":"user","uuid":"u","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"do it"}}` + "\n"

// witnessed captures a log with a journal and returns its operations by id, as status and resume, and the texts of all.
func witnessed(t *testing.T, log string, opts Options) (map[string]string, string) {
	t.Helper()
	opts.Now = testNow
	r, err := Capture(strings.NewReader(log), opts)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, r)
	found := map[string]string{}
	for _, o := range viewOf(t, r).Operations {
		found[o.ID] = strings.TrimSuffix(o.Status+" "+o.Resume, " ")
	}
	return found, string(r.Bytes())
}

// always is a witness that says one thing.
func always(p Proof) func(Call) Proof { return func(Call) Proof { return p } }

func expect(t *testing.T, got map[string]string, want string) {
	t.Helper()
	list := map[string]string{}
	for _, w := range strings.Split(want, ", ") {
		if id, what, ok := strings.Cut(w, "="); ok {
			list[id] = what
		}
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(list)
	if string(a) != string(b) {
		t.Errorf("operations %s, want %s", a, b)
	}
}

// TestProofs maps an open call by what is proved of it.
func TestProofs(t *testing.T) {
	for _, c := range []struct {
		tool   string
		answer string
		proof  Proof
		want   string
	}{
		{"Bash", "", NoProof, "op.c=uncertain verify_first"},
		{"Bash", "", NotStarted, "op.c=planned retry"},
		{"Bash", "", Started, "op.c=uncertain verify_first"},
		{"Read", "", Started, "op.c=uncertain retry"}, // a tool that only reads may be called again
		{"Bash", "", Finished, "op.c=completed"},
		{"Bash", "", FinishedWithError, "op.c=failed verify_first"},
		{"Bash", claudeAnswer("c", "done", false), NotStarted, ""},
		{"Bash", claudeAnswer("c", "no such file", true), Finished, "op.c=failed verify_first"},
		{"Bash", claudeAnswer("c", "Command timed out", true), Started, "op.c=uncertain verify_first"},
		{"Bash", claudeAnswer("c", "Command timed out", true), NoProof, "op.c=uncertain verify_first"},
		{"Bash", claudeAnswer("c", "Command timed out", true), NotStarted, "op.c=planned retry"},
		{"Bash", claudeAnswer("c", "Command timed out", true), Finished, "op.c=completed"},
		{"Bash", claudeAnswer("c", "Command running in background with ID: x", false), Finished, "op.c=uncertain verify_first"},
		{"mcp__pay__send", "", NotStarted, "op.c=planned retry"},
		{"mcp__pay__send", claudeAnswer("c", "sent", false), NotStarted, "op.c=completed"},
	} {
		log := claudeHead + claudeCall("c", c.tool, `{"command":"x"}`) + c.answer
		got, text := witnessed(t, log, Options{Witness: always(c.proof)})
		expect(t, got, c.want)
		if c.answer == "" && strings.Contains(text, "TOOL_NOT_STARTED") != (c.proof == NotStarted) || strings.Contains(text, "TOOL_OUTCOME_UNKNOWN") != (c.answer == "" && c.proof == Started) {
			t.Errorf("%v: %s", c, text)
		}
		if c.proof == NoProof || c.proof == NotStarted {
			continue
		}
		entry := Journaled{Call: Call{ID: "c", Tool: "other"}, Proof: c.proof, Ended: "2026-01-01T00:00:05Z"}
		got, _ = witnessed(t, log, Options{Journaled: []Journaled{entry}, Witness: always(NotStarted)})
		expect(t, got, c.want)
	}
}

// TestAsked says what a witness is asked.
func TestAsked(t *testing.T) {
	var asked []Call
	log := claudeHead + claudeCall("c1", "mcp__pay__send", `{"to":"x"}`) + claudeCall("c2", "Bash", `{"command":"y"}`) + claudeAnswer("c2", "done", false)
	witnessed(t, log, Options{Witness: func(c Call) Proof {
		asked = append(asked, c)
		return NoProof
	}})
	if len(asked) != 1 || fmt.Sprintf("%s %s %s %s %s", asked[0].ID, asked[0].Server, asked[0].Tool, asked[0].Arguments, asked[0].At) != `c1 pay send {"to":"x"} 2026-01-01T00:00:01Z` {
		t.Errorf("%+v", asked)
	}
}

// TestUnlogged holds that no call of the journal is lost, and that its ids are those of a longer log.
func TestUnlogged(t *testing.T) {
	journal := []Journaled{
		{Call: Call{ID: "c1", Tool: "Bash", Arguments: []byte(`{"command":"x"}`), At: "2026-01-01T00:00:01Z"}, Proof: Finished, Ended: "2026-01-01T00:00:02Z"},
		{Call: Call{ID: "c2", Tool: "Bash", Arguments: []byte(`{"command":"token AKIAIOSFODNN7REALKEY"}`), At: "2026-01-01T00:00:03Z"}},
		{Call: Call{ID: "c3", Tool: "send", Server: "pay", Arguments: []byte(`{"to":"y"}`)}, Proof: FinishedWithError},
		{Call: Call{ID: "c4", Tool: "Read", Arguments: []byte(`{"file_path":"/a"}`)}, Proof: Started},
		{Call: Call{ID: "c5", Tool: "Bash", Arguments: []byte(`not JSON`)}, Proof: NotStarted},
	}
	got, text := witnessed(t, claudeHead, Options{Journaled: journal})
	expect(t, got, "op.c1=completed, op.c2=uncertain verify_first, op.c3=failed verify_first, op.c4=uncertain retry, op.c5=planned retry")
	for _, want := range []string{`"call":{"tool":"send","arguments":{"to":"y"}}`, `"completed_at":"2026-01-01T00:00:02Z"`, `"target":"file.1"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if strings.Contains(text, "AKIA") {
		t.Error("a credential of the journal passed")
	}
	longer := claudeHead + claudeCall("c1", "Bash", `{"command":"x"}`) + claudeCall("c2", "Bash", `{"command":"y"}`) + claudeAnswer("c1", "done", false)
	got, _ = witnessed(t, longer, Options{Journaled: journal[:2]})
	expect(t, got, "op.c2=uncertain verify_first")
}

// TestSameID joins calls that share an id one by one.
func TestSameID(t *testing.T) {
	log := claudeHead + claudeCall("c", "Bash", `{"command":"x"}`) + claudeAnswer("c", "done", false)
	entry := Journaled{Call: Call{ID: "c", Tool: "Bash", Arguments: []byte(`{"command":"x"}`)}}
	got, _ := witnessed(t, log, Options{Journaled: []Journaled{entry, entry}})
	expect(t, got, "op.c.2=uncertain verify_first")
	got, _ = witnessed(t, log, Options{Journaled: []Journaled{entry}})
	expect(t, got, "")
}

// geminiTurn is a turn of the model in a log of Gemini CLI with a call that has its result.
func geminiTurn(n int, arguments string, at string) string {
	return fmt.Sprintf(`{"id":"m%d","type":"gemini","timestamp":"2026-01-01T00:00:00Z","content":"","toolCalls":[{"id":"x%[1]d","name":"run_shell_command","args":%s,"status":"success","timestamp":%q,"result":[]}]}`+"\n",
		n, arguments, at)
}

const geminiHead = `{"sessionId":"s","projectHash":"p","kind":"main"}` + "\n" + `{"id":"u","type":"user","content":"do it"}` + "\n"

// TestNamelessCalls joins calls of a client whose hooks name no ids: by tool, arguments and order, and by their times.
func TestNamelessCalls(t *testing.T) {
	run := func(at, arguments string, p Proof) Journaled {
		return Journaled{Call: Call{Tool: "run_shell_command", Arguments: []byte(arguments), At: at}, Proof: p}
	}
	first, second := `{"command":"x","n":1.0}`, `{"n":1,"command":"x"}`
	log := geminiHead + geminiTurn(1, first, "2026-01-01T00:00:02Z")
	for name, c := range map[string]struct {
		log     string
		journal []Journaled
		want    int // operations
	}{
		"one is both":           {log, []Journaled{run("2026-01-01T00:00:01Z", second, Finished)}, 0},
		"another has no log":    {log, []Journaled{run("2026-01-01T00:00:01Z", second, Finished), run("2026-01-01T00:00:03Z", first, Started)}, 1},
		"an earlier one":        {log, []Journaled{run("2026-01-01T00:00:00Z", second, Started), run("2026-01-01T00:00:01Z", first, Finished)}, 1},
		"dispatched afterwards": {log, []Journaled{run("2026-01-01T00:00:03Z", second, Started)}, 1},
		"other arguments":       {log, []Journaled{run("2026-01-01T00:00:01Z", `{"command":"y"}`, Started)}, 1},
		"no times":              {geminiHead + geminiTurn(1, first, ""), []Journaled{run("", second, Finished), run("", first, Started)}, 1},
	} {
		got, text := witnessed(t, c.log, Options{Journaled: c.journal})
		if len(got) != c.want {
			t.Errorf("%s: %v", name, got)
		}
		for id, what := range got {
			if !strings.HasPrefix(id, "op.journal.") || what != "uncertain verify_first" {
				t.Errorf("%s: %s is %s\n%s", name, id, what, text)
			}
		}
	}
}

// TestDoubtfulJoin claims no proof that a call did not start where the journal may hold it.
func TestDoubtfulJoin(t *testing.T) {
	log := claudeHead + claudeCall("c", "Bash", `{"command":"x"}`)
	entry := Journaled{Call: Call{Tool: "Bash", Arguments: []byte(`{"command":"other"}`)}}
	got, _ := witnessed(t, log, Options{Witness: always(NotStarted), Journaled: []Journaled{entry}})
	if got["op.c"] != "uncertain verify_first" || len(got) != 2 {
		t.Errorf("%v", got)
	}
	entry.Tool = "Edit"
	got, _ = witnessed(t, log, Options{Witness: always(NotStarted), Journaled: []Journaled{entry}})
	if got["op.c"] != "planned retry" || len(got) != 2 {
		t.Errorf("%v", got)
	}
}

// TestLostTurn maps a turn that the log does not show by what the journal holds.
func TestLostTurn(t *testing.T) {
	log := geminiHead + `{"id":"m","type":"gemini","content":""}` + "\n"
	got, _ := witnessed(t, log, Options{})
	expect(t, got, "op.turn.3=uncertain verify_first")
	got, _ = witnessed(t, log, Options{Witness: func(c Call) Proof {
		if c.Tool != "" {
			t.Errorf("asked of %+v", c)
		}
		return NotStarted
	}, Journaled: []Journaled{{Call: Call{ID: "z", Tool: "run_shell_command"}}}})
	expect(t, got, "op.z=uncertain verify_first")
}

// TestUsedApproval says that a call that was dispatched used its approval.
func TestUsedApproval(t *testing.T) {
	log := dshHead + `{"type":"tool/call","seq":2,"data":{"callId":"c","name":"bash","arguments":"{}"}}` + "\n" +
		`{"type":"approval/asked","seq":3,"data":{"id":"q","callId":"c"}}` + "\n"
	for p, want := range map[Proof]string{NotStarted: "awaiting ask", Started: "uncertain ask", Finished: "uncertain ask"} {
		if got, _ := witnessed(t, log, Options{Witness: always(p)}); got["approval.q"] != want {
			t.Errorf("%d: %v", p, got)
		}
	}
}
