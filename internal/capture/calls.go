package capture

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
)

// A call is a call of a tool that is not over yet as far as the log was read.
type call struct {
	called
	local    string // what its objects' ids end in
	order    int
	begun    bool   // unstarted or not, it was dispatched
	goesOn   bool   // behind its result
	handle   string // of the process that goes on
	approval *approval
}

// outside says whether the tool belongs to another system than the client, so that a destination should be able to refuse a repeat (§6.6).
func (c *call) outside() bool { return c.server != "" }

// called notes a call. One that is logged again while it is open is a copy, unless it is another call with the same id.
func (m *mapper) called(e called) {
	if list := m.open[e.id]; len(list) > 0 {
		if c := list[len(list)-1]; c.tool == e.tool && c.server == e.server && bytes.Equal(c.arguments, e.arguments) {
			m.ledger.set(e.rec, copied)
			return
		}
	}
	m.pending++
	c := &call{called: e, local: m.callID(e.id), order: m.pending, begun: !e.unstarted}
	m.open[e.id] = append(m.open[e.id], c)
	if !e.aside && e.plan == nil {
		m.ledger.set(e.rec, mapped)
	}
}

// callID is what the ids of a call's objects end in, behind a word for each, and no other object's: they derive from its own id, so that they
// stay the same when a longer log of the session is captured.
func (m *mapper) callID(id string) string { return m.localID(localOf(m.clean, id)) }

// localOf is what callID wishes for.
func localOf(clean cleaner, id string) string {
	const most = 80
	local := sanitizeID(clean.text(cmp.Or(id, "call")))
	if len(local) > most || local != id {
		local = fmt.Sprintf("%s.%x", local[:min(len(local), most)], sha256.Sum256([]byte(id)))[:min(len(local), most)+9]
	}
	return local
}

func (m *mapper) started(e started) {
	f := orphan
	if m.isKnown(e.id) {
		f = copied
	}
	list := m.open[e.id]
	for i := len(list) - 1; i >= 0 && !list[i].begun; i-- { // which one began, if there are several, nothing tells
		list[i].begun, list[i].at = true, e.at
		f = mapped
	}
	m.ledger.set(e.rec, f)
}

// isKnown says whether a call with an id was logged.
func (m *mapper) isKnown(id string) bool {
	_, open := m.open[id]
	return open || m.head.hasCall(localOf(cleaner{&ledger{}}, id))
}

// hinted takes the word of a tool's server that it has no effect.
func (m *mapper) hinted(e hinted) {
	if list := m.open[e.id]; len(list) > 0 {
		list[0].effect = effectNone
	}
	m.ledger.set(e.rec, copied)
}

// answered ends the oldest open call with the id.
func (m *mapper) answered(e answered) {
	list := m.open[e.id]
	if len(list) == 0 {
		m.ledger.set(e.rec, orphan)
		if m.isKnown(e.id) {
			m.ledger.set(e.rec, copied)
		}
		return
	}
	c := list[0]
	if e.outcome == running {
		m.goesOn(c, e)
		return
	}
	m.close(c)
	m.over(c, e)
}

// close takes a call, the oldest with its id, from the open ones. The id stays known.
func (m *mapper) close(c *call) {
	list := m.open[c.id]
	if list = list[1:]; len(list) == 0 {
		list = nil
	}
	m.open[c.id] = list
}

// goesOn notes a call whose result says that it is not over.
func (m *mapper) goesOn(c *call, e answered) {
	if !c.goesOn {
		m.witness.take(c.called, e.at)
	}
	c.goesOn = true
	m.ledger.set(e.rec, mapped)
	if e.handle == "" {
		return
	}
	m.close(c)
	c.handle = e.handle
	m.handles[e.handle] = append(m.handles[e.handle], c)
}

// ended ends a call that went on behind its result.
func (m *mapper) ended(e ended) {
	list := m.handles[e.handle]
	if len(list) == 0 {
		m.ledger.set(e.rec, bookkeeping)
		return
	}
	c := list[0]
	m.handles[e.handle] = list[1:]
	m.over(c, answered{rec: e.rec, id: c.id, outcome: e.outcome, output: e.output, at: e.at})
}

// over maps a call with its result.
func (m *mapper) over(c *call, e answered) {
	if e.outcome != unclear && !c.goesOn {
		m.witness.take(c.called, e.at)
	}
	if c.plan != nil && e.outcome == succeeded && !c.aside {
		m.setPlan(c, e)
		m.leftNothing(c)
		return
	}
	if c.aside && (e.outcome == succeeded && !c.outside() || e.outcome == failed && c.effect == effectNone) {
		m.leftNothing(c) // the reader has counted it
		return
	}
	m.ledger.set(c.rec, mapped)
	m.ledger.set(e.rec, mapped)
	result := m.result(c, e)
	switch e.outcome {
	case succeeded:
		if !c.aside {
			m.step(c, e, result)
		}
		if c.outside() {
			m.operation(c, "completed", "", e.at)
		}
	case failed:
		m.complaint(c, e, result)
		if c.effect != effectNone {
			m.operation(c, "failed", ": the tool answered with an error", "")
		}
	case unclear:
		m.complaint(c, e, result)
		if m.unclear(c, e) == NotStarted {
			e.outcome = unbegun
		}
	case refused:
		m.refuse(c, e, result)
		m.operation(c, "cancelled", ": refused before it was dispatched", "")
	case unbegun:
		m.operation(c, "planned", ": asked for by the model and not dispatched", "")
	case never:
		m.operation(c, "cancelled", ": never dispatched", "")
	}
	if c.approval != nil {
		c.approval.used = e.outcome != refused && e.outcome != never && e.outcome != unbegun
	}
}

