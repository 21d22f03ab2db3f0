package capture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/secret"
)

var testNow = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

// view is what the tests look at of a checkpoint.
type view struct {
	CreatedAt string `json:"created_at"`
	Source    struct {
		SessionRefs []struct{ Protocol, ID, Event string } `json:"session_refs"`
	}
	Task       struct{ Objective, Status string }
	Statements []struct {
		ID, Kind, Text string
		Origin         struct{ Type string }
	}
	Resources []struct {
		ID, URI, Digest, Excerpt string
		Locator                  struct{ System, Type, Key string }
	}
	Operations []struct {
		ID, Kind, Status, Effect, Resume string
		Call                             *struct {
			Tool      string
			Arguments map[string]any
		}
		DependsOn []string `json:"depends_on"`
		Approval  *struct {
			DecidedBy string `json:"decided_by"`
			DecidedAt string `json:"decided_at"`
			Evidence  []string
			Scope     string
		}
	}
	Progress struct {
		Completed []struct{ ID, Description string }
	}
	Derivation struct {
		Method          string
		Omissions       []struct{ Description, Reason string }
		Transformations []struct{ Description string }
	}
}

func viewOf(t testing.TB, r *Result) *view {
	t.Helper()
	v := &view{}
	if err := json.Unmarshal(r.Bytes(), v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestLaws holds every log against what is true of all.
func TestLaws(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			r := s.capture(t)
			sound(t, r)
			if s.format != "" && r.Format != s.format {
				t.Errorf("it is taken for a log of %s", r.Format)
			}
			if again := s.capture(t); !bytes.Equal(r.Bytes(), again.Bytes()) {
				t.Error("the same log, id and time make other bytes")
			}
		})
	}
}

// sound checks what is true of the capture of any log.
func sound(t testing.TB, r *Result) {
	t.Helper()
	if _, err := checkpoint.ParseOne(r.Bytes(), checkpoint.Options{Strict: true}); err != nil {
		t.Errorf("%v\n%.2000s", err, r.Bytes())
	}
	if found := secret.Find(r.Bytes()); len(found) > 0 {
		t.Errorf("a credential passed: %v", found)
	}
	if r.Mapped+r.Copied+r.Omitted != r.Records {
		t.Errorf("%+v does not add up", r.Counts)
	}
	v := viewOf(t, r)
	if n := omittedRecords(v); n != r.Omitted {
		t.Errorf("the omissions count %d records, want %d: %v", n, r.Omitted, v.Derivation.Omissions)
	}
	if want := fmt.Sprintf(": %d mapped, %d copies or chunks of mapped ones, %d in the omissions", r.Mapped, r.Copied, r.Omitted); len(v.Derivation.Transformations) != 1 ||
		!strings.HasSuffix(v.Derivation.Transformations[0].Description, want) {
		t.Errorf("%v does not end in %q", v.Derivation.Transformations, want)
	}
	for _, s := range v.Statements {
		if (s.Kind == "instruction") != (s.Origin.Type == "user") {
			t.Errorf("%s has the origin %s: %s", s.Kind, s.Origin.Type, s.Text)
		}
	}
	uncertain := 0
	for _, o := range v.Operations {
		if o.Kind == "action" && o.Status == "uncertain" {
			uncertain++
			if want := map[string]string{"none": "retry", "unknown": "verify_first"}[o.Effect]; o.Resume != want {
				t.Errorf("%s with effect %s has resume %s", o.ID, o.Effect, o.Resume)
			}
		}
	}
	if uncertain != r.Uncertain {
		t.Errorf("%d uncertain actions, and the result says %d", uncertain, r.Uncertain)
	}
	if v.Task.Status == "completed" || v.Derivation.Method != "converted" {
		t.Errorf("status %s, method %s", v.Task.Status, v.Derivation.Method)
	}
}

var omittedPattern = regexp.MustCompile(`^(\d+) records? (that|without|of|about|cut|longer)`)

