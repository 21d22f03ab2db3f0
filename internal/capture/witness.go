package capture

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// Proof is what a journal that is durable before the effect proves of a call.
type Proof uint8

const (
	// NoProof leaves a call as the log has it.
	NoProof Proof = iota
	// NotStarted says that the call was never dispatched. It is claimed only where the journal was kept for that tool at that time, a call that
	// could not be recorded would have been blocked, and there is no record.
	NotStarted
	// Started says that the call was dispatched, and no more.
	Started
	// Finished says that the tool's result was seen.
	Finished
	// FinishedWithError says that a result was seen which is an error.
	FinishedWithError
)

// Call is a call of a tool. A call without a tool stands for a turn of the model that the log does not show: NotStarted says of it that nothing was
// dispatched in it but what Options.Journaled holds.
type Call struct {
	ID        string // "" where the client names none
	Tool      string // as its server declares it, without a client's prefix
	Server    string // "" for a tool of the client's own
	Arguments []byte // the JSON text of an object; nil if they are not known. Credentials in it are replaced
	At        string // an RFC 3339 timestamp, "" if it is not known
}

// Journaled is a call that a journal holds.
type Journaled struct {
	Call         // At is when it was dispatched
	Proof Proof  // NoProof counts as Started: it is in the journal
	Ended string // when its result was seen, "" if it was not or if that is not known
}

// witness joins the calls of a log with those of a journal: by their ids, and where one of two has none, by tool, arguments and order.
type witness struct {
	format *format
	ask    func(Call) Proof
	list   []*entry
	byID   map[string][]*entry
	byKey  map[string][]*entry
}

// entry is a call of the journal.
type entry struct {
	Journaled
	ended string // as a timestamp of the checkpoint
	taken bool   // it is one of the log's
}

// newWitness is nil where nothing testifies. The times of the journal count as those of the log do.
func newWitness(opts *Options, f *format, c *clock) *witness {
	if opts.Witness == nil && len(opts.Journaled) == 0 {
		return nil
	}
	w := &witness{f, opts.Witness, nil, map[string][]*entry{}, map[string][]*entry{}}
	for _, j := range opts.Journaled {
		e := &entry{Journaled: j, ended: c.text(j.Ended)}
		e.At, e.Proof = c.text(j.At), cmp.Or(j.Proof, Started)
		w.list = append(w.list, e)
		if e.ID != "" {
			w.byID[e.ID] = append(w.byID[e.ID], e)
		}
		key := callKey(w.called(e, cleaner{&ledger{}}))
		w.byKey[key] = append(w.byKey[key], e)
	}
	return w
}

// called is a call of the journal as if the log had it.
func (w *witness) called(e *entry, c cleaner) called {
	call := called{id: e.ID, tool: c.text(e.Tool), server: c.text(e.Server), at: e.At}
	r, _ := readRecord(e.Arguments)
	return w.format.tools.call(c, call, r, r.value)
}

// known are the calls without an id that the log has, by a digest of each: what a later capture has to know of them.
func (w *witness) known() (sums []string) {
	if w == nil {
		return nil
	}
	for _, e := range w.list {
		if e.taken && e.ID == "" {
			sums = append(sums, w.sum(e))
		}
	}
	return sums
}

func (w *witness) sum(e *entry) string {
	return textSum(e.At + " " + callKey(w.called(e, cleaner{&ledger{}})))
}

// resume takes the calls that an earlier capture found in the log, and that were over or running then.
func (w *witness) resume(m *mapper, known []string) {
	if w == nil {
		return
	}
	for _, e := range w.list {
		if e.ID == "" {
			e.taken = slices.Contains(known, w.sum(e))
		} else {
			e.taken = m.isKnown(e.ID) && !slices.ContainsFunc(m.open[e.ID], func(c *call) bool { return !c.goesOn })
		}
	}
}

// callKey is the same for two calls of one tool with the same arguments.
func callKey(c called) string {
	arguments, err := jsonspan.Canonical(c.arguments)
	if err != nil {
		arguments = c.arguments
	}
	return fmt.Sprintf("%q %q %s", c.server, c.tool, arguments)
}

