package hook

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/internal/capture"
	"github.com/opencheckpoint/ocp/internal/client"
	"github.com/opencheckpoint/ocp/internal/journal"
	"github.com/opencheckpoint/ocp/store"
)

// dead is the number of a process that has ended.
func dead(t *testing.T) string {
	t.Helper()
	c := exec.Command("sh", "-c", "exit 0")
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	return named(c.ProcessState.Pid())
}

// crash is a session that is killed, and what is known of its call "pay" when the next one begins.
type crash struct {
	name   string
	act    func(*stage)
	status string // of the operation; "" is none
	resume string
	says   string
}

// asked is a turn in which the model asks for the call.
func asked(s *stage) {
	s.begin()
	s.prompt()
	s.write(person("go"), asks("pay"))
}

var crashes = []crash{
	{"before the record", asked, "planned", "retry", "TOOL_NOT_STARTED"},
	{"behind the record", func(s *stage) { asked(s); s.before("pay") }, "uncertain", "verify_first", "TOOL_OUTCOME_UNKNOWN"},
	{"behind the record, and the log lacks the call", func(s *stage) {
		s.begin()
		s.prompt()
		s.write(person("go"))
		s.before("pay")
	}, "uncertain", "verify_first", "TOOL_OUTCOME_UNKNOWN"},
	{"behind the result, and the log lacks it", func(s *stage) { asked(s); s.before("pay"); s.after("pay") }, "completed", "", ""},
	{"behind the result", func(s *stage) { asked(s); s.before("pay"); s.after("pay"); s.write(results("pay")) }, "completed", "", ""},
	{"without the hook at the prompt", func(s *stage) {
		s.begin()
		s.settings(false)
		s.prompt()
		s.settings(true)
		s.write(person("go"), asks("pay"))
	}, "uncertain", "verify_first", ""},
	{"with the hook gone by now", func(s *stage) { asked(s); s.settings(false) }, "uncertain", "verify_first", ""},
	{"while the client may live", func(s *stage) { s.Process = named(1); asked(s) }, "uncertain", "verify_first", ""},
	{"of a client on another system", func(s *stage) { s.Process += "x"; asked(s) }, "uncertain", "verify_first", ""},
	{"of a client that nobody knows", func(s *stage) { s.Process = ""; asked(s) }, "uncertain", "verify_first", ""},
	{"of a process that was seen once", func(s *stage) { s.begin(); s.write(person("go"), asks("pay")) }, "uncertain", "verify_first", ""},
	{"with a damaged journal", func(s *stage) { asked(s); s.damage() }, "uncertain", "verify_first", ""},
	{"with a hook that begins behind the call", func(s *stage) { s.write(person("go"), asks("pay")); s.begin(); s.prompt() }, "uncertain", "verify_first", ""},
}