// omittedRecords adds up the omissions that count records which are nowhere else.
func omittedRecords(v *view) (sum int) {
	for _, o := range v.Derivation.Omissions {
		if m := omittedPattern.FindStringSubmatch(o.Description); m != nil && !strings.Contains(o.Description, "I-JSON") {
			n, _ := strconv.Atoi(m[1])
			sum += n
		}
	}
	return sum
}

// TestCalls holds the open actions of real logs against a count of their own: they are exactly the calls without a conclusive result, less those that
// were never dispatched.
func TestCalls(t *testing.T) {
	for _, s := range realSamples(t) {
		t.Run(s.name, func(t *testing.T) {
			var got []string
			for _, o := range viewOf(t, s.capture(t)).Operations {
				over := o.Status == "completed" || o.Status == "cancelled"
				if o.Kind == "action" && !over {
					got = append(got, strings.TrimPrefix(o.ID, "op."))
				}
			}
			slices.Sort(got)
			if want := tallyOf(s.format, s.log).openCalls(); !slices.Equal(got, want) {
				t.Errorf("open are %v, want %v", got, want)
			}
		})
	}
}

// TestWords holds the instructions of real logs against what persons typed into them.
func TestWords(t *testing.T) {
	for _, s := range realSamples(t) {
		t.Run(s.name, func(t *testing.T) {
			tally := tallyOf(s.format, s.log)
			for _, st := range viewOf(t, s.capture(t)).Statements {
				if st.Origin.Type == "user" && !tally.isTyped(st.Text) {
					t.Errorf("nobody typed %q", st.Text)
				}
				if st.Origin.Type == "user" && hasPrefix(st.Text, []string{"<session_context>", "<environment_context>", "Current runtime context", "This is an automatically generated"}) {
					t.Errorf("the client wrote %q", st.Text)
				}
			}
		})
	}
}

// instructions are the texts of the person.
func (v *view) instructions() (texts []string) {
	for _, s := range v.Statements {
		if s.Kind == "instruction" {
			texts = append(texts, s.Text)
		}
	}
	return texts
}

// TestKnown states by hand what some of the real logs say.
func TestKnown(t *testing.T) {
	known := map[string]struct {
		instructions int
		status       string
		open         int
	}{
		"claude-code/killed-tool.jsonl":        {1, "active", 1},
		"claude-code/ok.jsonl":                 {1, "awaiting_input", 2},
		"claude-code/sample_session.jsonl":     {2, "active", 0},
		"claude-code/todowrite_examples.jsonl": {2, "active", 0},
		"codex/err.jsonl":                      {1, "awaiting_input", 1},
		"codex/killexec.jsonl":                 {1, "active", 1},
		"codex/killmcp.jsonl":                  {2, "awaiting_input", 1},
		"opencode/killbash.export.json":        {1, "active", 1},
		"opencode/killmcp.export.json":         {1, "active", 1},
		"opencode/ok.export.json":              {1, "awaiting_input", 0},
		"gemini-cli/ok.jsonl":                  {1, "awaiting_input", 1},
		"dsh/cancel-tool-calls.jsonl":          {1, "paused", 1},
		"dsh/compaction-recovery.jsonl":        {1, "awaiting_input", 0},
		"dsh/escalation-approved.jsonl":        {1, "awaiting_input", 0},
		"dsh/escalation-rejected.jsonl":        {1, "awaiting_input", 0},
		"dsh/approval-composer.jsonl":          {2, "awaiting_input", 0},
		"dsh/pty-tools.jsonl":                  {1, "awaiting_input", 1},
		"pi/large-session.jsonl":               {88, "awaiting_input", 19},
	}
	for _, s := range realSamples(t) {
		want, ok := known[s.name]
		if !ok {
			continue
		}
		v := viewOf(t, s.capture(t))
		open := 0
		for _, o := range v.Operations {
			if o.Kind == "action" && o.Status != "completed" && o.Status != "cancelled" {
				open++
			}
		}
		if len(v.instructions()) != want.instructions || v.Task.Status != want.status || open != want.open {
			t.Errorf("%s: %d instructions, %s, %d open; want %v", s.name, len(v.instructions()), v.Task.Status, open, want)
		}
	}
}

