package client

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// What the clients were seen to write, with the members that they wrote, in words and ids of our own.
var payloads = []struct {
	client, word, input string
	want                Event
}{
	{"claude-code", "SessionStart", `{"session_id":"s1","transcript_path":"/h/s1.jsonl","cwd":"/w","hook_event_name":"SessionStart","source":"startup"}`,
		Event{Kind: SessionStart, Session: "s1", Transcript: "/h/s1.jsonl", Dir: "/w", Source: "startup"}},
	{"claude-code", "UserPromptSubmit", `{"session_id":"s1","transcript_path":"/h/s1.jsonl","cwd":"/w","prompt_id":"t1","permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"mend it\n"}`,
		Event{Kind: Prompt, Session: "s1", Transcript: "/h/s1.jsonl", Dir: "/w", Turn: "t1", Prompt: "mend it\n"}},
	{"claude-code", "PreToolUse", `{"session_id":"s1","transcript_path":"/h/s1.jsonl","cwd":"/w","prompt_id":"t1","permission_mode":"default","effort":{"level":"high"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"c1"}`,
		Event{Kind: Before, Session: "s1", Transcript: "/h/s1.jsonl", Dir: "/w", Turn: "t1", Tool: "Bash", Call: "c1", Arguments: []byte(`{"command":"make"}`)}},
	{"claude-code", "PreToolUse", `{"session_id":"s1","cwd":"/w","agent_id":"a1","agent_type":"general-purpose","hook_event_name":"PreToolUse","tool_name":"mcp__db__drop__table","tool_input":{"n":9007199254740993},"tool_use_id":"c2"}`,
		Event{Kind: Before, Session: "s1", Dir: "/w", Subagent: "a1", Server: "db", Tool: "drop__table", Call: "c2", Arguments: []byte(`{"n":9007199254740993}`)}},
	{"claude-code", "PostToolUse", `{"session_id":"s1","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":{"stdout":"","stderr":"","interrupted":true,"isImage":false},"tool_use_id":"c1","duration_ms":3}`,
		Event{Kind: After, Session: "s1", Tool: "Bash", Call: "c1", Arguments: []byte(`{}`), Interrupted: true, Result: []byte(`{"stdout":"","stderr":"","interrupted":true,"isImage":false}`)}},
	{"claude-code", "PostToolUseFailure", `{"session_id":"s1","hook_event_name":"PostToolUseFailure","tool_name":"Read","tool_input":{"file_path":"/x"},"tool_use_id":"c3","error":"no such file","is_interrupt":false,"duration_ms":1}`,
		Event{Kind: After, Session: "s1", Tool: "Read", Call: "c3", Arguments: []byte(`{"file_path":"/x"}`), Failed: true, Result: []byte(`"no such file"`)}},
	{"claude-code", "Stop", `{"session_id":"s1","hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"so","background_tasks":[],"session_crons":[]}`,
		Event{Kind: TurnEnd, Session: "s1", Again: true}},
	{"claude-code", "PreCompact", `{"session_id":"s1","hook_event_name":"PreCompact","trigger":"manual","custom_instructions":""}`,
		Event{Kind: Compaction, Session: "s1", Source: "manual"}},
	{"claude-code", "SessionEnd", `{"session_id":"s1","prompt_id":"t1","hook_event_name":"SessionEnd","reason":"other"}`,
		Event{Kind: SessionEnd, Session: "s1", Turn: "t1", Source: "other"}},
	{"codex", "SessionStart", `{"session_id":"s2","transcript_path":null,"cwd":"/w","hook_event_name":"SessionStart","model":"m","permission_mode":"bypassPermissions","source":"resume"}`,
		Event{Kind: SessionStart, Session: "s2", Dir: "/w", Source: "resume"}},
	{"codex", "UserPromptSubmit", `{"session_id":"s2","turn_id":"t2","agent_id":"a2","agent_type":"worker","transcript_path":"/x","cwd":"/w","hook_event_name":"UserPromptSubmit","model":"m","permission_mode":"default","prompt":"do it"}`,
		Event{Kind: Prompt, Session: "s2", Turn: "t2", Subagent: "a2", Transcript: "/x", Dir: "/w", Prompt: "do it"}},
	{"codex", "PreToolUse", `{"session_id":"s2","turn_id":"t2","hook_event_name":"PreToolUse","tool_name":"mcp__ocp__checkpoint_save","tool_input":{"a":1},"tool_use_id":"call_1"}`,
		Event{Kind: Before, Session: "s2", Turn: "t2", Server: "ocp", Tool: "checkpoint_save", Call: "call_1", Arguments: []byte(`{"a":1}`)}},
	{"codex", "PostToolUse", `{"session_id":"s2","turn_id":"t2","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"exit 3"},"tool_response":"","tool_use_id":"call_2"}`,
		Event{Kind: After, Session: "s2", Turn: "t2", Tool: "Bash", Call: "call_2", Arguments: []byte(`{"command":"exit 3"}`), Result: []byte(`""`)}},
	{"codex", "PostToolUse", `{"session_id":"s2","hook_event_name":"PostToolUse","tool_name":"list","tool_input":null,"tool_response":null,"tool_use_id":"call_3"}`,
		Event{Kind: After, Session: "s2", Tool: "list", Call: "call_3"}},
	{"codex", "SessionEnd", `{"session_id":"s2","hook_event_name":"SessionEnd","model":"m","permission_mode":"default","reason":"other"}`,
		Event{Kind: SessionEnd, Session: "s2", Source: "other"}},
	{"gemini-cli", "BeforeAgent", `{"session_id":"s3","transcript_path":"/g","cwd":"/w","hook_event_name":"BeforeAgent","timestamp":"2026-11-30T12:00:00.000Z","prompt":""}`,
		Event{Kind: Prompt, Session: "s3", Transcript: "/g", Dir: "/w"}},
	{"gemini-cli", "BeforeModel", `{"session_id":"s3","hook_event_name":"BeforeModel","timestamp":"z","llm_request":{"model":"g","messages":[]}}`,
		Event{Kind: Request, Session: "s3", Request: []byte(`{"model":"g","messages":[]}`)}},
	{"gemini-cli", "BeforeTool", `{"session_id":"s3","hook_event_name":"BeforeTool","tool_name":"mcp_my_db_drop","tool_input":{},"mcp_context":{"server_name":"my_db","tool_name":"drop","command":"x","args":[]}}`,
		Event{Kind: Before, Session: "s3", Server: "my_db", Tool: "drop", Arguments: []byte(`{}`)}},
	{"gemini-cli", "AfterTool", `{"session_id":"s3","hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{"command":"x"},"tool_response":{"llmContent":"no","returnDisplay":"","error":{"message":"no"}}}`,
		Event{Kind: After, Session: "s3", Tool: "run_shell_command", Arguments: []byte(`{"command":"x"}`), Failed: true, Result: []byte(`{"llmContent":"no","returnDisplay":"","error":{"message":"no"}}`)}},
	{"opencode", "session.start", `{"hook_event_name":"session.start","session_id":"s4","cwd":"/w","source":"startup"}`, Event{Kind: SessionStart, Session: "s4", Dir: "/w", Source: "startup"}},
	{"opencode", "chat.params", `{"hook_event_name":"chat.params","session_id":"s4","cwd":"/w","turn_id":"m1","llm_request":{"agent":"build","model":"m","provider":"p"}}`,
		Event{Kind: Request, Session: "s4", Dir: "/w", Turn: "m1", Request: []byte(`{"agent":"build","model":"m","provider":"p"}`)}},
	{"opencode", "tool.execute.before", `{"hook_event_name":"tool.execute.before","session_id":"s4","cwd":"/w","agent_id":"s5","tool_name":"ocp_checkpoint_save","tool_use_id":"c4","tool_input":{"a":[]}}`,
		Event{Kind: Before, Session: "s4", Dir: "/w", Subagent: "s5", Tool: "ocp_checkpoint_save", Call: "c4", Arguments: []byte(`{"a":[]}`)}},
	{"opencode", "tool.execute.after", `{"hook_event_name":"tool.execute.after","session_id":"s4","tool_name":"bash","tool_use_id":"c4","tool_input":{},"tool_response":{"title":"t","output":"o","metadata":{}}}`,
		Event{Kind: After, Session: "s4", Tool: "bash", Call: "c4", Arguments: []byte(`{}`), Result: []byte(`{"title":"t","output":"o","metadata":{}}`)}},
}

