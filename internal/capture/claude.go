package capture

import "strings"

var claudeTools = toolset{
	reading: []string{"Read", "Glob", "Grep", "LS", "NotebookRead", "WebFetch", "WebSearch", "BashOutput", "TaskOutput", "ToolSearch", "TodoRead", "TaskList", "TaskGet",
		"AskUserQuestion", "EnterPlanMode", "ExitPlanMode"},
	file: []string{"file_path", "notebook_path"},
	plan: []string{"TodoWrite"},
}

// claude reads the logs of Claude Code: a line a record, which names its parent in parentUuid. A record of type user holds what the person
// typed, results of tools, or what the client put there.
type claude struct {
	*run
	tree      *tree
	begun     bool
	subagent  bool // the whole log is that of a subagent, so no turn is a person's
	summaries []claudeSummary
	outside   map[string]bool // open calls of servers' tools
	typed     map[string]bool // what the person typed, by digest
	order     []string        // the same, the latest last
	forgot    bool            // something that the person typed is not in typed any more
	copies    []claudeCopy
	elsewhere map[string]bool // leaves of summaries that are passed on as another session's
}

// claudeCopy is a record with a text that a turn of the person should have, too.
type claudeCopy struct {
	Rec  int
	Text string // its digest
}

// claudeSummary is a summary of the branch that ends in a leaf, which may be another session's.
type claudeSummary struct {
	rec        int
	text, leaf string
}

func isClaude(m members) bool {
	switch m.text("type") {
	case "user", "assistant":
		return m.get("message").isObject() && m.get("sessionId").isString()
	case "summary":
		return m.get("leafUuid").isString()
	}
	return m.get("type").isString() && m.get("sessionId").isString() && !m.get("projectHash").exists()
}

func newClaude(r *run) reader {
	return &claude{run: r, tree: newTree(r), outside: map[string]bool{}, typed: map[string]bool{}, elsewhere: map[string]bool{}}
}

func (c *claude) record(rec int, r record) {
	m := r.members()
	at := c.clock.stamp(m.get("timestamp"))
	parent := m.text("parentUuid")
	if parent == "" {
		parent = m.text("logicalParentUuid") // over a compaction
	}
	n, fresh := c.tree.node(rec, r, m.text("uuid"), parent, m.get("parentUuid").first() == 'n' && parent == "")
	if !fresh {
		c.ledger.set(rec, copied)
		return
	}
	if n.id != "" && c.elsewhere[n.id] {
		c.restart()
	}
	c.describe(m)
	switch m.text("type") {
	case "user", "assistant":
		c.turn(n, rec, r, m, at)
	case "summary":
		c.summaries = append(c.summaries, claudeSummary{rec, c.clean.start(m.text("summary"), quoteLength), m.text("leafUuid")})
	case "attachment":
		c.ledger.set(rec, injected)
		c.notified(n, rec, m.get("attachment").text("prompt"), at)
	case "queue-operation":
		c.copyOf(rec, m.text("content"))
		c.notified(n, rec, m.text("content"), at)
	case "last-prompt":
		c.copyOf(rec, m.text("lastPrompt"))
	case "system", "file-history-snapshot", "progress", "atis-latch", "tools-used", "cost-state", "ai-title", "custom-title", "agent-name", "mode", "tag", "pr-link",
		"permission-mode":
		c.ledger.set(rec, bookkeeping)
	default:
		c.ledger.set(rec, unknown)
	}
}

// describe takes what a record says about the session.
func (c *claude) describe(m members) {
	if id := m.text("sessionId"); id != "" {
		c.emit(session{id: c.clean.text(id), cwd: c.clean.text(m.text("cwd")), version: c.clean.text(m.text("version"))})
	}
}

// copyOf notes a record with a text of the person that waits for the agent, or was given to it.
func (c *claude) copyOf(rec int, text string) {
	c.ledger.set(rec, bookkeeping)
	if text != "" {
		c.copies = append(c.copies, claudeCopy{rec, textSum(text)})
	}
}

// turn reads a record of the conversation, or of a subagent's beside it.
func (c *claude) turn(n *node, rec int, r record, m members, at string) {
	side := m.get("isSidechain").isTrue()
	if !c.begun {
		c.begun, c.subagent = true, side
	}
	n.aside = side && !c.subagent
	if !n.aside && n.id != "" {
		c.tree.leaf = n
	}
	message := m.get("message").members()
	if m.text("type") == "assistant" {
		n.turn, n.group = true, message.text("id")
		c.assistant(n, rec, r, m, message, at)
		return
	}
	c.user(n, rec, m, message, at)
}