// damage changes a byte of the journal.
func (s *stage) damage() {
	s.t.Helper()
	j, err := journal.Open(s.Journals, s.Client.Name, "one")
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := os.ReadFile(j.Path())
	if err != nil {
		s.t.Fatal(err)
	}
	text[len(text)/2]++
	if err := os.WriteFile(j.Path(), text, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// settings installs the hook, or takes it out.
func (s *stage) settings(in bool) {
	s.t.Helper()
	change := s.Client.Remove
	if in {
		change = func(p client.Place) (bool, error) { return s.Client.Install(p, "/bin/sh") }
	}
	if _, err := change(s.Places[0]); err != nil {
		s.t.Fatal(err)
	}
}

// TestCrash: what a killed session leaves is planned only if it is proved that the call never started, completed only if its result was seen, and else
// uncertain, to be verified first. The next session says so before anything else.
func TestCrash(t *testing.T) {
	for _, c := range crashes {
		t.Run(c.name, func(t *testing.T) {
			if c.status == "planned" && system() == "" { // which process the client was is not known here
				c.status, c.resume, c.says = "uncertain", "verify_first", ""
			}
			s := newStage(t, "claude-code")
			s.Process = dead(t)
			c.act(s)
			answer := s.event("SessionStart", "two", map[string]any{"source": "startup"})
			if answer.Status != 0 || len(answer.Stderr) > 0 {
				t.Fatalf("%+v %s", answer, answer.Stderr)
			}
			o := operation(t, s.head("one"), "op.pay")
			if o == nil {
				t.Fatalf("no operation in %s", s.head("one"))
			}
			resume, _ := o["resume"].(string)
			if o["status"] != c.status || resume != c.resume || !strings.Contains(o["description"].(string), c.says) {
				t.Errorf("%v", o)
			}
			if c.status != "completed" && !strings.Contains(string(answer.Stdout), `\"op.pay\" (action, `+c.status) {
				t.Errorf("the next session does not know: %s", answer.Stdout)
			}
		})
	}
}

// TestTurns: each turn adds to the checkpoint of the one before, and what was uncertain is completed when its result comes.
func TestTurns(t *testing.T) {
	s := newStage(t, "claude-code")
	asked(s)
	s.before("pay")
	s.pass("PreCompact", map[string]any{"trigger": "auto"})
	if o := operation(t, s.head("one"), "op.pay"); o["status"] != "uncertain" {
		t.Errorf("in mid-call: %v", o)
	}
	s.after("pay")
	s.write(results("pay"))
	s.pass("Stop", nil)
	if o := operation(t, s.head("one"), "op.pay"); o["status"] != "completed" {
		t.Errorf("at the end of the turn: %v", o)
	}
	s.prompt()
	s.write(person("once more"), asks("again"))
	s.pass("PreToolUse", map[string]any{"cwd": s.dir + "/below", "tool_name": "Bash", "tool_use_id": "cd", "tool_input": map[string]any{}})
	s.pass("PostToolUse", map[string]any{"cwd": s.dir + "/below", "tool_name": "Bash", "tool_use_id": "cd", "tool_input": map[string]any{}})
	s.before("again")
	s.after("again")
	s.write(results("again"))
	s.pass("Stop", map[string]any{"cwd": s.dir + "/below"}) // it is the same session, wherever the agent went
	head := s.head("one")
	for _, id := range []string{"op.pay", "op.again"} {
		if o := operation(t, head, id); o["status"] != "completed" {
			t.Errorf("%s at the end: %v", id, o)
		}
	}
	saves := len(s.records("one"))
	s.pass("SessionEnd", map[string]any{"reason": "exit"})
	if n := len(s.records("one")); n != saves+1 {
		t.Errorf("the end of a session that is saved added %d records", n-saves)
	}
}

// TestCallWhileSaving: a call that is recorded while a checkpoint is made, as of an agent in the background, is not lost with the crash that follows.
func TestCallWhileSaving(t *testing.T) {
	s := newStage(t, "claude-code")
	s.Process = dead(t)
	asked(s)
	open, calls := s.Store, 0
	s.Store = func(ctx context.Context) (store.Store, error) {
		if calls++; calls == 1 {
			s.before("late")
		}
		return open(ctx)
	}
	s.pass("Stop", nil)
	s.event("SessionStart", "two", map[string]any{"source": "startup"})
	if o := operation(t, s.head("one"), "op.late"); o == nil || o["status"] != "uncertain" || o["resume"] != "verify_first" {
		t.Errorf("%v in %s", o, s.head("one"))
	}
}

// TestClearStart: a session that a person wants to begin clear is told nothing.
func TestClearStart(t *testing.T) {
	s := newStage(t, "claude-code")
	asked(s)
	s.pass("Stop", nil)
	for source, told := range map[string]bool{"clear": false, "startup": true, "resume": true, "compact": true} {
		session := "one"
		if source == "startup" {
			session = "next"
		}
		answer := s.event("SessionStart", session, map[string]any{"source": source})
		if got := strings.Contains(string(answer.Stdout), "imported-checkpoint"); got != told || answer.Status != 0 {
			t.Errorf("%s: %s%s", source, answer.Stdout, answer.Stderr)
		}
		s.begins(s.dir, "one")
	}
}

// TestLogLost: a session whose log is gone is no trouble if it called nothing; what it called is told.
func TestLogLost(t *testing.T) {
	s := newStage(t, "claude-code")
	s.begin()
	s.prompt()
	s.pass("Stop", nil)
	s.before("pay")
	for _, word := range []string{"Stop", "SessionEnd"} {
		if answer := s.event(word, "one", nil); answer.Status != 0 || !strings.Contains(string(answer.Stderr), "the journal has 1 call whose outcome should be checked") {
			t.Errorf("%s: %+v %s", word, answer, answer.Stderr)
		}
	}
}

// TestLogInEvent: a client that keeps no file hands over the log, at a start that of the session before.
func TestLogInEvent(t *testing.T) {
	s := newStage(t, "opencode")
	s.Process = dead(t)
	log := map[string]any{
		"info": map[string]any{"id": "one", "version": "1", "directory": s.dir},
		"messages": []any{
			map[string]any{"info": map[string]any{"id": "m1", "sessionID": "one", "role": "user", "time": map[string]any{"created": s.now.UnixMilli()}},
				"parts": []any{map[string]any{"id": "p1", "type": "text", "text": "Pay it"}}},
			map[string]any{"info": map[string]any{"id": "m2", "sessionID": "one", "role": "assistant", "time": map[string]any{"created": s.now.UnixMilli()}},
				"parts": []any{map[string]any{"id": "p2", "type": "tool", "tool": "bank_pay", "callID": "pay", "state": map[string]any{"status": "running", "input": map[string]any{"invoice": "pay"}}}}},
		},
	}
	s.pass("session.start", map[string]any{"source": "startup"})
	s.pass("chat.message", map[string]any{"prompt": "Pay it"})
	s.pass("tool.execute.before", map[string]any{"tool_name": "bank_pay", "tool_use_id": "pay", "tool_input": map[string]any{"invoice": "pay"}})
	answer := s.event("session.start", "two", map[string]any{"source": "startup", "log": log, "log_session": "one"})
	if o := operation(t, s.head("one"), "op.pay"); o == nil || o["status"] != "uncertain" || !strings.Contains(string(answer.Stdout), `\"op.pay\" (action, uncertain`) {
		t.Errorf("%v\n%s", o, answer.Stdout)
	}
}

// TestSessionsInParallel: of two sessions in one directory both are captured by the next, whichever began last, and the one of which no brief tells is named.
func TestSessionsInParallel(t *testing.T) {
	s := newStage(t, "claude-code")
	s.Process = dead(t)
	asked(s)
	other := map[string]any{"transcript_path": s.log + ".none"}
	for _, e := range []struct{ word, member, value string }{
		{"SessionStart", "source", "startup"}, {"UserPromptSubmit", "prompt", "go"}, {"Stop", "", ""}, {"SessionEnd", "reason", "exit"},
	} {
		other[e.member] = e.value
		if e.word == "Stop" {
			s.before("pay")
		}
		if answer := s.event(e.word, "two", other); answer.Status != 0 || len(answer.Stderr) > 0 {
			t.Errorf("%s: %+v", e.word, answer)
		}
	}
	answer := s.event("SessionStart", "three", map[string]any{"source": "startup"})
	if o := operation(t, s.head("one"), "op.pay"); o == nil || o["status"] != "uncertain" {
		t.Errorf("%v in %s", o, s.head("one"))
	}
	if !strings.Contains(string(answer.Stdout), "session one of this directory was interrupted, too") {
		t.Errorf("nobody is told: %s", answer.Stdout)
	}
	if list := s.begun(s.dir); len(list) != 2 || list[0].id != "two" || list[1].id != "three" {
		t.Errorf("known are %v", list)
	}
}

// TestLivingSession: a session that goes on elsewhere is nobody's to capture.
func TestLivingSession(t *testing.T) {
	if system() == "" {
		t.Skip("which process the client was is not known here")
	}
	s := newStage(t, "claude-code")
	s.Process = named(os.Getpid())
	asked(s)
	s.event("SessionStart", "two", map[string]any{"source": "startup"})
	s.before("pay")
	before := len(s.records("one"))
	answer := s.event("SessionStart", "three", map[string]any{"source": "startup"})
	if n := len(s.records("one")); n != before || strings.Contains(string(answer.Stdout), "was interrupted") {
		t.Errorf("%d records more, and %s", n-before, answer.Stdout)
	}
}

// TestDamageIsTold: what a damaged journal may have lost is said where the checkpoint is handed on.
func TestDamageIsTold(t *testing.T) {
	s := newStage(t, "claude-code")
	s.Process = dead(t)
	asked(s)
	s.before("pay")
	s.damage()
	answer := s.event("SessionStart", "two", map[string]any{"source": "startup"})
	if !strings.Contains(string(answer.Stdout), "the journal of session one is damaged: line ") {
		t.Errorf("%s", answer.Stdout)
	}
}

// TestSameCallAgain: where calls have no ids, a result is not that of the same call in a client that was killed.
func TestSameCallAgain(t *testing.T) {
	s := newStage(t, "gemini-cli")
	pay := map[string]any{"tool_name": "run_shell_command", "tool_input": map[string]any{"command": "./pay.sh 7"}}
	answered := map[string]any{"tool_name": "run_shell_command", "tool_input": pay["tool_input"], "tool_response": map[string]any{"llmContent": "paid"}}
	for _, boundary := range []func(){
		func() { s.event("SessionStart", "one", map[string]any{"source": "resume"}) },
		func() { s.pass("BeforeAgent", map[string]any{"prompt": "once more"}) },
	} {
		s.event("SessionStart", "one", map[string]any{"source": "clear"})
		s.pass("BeforeTool", pay)
		boundary()
		s.pass("BeforeTool", pay)
		s.pass("AfterTool", answered)
		calls := journaled(s.records("one"))
		if n := len(calls); calls[n-2].Proof != capture.Started || calls[n-1].Proof != capture.Finished {
			t.Errorf("%v", calls)
		}
	}
}

// TestResultsThatEndNothing: a call that goes on behind its result, or was broken off, is uncertain, as its log says.
func TestResultsThatEndNothing(t *testing.T) {
	for _, c := range []struct {
		word   string
		answer map[string]any
	}{
		{"PostToolUse", map[string]any{"tool_response": map[string]any{"stdout": "", "interrupted": true}}},
		{"PostToolUse", map[string]any{"tool_response": map[string]any{"stdout": "", "backgroundTaskId": "b1"}}},
		{"PostToolUseFailure", map[string]any{"error": "MCP error -32001: Request timed out"}},
		{"PostToolUseFailure", map[string]any{"error": "stopped", "is_interrupt": true}},
	} {
		s := newStage(t, "claude-code")
		asked(s)
		s.before("pay")
		for name, value := range call("pay") {
			c.answer[name] = value
		}
		s.pass(c.word, c.answer)
		s.pass("Stop", nil)
		if o := operation(t, s.head("one"), "op.pay"); o["status"] != "uncertain" || o["resume"] != "verify_first" {
			t.Errorf("%v: %v", c.answer, o)
		}
	}
}