func TestReadTakesWhatTheClientsWrite(t *testing.T) {
	for _, p := range payloads {
		c, err := Named(p.client)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Read(p.word, []byte(p.input))
		if err != nil {
			t.Errorf("%s %s: %v", p.client, p.word, err)
		} else if !reflect.DeepEqual(*got, p.want) {
			t.Errorf("%s %s:\n got %+v\nwant %+v", p.client, p.word, *got, p.want)
		}
	}
}

func TestReadNamesTheWrongMember(t *testing.T) {
	long := strings.Repeat("x", maxID+1)
	for input, member := range map[string]string{
		``:                                "",
		`null`:                            "",
		`[]`:                              "",
		`{"hook_event_name":"PreToolUse"`: "",
		`{}`:                              "hook_event_name",
		`{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"x"}`:                                "hook_event_name",
		`{"hook_event_name":"PreToolUse","tool_name":"x"}`:                                                  "session_id",
		`{"hook_event_name":"PreToolUse","session_id":"","tool_name":"x"}`:                                  "session_id",
		`{"hook_event_name":"PreToolUse","session_id":3,"tool_name":"x"}`:                                   "session_id",
		`{"hook_event_name":"PreToolUse","session_id":"` + long + `","tool_name":"x"}`:                      "session_id",
		`{"hook_event_name":"PreToolUse","session_id":"s"}`:                                                 "tool_name",
		`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":["x"]}`:                               "tool_name",
		`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"x","tool_input":"make"}`:             "tool_input",
		`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"x","tool_use_id":{}}`:                "tool_use_id",
		`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"x","transcript_path":false}`:         "transcript_path",
		`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"x","mcp_context":[]}`:                "mcp_context",
		`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"x","mcp_context":{"server_name":1}}`: "mcp_context",
	} {
		_, err := claudeCode.Read("PreToolUse", []byte(input))
		var wrong *InputError
		if !errors.As(err, &wrong) || wrong.Member != member || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.200s: %v", input, err)
		}
	}
	if _, err := claudeCode.Read("UserPromptSubmit", []byte(`{"hook_event_name":"UserPromptSubmit","session_id":"s"}`)); err == nil {
		t.Error("a prompt without a text")
	}
	if _, err := claudeCode.Read("PreToolUse", make([]byte, MaxInput+1)); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("too large: %v", err)
	}
}

