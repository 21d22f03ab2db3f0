package capture

import (
	"slices"
	"strings"
)

// toolset is what is known of the tools of a client's own.
type toolset struct {
	// reading are the tools that change nothing outside the session.
	reading []string
	// file are the names of arguments that name a file, of tools that read or write one.
	file []string
	// plan are the tools that set the plan.
	plan []string
}

// aboutArguments are the arguments that say in a few words what a call does, the best first.
var aboutArguments = []string{"command", "cmd", "file_path", "filePath", "path", "absolute_path", "pattern", "query", "url", "prompt", "description"}

// planLists, planTexts and planStates are the names that clients give to a plan's items, their texts and their states.
var (
	planLists  = []string{"todos", "plan"}
	planTexts  = []string{"content", "step", "description"}
	planStates = map[string]planState{"completed": done, "in_progress": inProgress, "cancelled": dropped}
)

// call describes a call of a tool by its arguments.
func (t *toolset) call(c cleaner, e called, r record, arguments value) called {
	e.arguments = c.arguments(e.id, r, arguments)
	if inner, ok := readRecord(arguments.plain()); ok {
		arguments = inner.value
	}
	list := arguments.members()
	e.about = c.about(list)
	if e.server == "" {
		t.known(c, &e, list)
	}
	e.tool = c.start(e.tool, aboutLength)
	return e
}

// known adds what is known of a tool of the client's own.
func (t *toolset) known(c cleaner, e *called, list members) {
	if slices.Contains(t.reading, e.tool) || slices.Contains(t.plan, e.tool) {
		e.effect = effectNone
	}
	if slices.Contains(t.plan, e.tool) {
		e.plan = readPlan(c, list)
	}
	for _, name := range t.file {
		if path := list.text(name); path != "" {
			e.files = append(e.files, c.text(path))
		}
	}
}

// about is the argument that says what a call does, or else the first one that is a text.
func (c cleaner) about(list members) string {
	for _, name := range aboutArguments {
		text := list.text(name)
		list.get(name).each(func(word value) { text = word.text() }) // of a command in words the last one says what it does
		if strings.TrimSpace(text) != "" {
			return c.line(text, aboutLength)
		}
	}
	for i := range list.list {
		if text := list.value(i).text(); strings.TrimSpace(text) != "" {
			return c.line(text, aboutLength)
		}
	}
	return ""
}

// readPlan reads the arguments of a tool that sets the plan.
func readPlan(c cleaner, list members) []planItem {
	for _, name := range planLists {
		items := list.get(name)
		if !items.isArray() {
			continue
		}
		plan := []planItem{}
		items.each(func(v value) {
			item := v.members()
			for _, key := range planTexts {
				if text := item.text(key); text != "" {
					plan = append(plan, planItem{c.start(text, quoteLength), planStates[item.text("status")]})
					return
				}
			}
		})
		return plan
	}
	return nil
}

// splitServer takes the client's prefix from the name of a tool of an MCP server: mcp, a separator, the server and the separator again.
func splitServer(name, separator string) (server, tool string) {
	rest, ok := strings.CutPrefix(name, "mcp"+separator)
	if !ok {
		return "", name
	}
	server, tool, ok = strings.Cut(rest, separator)
	if !ok || server == "" || tool == "" {
		return "", name
	}
	return server, tool
}
