package testdoc

import "fmt"

// resource makes the next resource of a large document; every other one has an excerpt.
func (l *large) resource() object {
	o := object{{"id", numbered("res", &l.resourceCount)}}
	if l.chance(70) {
		o.put("uri", fmt.Sprintf("s3://depot/2025/%s/%s.log", l.hex(2), l.hex(8)))
	} else {
		o.put("locator", object{{"system", "stock"}, {"type", "movement"}, {"key", "M-" + l.letters("0123456789", 8)}})
	}
	o.put("type", pick(l.dice, resourceTypes))
	if l.chance(60) {
		o.put("digest", "sha-256:"+l.hex(64))
	} else {
		o.put("revision", "v"+l.letters("123456789", 3))
	}
	o.put("observed_at", l.tick())
	if l.chance(50) {
		o.put("excerpt", l.lines(l.between(80, l.excerptLimit)))
	}
	l.extend(&o, 5)
	return o
}

// operation makes the next operation; 4 in 100 are not terminal.
func (l *large) operation() object {
	id := numbered("op", &l.operationCount)
	kind, status := l.operationState()
	o := object{{"id", id}, {"kind", kind}, {"status", status}, {"description", l.prose(l.between(30, 160))}}
	if status == "planned" || status == "awaiting" {
		l.noteOpen(id, kind)
	}
	if kind == "action" {
		o.put("effect", "non_idempotent")
		o.put("idempotency_key", l.hex(12))
		o.put("call", object{{"tool", "stock.post"}, {"arguments", object{{"movement", number(fmt.Sprint(l.below(1e6)))}, {"weight", number("12.50")}}}})
	}
	o.put("target", l.someResource())
	o.put("record", l.someResource())
	if l.operationCount > 1 && l.chance(30) {
		o.put("depends_on", array{fmt.Sprintf("op-%d", l.below(l.operationCount-1))})
	}
	if status == "rejected" {
		o.put("approval", object{{"decided_by", "depot lead"}, {"decided_at", l.tick()}, {"evidence", l.evidence()}})
	}
	if status == "completed" {
		o.put("completed_at", l.tick())
	}
	l.extend(&o, 5)
	return o
}

// operationState chooses a kind and a status that fits it.
func (l *large) operationState() (kind, status string) {
	switch n := l.below(100); {
	case n < 2:
		return "action", "planned"
	case n < 4:
		return "approval", "awaiting"
	case n < 8:
		return "approval", "rejected"
	case n < 14:
		return "wait", "cancelled"
	}
	return "action", "completed"
}

// noteOpen remembers an operation that is not terminal.
func (l *large) noteOpen(id, kind string) {
	l.open = append(l.open, id)
	if kind == "approval" {
		l.approvals = append(l.approvals, id)
	}
}

// step makes the next completed step.
func (l *large) step() object {
	o := object{{"id", numbered("done", &l.stepCount)}, {"description", l.prose(l.between(60, 300))}, {"completed_at", l.tick()}}
	if l.chance(60) {
		o.put("evidence", l.evidence())
	}
	return o
}

// statementGroup makes the next statement, or two of which the second supersedes the first.
func (l *large) statementGroup() []object {
	switch n := l.below(100); {
	case n < 5:
		return []object{l.protected(pick(l.dice, statementKinds[:3]))}
	case n < 15:
		return []object{l.external()}
	case n < 22:
		return []object{l.question()}
	case n < 30:
		return l.superseding("hypothesis")
	case n < 40:
		return l.superseding("observation")
	case n < 46:
		return []object{l.hypothesis()}
	}
	return []object{l.observation(numbered("st", &l.statementCount))}
}

// begin starts a statement of a kind.
func (l *large) begin(id, kind, origin string) object {
	return object{{"id", id}, {"kind", kind}, {"text", l.prose(l.between(100, 580))}, {"origin", object{{"type", origin}}}}
}

// protected makes an active statement that compaction must keep (§9.2).
func (l *large) protected(kind string) object {
	o := l.begin(numbered("st", &l.statementCount), kind, "user")
	if kind == "decision" {
		o.put("rationale", l.prose(l.between(30, 120)))
	}
	o.put("recorded_at", l.tick())
	return o
}

// external makes content of a third party, taken from a resource.
func (l *large) external() object {
	o := l.begin(numbered("st", &l.statementCount), "external", "external")
	o[3].value = object{{"type", "external"}, {"name", "depot mail"}, {"ref", l.someResource()}}
	return o
}

// question makes a question; most are resolved.
func (l *large) question() object {
	o := l.begin(numbered("st", &l.statementCount), "question", "agent")
	if l.chance(95) {
		o.put("status", "resolved")
		o.put("resolution", l.prose(l.between(30, 150)))
	}
	return o
}

// hypothesis makes a hypothesis; half are retracted.
func (l *large) hypothesis() object {
	o := l.begin(numbered("st", &l.statementCount), "hypothesis", "agent")
	if l.chance(50) {
		o.put("status", "retracted")
	}
	o.put("verification", object{{"state", "unverified"}})
	return o
}

// superseding makes a statement of a kind and the observation that supersedes it.
func (l *large) superseding(kind string) []object {
	o := l.begin(numbered("st", &l.statementCount), kind, "agent")
	by := numbered("st", &l.statementCount)
	o.put("status", "superseded")
	o.put("superseded_by", by)
	o.put("evidence", l.evidence())
	return []object{o, l.observation(by)}
}

// observation makes an observation with evidence.
func (l *large) observation(id string) object {
	o := l.begin(id, "observation", pick(l.dice, originTypes[2:4]))
	o.put("evidence", l.evidence())
	if l.chance(50) {
		o.put("verification", object{{"state", "verified"}, {"checked_at", l.tick()}, {"method", "recount"}, {"revalidate", "before_use"}})
	}
	o.put("recorded_at", l.tick())
	l.extend(&o, 10)
	return o
}

// extend gives percent of 100 objects extension data.
func (l *large) extend(o *object, percent int) {
	if !l.chance(percent) {
		return
	}
	data := object{
		{"span", l.hex(16)},
		{"ms", number(fmt.Sprintf("%d.%d0", l.below(40000), l.below(10)))},
		{"labels", array{pick(l.dice, words), "a.b", nil, l.chance(50)}},
		{"by", object{{"id", "res-0"}, {"n", number(fmt.Sprint(l.below(1e9)))}}},
	}
	o.put("extensions", object{{"com.example.depot/trace", data}})
}
