package capture

import "strings"

// withoutResults is a message's content for which the results of tools are read elsewhere; a string stays.
func (c *claude) withoutResults(rec int, content value, f func(string)) {
	if content.isString() {
		f(content.text())
		return
	}
	content.each(func(v value) {
		if v.text("type") != "tool_result" {
			c.block(rec, v, func(text value) { f(text.text()) })
		}
	})
}

// What the client answers in place of a tool.
var (
	claudeRefused = []string{"The user doesn't want to proceed with this tool use.", "The user doesn't want to take this action right now."}
	claudeDenied  = []string{"Permission to use ", "Claude requested permissions to ", "<tool_use_error>InputValidationError",
		"<tool_use_error>Error: No such tool available"}
	claudeUnclear = []string{"[Tool call interrupted: the session ended before", "Command timed out", "Error: Command timed out", "Request timed out", "The operation was aborted", "AbortError", "MCP error",
		"Error: MCP error", "Connection closed", "[Request interrupted by user"}
	// claudeStopped are those that it writes before the output of a command that it killed, behind the exit code.
	claudeStopped = []string{"Command timed out after ", "[Request interrupted by user"}
)

// result reads the result of a call, and the client's decision on it.
func (c *claude) result(n *node, rec int, m, block members, at string) {
	id := block.text("tool_use_id")
	whole := c.outputText(rec, block.get("content"))
	text := beginningOf(whole)
	detail := m.get("toolUseResult")
	e := answered{rec: rec, id: id, output: c.clean.output(whole), at: at}
	isOutside := c.outside[id]
	if block.get("is_error").isTrue() {
		e.outcome = claudeFailure(text, detail, isOutside, m.get("mcpMeta").exists())
		delete(c.outside, id)
	}
	if detail.get("interrupted").isTrue() {
		e.outcome = unclear
	} else if handle, ok := claudeGoesOn(text, detail, isOutside); ok {
		e.outcome, e.handle = running, handle
	}
	c.permitted(n, &e, m.get("permissionDecision"))
	n.emit(e)
	c.stopped(n, rec, detail, at)
}

// claudeGoesOn says whether a command or an agent goes on behind the result of its call, and as which task.
func claudeGoesOn(text string, detail value, outside bool) (task string, ok bool) {
	switch status := detail.text("status"); {
	case detail.get("backgroundTaskId").isString():
		return detail.text("backgroundTaskId"), true
	case status == "async_launched", detail.get("isAsync").isTrue():
		return detail.text("agentId"), true
	case status == "remote_launched":
		return detail.text("taskId"), true
	case strings.HasPrefix(text, "Command running in background with ID: "):
		return firstWord(strings.TrimPrefix(text, "Command running in background with ID: ")), true
	case !outside && strings.HasPrefix(text, "Async agent launched successfully."):
		_, id, _ := strings.Cut(text, "\nagentId: ")
		return firstWord(id), true
	}
	return "", false
}

// permitted takes the decision on a call. One by configuration is no approval.
func (c *claude) permitted(n *node, e *answered, decision value) {
	byPerson := strings.HasPrefix(decision.text("source"), "user")
	switch word := decision.text("decision"); {
	case word == "accept" && byPerson:
		n.emit(asked{rec: e.rec, id: e.id, call: e.id})
		n.emit(decided{rec: e.rec, id: e.id, granted: true, by: "the user", at: e.at})
	case word == "" || word == "accept" || e.outcome == succeeded:
	case byPerson:
		e.outcome = refused
	default:
		e.outcome = never
	}
}

// claudeFailure says who answered with an error. The tool of a server cannot speak for the client: the client marks what came from the server.
func claudeFailure(text string, detail value, isOutside, fromServer bool) outcome {
	switch {
	case fromServer:
		return failed
	case detail.text() == "User rejected tool use", !isOutside && hasPrefix(text, claudeRefused):
		return refused
	case isOutside:
		return unclear
	case hasPrefix(text, claudeDenied):
		return never
	case hasPrefix(text, claudeUnclear), hasPrefix(behindExitCode(text), claudeStopped):
		return unclear
	}
	return failed
}

// behindExitCode is the text of an error behind the client's line on the exit code of a command, "" without one.
func behindExitCode(text string) string {
	line, rest, _ := strings.Cut(text, "\n")
	if code, ok := strings.CutPrefix(line, "Exit code "); ok && strings.Trim(code, "0123456789") == "" {
		return rest
	}
	return ""
}

// firstWord is a text up to its first space or full stop.
func firstWord(s string) string {
	if i := strings.IndexAny(s, " .\n"); i >= 0 {
		return s[:i]
	}
	return s
}

// stopped ends a background task that a call stopped, or found to be over.
func (c *claude) stopped(n *node, rec int, detail value, at string) {
	if task := detail.get("task"); task.get("task_id").isString() && isOver(task.text("status")) {
		n.emit(ended{rec: rec, handle: task.text("task_id"), outcome: overOutcome(task.text("status")), output: c.clean.output(task.get("output").plain()), at: at})
	}
	if id := detail.text("shellId"); id != "" && isOver(detail.text("status")) {
		n.emit(ended{rec: rec, handle: id, outcome: overOutcome(detail.text("status")), output: c.clean.output(detail.get("stdout").plain()), at: at})
	}
}

// notified ends a background task of whose end the client was told.
func (c *claude) notified(n *node, rec int, text, at string) {
	name := "task"
	inside, ok := cutTag(strings.TrimSpace(text), "task-notification")
	if !ok {
		name = "agent" // as older clients tell of agents
		inside, ok = cutTag(strings.TrimSpace(text), "agent-notification")
	}
	if !ok {
		return
	}
	_, after, _ := strings.Cut(inside, "<"+name+"-id>")
	id, _, _ := strings.Cut(after, "</"+name+"-id>")
	_, after, _ = strings.Cut(inside, "<status>")
	status, _, _ := strings.Cut(after, "</status>")
	if isOver(status) {
		n.emit(ended{rec: rec, handle: strings.TrimSpace(id), outcome: overOutcome(status), output: c.clean.output([]byte(inside)), at: at})
	}
}

// isOver says whether a background task of this status does not go on.
func isOver(status string) bool {
	switch strings.TrimSpace(status) {
	case "completed", "failed", "killed", "stopped":
		return true
	}
	return false
}

func overOutcome(status string) outcome {
	switch strings.TrimSpace(status) {
	case "completed":
		return succeeded
	case "failed":
		return failed
	}
	return unclear
}
