package capture

import "bytes"

// texts calls f for each text of a message's content: a string, or a list of blocks. Other blocks are parts that are left out.
func (r *run) texts(rec int, content value, f func(text string)) {
	r.plainTexts(rec, content, func(v value) { f(v.text()) })
}

func (r *run) plainTexts(rec int, content value, f func(text value)) {
	if content.isString() {
		f(content)
		return
	}
	content.each(func(v value) { r.block(rec, v, f) })
}

// block calls f for the text of one block.
func (r *run) block(rec int, v value, f func(text value)) {
	switch v.text("type") {
	case "text", "input_text", "output_text", "Text":
		f(v.get("text"))
	case "image", "input_image", "document", "resource_link", "resource", "audio":
		r.ledger.part(rec, media)
	case "thinking", "redacted_thinking", "reasoning":
		r.ledger.part(rec, reasoning)
	default:
		r.ledger.part(rec, unknown)
	}
}

// beginningOf is the beginning of an output, in which a client says that it answers in place of the tool.
func beginningOf(output []byte) string { return string(output[:min(len(output), 1<<10)]) }

// outputText is the text of a tool's output: its texts, with a line feed between two.
func (r *run) outputText(rec int, content value) []byte {
	var list [][]byte
	r.plainTexts(rec, content, func(text value) { list = append(list, text.plain()) })
	if len(list) == 1 {
		return list[0]
	}
	return bytes.Join(list, []byte{'\n'})
}
