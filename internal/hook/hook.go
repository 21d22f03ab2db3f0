// Package hook is what runs at the events of an agent's client: a durable record before the effect, and a checkpoint when a turn is over. It reproduces
// the barriers of a semantic session checkpoint: the intent of a call is on disk before the tool's body runs, and a call that cannot be recorded does not run.
//
// Package journal makes durable what it is given, package client knows the clients, package capture reads their logs, package store keeps the
// checkpoints; this package decides what is recorded when, what the records prove (§6.6 of the specification), and what a failure does to the agent.
package hook

import (
	"context"
	"fmt"
	"time"

	"github.com/opencheckpoint/ocp/internal/client"
	"github.com/opencheckpoint/ocp/internal/journal"
	"github.com/opencheckpoint/ocp/store"
)

// Hook answers the events of one client.
type Hook struct {
	Client   *client.Client
	Places   []client.Place // where the client's settings may be
	Journals string         // the directory of the journals
	// Store opens the store. It is called only where a checkpoint is saved or read.
	Store   func(context.Context) (store.Store, error)
	Process string // the client, as function Process names it; "" if it is not known
	Now     func() time.Time
}

// Answer is what happens to an event, given by its word and what the client wrote about it. It never fails: a failure is an answer, which
// blocks what must not happen without a record.
func (h *Hook) Answer(ctx context.Context, word string, input []byte) client.Answer {
	e, err := h.Client.Read(word, input)
	if err != nil {
		return h.Fail(word, err)
	}
	switch e.Kind {
	case client.SessionStart:
		return h.start(ctx, e)
	case client.Prompt, client.Request, client.Before, client.After:
		return h.barrier(ctx, e)
	}
	return h.turnEnd(ctx, e)
}

// Fail is the answer to an event that could not be handled. One that the client does not have counts as one before a tool: the strictest.
func (h *Hook) Fail(word string, err error) client.Answer {
	kind, unknown := h.Client.Kind(word)
	if unknown != nil {
		kind = client.Before
	}
	return h.fail(kind, err)
}

func (h *Hook) fail(k client.Kind, err error) client.Answer {
	text := fmt.Sprintf("ocp hook: %v", err)
	switch k {
	case client.Before:
		return h.Client.Block(k, text+"; the tool was not run, because a call that cannot be recorded may be lost or repeated after a crash")
	case client.Prompt:
		return h.Client.Block(k, text+"; the prompt was not sent, because it cannot be recorded")
	case client.Request:
		return h.Client.Block(k, text+"; the model was not asked, because what it asks for cannot be recorded")
	case client.After:
		return h.Client.Stop(k, text+"; the result could not be recorded, so after a crash it would count as unknown")
	}
	return h.Client.Report(k, text)
}

// journal is the journal of a session.
func (h *Hook) journal(session string) (*journal.Journal, error) {
	return journal.Open(h.Journals, h.Client.Name, session)
}
