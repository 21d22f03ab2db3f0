package capture

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// A tally is what a log holds, counted by a program that knows nothing of the readers: encoding/json and a few member names.
type tally struct {
	typed []string // what persons typed
	calls map[string]*tallied
}

// tallied is what the log says about one call.
type tallied struct {
	answers, bad     int  // results, and those that are errors
	never, refused   bool // as the log says
	harmless         bool // read-only
	runs             string
	ended, noMessage bool
}

// open says whether the call has no conclusive result and was not proved never to have been dispatched.
func (c *tallied) open() bool {
	switch {
	case c.never || c.refused || c.noMessage:
		return false
	case c.runs != "":
		return !c.ended
	}
	return c.answers == 0 || c.bad > 0 && !c.harmless
}

func (t *tally) call(id string) *tallied {
	if t.calls[id] == nil {
		t.calls[id] = &tallied{}
	}
	return t.calls[id]
}

// at follows names and numbers into a decoded value.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

func str(v any, path ...any) string {
	s, _ := at(v, path...).(string)
	return s
}

func list(v any, path ...any) []any {
	l, _ := at(v, path...).([]any)
	return l
}

func isTrue(v any, path ...any) bool { return at(v, path...) == true }

// tallyOf counts a log of a format.
func tallyOf(format string, log []byte) *tally {
	t := &tally{calls: map[string]*tallied{}}
	if format == "opencode" {
		var all any
		json.Unmarshal(log, &all)
		for _, m := range list(all, "messages") {
			t.openCode(m)
		}
		return t
	}
	var records []any
	for line := range bytes.Lines(log) {
		var r any
		if json.Unmarshal(line, &r) == nil {
			records = append(records, r)
		}
	}
	if format == "gemini-cli" {
		records = lastOfEach(records)
	}
	count := map[string]func(any){"claude-code": t.claude, "codex": t.codex, "gemini-cli": t.gemini, "dsh": t.dsh, "pi": t.pi}[format]
	for _, r := range records {
		count(r)
	}
	return t
}

// lastOfEach keeps the last record with each id.
func lastOfEach(records []any) []any {
	last := map[string]int{}
	for i, r := range records {
		last[str(r, "id")] = i
	}
	var kept []any
	for i, r := range records {
		if id := str(r, "id"); id == "" || last[id] == i {
			kept = append(kept, r)
		}
	}
	return kept
}

func (t *tally) claude(r any) {
	content := at(r, "message", "content")
	if s, ok := content.(string); ok && str(r, "type") == "user" {
		t.typed = append(t.typed, s)
	}
	for _, b := range list(content) {
		switch str(b, "type") {
		case "text":
			if str(r, "type") == "user" {
				t.typed = append(t.typed, str(b, "text"))
			}
		case "tool_use":
			t.call(str(b, "id"))
		case "tool_result":
			c := t.call(str(b, "tool_use_id"))
			c.answers++
			if isTrue(b, "is_error") {
				c.bad++
			}
		}
	}
}

func (t *tally) codex(r any) {
	p := at(r, "payload")
	switch str(p, "type") {
	case "message":
		for i, b := range list(p, "content") {
			if str(p, "internal_chat_message_metadata_passthrough", "content_item_kinds", i) == "user.text" {
				t.typed = append(t.typed, str(b, "text"))
			}
		}
	case "function_call":
		t.call(str(p, "call_id"))
	case "item_completed":
		id := str(p, "item", "id")
		switch str(p, "item", "type") {
		case "McpToolCall":
			t.call(id).harmless = isTrue(p, "item", "readOnlyHint")
			fallthrough
		case "CommandExecution":
			if str(p, "item", "status") == "failed" {
				t.call(id).bad++
			}
		}
	case "function_call_output":
		t.call(str(p, "call_id")).answers++
	}
}

func (t *tally) openCode(m any) {
	for _, p := range list(m, "parts") {
		switch {
		case str(p, "type") == "text" && str(m, "info", "role") == "user" && !isTrue(p, "synthetic"):
			t.typed = append(t.typed, str(p, "text"))
		case str(p, "type") == "tool":
			c := t.call(str(p, "callID"))
			switch str(p, "state", "status") {
			case "completed":
				c.answers++
			case "error":
				c.answers++
				c.bad++
			}
		}
	}
}

func (t *tally) gemini(r any) {
	if str(r, "type") == "user" {
		for _, b := range list(r, "content") {
			t.typed = append(t.typed, str(b, "text"))
		}
	}
	for _, b := range list(r, "toolCalls") {
		c := t.call(str(b, "id"))
		switch str(b, "status") {
		case "success":
			c.answers++
		case "error", "cancelled":
			c.answers++
			c.bad++
		}
	}
}

func (t *tally) dsh(r any) {
	d := at(r, "data")
	switch str(r, "type") {
	case "user/message":
		if str(d, "source", "kind") == "user" {
			t.typed = append(t.typed, str(d, "content", 0, "text"))
		}
	case "command/run":
		t.typed = append(t.typed, "/"+str(d, "name")+str(d, "args"))
	case "tool/call":
		t.call(str(d, "callId"))
	case "approval/decided":
		if str(d, "outcome") == "rejected" {
			for _, c := range t.calls {
				c.refused = c.refused || c.answers == 0 // no log here has two at once
			}
		}
	case "tool/result":
		c := t.call(str(d, "message", "content", 0, "toolCallId"))
		c.answers++
		c.never = str(d, "error", "code") == "ABORTED_BEFORE_DISPATCH"
		if isTrue(d, "message", "content", 0, "isError") {
			c.bad++
		}
	}
}

func (t *tally) pi(r any) {
	m := at(r, "message")
	for _, b := range list(m, "content") {
		switch {
		case str(m, "role") == "user":
			t.typed = append(t.typed, str(b, "text"))
		case str(b, "type") == "toolCall":
			reason := str(m, "stopReason")
			t.call(str(b, "id")).noMessage = reason == "aborted" || reason == "error"
		}
	}
	if str(m, "role") == "toolResult" {
		c := t.call(str(m, "toolCallId"))
		c.answers++
		if isTrue(m, "isError") {
			c.bad++
		}
	}
}

// openCalls are the ids of the calls that are open, in order.
func (t *tally) openCalls() (ids []string) {
	for id, c := range t.calls {
		if c.open() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// isTyped says whether a person typed a text.
func (t *tally) isTyped(text string) bool {
	return slices.ContainsFunc(t.typed, func(s string) bool { return s == text || strings.HasSuffix(s, text) && strings.HasPrefix(s, "<") })
}