func TestUnknownNames(t *testing.T) {
	for name, hint := range map[string]string{"claude": "one of claude-code, ", "Codex": "did you mean codex?", "open-code": "did you mean opencode?", "": "one of ", strings.Repeat("é", 1<<20): "one of "} {
		_, err := Named(name)
		var unknown *UnknownError
		if !errors.As(err, &unknown) || !strings.HasPrefix(unknown.Hint(), hint) || len(err.Error()) > 400 {
			t.Errorf("%.20q: %.200v", name, err)
		}
	}
	var unknown *UnknownError
	if _, err := codex.Read("PreToolUs", nil); !errors.As(err, &unknown) || unknown.Hint() != "did you mean PreToolUse?" {
		t.Errorf("%v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, p := range payloads {
		f.Add(p.word, []byte(p.input))
	}
	f.Fuzz(func(t *testing.T, word string, input []byte) {
		for _, c := range clients {
			e, err := c.Read(word, input)
			if (e == nil) == (err == nil) {
				t.Fatalf("event %v, error %v", e, err)
			}
			if e != nil && (e.Session == "" || (e.Kind == Before || e.Kind == After) && e.Tool == "") {
				t.Fatalf("nobody's event: %+v", e)
			}
			if e != nil && e.Arguments != nil && e.Arguments[0] != '{' {
				t.Fatalf("arguments %q", e.Arguments)
			}
		}
	})
}