// take returns the entry of the journal that is a call of the log, nil if there is none. ended is when the log has its result, "" if it has none, or does not say when.
func (w *witness) take(c called, ended string) *entry {
	if w == nil || len(w.list) == 0 {
		return nil
	}
	e := first(w.byID[c.id], func(*entry) bool { return true })
	if e == nil {
		e = latest(w.byKey[callKey(c)], ended, func(e *entry) bool { return e.ID == "" || c.id == "" })
	}
	if e != nil {
		e.taken = true
	}
	return e
}

// first is the first entry that is nobody's yet and may be the one.
func first(list []*entry, may func(*entry) bool) *entry {
	for _, e := range list {
		if !e.taken && may(e) {
			return e
		}
	}
	return nil
}

// latest is the latest entry that may be a call whose result came at a time: none that was dispatched later. Among calls that differ in nothing but their time
// an earlier one may be missing from the log. Without a time it is the first.
func latest(list []*entry, ended string, may func(*entry) bool) (found *entry) {
	end, err := time.Parse(time.RFC3339Nano, ended)
	if err != nil {
		return first(list, may)
	}
	for _, e := range list {
		at, err := time.Parse(time.RFC3339Nano, e.At)
		if !e.taken && may(e) && (err != nil || !at.Truncate(time.Millisecond).After(end)) { // the log may have no more than milliseconds
			found = e
		}
	}
	return found
}

// proof is what is proved of a call whose conclusive result the log lacks, and when its result was seen. ended is when the log has an answer to it that is not
// conclusive.
func (w *witness) proof(c called, ended string) (p Proof, seen string) {
	if w == nil {
		return NoProof, ""
	}
	if e := w.take(c, ended); e != nil {
		return e.Proof, e.ended
	}
	if w.ask == nil {
		return NoProof, ""
	}
	p = w.ask(Call{c.id, c.tool, c.server, c.arguments, c.at})
	if p == NotStarted && w.mayHold(c) {
		return NoProof, ""
	}
	return p, ""
}

// mayHold says whether the journal holds a call of the same tool that may be this one, though nothing joins them: arguments can be spelled differently, or be cut.
func (w *witness) mayHold(c called) bool {
	return first(w.list, func(e *entry) bool { return (e.ID == "" || c.id == "") && e.Tool == c.tool && e.Server == c.server }) != nil
}

// proved maps a call whose conclusive result the log lacks by what the journal proves of it; it returns false where that is nothing.
func (m *mapper) proved(c *call, p Proof, seen string) bool {
	switch p {
	case NotStarted:
		m.operation(c, "planned", ": asked for by the model; the journal of the hook shows that it was never dispatched (TOOL_NOT_STARTED)", "")
	case Started:
		m.operation(c, "uncertain", ": dispatched, and neither the log nor the journal of the hook has a result (TOOL_OUTCOME_UNKNOWN)", "")
	case Finished:
		m.operation(c, "completed", ": its result was seen by the hook, and the log lacks it", seen)
	case FinishedWithError:
		m.operation(c, "failed", ": the hook saw that the tool answered with an error, and the log lacks the result", "")
	default:
		return false
	}
	if c.approval != nil && p != NotStarted {
		c.approval.used = true
	}
	return true
}

// namelessID stands for the id of a call of the journal that has none.
func namelessID(c called) string {
	return fmt.Sprintf("journal.%.4x", sha256.Sum256([]byte(callKey(c))))
}

// unlogged maps the calls of the journal that the log lacks: the client was killed before it wrote them. Their ids are those that they will have when a longer log
// has them.
func (m *mapper) unlogged() {
	if m.witness == nil {
		return
	}
	for _, e := range m.witness.list {
		if e.taken {
			continue
		}
		c := &call{called: m.witness.called(e, m.clean), begun: true}
		c.local = m.callID(cmp.Or(c.id, namelessID(c.called)))
		m.proved(c, e.Proof, e.ended)
	}
}
