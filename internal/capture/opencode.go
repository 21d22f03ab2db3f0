package capture

import (
	"cmp"
	"slices"
	"strings"
)

var openCodeTools = toolset{
	reading: []string{"read", "glob", "grep", "list", "webfetch", "websearch", "codesearch", "lsp", "todoread", "invalid", "plan_enter", "plan_exit", "question", "skill"},
	file:    []string{"filePath"},
	plan:    []string{"todowrite"},
}

// openCodeOwn are the tools of the client's own beside those that read. Every other tool is a server's.
var openCodeOwn = []string{"bash", "edit", "write", "patch", "apply_patch", "multiedit", "task", "batch", "todowrite"}

// openCode reads the export of a session of OpenCode, one JSON value: the session, and messages with their parts. Each of them is a record.
type openCode struct {
	*run
	subagent bool
	role     string
	isTurn   bool   // of a person or the model, and not a summary
	revert   string // the message from which on the person took back what was done
	reverted bool
	at       string
}

func newOpenCode(r *run) reader { return &openCode{run: r} }

func (o *openCode) end() {}

func (o *openCode) record(rec int, r record) {
	m := r.members()
	switch {
	case m.get("role").isString():
		o.message(rec, m)
	case m.get("type").isString():
		o.part(rec, r, m)
	case m.get("id").isString():
		o.session(rec, m)
	default:
		o.ledger.set(rec, unknown)
	}
}

func (o *openCode) session(rec int, m members) {
	o.ledger.set(rec, mapped)
	o.subagent = m.text("parentID") != ""
	o.revert = m.get("revert").text("messageID")
	o.clock.stamp(m.get("time").get("created"))
	o.clock.stamp(m.get("time").get("updated"))
	o.emit(session{id: o.clean.text(m.text("id")), version: o.clean.text(m.text("version")), cwd: o.clean.text(m.text("directory"))})
}

func (o *openCode) message(rec int, m members) {
	o.role, o.isTurn = m.text("role"), !m.get("summary").isTrue()
	o.reverted = o.reverted || o.revert != "" && m.text("id") == o.revert
	o.ledger.set(rec, bookkeeping)
	o.at = o.clock.stamp(m.get("time").get("created"))
	done := o.clock.stamp(m.get("time").get("completed"))
	if o.role == "assistant" {
		o.emit(session{model: o.clean.text(m.text("modelID")), provider: o.clean.text(m.text("providerID"))})
	}
	switch {
	case o.reverted:
	case m.get("error").text("name") == "MessageAbortedError":
		o.emit(turn{rec, paused})
	case o.role == "assistant" && m.text("finish") == "stop" && done != "":
		o.emit(turn{rec, awaitingInput})
	default:
		o.emit(turn{rec, active})
	}
}

// pass emits an event, unless the person took back what it says.
func (o *openCode) pass(rec int, e event) {
	if o.reverted {
		o.aside([]event{e})
		o.ledger.set(rec, abandoned)
		return
	}
	o.emit(e)
}

func (o *openCode) part(rec int, r record, m members) {
	at := o.clock.stamp(m.get("time").get("start"))
	if at == "" {
		at = o.at
	}
	switch m.text("type") {
	case "text":
		o.text(rec, m, at)
	case "tool":
		o.tool(rec, r, m)
	case "reasoning":
		o.ledger.set(rec, reasoning)
	case "file", "snapshot", "agent":
		o.ledger.set(rec, media)
	case "step-start", "step-finish", "patch", "retry", "compaction", "subtask":
		o.ledger.set(rec, bookkeeping)
	default:
		o.ledger.set(rec, unknown)
	}
}

// text reads a text. One in a turn of the person is the person's unless the client made it.
func (o *openCode) text(rec int, m members, at string) {
	text := m.text("text")
	switch {
	case m.get("synthetic").isTrue(), m.get("ignored").isTrue():
		o.ledger.set(rec, injected)
	case o.role == "assistant" && !o.isTurn:
		o.pass(rec, said{rec: rec, by: summary, text: o.clean.start(text, quoteLength), at: at})
	case o.role == "assistant":
		o.pass(rec, said{rec: rec, by: agent, text: o.clean.start(text, quoteLength), at: at})
	case o.role == "user" && o.subagent:
		o.pass(rec, said{rec: rec, by: other, text: o.clean.text(text), at: at})
	case o.role == "user":
		o.pass(rec, said{rec: rec, by: person, text: o.clean.text(text), at: at})
	default:
		o.ledger.set(rec, unknown)
	}
}

