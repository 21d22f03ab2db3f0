package capture

import "cmp"

// An approval is a request for approval of a call, or a decision on one.
type approval struct {
	local, evidence   string // local ids
	scope, reason     string
	status            string // awaiting, approved, rejected
	by, at, requested string
	used              bool // the call that was approved was dispatched
	id                string
}

// notNamed stands for a person whom the log does not name.
const notNamed = "not named by the log"

func (m *mapper) asked(e asked) {
	m.ledger.set(e.rec, mapped)
	a := &approval{local: m.callID("approval." + e.id), status: "awaiting", reason: e.reason, requested: e.at, id: e.id}
	if list := m.open[e.call]; len(list) > 0 {
		c := list[len(list)-1]
		c.approval, a.scope = a, c.title()
	}
	m.approvals = append(m.approvals, a)
	m.requests[e.id] = a
}

// decided closes the request with the id. A decision without a request, or without a time, cannot be recorded (§6.6).
func (m *mapper) decided(e decided) {
	a := m.requests[e.id]
	if a == nil || e.at == "" {
		m.ledger.set(e.rec, orphan)
		return
	}
	delete(m.requests, e.id)
	m.ledger.set(e.rec, mapped)
	a.decide(e.granted, e.by, e.at, m.decision(e.id, e.at))
}

func (a *approval) decide(granted bool, by, at, evidence string) {
	a.status, a.by, a.at, a.evidence = "rejected", by, at, evidence
	if granted {
		a.status = "approved"
	}
	if by == "" {
		a.by = notNamed
	}
}

// decision is the resource for a decision in the client's log.
func (m *mapper) decision(id, at string) string {
	local := m.callID("decision." + id)
	f := m.frag.object().text("id", local).raw("locator", locator(m.system, "approval", m.clean.start(cmp.Or(id, notRecorded), aboutLength)))
	m.resources.add(f.text("type", "approval").text("observed_at", at).done())
	return local
}

// refuse records that a person refused a call. Where the log has a decision, that is it; else the result is.
func (m *mapper) refuse(c *call, e answered, result string) {
	if c.approval != nil && c.approval.status != "awaiting" || e.at == "" {
		return
	}
	if c.approval == nil {
		c.approval = &approval{local: m.localID("approval." + c.local), scope: c.title()}
		m.approvals = append(m.approvals, c.approval)
	}
	c.approval.decide(false, "the user", e.at, result)
}

// approval makes the operation of an approval (§6.6).
func (m *mapper) approval(a *approval) {
	if m.head.isSettled(a.local) {
		return
	}
	if a.status == "awaiting" && a.used {
		a.status = "uncertain" // there was a decision, and the log does not hold it
	}
	f := m.frag.object().text("id", a.local).text("kind", "approval").text("status", a.status)
	f.text("description", a.description()).text("record", a.evidence)
	switch {
	case a.status == "approved" && a.used, a.status == "rejected":
		f.text("resume", "do_not_resume")
	default:
		f.text("resume", "ask")
	}
	if a.evidence != "" {
		var record fragment
		record.object().text("decided_by", a.by).text("decided_at", a.at).refs("evidence", a.evidence).text("scope", a.scope)
		f.raw("approval", record.done())
	}
	m.operations.add(f.text("requested_at", a.requested).done())
}

func (a *approval) description() string {
	switch {
	case a.reason != "" && a.scope != "":
		return a.reason + " (" + a.scope + ")"
	case a.reason != "":
		return a.reason
	case a.scope != "":
		return a.scope
	}
	return "approval " + a.id
}
