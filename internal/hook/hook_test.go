package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/internal/client"
	"github.com/opencheckpoint/ocp/internal/journal"
	"github.com/opencheckpoint/ocp/internal/sumline"
	"github.com/opencheckpoint/ocp/store"
)

// stage is a project with a client's settings, journals and a store.
type stage struct {
	*Hook
	t   *testing.T
	dir string // of all
	log string // of the session
	now time.Time
}

func newStage(t *testing.T, name string) *stage {
	t.Helper()
	dir := t.TempDir()
	of, err := client.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	place, err := of.ProjectPlace(dir, func(string) string { return dir })
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := of.Install(place, program); err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, dir: dir, log: filepath.Join(dir, "log.jsonl"), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	s.Hook = &Hook{Client: of, Places: []client.Place{place}, Journals: filepath.Join(dir, "journals"), Process: named(1 << 30), Now: s.tick}
	s.Store = func(ctx context.Context) (store.Store, error) {
		return store.Open(ctx, filepath.Join(dir, "store"), store.Options{Create: true})
	}
	return s
}

// tick is a clock that goes on by a second with each look.
func (s *stage) tick() time.Time {
	s.now = s.now.Add(time.Second)
	return s.now
}

// event is an event of Claude Code's form.
func (s *stage) event(word, session string, more map[string]any) client.Answer {
	e := map[string]any{"hook_event_name": word, "session_id": session, "transcript_path": s.log, "cwd": s.dir}
	for name, value := range more {
		e[name] = value
	}
	input, err := json.Marshal(e)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.Answer(context.Background(), word, input)
}

// pass is an event that has to be let through.
func (s *stage) pass(word string, more map[string]any) client.Answer {
	s.t.Helper()
	answer := s.event(word, "one", more)
	if answer.Status != 0 || len(answer.Stderr) > 0 {
		s.t.Errorf("%s: status %d, %s%s", word, answer.Status, answer.Stdout, answer.Stderr)
	}
	return answer
}

func (s *stage) begin()          { s.pass("SessionStart", map[string]any{"source": "startup"}) }
func (s *stage) prompt()         { s.pass("UserPromptSubmit", map[string]any{"prompt": "go"}) }
func (s *stage) before(n string) { s.pass("PreToolUse", call(n)) }
func (s *stage) after(n string)  { s.pass("PostToolUse", call(n)) }

func call(id string) map[string]any {
	return map[string]any{"tool_name": "mcp__bank__pay", "tool_use_id": id, "tool_input": map[string]any{"invoice": id}}
}

// write appends records to the session's log.
func (s *stage) write(records ...string) {
	s.t.Helper()
	f, err := os.OpenFile(s.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	for i, r := range records {
		if _, err := fmt.Fprintf(f, `{"sessionId":"one","uuid":"%d-%d","timestamp":"%s",%s}`+"\n", s.now.Unix(), i, s.tick().Format(time.RFC3339Nano), r); err != nil {
			s.t.Fatal(err)
		}
	}
}

func person(text string) string {
	return fmt.Sprintf(`"type":"user","message":{"role":"user","content":%q}`, text)
}

func asks(ids ...string) string {
	var blocks []string
	for _, id := range ids {
		blocks = append(blocks, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"mcp__bank__pay","input":{"invoice":%q}}`, id, id))
	}
	return `"type":"assistant","message":{"id":"m` + ids[0] + `","role":"assistant","model":"m","content":[` + strings.Join(blocks, ",") + `]}`
}

func results(id string) string {
	return fmt.Sprintf(`"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"paid"}]}`, id)
}

// records are the session's.
func (s *stage) records(session string) []journal.Record {
	s.t.Helper()
	log, err := journal.Read(s.Journals, s.Client.Name, session)
	if err != nil {
		s.t.Fatal(err)
	}
	return log.Records
}

// head is the checkpoint that the session saved last.
func (s *stage) head(session string) []byte {
	s.t.Helper()
	keep, err := s.Store(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	defer keep.Close()
	found, err := keep.Resume(context.Background(), agentID(s.Client.Name, s.dir, session))
	if err != nil {
		s.t.Fatal(err)
	}
	return found.Bytes
}

// operation is an operation of a checkpoint, nil without one.
func operation(t *testing.T, src []byte, id string) map[string]any {
	t.Helper()
	var doc struct{ Operations []map[string]any }
	if err := json.Unmarshal(src, &doc); err != nil {
		t.Fatal(err)
	}
	for _, o := range doc.Operations {
		if o["id"] == id {
			return o
		}
	}
	return nil
}

// TestFailClosed: whatever keeps an event from being recorded stops what it guards, with a text, and nothing else.
func TestFailClosed(t *testing.T) {
	breaks := map[string]func(*stage){
		"a file in the place of the journals": func(s *stage) { os.WriteFile(s.Journals, nil, 0o600) },
		"a directory in the place of the journal": func(s *stage) {
			j, _ := journal.Open(s.Journals, s.Client.Name, "one")
			os.MkdirAll(j.Path(), 0o700)
		},
		"a journal of a later format": func(s *stage) {
			s.prompt()
			j, _ := journal.Open(s.Journals, s.Client.Name, "one")
			os.WriteFile(j.Path(), sumline.Encode([]byte(`{"journal":2,"client":"claude-code","session":"one"}`)), 0o600)
		},
	}
	for name, damage := range breaks {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, "claude-code")
			damage(s)
			for _, e := range []struct {
				word   string
				status int
				stdout string
			}{{"UserPromptSubmit", 2, ""}, {"PreToolUse", 2, ""}, {"PostToolUse", 0, `"continue":false`}, {"Stop", 0, "systemMessage"}, {"SessionStart", 0, "systemMessage"}} {
				more := call("c")
				more["prompt"] = "go"
				answer := s.event(e.word, "one", more)
				if answer.Status != e.status || len(answer.Stderr) == 0 || !strings.Contains(string(answer.Stdout), e.stdout) {
					t.Errorf("%s: status %d, %s%s", e.word, answer.Status, answer.Stdout, answer.Stderr)
				}
			}
		})
	}
}

