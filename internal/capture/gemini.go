package capture

import (
	"slices"
	"strings"
)

var geminiTools = toolset{
	reading: []string{"read_file", "read_many_files", "list_directory", "glob", "search_file_content", "grep_search", "web_fetch", "google_web_search", "get_internal_docs"},
	file:    []string{"file_path", "absolute_path"},
	plan:    []string{"write_todos"},
}

// gemini reads the logs of Gemini CLI: a line a record, of which the last one with an id counts. So the events of a message wait until the log
// ends. A call is logged with its result, not before.
type gemini struct {
	*run
	subagent bool
	messages []*geminiMessage
	places   map[string]int // of messages by id
	passed   []string       // ids of the latest messages that were passed on
	settled  bool           // some were
	latest   *geminiMessage // the last one that was passed on
}

// geminiMessage is a message as it was logged last.
type geminiMessage struct {
	rec    int
	id     string
	at     string
	empty  bool // a turn of the model that shows nothing
	typed  bool // by a person
	events []event
	text   []byte // of the record, of the last message only
	// wasLast says that the log ended in the message when it was read before.
	wasLast bool
}

func isGemini(m members) bool {
	return m.get("projectHash").exists() && m.get("sessionId").isString() || m.get("$set").isObject() || m.get("$rewindTo").isString() ||
		m.text("type") == "gemini" && m.get("content").exists()
}

func newGemini(r *run) reader { return &gemini{run: r, places: map[string]int{}} }

func (g *gemini) record(rec int, r record) {
	m := r.members()
	switch {
	case m.get("projectHash").exists():
		g.ledger.set(rec, mapped)
		g.subagent = m.text("kind") == "subagent"
		g.clock.stamp(m.get("startTime"))
		g.emit(session{id: g.clean.text(m.text("sessionId"))})
	case m.get("$set").isObject():
		g.set(rec, r, m.get("$set").members())
	case m.get("$rewindTo").isString():
		g.ledger.set(rec, bookkeeping)
		g.rewind(m.text("$rewindTo"))
	case m.get("id").isString() && m.get("type").isString():
		g.put(g.message(rec, r, m))
	default:
		g.ledger.set(rec, unknown)
	}
}

// set changes members of the session; its messages are then others.
func (g *gemini) set(rec int, r record, m members) {
	g.ledger.set(rec, bookkeeping)
	g.clock.stamp(m.get("lastUpdated"))
	list := m.get("messages")
	if !list.isArray() {
		return
	}
	if g.settled {
		g.restart()
	}
	old := g.messages
	g.messages, g.places = nil, map[string]int{}
	list.each(func(v value) { g.put(g.message(rec, r, v.members())) })
	for i, o := range old {
		f := abandoned
		if _, again := g.places[o.id]; again {
			f = copied
		} else if o.empty && i == len(old)-1 {
			g.emit(lost{o.rec, o.at}) // a client that was killed in that turn goes on without it
		}
		g.leave(o, f)
	}
}

// put puts a message in the place of the one with its id, or behind all.
func (g *gemini) put(n *geminiMessage) {
	if slices.Contains(g.passed, n.id) {
		g.restart()
	}
	if last := len(g.messages) - 1; last >= 0 {
		g.messages[last].text = nil
	}
	if i, again := g.places[n.id]; again {
		g.ledger.set(g.messages[i].rec, copied)
		g.messages[i] = n
		return
	}
	g.places[n.id] = len(g.messages)
	g.messages = append(g.messages, n)
}

// rewind leaves the messages from one on.
func (g *gemini) rewind(id string) {
	i, ok := g.places[id]
	if !ok && g.settled {
		g.restart()
	}
	if !ok {
		return
	}
	for _, n := range g.messages[i:] {
		g.leave(n, abandoned)
		delete(g.places, n.id)
	}
	g.messages = g.messages[:i]
}

// leave takes a message out. What it did in the world stays done.
func (g *gemini) leave(n *geminiMessage, f fate) {
	if f == abandoned {
		g.aside(n.events)
	}
	g.ledger.set(n.rec, f)
}

