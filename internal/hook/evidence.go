package hook

import (
	"fmt"
	"maps"
	"time"

	"github.com/opencheckpoint/ocp/internal/capture"
	"github.com/opencheckpoint/ocp/internal/journal"
)

// evidence is what the journal of a session proves of the calls in its log.
type evidence struct {
	log *journal.Log
	// closed says that no call of the session can still be about to start: its turn is over, or its client is dead.
	closed bool
	// covered says that the client's settings still let no tool run past the hook.
	covered bool
}

// testify adds the evidence to the options of a capture. Without a journal there is none.
func (v *evidence) testify(opts *capture.Options) {
	if v.log == nil {
		return
	}
	opts.Journaled = journaled(v.log.Records)
	opts.Witness = v.proof
}

// proof is what the journal proves of a call that it does not hold. That it never started is proved only if the journal is whole, the hook saw every tool when
// the turn began in which the model asked for the call, and sees them still, and the call cannot be on its way. Everything else is unknown.
func (v *evidence) proof(c capture.Call) capture.Proof {
	at, err := time.Parse(time.RFC3339Nano, c.At)
	if err != nil || v.log.Damaged || !v.closed || !v.covered || !v.sawTurnOf(at) {
		return capture.NoProof
	}
	return capture.NotStarted
}

// sawTurnOf says whether the last turn that began before a time, as far as the journal knows, began under a hook that saw every tool.
func (v *evidence) sawTurnOf(at time.Time) bool {
	saw := false
	for i := range v.log.Records {
		r := &v.log.Records[i]
		switch r.Event {
		case active, prompt, request:
			if r.At.After(at) {
				return saw
			}
			saw = r.Covers == everyTool
		}
	}
	return saw
}

// journaled are the calls of a journal with what it proves of each. A call without an id is over when the client begins again, or a new turn: a result that
// comes then is that of a call that came then, and not of an older one that was the same.
func journaled(records []journal.Record) (list []capture.Journaled) {
	open := map[string][]int{}
	for i := range records {
		r := &records[i]
		key := joint(r)
		switch {
		case r.Event == active || r.Event == prompt:
			maps.DeleteFunc(open, func(_ string, calls []int) bool { return len(calls) > 0 && list[calls[0]].ID == "" })
		case r.Event == dispatch:
			call := capture.Call{ID: r.Call, Tool: r.Tool, Server: r.Server, Arguments: r.Arguments, At: timestamp(r.At)}
			open[key] = append(open[key], len(list))
			list = append(list, capture.Journaled{Call: call, Proof: capture.Started})
		case r.Event == result && len(open[key]) > 0:
			c := &list[open[key][0]]
			open[key] = open[key][1:]
			if r.Unclear {
				continue
			}
			c.Proof, c.Ended = capture.Finished, timestamp(r.At)
			if r.Failed {
				c.Proof = capture.FinishedWithError
			}
		}
	}
	return list
}

// joint is the same for a call and for its result: the call's id, or, where the client names none, the tool and the arguments. Of several calls the first is
// the first to answer.
func joint(r *journal.Record) string {
	if r.Call != "" {
		return r.Call
	}
	return fmt.Sprintf("%q %q %s", r.Server, r.Tool, r.Arguments)
}

func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