// What the client answers in place of a tool.
var (
	openCodeRefused = []string{"The user rejected permission to use this specific tool call", "Error: The user rejected permission to use this specific tool call"}
	openCodeNever   = []string{"The user has specified a rule which prevents you from using this specific tool call"}
	openCodeUnclear = []string{"Tool execution aborted", "MCP error", "The operation was aborted", "Request timed out", "Connection closed"}
)

func (o *openCode) tool(rec int, r record, m members) {
	state := m.get("state").members()
	started := o.clock.stamp(state.get("time").get("start"))
	ended := o.clock.stamp(state.get("time").get("end"))
	e := called{rec: rec, id: m.text("callID"), at: cmp.Or(started, o.at)}
	e.server, e.tool = openCodeServer(o.clean.text(m.text("tool")))
	o.pass(rec, openCodeTools.call(o.clean, e, r, state.get("input")))
	a := answered{rec: rec, id: e.id, at: ended}
	switch state.text("status") {
	case "completed":
		a.output = o.clean.output(state.get("output").plain())
		a.outcome = openCodeEnd(e.tool, state)
	case "error":
		a.output = o.clean.output(state.get("error").plain())
		a.outcome = openCodeOutcome(state.text("error"), e.server != "")
	default:
		return
	}
	o.pass(rec, a)
}

// What the client writes behind the output of a command that it killed, in a line of its own of an element that differs by version.
var (
	openCodeNotes  = []string{"<bash_metadata>\n", "<shell_metadata>\n"}
	openCodeKilled = []string{"bash tool terminated command after exceeding timeout ", "shell tool terminated command after exceeding timeout ", "User aborted the command",
		"(Command timed out after ", "(Command was aborted)"}
)

// openCodeEnd says how a call ended of which the client says that it is completed. A command that it killed is, too.
func openCodeEnd(tool string, state members) outcome {
	switch metadata := state.get("metadata"); {
	case metadata.get("interrupted").isTrue():
		return unclear
	case tool == "bash" && openCodeWasKilled(state.text("output")):
		return unclear
	case tool == "bash" && metadata.get("exit").first() == 'n': // a command that was killed has no exit code
		return unclear
	case tool == "bash":
		if code, ok := metadata.get("exit").number(); ok && code != 0 {
			return failed
		}
	}
	return succeeded
}

// openCodeWasKilled looks for the client's notes at the end of an output.
func openCodeWasKilled(output string) bool {
	notes := strings.TrimSpace(output)
	for _, open := range openCodeNotes {
		end := "</" + open[1:len(open)-1]
		if i := strings.LastIndex(notes, open); i >= 0 && strings.HasSuffix(notes, end) {
			return hasLine(notes[i+len(open):], openCodeKilled)
		}
	}
	notes = notes[strings.LastIndexByte(notes, '\n')+1:] // as older clients write it
	return strings.HasPrefix(notes, "(Command ") && hasLine(notes, openCodeKilled)
}

// hasLine says whether a line of a text begins with one of some words.
func hasLine(text string, words []string) bool {
	for line := range strings.Lines(text) {
		if hasPrefix(line, words) {
			return true
		}
	}
	return false
}

// openCodeOutcome says who answered with an error. The tool of a server may say anything, so its words prove nothing.
func openCodeOutcome(text string, outside bool) outcome {
	switch {
	case hasPrefix(text, openCodeUnclear), outside && hasPrefix(text, openCodeRefused):
		return unclear
	case !outside && hasPrefix(text, openCodeRefused):
		return refused
	case !outside && hasPrefix(text, openCodeNever):
		return never
	}
	return failed
}

// openCodeServer takes the client's prefix, the server's name and a '_', from the name of a server's tool.
func openCodeServer(name string) (server, tool string) {
	if slices.Contains(openCodeTools.reading, name) || slices.Contains(openCodeOwn, name) {
		return "", name
	}
	server, tool, ok := strings.Cut(name, "_")
	if !ok || server == "" || tool == "" {
		return "", name
	}
	return server, tool
}