// unclear maps a call to which not the tool answered. That is no conclusive result; the answer to a call that went on behind its result is one more.
func (m *mapper) unclear(c *call, e answered) Proof {
	if !c.goesOn {
		if p, seen := m.witness.proof(c.called, e.at); p != Started && m.proved(c, p, seen) {
			return p
		}
	}
	m.operation(c, "uncertain", ": called; the client or the transport answered with an error, so it may have run", "")
	return NoProof
}

// leftNothing remembers a call of which no object tells.
func (m *mapper) leftNothing(c *call) {
	m.bare = append(m.bare, c.id)
	m.bare = slices.Delete(m.bare, 0, max(len(m.bare)-mostBare, 0))
}

// setPlan takes a plan in the place of the one before. Of the records only those of the last plan are mapped.
func (m *mapper) setPlan(c *call, e answered) {
	for _, rec := range m.planFrom {
		m.ledger.part(rec, replaced)
	}
	m.plan, m.planFrom = c.plan, []int{c.rec, e.rec}
}

// result is the local id of the resource for a call's output.
func (m *mapper) result(c *call, e answered) string {
	id := "result." + c.local
	f := m.frag.object().text("id", id).raw("locator", locator(m.system, "tool_result", m.clean.start(cmp.Or(c.id, notRecorded), aboutLength)))
	f.text("type", "tool_result").text("digest", e.output.digest).text("observed_at", e.at).text("excerpt", e.output.excerpt)
	m.resources.add(f.done())
	return id
}

// step makes a completed step (§6.3).
func (m *mapper) step(c *call, e answered, result string) {
	evidence := []string{result}
	for _, path := range c.files {
		evidence = append(evidence, m.fileResource(path, e.at))
	}
	f := m.frag.object().text("id", "step."+c.local).text("description", c.title()).text("completed_at", e.at)
	m.steps.add(f.refs("evidence", evidence...).done())
}

// title is what the call does, for people.
func (c *call) title() string {
	tool := cmp.Or(c.tool, "a tool that the log does not name")
	if c.about == "" {
		return tool
	}
	return tool + ": " + c.about
}

// complaint makes an observation of an error.
func (m *mapper) complaint(c *call, e answered, result string) {
	if c.aside {
		return
	}
	var origin fragment
	f := m.frag.object().text("id", "error."+c.local).text("kind", "observation")
	f.text("text", fmt.Sprintf("%s ended with an error: %s", c.title(), e.output.excerpt))
	f.raw("origin", origin.object().text("type", "tool").text("name", c.tool).text("ref", result).done()).refs("evidence", result)
	f.raw("verification", []byte(`{"state":"unverified"}`)).text("recorded_at", e.at)
	m.statements.add(f.done())
}

// unanswered maps a call without a conclusive result. Whether it ran is not known, unless the log proves that it was only asked for: whole says that no record
// is missing, so that what the log lacks did not happen.
func (m *mapper) unanswered(c *call, whole bool) {
	m.ledger.set(c.rec, mapped)
	if c.goesOn {
		m.operation(c, "uncertain", ": still running when the log ended", "")
		return
	}
	p, seen := m.witness.proof(c.called, "")
	switch {
	case m.proved(c, p, seen):
	case !c.begun && whole:
		m.operation(c, "planned", ": asked for by the model and not dispatched", "")
	default:
		m.operation(c, "uncertain", ": called, and the log has no result", "")
	}
}

// operation makes an action (§6.6).
func (m *mapper) operation(c *call, status, ending, completedAt string) {
	var file string
	if len(c.files) > 0 {
		file = m.fileResource(c.files[0], c.at)
	}
	id := "op." + c.local
	if m.head.isSettled(id) {
		return // what is over stays over (OCP-T001)
	}
	f := m.frag.object().text("id", id).text("kind", "action").text("status", status).text("description", c.title()+ending)
	f.text("effect", c.effectWord()).raw("call", c.call()).text("target", file)
	if c.approval != nil {
		f.refs("depends_on", c.approval.local)
	}
	switch {
	case status == "uncertain" && c.effect == effectNone, status == "planned":
		f.text("resume", "retry")
	case status == "uncertain" || status == "failed":
		f.text("resume", "verify_first")
	}
	if status == "planned" || status == "cancelled" {
		f.text("requested_at", c.at)
	} else {
		f.text("last_attempt_at", c.at)
	}
	m.operations.add(f.text("completed_at", completedAt).done())
}

func (c *call) effectWord() string {
	if c.effect == effectNone {
		return "none"
	}
	return "unknown"
}

// call is the member call (§6.6).
func (c *call) call() []byte {
	if c.tool == "" {
		return nil
	}
	var f fragment
	return f.object().text("tool", c.tool).raw("arguments", c.arguments).done()
}