// TestApprovals holds the approvals of the real escalations against their records.
func TestApprovals(t *testing.T) {
	want := map[string]string{"dsh/escalation-approved.jsonl": "approved", "dsh/approval-composer.jsonl": "approved", "dsh/escalation-rejected.jsonl": "rejected"}
	for _, s := range realSamples(t) {
		if want[s.name] == "" {
			continue
		}
		found := 0
		for _, o := range viewOf(t, s.capture(t)).Operations {
			switch {
			case o.Kind == "approval":
				found++
				if o.Status != want[s.name] || o.Resume != "do_not_resume" || o.Approval.DecidedBy != notNamed || len(o.Approval.Evidence) != 1 || o.Approval.Scope == "" {
					t.Errorf("%s: %+v %+v", s.name, o, o.Approval)
				}
			case want[s.name] == "rejected":
				if o.Status != "cancelled" || len(o.DependsOn) != 1 {
					t.Errorf("%s: %+v", s.name, o)
				}
			}
		}
		if found != 1 {
			t.Errorf("%s: %d approvals", s.name, found)
		}
	}
}

// TestBase reads the history of a fork from the log beside it, up to where it was forked off.
func TestBase(t *testing.T) {
	line := func(ordinal int, kind, payload string) string {
		return fmt.Sprintf(`{"timestamp":"2026-01-10T09:00:%02dZ","ordinal":%d,"type":%q,"payload":%s}`+"\n", ordinal, ordinal, kind, payload)
	}
	typed := func(ordinal int, text string) string {
		return line(ordinal, "response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"`+text+`"}],"internal_chat_message_metadata_passthrough":{"content_item_kinds":["user.text"]}}`)
	}
	base := line(0, "session_meta", `{"id":"base","cli_version":"1"}`) + typed(1, "before") + typed(2, "after")
	log := line(2, "session_meta", `{"id":"fork","cli_version":"2","forked_from_id":"base","history_base":{"thread_id":"base","end_ordinal_exclusive":2}}`) + typed(3, "own")
	opts := Options{Now: testNow, Open: func(session string) (io.ReadCloser, error) {
		if session != "base" {
			return nil, os.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(base)), nil
	}}
	r, err := Capture(strings.NewReader(log), opts)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, r)
	v := viewOf(t, r)
	if got := v.instructions(); !slices.Equal(got, []string{"before", "own"}) {
		t.Errorf("instructions %q", got)
	}
	if len(v.Source.SessionRefs) != 2 || v.Source.SessionRefs[0].ID != "fork" || v.Source.SessionRefs[1].ID != "base" || v.Source.SessionRefs[1].Event != "2" {
		t.Errorf("session_refs %v", v.Source.SessionRefs)
	}
	if _, err := Capture(strings.NewReader(log), Options{Now: testNow, Open: func(string) (io.ReadCloser, error) { return nil, errors.New("no") }}); err != nil {
		t.Error(err)
	}
	opts.Open = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil } // a log that was forked from itself
	if _, err := Capture(strings.NewReader(log), opts); err != nil {
		t.Error(err)
	}
}

// TestRealFork reads the real fork with its base.
func TestRealFork(t *testing.T) {
	log, err := os.ReadFile(filepath.Join(sessions, "codex", "fork-2.jsonl"))
	if err != nil {
		t.Log("the real fork is not beside the repository")
		return
	}
	r, err := Capture(bytes.NewReader(log), Options{Open: func(string) (io.ReadCloser, error) { return os.Open(filepath.Join(sessions, "codex", "fork-1.jsonl")) }})
	if err != nil {
		t.Fatal(err)
	}
	sound(t, r)
	if v := viewOf(t, r); len(v.instructions()) != 2 || len(v.Progress.Completed) != 2 || r.Records != 36 {
		t.Errorf("%q, %d steps, %d records", v.instructions(), len(v.Progress.Completed), r.Records)
	}
}
