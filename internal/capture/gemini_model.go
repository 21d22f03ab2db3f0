package capture

import "strings"

// model reads a turn of the model with the calls in it.
func (g *gemini) model(n *geminiMessage, r record, m members) {
	g.emit(session{model: g.clean.text(m.text("model")), provider: "google"})
	text := contentText(m.get("content"))
	calls := m.get("toolCalls")
	m.get("thoughts").each(func(value) { g.ledger.part(n.rec, reasoning) })
	if strings.TrimSpace(text) == "" {
		g.ledger.set(n.rec, blank)
		n.empty = calls.empty()
	} else {
		n.add(said{rec: n.rec, by: agent, text: g.clean.start(text, quoteLength), at: n.at})
	}
	status := active
	if calls.empty() && !n.empty {
		status = awaitingInput
	}
	n.add(turn{n.rec, status})
	calls.each(func(v value) { g.call(n, r, v.members()) })
}

func (g *gemini) call(n *geminiMessage, r record, m members) {
	at := g.clock.stamp(m.get("timestamp"))
	server, tool := geminiServer(g.clean.text(m.text("name")), m.text("displayName"))
	e := called{rec: n.rec, id: m.text("id"), tool: tool, server: server, at: n.at}
	n.add(geminiTools.call(g.clean, e, r, m.get("args")))
	var text string
	var isError bool
	m.get("result").each(func(v value) {
		part, bad := responseText(v.get("functionResponse", "response"))
		text, isError = text+part, isError || bad
	})
	switch status := m.text("status"); status {
	case "success", "error", "cancelled":
		end := geminiOutcome(m.text("name"), status, text, isError)
		if end == refused && server != "" {
			end = unclear // the words may be the server's
		}
		n.add(answered{rec: n.rec, id: e.id, outcome: end, output: g.clean.output([]byte(text)), at: at})
	case "awaiting_approval":
		n.add(asked{rec: n.rec, id: e.id, call: e.id, at: at})
	}
}

// responseText is the text of a function's response, and whether it is an error.
func responseText(response value) (string, bool) {
	m := response.members()
	if text := m.get("error"); text.exists() {
		return plainOrJSON(text), true
	}
	if text := m.get("output"); text.exists() {
		return plainOrJSON(text), false
	}
	return string(response.raw()), false
}

// plainOrJSON is the text of a string, and the JSON text of anything else.
func plainOrJSON(v value) string {
	if v.isString() {
		return v.text()
	}
	return string(v.raw())
}

// geminiUnclear are words of an error that show that not the tool itself answered.
var geminiUnclear = []string{"MCP error -", "timed out", "timeout", "aborted", "cancelled", "Connection closed"}

func geminiOutcome(tool, status, text string, isError bool) outcome {
	switch {
	case strings.Contains(text, "User did not allow tool call"):
		return refused
	case status == "cancelled":
		return unclear
	case status != "error" && !isError && tool == geminiShell:
		return geminiCommand(text)
	case status != "error" && !isError:
		return succeeded
	}
	for _, word := range geminiUnclear {
		if strings.Contains(text, word) {
			return unclear
		}
	}
	return failed
}

// geminiServer takes the client's prefix from the name of a server's tool. The name for people says where the server's ends.
func geminiServer(name, display string) (server, tool string) {
	if _, ok := strings.CutPrefix(name, "mcp_"); !ok {
		return "", name
	}
	if tool, server, ok := strings.Cut(strings.TrimSuffix(display, " MCP Server)"), " ("); ok && name == "mcp_"+server+"_"+tool {
		return server, tool
	}
	return splitServer(name, "_")
}
