package testdoc

var (
	requirementKinds = []string{"tool", "capability", "access", "extension"}
	necessities      = []string{"required", "recommended", "optional"}
	failureResponses = []string{"halt", "ask", "degrade"}
)

// continuation returns the continuation (§6.8).
func (g *generator) continuation() object {
	o := object{}
	putList(g, &o, "requirements", g.requirements, g.requirement)
	putList(g, &o, "preconditions", g.preconditions, g.precondition)
	putList(g, &o, "stop_conditions", g.stops, g.stopCondition)
	putList(g, &o, "recovery", g.recovery, g.recoveryStep)
	putList(g, &o, "incompatibilities", g.hurdles, g.incompatibility)
	g.extend(&o)
	return o
}

// requirement returns a requirement; one of kind extension names a key (§7).
func (g *generator) requirement(id string) any {
	kind := pick(g.dice, requirementKinds)
	o := object{{"id", id}, {"kind", kind}}
	if kind == "extension" {
		o.put("name", pick(g.dice, extensionKeys))
	} else {
		g.putText(&o, "name")
	}
	g.putText(&o, "description")
	o.put("necessity", pick(g.dice, necessities))
	g.putText(&o, "fallback")
	g.putRefs(&o, "refs", g.local)
	return o
}

// precondition returns a precondition.
func (g *generator) precondition(id string) any {
	o := g.described(id)
	o.put("on_failure", pick(g.dice, failureResponses))
	g.putRefs(&o, "refs", g.local)
	return o
}

// stopCondition returns a stop condition.
func (g *generator) stopCondition(id string) any {
	o := g.described(id)
	g.putRefs(&o, "applies_to", g.operationIDs(anyOperation))
	if len(g.operations) > 0 && g.maybe() {
		o.put("until", g.until())
	}
	g.putRefs(&o, "refs", g.local)
	return o
}

// until returns what lifts a stop condition; only approvals get approved or rejected (OCP-S009).
func (g *generator) until() array {
	out := array{}
	for _, op := range sample(g.dice, g.operations, g.between(1, 3)) {
		statuses := operationStatuses[:6]
		if isApproval(op) {
			statuses = operationStatuses
		}
		out = append(out, object{{"operation", op.id}, {"status", pick(g.dice, statuses)}})
	}
	return out
}

// recoveryStep returns a recovery step.
func (g *generator) recoveryStep(id string) any {
	o := g.described(id)
	g.putRefs(&o, "refs", g.local)
	return o
}

// incompatibility returns an incompatibility, as text where it has no id and chance wants it so.
func (g *generator) incompatibility(id string) any {
	if id == "" && g.chance(70) {
		return g.text()
	}
	return g.described(id)
}