// TestHostileInput: an event that cannot be read stops what it guards.
func TestHostileInput(t *testing.T) {
	s := newStage(t, "claude-code")
	for _, input := range []string{"", "[", "[]", `{"hook_event_name":"PreToolUse"}`, `{"hook_event_name":"PreToolUse","session_id":7}`, `{"hook_event_name":"PreToolUse","session_id":""}`} {
		if answer := s.Answer(t.Context(), "PreToolUse", []byte(input)); answer.Status != 2 || len(answer.Stderr) == 0 {
			t.Errorf("%q: %+v", input, answer)
		}
		if answer := s.Answer(t.Context(), "Stop", []byte(input)); answer.Status != 0 {
			t.Errorf("Stop, %q: %+v", input, answer)
		}
	}
	if answer := s.Answer(t.Context(), "NoSuchEvent", []byte("{}")); answer.Status != 2 {
		t.Errorf("an event that there is not: %+v", answer)
	}
}

// TestManyAtOnce: parallel calls of two sessions are all recorded, each in its own journal, in one order without a gap.
func TestManyAtOnce(t *testing.T) {
	s := newStage(t, "claude-code")
	var clock sync.Mutex
	s.Now = func() time.Time { clock.Lock(); defer clock.Unlock(); return s.tick() }
	var wait sync.WaitGroup
	const calls = 24
	for i := range calls {
		for _, session := range []string{"one", "two"} {
			wait.Go(func() {
				if answer := s.event("PreToolUse", session, call(fmt.Sprint(session, i))); answer.Status != 0 {
					t.Errorf("%s", answer.Stderr)
				}
			})
		}
	}
	wait.Wait()
	for _, session := range []string{"one", "two"} {
		seen := map[string]bool{}
		for i, r := range s.records(session) {
			if r.Seq != int64(i+1) || !strings.HasPrefix(r.Call, session) {
				t.Errorf("record %d of session %s: %+v", i+1, session, r)
			}
			seen[r.Call] = true
		}
		if len(seen) != calls {
			t.Errorf("session %s has %d calls of %d", session, len(seen), calls)
		}
	}
}

// TestCancelled: a call whose barrier is broken off does not run, and leaves no record.
func TestCancelled(t *testing.T) {
	s := newStage(t, "claude-code")
	s.prompt()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	input := fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"one","cwd":%q,"tool_name":"Bash","tool_use_id":"c","tool_input":{}}`, s.dir)
	if answer := s.Answer(ctx, "PreToolUse", []byte(input)); answer.Status != 2 {
		t.Errorf("%+v", answer)
	}
	if records := s.records("one"); len(records) != 1 {
		t.Errorf("%d records", len(records))
	}
}

// TestSecretsStayOut: credentials in arguments do not get into the journal.
func TestSecretsStayOut(t *testing.T) {
	s := newStage(t, "claude-code")
	const key = "AKIA" + "IOSFODNN7EXAMPLF"
	s.pass("PreToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": "c", "tool_input": map[string]any{"command": "AWS_ACCESS_KEY_ID=" + key + " aws s3 ls"}})
	j, err := journal.Open(s.Journals, s.Client.Name, "one")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte(key)) || !bytes.Contains(text, []byte("aws s3 ls")) {
		t.Errorf("%s", text)
	}
}

// TestAgentID: what a store does not take as an id has another one of its own.
func TestAgentID(t *testing.T) {
	seen := map[string]bool{}
	for _, dir := range []string{"/a", "/a\nb", "/" + strings.Repeat("x", 2000), "/" + strings.Repeat("x", 2001)} {
		id := agentID("codex", dir, "s")
		if len(id) > store.MaxAgent || strings.Contains(id, "\n") || seen[id] {
			t.Errorf("%q", id)
		}
		seen[id] = true
	}
}