func (c *claude) assistant(n *node, rec int, r record, m, message members, at string) {
	if model := message.text("model"); model == "<synthetic>" || m.get("isApiErrorMessage").isTrue() {
		c.ledger.set(rec, injected)
		return
	} else if model != "" && !n.aside {
		c.emit(session{model: c.clean.text(model)})
	}
	calls := false
	content := message.get("content")
	if content.isString() {
		n.emit(said{rec: rec, by: agent, text: c.clean.start(content.text(), quoteLength), at: at})
	}
	content.each(func(v value) {
		block := v.members()
		switch block.text("type") {
		case "text":
			n.emit(said{rec: rec, by: agent, text: c.clean.start(block.text("text"), quoteLength), at: at})
		case "thinking", "redacted_thinking":
			c.ledger.part(rec, reasoning)
		case "tool_use":
			calls = true
			server, tool := splitServer(c.clean.text(block.text("name")), "__")
			c.outside[block.text("id")] = server != ""
			n.emit(claudeTools.call(c.clean, called{rec: rec, id: block.text("id"), tool: tool, server: server, at: at}, r, block.get("input")))
		default:
			c.ledger.part(rec, unknown)
		}
	})
	status := active
	if reason := message.text("stop_reason"); !calls && (reason == "end_turn" || reason == "stop_sequence") {
		status = awaitingInput
	}
	n.emit(turn{rec, status})
}

// user reads a record of type user. Its texts are the person's only where nothing says otherwise.
func (c *claude) user(n *node, rec int, m, message members, at string) {
	content := message.get("content")
	hasResult := false
	content.each(func(v value) {
		if v.text("type") == "tool_result" {
			hasResult = true
			c.result(n, rec, m, v.members(), at)
		}
	})
	by := person
	switch {
	case m.get("isCompactSummary").isTrue():
		by = summary
	case c.subagent:
		by = other
	}
	putIn := hasResult || m.get("isMeta").isTrue() || m.get("isVisibleInTranscriptOnly").isTrue() && by != summary || !fromPerson(m.get("origin"))
	c.withoutResults(rec, content, func(text string) { c.said(n, rec, by, putIn, text, at) })
	if hasResult {
		n.emit(turn{rec, active})
	}
}

// fromPerson says whether the origin of a turn, where the client records one, is a person.
func fromPerson(origin value) bool {
	kind := origin.text("kind")
	return kind == "" || kind == "human" || kind == "user"
}

// claudeInjected are the elements that the client puts into turns of the person.
var claudeInjected = []wrapper{
	{name: "bash-stdout", with: "bash-stderr"}, {name: "bash-stderr", with: "bash-stdout"}, {name: "local-command-stdout", with: "local-command-stderr"},
	{name: "local-command-stderr", with: "local-command-stdout"}, {name: "task-notification"}, {name: "agent-notification"}, {name: claudeReminder, between: true},
	{name: "command-name", between: true}, {name: "command-message", between: true}, {name: "command-args", between: true}, {name: "command-contents", between: true},
	{name: "local-command-caveat", between: true}, {name: "bash-input", between: true}, {name: "teammate-message"}, {name: "user-memory-input", between: true},
	{name: "ide_opened_file", between: true}, {name: "ide_selection", between: true}, {name: "ide_diagnostics", between: true}, {name: "user-prompt-submit-hook", between: true},
}

// claudePointers are the lines that the client writes behind the notice of a task.
var claudePointers = []string{"Full transcript available at: ", "Read the output file to retrieve the result: "}

// What the client writes into a turn of the person when the person stops the agent, before a summary of what was compacted, before the output
// of commands, and anywhere.
const (
	claudeInterrupted = "[Request interrupted by user"
	claudeContinued   = "This session is being continued from a previous conversation"
	claudeCaveat      = "Caveat: The messages below were generated by the user while running local commands"
	claudeReminder    = "system-reminder"
)

// claudeFed is how the turns begin that hooks, other sessions and other agents give to the agent in the person's place.
var claudeFed = []string{"Stop hook feedback:", "Another Claude session sent a message:", "<cross-session-message ", `<\cross-session-message `, "<agent-message from="}

// isFed says whether a whole text is not the person's, though the record does not say so. That of a channel ends where its element does.
func isFed(text string) bool {
	return hasPrefix(text, claudeFed) || strings.HasPrefix(text, claudeCaveat) || strings.HasPrefix(text, "<channel source=") && strings.HasSuffix(text, "</channel>")
}

func (c *claude) said(n *node, rec int, by speaker, putIn bool, text, at string) {
	trimmed := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(trimmed, claudeInterrupted):
		c.ledger.part(rec, injected)
		n.emit(turn{rec, paused})
	case by == summary || strings.HasPrefix(trimmed, claudeContinued):
		n.emit(said{rec: rec, by: summary, text: c.clean.start(text, quoteLength), at: at})
	case putIn || isFed(trimmed):
		c.ledger.part(rec, injected)
		c.notified(n, rec, text, at)
	default:
		c.person(n, rec, by, text, at)
	}
}

// person takes what is left of a text without what the client put there.
func (c *claude) person(n *node, rec int, by speaker, text, at string) {
	c.notified(n, rec, text, at)
	own, before := withoutTagged(text, claudeInjected)
	if before && hasPrefix(own, claudePointers) {
		_, own, _ = strings.Cut(own, "\n")
	}
	own, within := withoutElement(own, claudeReminder)
	if before || within {
		c.ledger.part(rec, injected)
	}
	if strings.TrimSpace(own) == "" {
		return
	}
	n.turn = true
	c.hasTyped(textSum(own))
	n.emit(turn{rec, active})
	n.emit(said{rec: rec, by: by, text: c.clean.text(own), at: at})
}

func (c *claude) end() {
	c.settle()
	for _, p := range c.copies {
		c.ledger.set(p.Rec, queued)
	}
}
