package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/tidwall/gjson"
)

// messages is Anthropic's messages.
type messages struct{}

func (messages) takes(path string) bool { return strings.HasSuffix(path, "/v1/messages") }

func (messages) tools(request gjson.Result) []string { return collect(request.Get("tools"), "name") }

func (messages) results(request gjson.Result) (list []string) {
	for _, m := range request.Get("messages").Array() {
		for _, part := range m.Get("content").Array() {
			if part.Get("type").Str == "tool_result" {
				list = append(list, part.Get("content").String())
			}
		}
	}
	return list
}

func (messages) answer(w io.Writer, request gjson.Result, _ string, n int, name string, t turn) {
	block := object{"type": "text", "text": t.text}
	delta := object{"type": "text_delta", "text": t.text}
	reason := "end_turn"
	if t.tool != "" {
		block = object{"type": "tool_use", "id": fmt.Sprint("toolu_", n), "name": name, "input": t.args}
		delta = object{"type": "input_json_delta", "partial_json": text(t.args)}
		reason = "tool_use"
	}
	message := object{"id": fmt.Sprint("msg_", n), "type": "message", "role": "assistant", "model": request.Get("model").Str, "content": []object{block},
		"stop_reason": reason, "stop_sequence": nil, "usage": object{"input_tokens": 1, "output_tokens": 1}}
	if !request.Get("stream").Bool() {
		io.WriteString(w, text(message))
		return
	}
	message["content"], message["stop_reason"] = []any{}, nil
	event(w, "message_start", object{"message": message})
	start := object{"type": "text", "text": ""}
	if t.tool != "" {
		start = object{"type": "tool_use", "id": block["id"], "name": name, "input": object{}}
	}
	event(w, "content_block_start", object{"index": 0, "content_block": start})
	event(w, "content_block_delta", object{"index": 0, "delta": delta})
	event(w, "content_block_stop", object{"index": 0})
	event(w, "message_delta", object{"delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": 1}})
	event(w, "message_stop", object{})
}
