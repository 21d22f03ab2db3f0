package capture

import "strings"

// texts calls f for each text of a message's content: a string, or a list of blocks. Other blocks are parts that are left out.
func (r *run) texts(rec int, content value, f func(text string)) {
	if content.isString() {
		f(content.text())
		return
	}
	content.each(func(v value) { r.block(rec, v, f) })
}

// block calls f for the text of one block.
func (r *run) block(rec int, v value, f func(text string)) {
	switch v.text("type") {
	case "text", "input_text", "output_text", "Text":
		f(v.text("text"))
	case "image", "input_image", "document", "resource_link", "resource", "audio":
		r.ledger.part(rec, media)
	case "thinking", "redacted_thinking", "reasoning":
		r.ledger.part(rec, reasoning)
	default:
		r.ledger.part(rec, unknown)
	}
}

// outputText is the text of a tool's output: its texts, with a line feed between two.
func (r *run) outputText(rec int, content value) string {
	var list []string
	r.texts(rec, content, func(text string) { list = append(list, text) })
	return strings.Join(list, "\n")
}
