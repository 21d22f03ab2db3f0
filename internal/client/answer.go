package client

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Answer is what a hook's process prints, and its exit status.
type Answer struct {
	Stdout, Stderr []byte
	Status         int
}

// blocked is the exit status that keeps a tool, a prompt or a request from going on, in every client, if there is a text on standard error.
const blocked = 2

// stopping is what a client lets a hook do after a tool.
type stopping uint8

const (
	endsTurn   stopping = iota + 1 // continue: false ends the turn, and the log keeps the result
	tellsModel                     // nothing ends the turn and leaves the result; a text can be put beside it
	aborts                         // the plugin breaks the turn off when the hook says 2
)

// Allow lets the client go on, without a word.
func (c *Client) Allow(Kind) Answer { return Answer{} }

// Block keeps what the event guards from happening; the client shows the message to the model, or to the person whose prompt is not sent. At an event
// that guards nothing it is [Client.Report], since a block there would begin another turn.
func (c *Client) Block(k Kind, message string) Answer {
	if !k.Guards() {
		return c.Report(k, message)
	}
	return Answer{Stderr: line(message), Status: blocked}
}

// Stop ends the turn after a tool. In Codex nothing does that, and in Gemini CLI nothing that leaves the result of the call in the log; there the model and the
// person get the message. A text in place of the result, which both offer, is not used: a model that does not see the result of a call may well repeat it.
func (c *Client) Stop(k Kind, message string) Answer {
	if k != After {
		return c.Report(k, message)
	}
	switch c.stops {
	case aborts:
		return Answer{Stderr: line(message), Status: blocked}
	case tellsModel:
		return Answer{Stdout: output{System: message, Specific: &specific{c.word(After), message}}.bytes(), Stderr: line(message)}
	}
	no := false
	return Answer{Stdout: output{System: message, Continue: &no, Reason: message}.bytes(), Stderr: line(message)}
}

// Context puts text before the model when a session starts. Claude Code and Codex put more than some 10,000 characters into a file and show the model a part.
func (c *Client) Context(text string) Answer {
	return Answer{Stdout: output{Specific: &specific{c.word(SessionStart), text}}.bytes()}
}

// Report tells the person something, where the client shows it, and blocks nothing.
func (c *Client) Report(_ Kind, message string) Answer {
	return Answer{Stdout: output{System: message}.bytes(), Stderr: line(message)}
}

// word is the client's name for the first event of a kind.
func (c *Client) word(k Kind) string {
	return c.events[slices.IndexFunc(c.events, func(e event) bool { return e.kind == k })].word
}

// output is what the clients read from standard output.
type output struct {
	Continue *bool     `json:"continue,omitempty"`
	Reason   string    `json:"stopReason,omitempty"`
	System   string    `json:"systemMessage,omitempty"`
	Specific *specific `json:"hookSpecificOutput,omitempty"`
}

type specific struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// bytes is the output as one line; strings always encode.
func (o output) bytes() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(o)
	return b.Bytes()
}

// line is a message as one line that is never empty, since Codex and Gemini CLI go on when there is no text.
func line(message string) []byte {
	text := strings.Join(strings.Fields(message), " ")
	if text == "" {
		text = "ocp hook: no reason was given"
	}
	return []byte(text + "\n")
}
