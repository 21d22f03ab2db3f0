package capture

import (
	"bytes"
	"encoding/json"
)

var piTools = toolset{
	reading: []string{"read", "ls", "grep", "find"},
	file:    []string{"path"},
}

// pi reads the logs of pi: a line a record, messages in the form of its own model interface. From version 2 on a record has an id and the
// id of its parent, so that a person can go back and leave a branch.
type pi struct {
	*run
	tree *tree
}

func isPi(m members) bool {
	switch m.text("type") {
	case "session":
		return m.get("timestamp").isString() && m.get("cwd").isString()
	case "message":
		return m.get("message").isObject() && !m.get("uuid").exists() && !m.get("sessionId").exists()
	}
	return false
}

func newPi(r *run) reader { return &pi{run: r, tree: newTree(r)} }

func (p *pi) end() { p.settle() }

func (p *pi) settle() { p.tree.settle() }

func (p *pi) keep() (any, []int) { return p.tree.keep(), nil }

func (p *pi) resume(state json.RawMessage) error {
	var s treeState
	err := json.Unmarshal(state, &s)
	p.tree.resume(s)
	return err
}

func (p *pi) record(rec int, r record) {
	m := r.members()
	at := p.clock.stamp(m.get("timestamp"))
	n, fresh := p.tree.node(rec, r, p.id(m), m.text("parentId"), m.get("parentId").first() == 'n')
	if !fresh {
		p.ledger.set(rec, copied)
		return
	}
	n.turn = true
	if n.id != "" {
		p.tree.leaf = n
	}
	switch m.text("type") {
	case "session":
		p.ledger.set(rec, mapped)
		s := session{id: p.clean.text(m.text("id")), cwd: p.clean.text(m.text("cwd")), model: p.clean.text(m.text("modelId")), provider: p.clean.text(m.text("provider"))}
		p.emit(s)
	case "model_change":
		p.ledger.set(rec, bookkeeping)
		p.emit(session{model: p.clean.text(m.text("modelId")), provider: p.clean.text(m.text("provider"))})
	case "thinking_level_change", "label", "session_info", "custom":
		p.ledger.set(rec, bookkeeping)
	case "custom_message":
		p.ledger.set(rec, injected)
	case "compaction", "branch_summary":
		n.emit(said{rec: rec, by: summary, text: p.clean.start(m.text("summary"), quoteLength), at: at})
	case "message":
		p.message(n, rec, r, m.get("message"), at)
	default:
		p.ledger.set(rec, unknown)
	}
}

// id is the id of a record in the tree. That of the session is another thing.
func (p *pi) id(m members) string {
	if m.text("type") == "session" {
		return ""
	}
	return m.text("id")
}

func (p *pi) message(n *node, rec int, r record, message value, at string) {
	m := message.members()
	switch m.text("role") {
	case "user":
		n.emit(turn{rec, active})
		p.texts(rec, m.get("content"), func(text string) { p.typed(n, rec, text, at) })
	case "assistant":
		p.assistant(n, rec, r, m, at)
	case "toolResult":
		p.toolResult(n, rec, m, at)
	case "bashExecution":
		p.bash(n, rec, r, m, at)
	case "branchSummary", "compactionSummary":
		p.ledger.set(rec, copied)
	case "custom":
		p.ledger.set(rec, injected)
	default:
		p.ledger.set(rec, unknown)
	}
}

// piInjected are the elements that the client puts before what the person typed: files and skills that were named.
var piInjected = []wrapper{{name: "file"}, {name: "skill"}}

func (p *pi) typed(n *node, rec int, text, at string) {
	text, cut := withoutTagged(text, piInjected)
	if cut {
		p.ledger.part(rec, injected)
	}
	if text != "" {
		n.emit(said{rec: rec, by: person, text: p.clean.text(text), at: at})
	}
}

// assistant reads a message of the model. One that itself ended in an error, or was aborted, was never acted on: its calls did not run.
func (p *pi) assistant(n *node, rec int, r record, m members, at string) {
	p.emit(session{model: p.clean.text(m.text("model")), provider: p.clean.text(m.text("provider"))})
	reason := m.text("stopReason")
	broken := reason == "error" || reason == "aborted"
	m.get("content").each(func(v value) {
		block := v.members()
		switch block.text("type") {
		case "text":
			n.emit(said{rec: rec, by: agent, text: p.clean.start(block.text("text"), quoteLength), at: at})
		case "thinking":
			p.ledger.part(rec, reasoning)
		case "toolCall":
			if broken {
				p.ledger.part(rec, undispatched)
				return
			}
			e := called{rec: rec, id: block.text("id"), tool: block.text("name"), at: at}
			n.emit(piTools.call(p.clean, e, r, block.get("arguments")))
		default:
			p.ledger.part(rec, unknown)
		}
	})
	switch reason {
	case "stop":
		n.emit(turn{rec, awaitingInput})
	case "aborted":
		n.emit(turn{rec, paused})
	default:
		n.emit(turn{rec, active})
	}
}

// piUnclear are the last lines of errors that the client wrote in place of a tool.
var piUnclear = []string{"Command aborted", "Command timed out", "Operation aborted"}

func (p *pi) toolResult(n *node, rec int, m members, at string) {
	text := p.outputText(rec, m.get("content"))
	e := answered{rec: rec, id: m.text("toolCallId"), output: p.clean.output(text), at: at}
	if m.get("isError").isTrue() {
		e.outcome = failed
		text = bytes.TrimSpace(text)
		if hasPrefix(string(text[bytes.LastIndexByte(text, '\n')+1:]), piUnclear) {
			e.outcome = unclear
		}
	}
	n.emit(e)
}

// bash reads a command that the person ran beside the agent.
func (p *pi) bash(n *node, rec int, r record, m members, at string) {
	id := "bash." + m.text("timestamp")
	if id == "bash." {
		id = "bash." + string(m.get("timestamp").raw())
	}
	e := called{rec: rec, id: id, tool: "bash", about: p.clean.line(m.text("command"), aboutLength), at: at}
	n.emit(e)
	result := answered{rec: rec, id: id, output: p.clean.output(m.get("output").plain()), at: at}
	if m.get("cancelled").isTrue() {
		result.outcome = unclear
	}
	n.emit(result)
}
