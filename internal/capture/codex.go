package capture

import (
	"strings"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

var codexTools = toolset{
	reading: []string{"view_image", "list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource", "read_file", "list_dir", "grep_files", "web_search"},
	plan:    []string{"update_plan"},
}

// codex reads the rollouts of Codex: a line a record with a type and a payload. A response_item is what the model saw or said; an event_msg is
// what the client did, most of it a copy.
type codex struct {
	*run
	inBase   bool
	subagent bool
	hasKinds bool // the client says of each text what it is
	typed    typedText
	item     typedText
	ends     map[string]outcome // what the client recorded of calls whose results come
	waiting  map[string]string  // calls that write to a process, by id: which
	outside  map[string]bool    // open calls of servers' tools
	held     []event
	left     []event         // of turns that the person took back
	gone     []jsonspan.Span // their records, Start and End included
	turns    []codexTurn
	settled  bool // turns of the person were passed on, which can be taken back no more
}

// codexTurn is where a turn of the person begins: the events held before it, and its first record.
type codexTurn struct{ events, rec int }

// typedText is a text of the person as one of two records has it.
type typedText struct {
	Rec  int
	Text string // its digest
}

func isCodex(m members) bool { return m.get("type").isString() && m.get("payload").isObject() }

func newCodex(r *run) reader {
	return &codex{run: r, ends: map[string]outcome{}, waiting: map[string]string{}, outside: map[string]bool{}}
}

func (c *codex) end() { c.settle() }

// hold keeps an event until the end shows whether the person took its turn back.
func (c *codex) hold(e event) { c.held = append(c.held, e) }

// rollBack leaves the last n turns of the person. What they did in the world stays done.
func (c *codex) rollBack(n int64) {
	if n > int64(len(c.turns)) && c.settled {
		c.restart()
	}
	if n = min(n, int64(len(c.turns))); n <= 0 {
		return
	}
	from := c.turns[len(c.turns)-int(n)]
	c.turns = c.turns[:len(c.turns)-int(n)]
	for _, e := range c.held[from.events:] {
		if e, ok := asideEvent(e); ok {
			c.left = append(c.left, e)
		}
	}
	clear(c.held[from.events:])
	c.held = c.held[:from.events]
	c.abandon(from.rec)
}

// abandon leaves the records from one on. Those that were left before are not gone over again.
func (c *codex) abandon(from int) {
	until := c.ledger.number()
	drop := func(first, last int) {
		for rec := first; rec <= last; rec++ {
			c.ledger.drop(rec, abandoned)
		}
	}
	for n := len(c.gone); n > 0 && c.gone[n-1].Start >= from; n-- {
		drop(c.gone[n-1].End+1, until)
		until = c.gone[n-1].Start - 1
		c.gone = c.gone[:n-1]
	}
	drop(from, until)
	c.gone = append(c.gone, jsonspan.Span{Start: from, End: c.ledger.number()})
}

func (c *codex) record(rec int, r record) {
	m := r.members()
	at := c.clock.stamp(m.get("timestamp"))
	payload := m.get("payload").members()
	switch m.text("type") {
	case "session_meta":
		c.meta(rec, payload)
	case "turn_context":
		c.ledger.set(rec, bookkeeping)
		c.emit(session{model: c.clean.text(payload.text("model")), cwd: c.clean.text(payload.text("cwd"))})
	case "response_item":
		c.responseItem(rec, r, payload, at)
	case "event_msg":
		c.event(rec, payload, at)
	case "compacted":
		c.hold(said{rec: rec, by: summary, text: c.clean.start(payload.text("message"), quoteLength), at: at})
	case "world_state":
		c.ledger.set(rec, vendor)
	case "token_usage_record":
		c.ledger.set(rec, bookkeeping)
	default:
		c.ledger.set(rec, unknown)
	}
}

// meta reads the head of a log. A fork begins with the records of another log up to an ordinal, which are read first if they are at hand.
func (c *codex) meta(rec int, m members) {
	if c.inBase {
		c.ledger.set(rec, bookkeeping)
		return
	}
	c.ledger.set(rec, mapped)
	c.subagent = m.get("source").isObject() || m.text("thread_source") == "subagent"
	s := session{id: c.clean.text(m.text("id")), version: c.clean.text(m.text("cli_version")), cwd: c.clean.text(m.text("cwd")),
		forkedFrom: c.clean.text(m.text("forked_from_id"))}
	base := m.get("history_base").members()
	thread := base.text("thread_id")
	end, numbered := base.get("end_ordinal_exclusive").number()
	if numbered {
		s.forkedAt = string(base.get("end_ordinal_exclusive").raw())
	}
	c.emit(s)
	if thread == "" {
		return
	}
	c.inBase = true
	defer func() { c.inBase = false }()
	if !numbered || end > 0 && !c.base(thread, end) {
		c.ledger.note("unavailable", "1 history of session %s before ordinal %d: it is not at hand", c.clean.start(thread, aboutLength), end)
	}
}

func (c *codex) responseItem(rec int, r record, m members, at string) {
	switch m.text("type") {
	case "message":
		c.message(rec, m, at)
	case "reasoning":
		c.ledger.set(rec, reasoning)
	case "function_call":
		c.functionCall(rec, r, m, at)
	case "custom_tool_call":
		c.customCall(rec, m, at)
	case "local_shell_call":
		e := called{rec: rec, id: m.text("call_id"), tool: "local_shell", at: at}
		c.hold(codexTools.call(c.clean, e, r, m.get("action")))
	case "web_search_call":
		c.webSearch(rec, r, m, at)
	case "function_call_output", "custom_tool_call_output":
		c.output(rec, m, at)
	case "ghost_snapshot", "compaction", "compaction_trigger", "context_compaction":
		c.ledger.set(rec, bookkeeping)
	default:
		c.ledger.set(rec, unknown)
	}
}

// message reads what the model saw or said. Of the texts of role user only those of kind user.text are a person's; a client that does not
// say the kind logs what the person typed as an event.
func (c *codex) message(rec int, m members, at string) {
	switch m.text("role") {
	case "assistant":
		c.texts(rec, m.get("content"), func(text string) { c.hold(said{rec: rec, by: agent, text: c.clean.start(text, quoteLength), at: at}) })
	case "user":
		c.userMessage(rec, m, at)
	default:
		c.ledger.set(rec, vendor)
	}
}

func (c *codex) userMessage(rec int, m members, at string) {
	var kinds []string
	if list := firstOf(m, "internal_chat_message_metadata_passthrough", "metadata").get("content_item_kinds"); list.isArray() {
		c.hasKinds = true
		list.each(func(v value) { kinds = append(kinds, v.text()) })
	}
	i := -1
	m.get("content").each(func(v value) {
		i++
		c.block(rec, v, func(v value) {
			text := v.text()
			switch {
			case i < len(kinds) && kinds[i] == "user.text":
				c.person(rec, text, at)
			case kinds == nil && c.typed.Rec > 0 && textSum(text) == c.typed.Text:
				c.ledger.set(rec, copied)
			default:
				c.item = typedText{rec, textSum(text)}
				c.ledger.part(rec, injected)
			}
		})
	})
}

// What an editor puts before the person's own words, and the line between. What it puts there may have such a line, too, so the last one counts.
var codexContext = []string{"# Context from my IDE setup:", "# Files mentioned by the user:"}

const codexRequest = "\n## My request for Codex:"

// person takes a text of the turn of a person; in the log of a subagent it is that of the agent that gave it its task.
func (c *codex) person(rec int, text, at string) {
	by := person
	if c.subagent {
		by = other
	}
	if hasPrefix(text, codexContext) {
		if i := strings.LastIndex(text, codexRequest); i >= 0 {
			c.ledger.part(rec, injected)
			text = strings.TrimLeft(text[i+len(codexRequest):], "\n")
		}
	}
	if n := len(c.turns); n == 0 || c.turns[n-1].rec != rec {
		c.turns = append(c.turns, codexTurn{len(c.held), rec})
	}
	c.hold(turn{rec, active})
	c.hold(said{rec: rec, by: by, text: c.clean.text(text), at: at})
}

// firstOf is the first of some members that there is.
func firstOf(m members, names ...string) value {
	for _, name := range names {
		if v := m.get(name); v.isObject() {
			return v
		}
	}
	return value{}
}

func (c *codex) functionCall(rec int, r record, m members, at string) {
	e := called{rec: rec, id: m.text("call_id"), tool: c.clean.text(m.text("name")), at: at}
	delete(c.ends, e.id)
	if space := m.text("namespace"); space != "" {
		if server, _ := splitServer(c.clean.text(space)+"__x", "__"); server != "" {
			e.server = server
		}
	} else if e.server, e.tool = splitServer(e.tool, "__"); e.server == "" {
		if server, tool, ok := strings.Cut(e.tool, "__"); ok && server != "" && tool != "" { // as older clients name it
			e.server, e.tool = server, tool
		}
	}
	c.outside[e.id] = e.server != ""
	if e.tool == "write_stdin" {
		if inner, ok := readRecord([]byte(m.text("arguments"))); ok {
			c.waiting[e.id] = string(inner.get("session_id").raw())
		}
	}
	c.hold(codexTools.call(c.clean, e, r, m.get("arguments")))
}
