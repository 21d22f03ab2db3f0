package mcp

import "encoding/json"

// envelope is what a message says of itself at its first level.
type envelope struct {
	id     string // as JSON, "null" if it is not known
	method string
}

// isToolCall says whether a model waits for the answer.
func (e *envelope) isToolCall() bool { return e.id != "null" && e.method == "tools/call" }

// envelopeOf reads the first level of a message that cannot be read as a whole, and says how many levels it has.
func envelopeOf(text []byte) (e envelope, levels int) {
	e.id = "null"
	top, levels := firstLevel(text)
	var members map[string]json.RawMessage
	if json.Unmarshal(top, &members) != nil || string(members["jsonrpc"]) != `"2.0"` || json.Unmarshal(members["method"], &e.method) != nil {
		return e, levels
	}
	if id := members["id"]; len(id) > 0 && (id[0] == '"' || id[0] == '-' || '0' <= id[0] && id[0] <= '9') {
		e.id = string(id)
	}
	return e, levels
}

// firstLevel is a JSON text whose arrays and objects below the first level are empty, made without a stack, however deep they are.
func firstLevel(text []byte) (top []byte, levels int) {
	depth := 0
	for i := 0; i < len(text); {
		end := i + 1
		inside := depth
		switch text[i] {
		case '"':
			end = quoteEnd(text, i)
		case '{', '[':
			depth++
			levels = max(levels, depth)
		case '}', ']':
			depth--
			inside = depth
		}
		if inside <= 1 {
			top = append(top, text[i:end]...)
		}
		i = end
	}
	return top, levels
}

// quoteEnd is behind the string that begins at start, or behind a text that ends in it.
func quoteEnd(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
