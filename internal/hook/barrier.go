package hook

import (
	"context"

	"github.com/opencheckpoint/ocp/internal/capture"
	"github.com/opencheckpoint/ocp/internal/client"
	"github.com/opencheckpoint/ocp/internal/journal"
)

// The events that a journal holds.
const (
	active   = "active"   // a session began or went on with the hook
	prompt   = "prompt"   // what a person typed is about to be sent
	request  = "request"  // the model is about to be asked
	dispatch = "dispatch" // a tool is about to run
	result   = "result"   // it answered
	saved    = "saved"    // a checkpoint accounts for what is before
	ended    = "ended"    // the session is over
)

var words = map[client.Kind]string{client.Prompt: prompt, client.Request: request, client.Before: dispatch, client.After: result}

// everyTool is what Record.Covers says when no tool runs past the hook.
const everyTool = "*"

// barrier records an event, durably, before the client goes on.
func (h *Hook) barrier(ctx context.Context, e *client.Event) client.Answer {
	if err := h.record(ctx, e, h.describe(e)); err != nil {
		return h.fail(e.Kind, err)
	}
	return h.Client.Allow(e.Kind)
}

// describe is the record of an event at a barrier.
func (h *Hook) describe(e *client.Event) journal.Record {
	r := journal.Record{Event: words[e.Kind], Turn: e.Turn, Call: e.Call, Tool: e.Tool, Server: e.Server}
	switch e.Kind {
	case client.Before:
		r.Arguments = recordable(e.Arguments)
	case client.After:
		proof := capture.ProofOf(h.Client.Name, capture.Answer{Tool: e.Tool, Server: e.Server, Result: e.Result, Failed: e.Failed, Interrupted: e.Interrupted})
		r.Arguments, r.Failed, r.Unclear = recordable(e.Arguments), proof == capture.FinishedWithError, proof == capture.Started
	case client.Prompt, client.Request:
		r.Covers = h.covers()
	}
	return r
}

func (h *Hook) record(ctx context.Context, e *client.Event, r journal.Record) error {
	j, err := h.journal(e.Session)
	if err != nil {
		return err
	}
	r.At, r.Process, r.Dir, r.Log = h.Now(), h.Process, e.Dir, e.Transcript
	_, err = j.Append(ctx, r)
	return err
}

// covers says whether the client's settings let no tool run past the hook at this moment.
func (h *Hook) covers() string {
	for _, place := range h.Places {
		status, err := h.Client.Status(place)
		if err == nil && status.State == client.Installed && status.AllTools {
			return everyTool
		}
	}
	return ""
}

// mostArguments is how long the arguments of a call may be in a record, in bytes. Of longer ones there are none.
const mostArguments = 48 << 10

// recordable are arguments without credentials, as a capture shows them.
func recordable(arguments []byte) []byte {
	clean := capture.Arguments(arguments)
	if len(clean) > mostArguments {
		return nil
	}
	return clean
}
