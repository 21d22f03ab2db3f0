package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/tidwall/gjson"
)

// chat is OpenAI's chat completions.
type chat struct{}

func (chat) takes(path string) bool { return strings.HasSuffix(path, "/chat/completions") }

func (chat) tools(request gjson.Result) []string {
	return collect(request.Get("tools"), "function.name")
}

func (chat) results(request gjson.Result) (list []string) {
	for _, m := range request.Get("messages").Array() {
		if m.Get("role").Str == "tool" {
			list = append(list, m.Get("content").String())
		}
	}
	return list
}

func (chat) answer(w io.Writer, _ gjson.Result, _ string, n int, name string, t turn) {
	chunk := func(delta object, reason any) {
		event(w, "", object{"id": fmt.Sprint("answer-", n), "object": "chat.completion.chunk", "created": 1, "model": "scripted",
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": reason}}})
	}
	if t.tool == "" {
		chunk(object{"role": "assistant", "content": t.text}, nil)
		chunk(object{}, "stop")
	} else {
		call := object{"index": 0, "id": fmt.Sprint("call_", n), "type": "function", "function": object{"name": name, "arguments": text(t.args)}}
		chunk(object{"role": "assistant", "content": nil, "tool_calls": []object{call}}, nil)
		chunk(object{}, "tool_calls")
	}
	io.WriteString(w, "data: [DONE]\n\n")
}

// responses is OpenAI's responses.
type responses struct{}

func (responses) takes(path string) bool { return strings.HasSuffix(path, "/responses") }

// tools may stand in namespaces.
func (r responses) tools(request gjson.Result) []string {
	names := collect(request.Get("tools"), "name")
	for _, t := range request.Get("tools").Array() {
		names = append(names, collect(t.Get("tools"), "name")...)
	}
	return names
}

func (responses) results(request gjson.Result) (list []string) {
	for _, item := range request.Get("input").Array() {
		if strings.HasSuffix(item.Get("type").Str, "_output") {
			list = append(list, item.Get("output").String())
		}
	}
	return list
}

func (responses) answer(w io.Writer, request gjson.Result, _ string, n int, name string, t turn) {
	id := fmt.Sprint("answer_", n)
	item := object{"type": "message", "id": fmt.Sprint("message_", n), "role": "assistant", "status": "completed",
		"content": []object{{"type": "output_text", "text": t.text, "annotations": []any{}}}}
	if t.tool != "" {
		item = object{"type": "function_call", "id": fmt.Sprint("item_", n), "call_id": fmt.Sprint("call_", n), "name": name, "arguments": text(t.args), "status": "completed"}
		for _, space := range request.Get("tools").Array() {
			if nameOf(collect(space.Get("tools"), "name"), name) != "" {
				item["namespace"] = space.Get("name").Str
			}
		}
	}
	event(w, "response.created", object{"response": object{"id": id, "object": "response", "status": "in_progress", "output": []any{}}})
	event(w, "response.output_item.added", object{"output_index": 0, "item": item})
	event(w, "response.output_item.done", object{"output_index": 0, "item": item})
	event(w, "response.completed", object{"response": object{"id": id, "object": "response", "status": "completed", "output": []object{item},
		"usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0}}}})
}
