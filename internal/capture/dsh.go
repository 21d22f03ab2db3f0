package capture

import "strings"

var dshTools = toolset{
	reading: []string{"read", "glob", "grep", "ls", "terminal_read", "terminal_list", "web_search", "web_fetch"},
	file:    []string{"file_path"},
	plan:    []string{"todo_write", "update_plan"},
}

// dsh reads the sessions of deepseek-harness: a line an event. The model asks for a call in its message; a call is dispatched behind its
// own event, so that one which was only asked for did not start.
type dsh struct {
	*run
	subagent bool
	chunks   []int             // records of a message of the model that is not complete yet
	rejected map[string]bool   // calls whose approval was refused
	requests map[string]string // calls by the id of the request for their approval
	waiting  map[string]int    // records of messages that wait for the agent, by the message's id
}

func isDSH(m members) bool {
	if m.text("type") == "session" {
		return m.get("createdAt").exists()
	}
	return m.get("type").isString() && (m.get("seq").exists() || m.get("seq0").exists()) && m.get("data").isObject()
}

func newDSH(r *run) reader {
	return &dsh{run: r, rejected: map[string]bool{}, requests: map[string]string{}, waiting: map[string]int{}}
}

func (d *dsh) end() {}

func (d *dsh) record(rec int, r record) {
	m := r.members()
	at := d.clock.stamp(m.get("time"))
	data := m.get("data").members()
	switch kind := m.text("type"); kind {
	case "session":
		d.session(rec, m)
	case "user/message":
		d.user(rec, data, at)
	case "command/run":
		d.command(rec, data, at)
	case "assistant/message":
		d.assistant(rec, r, data, at)
	case "tool/call":
		d.call(rec, r, data, at)
	case "tool/result":
		d.result(rec, data, at)
	case "approval/asked":
		d.requests[data.text("id")] = data.text("callId")
		d.emit(asked{rec: rec, id: data.text("id"), call: data.text("callId"), reason: d.clean.line(data.text("reason"), aboutLength), at: at})
	case "approval/decided":
		d.decided(rec, data, at)
	case "compaction/summary":
		d.emit(said{rec: rec, by: summary, text: d.clean.start(string(d.outputText(rec, data.get("summary"))), quoteLength), at: at})
	case "turn/start":
		d.ledger.set(rec, bookkeeping)
		d.emit(turn{rec, active})
	case "turn/end":
		d.turnEnd(rec, data.get("reason"))
	default:
		d.other(rec, kind, data)
	}
}

// other reads events that make nothing by themselves.
func (d *dsh) other(rec int, kind string, data members) {
	switch kind {
	case "request/header":
		d.ledger.set(rec, vendor)
		d.model(data.get("header").get("config").members())
	case "request/context":
		d.ledger.set(rec, bookkeeping)
		d.model(data)
	case "agent/inbox/spliced":
		d.ledger.set(rec, bookkeeping)
		data.get("inserted").each(func(v value) {
			d.waiting[v.text("id")] = rec
			d.ledger.set(rec, queued)
		})
	case "reasoning-chunks":
		d.ledger.set(rec, reasoning)
	case "assistant/chunk", "text-chunks", "tool-call-chunks":
		chunk := data.get("chunk")
		if chunk.text("blockType") == "reasoning" || chunk.text("block", "type") == "reasoning" || chunk.text("type") == "reasoning-delta" {
			d.ledger.set(rec, reasoning)
			return
		}
		d.chunks = append(d.chunks, rec)
	case "step/start", "step/end", "session/title", "permission/preset", "sandbox/mode", "approval/policy", "command/done", "compaction/start", "compaction/end":
		d.ledger.set(rec, bookkeeping)
	default:
		d.ledger.set(rec, unknown)
	}
}

func (d *dsh) session(rec int, m members) {
	d.ledger.set(rec, mapped)
	d.clock.stamp(m.get("createdAt"))
	depth, _ := m.get("delegationDepth").number()
	d.subagent = depth > 0
	d.emit(session{id: d.clean.text(m.text("id")), cwd: d.clean.text(m.text("cwd"))})
}

func (d *dsh) model(m members) {
	d.emit(session{model: d.clean.text(m.text("model")), provider: d.clean.text(m.text("provider"))})
}

