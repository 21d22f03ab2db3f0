package capture

import (
	"strconv"
	"strings"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// event reads what the client did.
func (c *codex) event(rec int, m members, at string) {
	switch m.text("type") {
	case "task_started":
		c.ledger.set(rec, bookkeeping)
		c.hold(turn{rec, active})
	case "task_complete":
		c.ledger.set(rec, bookkeeping)
		c.hold(turn{rec, awaitingInput})
	case "turn_aborted":
		c.ledger.set(rec, bookkeeping)
		c.aborted(rec, m.text("reason"))
	case "thread_goal_updated":
		c.hold(goal{rec, c.clean.text(m.get("goal").text("objective"))})
	case "thread_rolled_back":
		c.ledger.set(rec, bookkeeping)
		n, _ := m.get("num_turns").number()
		c.rollBack(n)
	case "user_message":
		c.typedMessage(rec, m, at)
	case "item_completed":
		c.completedItem(rec, m.get("item").members(), at)
	case "exec_command_end", "mcp_tool_call_end", "patch_apply_end":
		c.ledger.set(rec, copied)
		c.finished(m)
	case "exec_approval_request", "apply_patch_approval_request":
		c.hold(asked{rec: rec, id: m.text("call_id"), call: m.text("call_id"), reason: c.clean.line(m.text("reason"), aboutLength), at: at})
	case "agent_message", "exec_command_begin", "mcp_tool_call_begin", "patch_apply_begin", "exec_command_output_delta", "plan_update", "web_search_begin", "web_search_end",
		"item_started", "raw_response_item":
		c.ledger.set(rec, copied)
	case "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break":
		c.ledger.set(rec, reasoning)
	case "token_count", "thread_settings_applied", "context_compacted", "thread_name_updated", "turn_diff", "error", "stream_error", "warning", "background_event",
		"session_configured", "entered_review_mode", "exited_review_mode", "shutdown_complete":
		c.ledger.set(rec, bookkeeping)
	default:
		c.ledger.set(rec, unknown)
	}
}

func (c *codex) aborted(rec int, reason string) {
	if reason == "interrupted" || reason == "" {
		c.hold(turn{rec, paused})
		return
	}
	c.hold(turn{rec, active})
}

// typedMessage reads what the person typed. Where the client marks the texts that the model saw, it is a copy of one.
func (c *codex) typedMessage(rec int, m members, at string) {
	text := m.text("message")
	if c.hasKinds {
		c.ledger.set(rec, copied)
		return
	}
	if kind := m.text("kind"); kind != "" && kind != "plain" {
		c.ledger.set(rec, injected)
		return
	}
	sum := textSum(text)
	if c.item.Rec > 0 && c.item.Text == sum {
		c.ledger.set(c.item.Rec, copied)
	}
	c.typed = typedText{rec, sum}
	c.person(rec, text, at)
}

// completedItem reads an item that the client completed. All of them are copies, but some say more of a call than its result does.
func (c *codex) completedItem(rec int, item members, at string) {
	switch item.text("type") {
	case "Reasoning":
		c.ledger.set(rec, reasoning)
		return
	case "McpToolCall":
		if item.get("readOnlyHint").isTrue() {
			c.hold(hinted{rec, item.text("id")})
		}
		c.mcpEnd(item)
	case "CommandExecution":
		c.commandEnd(rec, item, at)
	}
	c.ledger.set(rec, copied)
}

// mcpEnd notes who answered for the tool of a server: the server, or something between.
func (c *codex) mcpEnd(item members) {
	switch {
	case item.get("result").get("isError").isTrue():
		c.ends[item.text("id")] = failed
	case item.get("error").exists(), item.text("status") == "failed":
		c.ends[item.text("id")] = unclear
	default:
		c.ends[item.text("id")] = succeeded
	}
}

// commandEnd notes how a command ended. One whose result said that it goes on ends here.
func (c *codex) commandEnd(rec int, item members, at string) {
	end := succeeded
	switch code, ok := item.get("exit_code").number(); {
	case item.text("status") == "declined":
		end = refused
	case ok && code != 0:
		end = failed
	case !ok || item.text("status") == "failed":
		end = unclear
	}
	c.ends[item.text("id")] = end
	if process := item.text("process_id"); process != "" {
		c.hold(ended{rec: rec, handle: process, outcome: end, output: c.clean.output(item.get("aggregated_output").plain()), at: at})
	}
}

// finished reads the ends of calls as older clients log them.
func (c *codex) finished(m members) {
	id := m.text("call_id")
	code, ok := m.get("exit_code").number()
	result := m.get("result")
	switch {
	case ok && code != 0, result.get("Ok", "isError").isTrue(), m.get("success").first() == 'f':
		c.ends[id] = failed
	case result.get("Err").exists():
		c.ends[id] = unclear
	}
}

// customCall reads a call whose argument is a text of no form.
func (c *codex) customCall(rec int, m members, at string) {
	input := m.text("input")
	text := append(jsonspan.AppendQuoted([]byte(`{"input":`), input), '}')
	e := codexTools.call(c.clean, called{rec: rec, id: m.text("call_id"), tool: m.text("name"), at: at}, record{}, whole(text))
	if e.tool == "apply_patch" {
		for line := range strings.Lines(input) {
			for _, head := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: "} {
				if path, ok := strings.CutPrefix(line, head); ok {
					e.files = append(e.files, c.clean.text(strings.TrimSpace(path)))
				}
			}
		}
		e.about = strings.Join(e.files, ", ")
	}
	c.hold(e)
}

