package client

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// hook is a command in the settings that Install wrote, as it stands there now.
type hook struct {
	event   event
	program string
	exact   bool // this version writes it so, for that program
	alone   bool // its group holds nothing else
	group   int  // the places that Codex counts
	index   int
	groupAt jsonspan.Span
	at      jsonspan.Span
}

// group is the text of what is added to an event's list: no matcher, so every tool.
func (c *Client) group(e event, program string) string {
	return `{"hooks":[` + c.entry(e, program) + `]}`
}

func (c *Client) entry(e event, program string) string {
	entry := `{"type":"command","command":` + quoted(c.command(e, program)) + `,"timeout":` + strconv.Itoa(e.patience()*c.clock)
	if c.titled {
		entry += `,"name":"ocp hook"`
	}
	if c.strict && e.kind.Guards() {
		entry += `,"onFailure":"block"`
	}
	return entry + `}`
}

// hooks finds what Install wrote, for an event that this version has no use for, too.
func (c *Client) hooks(s *settings, lists []jsonspan.Item) (found []hook) {
	for _, list := range lists {
		if s.plain[list.Value.Start] != '[' {
			continue
		}
		e, err := c.event(s.name(list))
		if err != nil {
			e = event{word: s.name(list)}
		}
		for g, group := range jsonspan.Items(s.plain, list.Value) {
			for _, h := range c.groupHooks(s, e, group.Value) {
				h.group = g
				found = append(found, h)
			}
		}
	}
	return found
}

func (c *Client) groupHooks(s *settings, e event, group jsonspan.Span) (found []hook) {
	entries, ok := s.find(group, "hooks")
	if !ok || s.plain[entries.Value.Start] != '[' {
		return nil
	}
	items := jsonspan.Items(s.plain, entries.Value)
	for i, item := range items {
		if program, ok := c.ours(s.command(item.Value), e); ok {
			found = append(found, hook{event: e, program: program, index: i, alone: len(items) == 1, groupAt: group, at: item.Value,
				exact: s.same(group, c.group(e, program))})
		}
	}
	return found
}

// command is the command of an entry, empty where it has none.
func (s *settings) command(entry jsonspan.Span) string {
	command, ok := s.find(entry, "command")
	if !ok || s.plain[command.Value.Start] != '"' {
		return ""
	}
	return string(jsonspan.Plain(s.plain, jsonspan.TextAt(s.plain, command.Value.Start)))
}

// same says whether a value in the settings says the same as a compact text.
func (s *settings) same(at jsonspan.Span, compact string) bool {
	var b bytes.Buffer
	return json.Compact(&b, s.plain[at.Start:at.End]) == nil && b.String() == compact
}

// insert adds a group at the end of every event's list; Codex counts the hooks of a list, so those that are there keep their numbers.
func (c *Client) insert(s *settings, program, name string) ([]byte, error) {
	hooks, lists, err := s.eventLists(name)
	if err != nil {
		return nil, err
	}
	edits := &jsonspan.Edits{Src: s.text}
	var missing []string
	for _, e := range c.events {
		at := slices.IndexFunc(lists, func(l jsonspan.Item) bool { return s.name(l) == e.word })
		if at < 0 {
			missing = append(missing, quoted(e.word)+": [ "+c.group(e, program)+" ]")
			continue
		}
		s.appendItem(edits, lists[at].Value, c.group(e, program))
	}
	object := "{ " + strings.Join(missing, ", ") + " }"
	switch {
	case s.root.Len() == 0:
		return s.whole(`{ "hooks": ` + object + ` }`), nil
	case hooks.Value.Len() == 0:
		s.prepend(edits, s.root, []string{`"hooks": ` + object})
	case len(missing) > 0:
		s.prepend(edits, hooks.Value, missing)
	}
	return edits.AppendTo(nil), nil
}

// whole is the text of settings that held nothing.
func (s *settings) whole(object string) []byte {
	text := layout{lines: true, unit: "  ", newline: s.newline()}.write(object)
	if s.none {
		return append(text, '\n')
	}
	return append(append(bytes.Clone(s.text), s.newline()...), text...)
}

// appendItem puts a value behind the last one of an array.
func (s *settings) appendItem(edits *jsonspan.Edits, array jsonspan.Span, value string) {
	items := jsonspan.Items(s.plain, array)
	l := s.place(array, len(items) == 0)
	text := l.write(value)
	if len(items) == 0 {
		edits.Insert(array.Start+1, text)
		return
	}
	edits.Insert(items[len(items)-1].Value.End, append([]byte(","+l.lead), text...))
}

// prepend puts members before the first one of an object: a comment that stands behind the last member stays with it.
func (s *settings) prepend(edits *jsonspan.Edits, object jsonspan.Span, members []string) {
	empty := len(jsonspan.Items(s.plain, object)) == 0
	l := s.place(object, empty)
	var text []byte
	for i, m := range members {
		if i > 0 || !empty {
			text = append(text, l.gap()...)
		}
		text = append(text, l.write(m)...)
		if i < len(members)-1 || !empty {
			text = append(text, ',')
		}
	}
	edits.Insert(object.Start+1, text)
}
