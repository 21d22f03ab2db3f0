package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/tidwall/gjson"
)

// contents is Gemini's generateContent.
type contents struct{}

func (contents) takes(path string) bool {
	return strings.HasSuffix(path, "enerateContent")
}

func (contents) tools(request gjson.Result) (names []string) {
	for _, t := range request.Get("tools").Array() {
		names = append(names, collect(t.Get("functionDeclarations"), "name")...)
	}
	return names
}

func (contents) results(request gjson.Result) (list []string) {
	for _, c := range request.Get("contents").Array() {
		list = append(list, collect(c.Get("parts"), "functionResponse.response")...)
	}
	return list
}

func (contents) answer(w io.Writer, request gjson.Result, path string, n int, name string, t turn) {
	part := object{"text": t.text}
	if config := request.Get("generationConfig"); config.Get("responseJsonSchema").Exists() || config.Get("responseSchema").Exists() {
		part["text"] = `{"model_choice":"flash","reasoning":"scripted","complexity_reasoning":"scripted","complexity_score":1}` // which model is to answer
	}
	if t.tool != "" {
		part = object{"functionCall": object{"id": fmt.Sprint("call_", n), "name": name, "args": t.args}}
	}
	answer := object{
		"candidates":    []object{{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": []object{part}}}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}, "modelVersion": "scripted",
	}
	if strings.Contains(path, "streamGenerateContent") {
		event(w, "", answer)
		return
	}
	io.WriteString(w, text(answer))
}
