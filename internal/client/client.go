// Package client knows the hooks of agent clients: what Claude Code, Codex, Gemini CLI and OpenCode hand to a hook, how a hook answers, and how it
// gets into their settings.
//
// Read turns what a client writes on a hook's standard input into an [Event]; Allow, Block, Stop, Context and Report are the answers, as what a
// process prints and its exit status; Install, Remove and Status edit and read settings, and change no byte that is not theirs.
//
// All of it rests on what the clients do, not only on what they document: they run the tool when a hook is missing, killed, too slow or exits with
// any status but 2, and two of them also when it exits with 2 and says nothing. So what Install writes runs the hook inside a wrapper that turns each of
// these into status 2 with a text.
//
// The package records nothing and decides nothing: it knows no journal, store or checkpoint, and it never grants a client's trust in a hook.
package client

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/nearest"
)

// Kind is what an event is to a session, whichever client it comes from.
type Kind uint8

const (
	SessionStart Kind = iota + 1 // a session begins, or goes on
	Prompt                       // a person's words, before the agent has them
	Request                      // before a request to the model
	Before                       // before a tool runs
	After                        // a tool has returned or failed, or was not allowed to run
	TurnEnd                      // the agent has answered
	Compaction                   // before the client shortens what the model remembers
	SessionEnd                   // the client lets go of the session
)

var kindNames = [...]string{SessionStart: "session start", Prompt: "prompt", Request: "request", Before: "before a tool", After: "after a tool",
	TurnEnd: "turn end", Compaction: "compaction", SessionEnd: "session end"}

// String is the kind in words.
func (k Kind) String() string {
	if k == 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return kindNames[k]
}

// Guards says whether what follows the event must not happen when the hook fails.
func (k Kind) Guards() bool { return k == Prompt || k == Request || k == Before }

// Client is what is known of one client.
type Client struct {
	Name   string // as it is typed
	events []event
	files  files
	plugin bool // settings cannot name a hook; a plugin file starts it
	stops  stopping
	clock  int  // what one second is in the settings' timeouts
	strict bool // settings can say that a hook that fails blocks
	titled bool // settings can give a hook a name, which the client shows in place of the command
}

// event is one of a client's hooks.
type event struct {
	word    string // the client's own name
	kind    Kind
	failure bool // the tool failed or was not run
	limit   int  // the most seconds that the client gives a hook, where that is little
}

// Names lists the clients in the order in which help shows them.
func Names() []string {
	names := make([]string, len(clients))
	for i, c := range clients {
		names[i] = c.Name
	}
	return names
}

// Named returns a client. The error is an [*UnknownError].
func Named(name string) (*Client, error) {
	for _, c := range clients {
		if c.Name == name {
			return c, nil
		}
	}
	return nil, &UnknownError{What: "client", Name: name, Choices: Names()}
}

// Words lists the events that Install asks the client for, by its own names.
func (c *Client) Words() []string {
	words := make([]string, len(c.events))
	for i, e := range c.events {
		words[i] = e.word
	}
	return words
}

// Kind says what a word after `ocp hook CLIENT` is, without any input. The error is an [*UnknownError].
func (c *Client) Kind(word string) (Kind, error) {
	e, err := c.event(word)
	return e.kind, err
}

func (c *Client) event(word string) (event, error) {
	i := slices.IndexFunc(c.events, func(e event) bool { return e.word == word })
	if i < 0 {
		return event{}, &UnknownError{What: c.Name + " event", Name: word, Choices: c.Words()}
	}
	return c.events[i], nil
}

// UnknownError is a name that no client, or none of its events, has.
type UnknownError struct {
	What    string // what was asked for: "client", "codex event"
	Name    string // the message has its beginning
	Choices []string
}

// Error is one line.
func (e *UnknownError) Error() string { return fmt.Sprintf("there is no %s %.60q", e.What, e.Name) }

// Hint says what to type.
func (e *UnknownError) Hint() string {
	if near := nearest.Name(e.Name, e.Choices); near != "" {
		return "did you mean " + near + "?"
	}
	return "one of " + strings.Join(e.Choices, ", ")
}
