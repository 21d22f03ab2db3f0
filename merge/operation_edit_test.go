package merge_test

import "slices"

// operationEditors are what an agent may do with operations (§6.6).
var operationEditors = []editor{
	{"adds an operation", (*draft).addOperation},
	{"adds an operation", (*draft).addOperation},
	{"finishes an operation", (*draft).finish},
	{"finishes an operation", (*draft).finish},
	{"finishes an operation", (*draft).finish},
	set("tries an operation", "operations", isOpen, (*draft).attempt),
	set("tries an operation", "operations", isOpen, (*draft).attempt),
	set("decides an approval", "operations", isOpenApproval, (*draft).decide),
	set("decides an approval", "operations", isOpenApproval, (*draft).decide),
	set("describes an operation", "operations", nil, func(d *draft, e *entry) { e.object["description"] = d.words() }),
	set("reckons an effect", "operations", isOpen, func(d *draft, e *entry) { e.object["effect"] = pick(d.dice, effects) }),
	set("advises on an operation", "operations", nil, func(d *draft, e *entry) { e.object["resume"] = pick(d.dice, resumes) }),
	set("orders operations", "operations", nil, reference("depends_on", "operations")),
	set("edits a call", "operations", isAction, (*draft).recall),
	set("records an operation", "operations", nil, func(d *draft, e *entry) { e.object[pick(d.dice, []string{"record", "target"})] = d.anyID("resources") }),
	set("lets an operation expire", "operations", nil, func(d *draft, e *entry) {
		e.object["expires_at"] = pick(d.dice, []string{"2035-01-01T00:00:00Z", "2036-01-01T00:00:00Z"})
	}),
	set("extends an operation", "operations", nil, (*draft).extend),
}

var (
	effects = []string{"none", "idempotent", "non_idempotent", "unknown"}
	resumes = []string{"retry", "verify_first", "ask", "do_not_resume"}
)

func isOpen(e *entry) bool         { return !terminal(e.object) }
func isAction(e *entry) bool       { return str(e.object, "kind") == "action" }
func isOpenApproval(e *entry) bool { return isOpen(e) && str(e.object, "kind") == "approval" }

// addOperation adds an operation, now and then one that others add too, or that is the same action as another.
func (d *draft) addOperation() string {
	kind := pick(d.dice, []string{"action", "action", "approval", "input", "wait"})
	o := object{"id": d.newID("op"), "kind": kind, "status": pick(d.dice, []string{"planned", "awaiting", "failed", "completed"}), "description": d.words()}
	if kind == "action" && d.chance(70) {
		o["effect"] = pick(d.dice, effects)
	}
	if kind == "action" && d.chance(30) && !d.apart {
		o["idempotency_key"] = pick(d.dice, []string{"k-1", "k-3", "k-new"})
	}
	if kind == "action" && d.chance(30) && !d.apart {
		o["call"] = object{"tool": "bank.pay", "arguments": object{"invoice": d.IntN(3)}}
	}
	if id := d.anyID("operations"); id != "" && d.chance(30) {
		o["depends_on"] = listOf(id)
	}
	return d.insert("operations", o)
}

// finish ends an operation; agents that are apart end none that is the same action as another.
func (d *draft) finish() string {
	e := d.any("operations", func(e *entry) bool { return isOpen(e) && !(d.apart && d.twin(e)) })
	if e == nil {
		return ""
	}
	e.object["status"] = pick(d.dice, []string{"completed", "completed", "cancelled"})
	if d.chance(40) {
		e.object["completed_at"] = d.at
	}
	return e.id
}

// twin says whether another operation is the same action.
func (d *draft) twin(e *entry) bool {
	return slices.ContainsFunc(d.read().in("operations", nil), func(o *entry) bool { return o.id != e.id && repeats(o.object, e.object) })
}

func (d *draft) attempt(e *entry) {
	e.object["status"] = pick(d.dice, []string{"uncertain", "failed", "awaiting", "planned"})
	if e.object["status"] == "uncertain" {
		e.object["resume"] = pick(d.dice, resumes[1:])
	}
	if d.chance(40) {
		e.object["last_attempt_at"] = d.at
	}
}

// decide records what was decided, and where that can be seen.
func (d *draft) decide(e *entry) {
	e.object["status"] = pick(d.dice, []string{"approved", "rejected"})
	approval := object{"decided_by": pick(d.dice, []string{"controller", "shift lead"}), "decided_at": d.at, "evidence": listOf(d.anyID("resources"))}
	if d.chance(30) {
		approval["scope"] = d.words()
	}
	e.object["approval"] = approval
}

// recall edits what identifies an action.
func (d *draft) recall(e *entry) {
	if d.chance(40) || d.apart {
		e.object["idempotency_key"] = d.token()
		return
	}
	e.object["call"] = object{"tool": "bank.pay", "arguments": object{"invoice": d.IntN(3), "memo": d.token()}}
}

// isFinal says whether a status is terminal.
func isFinal(status string) bool {
	return slices.Contains([]string{"completed", "cancelled", "rejected"}, status)
}
