package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Event is what a client says to a hook. A member that the client does not give is empty. Nothing in it has been judged: names, paths and texts are
// the client's, and through it the model's.
type Event struct {
	Kind       Kind
	Session    string // the client's id; never empty
	Transcript string // the path of the session's log, which need not be there yet
	Log        []byte // the session's log itself, a JSON object, where the client keeps none in a file; nil elsewhere
	LogSession string // whose log that is: at the start of a session it may be that of the one before
	Dir        string // the working folder
	Turn       string // the client's id of the turn
	Subagent   string // the client's id of the subagent whose event this is; empty in the session's own agent

	Tool      string // without the client's prefix for a server
	Server    string // the MCP server of the tool, where the client tells
	Call      string // the id of the call, the same before and after; Gemini CLI has none, so that only name, arguments and order join the two
	Arguments []byte // a JSON object, or nil
	Result    []byte // after a tool: a JSON value, or nil; of a failure the client's text as a JSON string

	Failed      bool // after a tool: it failed, or was not run; false proves nothing where the client hides it
	Interrupted bool // after a tool: the person broke it off

	Prompt  string // what the person typed
	Request []byte // before a request: what will be sent as a JSON value, or nil
	Source  string // why the session starts or ends, or what asks for a compaction: the client's word
	Again   bool   // turn end: a hook has already kept the turn from ending
}

// The limits of what Read takes, in bytes.
const (
	MaxInput = 64 << 20
	maxID    = 4 << 10
	maxPath  = 32 << 10
)

// InputError is standard input that is not what the client writes.
type InputError struct {
	Client string
	Word   string
	Member string // the member that is wrong; empty where the whole text is
	Msg    string
}

// Error is one line.
func (e *InputError) Error() string {
	where := e.Client + " " + e.Word + ": "
	if e.Member != "" {
		where += "member " + e.Member + " "
	}
	return where + e.Msg
}

// Read reads the standard input of a hook; word is what stands behind the client's name in the command. Members that it does not know are ignored. The
// error is an [*UnknownError] or an [*InputError]. The event's byte slices are parts of stdin.
func (c *Client) Read(word string, stdin []byte) (*Event, error) {
	e, err := c.event(word)
	if err != nil {
		return nil, err
	}
	if len(stdin) > MaxInput {
		return nil, &InputError{c.Name, word, "", fmt.Sprintf("the input has more than %d bytes", MaxInput)}
	}
	in := &input{client: c.Name, word: word}
	if err := json.Unmarshal(stdin, &in.members); err != nil || in.members == nil {
		return nil, &InputError{c.Name, word, "", "the input is not a JSON object"}
	}
	out := in.event(e)
	if in.err != nil {
		return nil, in.err
	}
	return out, nil
}

// input is the object that a client writes, and the first thing that is wrong with it.
type input struct {
	client, word string
	members      map[string]json.RawMessage
	err          *InputError
}

func (in *input) event(e event) *Event {
	if name := in.text("hook_event_name", maxID); name != in.word {
		in.fail("hook_event_name", "is not the event that the hook was called for")
	}
	out := &Event{
		Kind:       e.kind,
		Session:    in.needed("session_id", maxID),
		Transcript: in.text("transcript_path", maxPath),
		Log:        in.object("log"),
		LogSession: in.text("log_session", maxID),
		Dir:        in.text("cwd", maxPath),
		Turn:       in.either("turn_id", "prompt_id"),
		Subagent:   in.text("agent_id", maxID),
	}
	switch e.kind {
	case Before, After:
		in.tool(e, out)
	case Prompt:
		in.has("prompt")
		out.Prompt = in.text("prompt", MaxInput)
	case Request:
		out.Request = in.value("llm_request")
	case SessionStart:
		out.Source = in.text("source", maxID)
	case SessionEnd:
		out.Source = in.text("reason", maxID)
	case Compaction:
		out.Source = in.text("trigger", maxID)
	case TurnEnd:
		out.Again = in.truth("stop_hook_active")
	}
	return out
}

// tool reads what an event says about a call.
func (in *input) tool(e event, out *Event) {
	out.Call = in.text("tool_use_id", maxID)
	out.Arguments = in.object("tool_input")
	out.Server, out.Tool = in.named()
	if e.kind == Before {
		return
	}
	out.Failed = e.failure || in.truth("failed")
	out.Interrupted = in.truth("is_interrupt")
	if out.Result = in.value("tool_response"); out.Result == nil {
		out.Result = in.value("error")
	}
	var response struct {
		Interrupted json.RawMessage `json:"interrupted"` // Claude Code's Bash
		Error       json.RawMessage `json:"error"`       // Gemini CLI
	}
	if json.Unmarshal(out.Result, &response) == nil {
		out.Interrupted = out.Interrupted || string(response.Interrupted) == "true"
		out.Failed = out.Failed || response.Error != nil && string(response.Error) != "null"
	}
}

// named takes a tool's name apart: Gemini CLI says beside it where a server's tool comes from, Claude Code and Codex put the server before it. OpenCode
// does so, too, but in a way that its own tools' names can have.
func (in *input) named() (server, tool string) {
	name := in.needed("tool_name", maxID)
	if context := in.object("mcp_context"); context != nil {
		of := &input{client: in.client, word: in.word}
		json.Unmarshal(context, &of.members)
		server, tool = of.text("server_name", maxID), of.text("tool_name", maxID)
		if of.err != nil {
			in.fail("mcp_context", "has a "+of.err.Member+" that "+of.err.Msg)
		}
	} else if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		server, tool, _ = strings.Cut(rest, "__")
	}
	if server == "" || tool == "" {
		return "", name
	}
	return server, tool
}

// fail keeps the first failure.
func (in *input) fail(member, msg string) {
	if in.err == nil {
		in.err = &InputError{in.client, in.word, member, msg}
	}
}

// value is a member as it stands; nil where it is missing or null.
func (in *input) value(member string) []byte {
	raw := in.members[member]
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// text is a string, empty where it is missing, of at most limit bytes.
func (in *input) text(member string, limit int) string {
	raw := in.value(member)
	if raw == nil {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		in.fail(member, "is not a string")
	} else if len(s) > limit {
		in.fail(member, fmt.Sprintf("has more than %d bytes", limit))
	}
	return s
}

// needed is a string that must be there.
func (in *input) needed(member string, limit int) string {
	s := in.text(member, limit)
	if s == "" {
		in.fail(member, "is missing")
	}
	return s
}

// has fails where a member is missing.
func (in *input) has(member string) {
	if in.value(member) == nil {
		in.fail(member, "is missing")
	}
}

// either is the first string that is there.
func (in *input) either(a, b string) string {
	if s := in.text(a, maxID); s != "" {
		return s
	}
	return in.text(b, maxID)
}

// object is a JSON object as it stands.
func (in *input) object(member string) []byte {
	raw := in.value(member)
	if raw != nil && !bytes.HasPrefix(raw, []byte("{")) {
		in.fail(member, "is not an object")
	}
	return raw
}

// truth is a boolean, false where it is missing.
func (in *input) truth(member string) bool {
	raw := in.value(member)
	var b bool
	if raw != nil && json.Unmarshal(raw, &b) != nil {
		in.fail(member, "is not true or false")
	}
	return b
}