func (g *gemini) end() {
	g.pass(len(g.messages))
	if g.latest != nil && g.latest.empty {
		g.emit(lost{g.latest.rec, g.latest.at})
	}
}

func (g *gemini) message(rec int, r record, m members) *geminiMessage {
	n := &geminiMessage{rec: rec, id: m.text("id"), at: g.clock.stamp(m.get("timestamp")), text: r.keepable()}
	switch m.text("type") {
	case "user":
		g.user(n, m)
	case "gemini":
		g.model(n, r, m)
	case "info", "warning", "error":
		g.ledger.set(rec, bookkeeping)
		if strings.HasPrefix(contentText(m.get("content")), "Request cancelled") {
			n.add(turn{rec, paused})
		}
	default:
		g.ledger.set(rec, unknown)
	}
	return n
}

func (n *geminiMessage) add(e event) { n.events = append(n.events, e) }

// contentText is the text of a content that is a string or a list of parts.
func contentText(v value) string {
	if v.isString() {
		return v.text()
	}
	var b strings.Builder
	v.each(func(part value) { b.WriteString(part.text("text")) })
	return b.String()
}

// The texts that the client puts into a user's record.
const (
	geminiContext  = "<session_context>"
	geminiSnapshot = "<state_snapshot>"
	geminiFiles    = "--- Content from referenced files ---"
	geminiHook     = "hook_context" // an element with what a hook gave, escaped
	geminiRan      = "I ran the following shell command:\n```sh\n"
	geminiPrinted  = "\nThis produced the following result:\n```\n"
)

// user reads a record of type user: what the person typed, or results of calls, which the model's record has too.
func (g *gemini) user(n *geminiMessage, m members) {
	content := m.get("content")
	hasResult := false
	content.each(func(v value) {
		if response := v.get("functionResponse"); response.isObject() {
			hasResult = true
			text, isError := responseText(response.get("response"))
			end := geminiOutcome(response.text("name"), "", text, isError)
			n.add(answered{rec: n.rec, id: response.text("id"), outcome: end, output: g.clean.output([]byte(text)), at: n.at})
		}
	})
	if typed := m.get("displayContent"); typed.exists() {
		content = typed
	}
	if content.isString() {
		g.said(n, content.text(), hasResult)
		return
	}
	files := false
	content.each(func(v value) {
		part := v.members()
		text := part.text("text")
		files = files || strings.HasPrefix(strings.TrimSpace(text), geminiFiles)
		switch {
		case part.get("text").exists():
			g.said(n, text, hasResult || files)
		case part.get("inlineData").exists(), part.get("fileData").exists():
			g.ledger.part(n.rec, media)
		case !part.get("functionResponse").exists():
			g.ledger.part(n.rec, unknown)
		}
	})
}

func (g *gemini) said(n *geminiMessage, text string, putIn bool) {
	trimmed := strings.TrimSpace(text)
	by := person
	if g.subagent {
		by = other
	}
	switch {
	case strings.HasPrefix(trimmed, geminiSnapshot):
		n.add(said{rec: n.rec, by: summary, text: g.clean.start(text, quoteLength), at: n.at})
	case putIn || strings.HasPrefix(trimmed, geminiContext) || isGeminiOutput(trimmed):
		g.ledger.part(n.rec, injected)
	default:
		own := g.own(n, text)
		if strings.TrimSpace(own) == "" {
			return
		}
		n.typed = true
		n.add(turn{n.rec, active})
		n.add(said{rec: n.rec, by: by, text: g.clean.text(own), at: n.at})
	}
}

// isGeminiOutput says whether a text is what the client writes of a command that the person ran: the command and its output, each in a fence.
func isGeminiOutput(text string) bool {
	return strings.HasPrefix(text, geminiRan) && strings.Contains(text, geminiPrinted) && strings.HasSuffix(text, "\n```")
}

// own is a text without what hooks gave, which the client puts into the person's turn (§10.2).
func (g *gemini) own(n *geminiMessage, text string) string {
	if !strings.Contains(text, "</"+geminiHook+">") {
		return text
	}
	own, found := withoutElement(text, geminiHook)
	if !found {
		return text
	}
	g.ledger.part(n.rec, injected)
	return strings.TrimLeft(own, "\n")
}