// webSearch reads a search that the model's own side made: its result is not logged.
func (c *codex) webSearch(rec int, r record, m members, at string) {
	e := called{rec: rec, id: m.text("id"), tool: "web_search", at: at}
	if e.id == "" {
		e.id = "web_search." + at
	}
	c.hold(codexTools.call(c.clean, e, r, m.get("action")))
	if m.text("status") == "completed" {
		c.hold(answered{rec: rec, id: e.id, at: at})
	}
}

// What the client answers in place of a tool of its own.
var (
	codexRefused = []string{"exec command rejected by user", "rejected by user", "patch rejected by user", "command rejected by user"}
	codexNever   = []string{"Command blocked by PreToolUse hook: ", "Tool call blocked by PreToolUse hook: ", `exec_command failed: CreateProcess { message: "Rejected(`, "unsupported call: ", "unsupported custom tool call: ", "failed to parse function arguments"}
	codexUnclear = []string{"aborted", "command timed out", "exec_command failed", "execution error", "failed in sandbox", "error: timeout"}
)

// output reads the result of a call.
func (c *codex) output(rec int, m members, at string) {
	id := m.text("call_id")
	whole, code := c.outputOf(rec, m.get("output"))
	text := beginningOf(whole)
	e := answered{rec: rec, id: id, output: c.clean.output(whole), at: at}
	end, noted := c.ends[id]
	process, isWrite := c.waiting[id]
	delete(c.ends, id)
	delete(c.waiting, id)
	isOutside := c.outside[id]
	delete(c.outside, id)
	session, goesOn := runningSession(text)
	switch {
	case noted:
		e.outcome = end
	case isOutside: // its words are the server's
		if hasPrefix(text, codexNever) {
			e.outcome = unclear // or the client's
		}
	case goesOn && !isWrite:
		e.outcome, e.handle = running, session
	case code > 0:
		e.outcome = failed
	case code == 0: // it ran, whatever it says
	case hasPrefix(text, codexRefused):
		e.outcome = refused
	case hasPrefix(text, codexNever):
		e.outcome = never
	case hasPrefix(text, codexUnclear):
		e.outcome = unclear
	}
	c.hold(e)
	if isWrite && !goesOn && code >= 0 {
		c.hold(ended{rec: rec, handle: process, outcome: e.outcome, output: e.output, at: at})
	}
}

// outputOf is the text of a result, and the exit code that it states; -1 for none.
func (c *codex) outputOf(rec int, v value) ([]byte, int64) {
	if v.isObject() {
		v = v.get("content")
	}
	text := c.outputText(rec, v)
	if inner, ok := readRecord(text); ok && inner.get("output").isString() {
		if code, ok := inner.get("metadata", "exit_code").number(); ok {
			return inner.get("output").plain(), code
		}
	}
	for line := range strings.Lines(codexHead(beginningOf(text))) {
		for _, label := range []string{"Process exited with code ", "Exit code: "} {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), label); ok {
				if code, err := strconv.ParseInt(rest, 10, 32); err == nil {
					return text, code
				}
			}
		}
	}
	return text, -1
}

// codexHead is what the client writes of a result before the output of the tool.
func codexHead(text string) string {
	head, _, found := strings.Cut(text, "Output:\n")
	if !found {
		return ""
	}
	return head
}

// runningSession is the session of a process that goes on behind its result.
func runningSession(text string) (string, bool) {
	_, rest, ok := strings.Cut(codexHead(text), "Process running with session ID ")
	return firstWord(rest), ok
}