// user reads a message in the turn of the person, which is the person's only by its source.
func (d *dsh) user(rec int, data members, at string) {
	if id := data.text("id"); id != "" {
		d.ledger.set(d.waiting[id], copied)
		delete(d.waiting, id)
	}
	source := data.get("source").members()
	if source.text("kind") != "user" {
		d.ledger.set(rec, injected)
		if source.get("compactionId").exists() { // its summary has an event of its own
			d.ledger.set(rec, copied)
		}
		return
	}
	by := person
	if d.subagent {
		by = other
	}
	d.texts(rec, data.get("content"), func(text string) { d.emit(said{rec: rec, by: by, text: d.clean.text(text), at: at}) })
}

// command reads what the person typed to the client.
func (d *dsh) command(rec int, data members, at string) {
	if data.get("source").text("kind") != "user" || d.subagent {
		d.ledger.set(rec, injected)
		return
	}
	d.emit(said{rec: rec, by: person, text: d.clean.text("/" + data.text("name") + data.text("args")), at: at, command: true})
}

func (d *dsh) assistant(rec int, r record, data members, at string) {
	for _, chunk := range d.chunks {
		d.ledger.set(chunk, copied)
	}
	d.chunks = nil
	message := data.get("message")
	d.model(message.get("source").members())
	message.get("content").each(func(v value) {
		block := v.members()
		switch block.text("type") {
		case "text":
			d.emit(said{rec: rec, by: agent, text: d.clean.start(block.text("text"), quoteLength), at: at})
		case "reasoning":
			d.ledger.part(rec, reasoning)
		case "tool-call":
			e := called{rec: rec, id: block.text("id"), at: at, unstarted: true}
			e.server, e.tool = splitServer(d.clean.text(block.text("name")), "__")
			d.emit(dshTools.call(d.clean, e, r, block.get("arguments")))
		default:
			d.ledger.part(rec, unknown)
		}
	})
}

// call reads the dispatch of a call that the model asked for.
func (d *dsh) call(rec int, r record, data members, at string) {
	id := data.text("callId")
	if !d.mapper.isKnown(id) {
		e := called{rec: rec, id: id, at: at}
		e.server, e.tool = splitServer(d.clean.text(data.text("name")), "__")
		d.emit(dshTools.call(d.clean, e, r, data.get("arguments")))
		return
	}
	d.emit(started{rec, id, at})
}

func (d *dsh) result(rec int, data members, at string) {
	code, name := data.get("error").text("code"), data.get("error").text("name")
	data.get("message").get("content").each(func(v value) {
		block := v.members()
		if block.text("type") != "tool-result" {
			d.ledger.part(rec, unknown)
			return
		}
		id := block.text("toolCallId")
		e := answered{rec: rec, id: id, output: d.clean.output(d.outputText(rec, block.get("content"))), at: at}
		if block.get("isError").isTrue() || code != "" {
			e.outcome = dshOutcome(code, name)
			if e.outcome == failed && d.rejected[id] {
				e.outcome = refused
			}
		}
		delete(d.rejected, id)
		d.emit(e)
	})
}

// dshOutcome says who answered with an error.
func dshOutcome(code, name string) outcome {
	switch {
	case code == "ABORTED_BEFORE_DISPATCH":
		return never
	case code == "TOOL_NOT_STARTED":
		return unbegun
	case strings.HasPrefix(code, "ABORT"), code == "TOOL_OUTCOME_UNKNOWN", strings.Contains(code, "TIMEOUT"), name == "AbortError", name == "TimeoutError":
		return unclear
	}
	return failed
}

func (d *dsh) decided(rec int, data members, at string) {
	id, end := data.text("id"), data.text("outcome")
	granted := strings.HasPrefix(end, "allowed")
	if !granted && end != "rejected" {
		d.ledger.set(rec, bookkeeping) // nobody decided
		return
	}
	d.rejected[d.requests[id]] = !granted
	delete(d.requests, id)
	d.emit(decided{rec: rec, id: id, granted: granted, by: d.clean.text(data.text("by")), at: at})
}

func (d *dsh) turnEnd(rec int, reason value) {
	d.ledger.set(rec, bookkeeping)
	switch {
	case reason.text("kind") == "completed":
		d.emit(turn{rec, awaitingInput})
	case reason.text("kind") == "aborted" && reason.text("reason", "kind") == "user":
		d.emit(turn{rec, paused})
	default:
		d.emit(turn{rec, active})
	}
}
