package testdoc

var (
	taskStatuses      = []string{"active", "blocked", "awaiting_input", "paused", "completed", "abandoned"}
	criterionStatuses = []string{"met", "unmet", "unknown"}
)

// task returns the task (§6.2).
func (g *generator) task() object {
	o := object{{"objective", g.text()}}
	g.putText(&o, "outcome")
	o.put("status", g.taskStatus)
	putList(g, &o, "success_criteria", g.criteria, g.criterion)
	if g.maybe() {
		o.put("scope", g.scope())
	}
	g.extend(&o)
	return o
}

// criterion returns a success criterion.
func (g *generator) criterion(id string) any {
	o := g.described(id)
	o.put("status", pick(g.dice, criterionStatuses))
	g.putRefs(&o, "evidence", g.resources)
	return o
}

// scope returns what is in and out of bounds.
func (g *generator) scope() object {
	o := object{}
	for _, name := range []string{"includes", "excludes"} {
		if g.maybe() {
			o.put(name, textArray(g.texts(g.below(4))))
		}
	}
	return o
}

// texts returns n texts.
func (g *generator) texts(n int) []string {
	var out []string
	for range n {
		out = append(out, g.text())
	}
	return out
}

// progress returns the progress (§6.3).
func (g *generator) progress() object {
	o := object{}
	putList(g, &o, "completed", g.completed, g.step)
	if g.maybe() {
		focus := object{{"description", g.text()}}
		g.putRefs(&focus, "refs", g.local)
		o.put("focus", focus)
	}
	putList(g, &o, "next", g.next, g.nextStep)
	g.extend(&o)
	return o
}

// step returns a completed step.
func (g *generator) step(id string) any {
	o := g.described(id)
	g.putPast(&o, "completed_at")
	g.putRefs(&o, "evidence", g.resources)
	return o
}

// nextStep returns a next step.
func (g *generator) nextStep(id string) any {
	o := g.described(id)
	g.putRefs(&o, "blocked_by", g.blockers())
	g.putRefs(&o, "requires", g.requirements)
	g.putRefs(&o, "refs", g.local)
	return o
}

// blockers returns what may block a step: statements, operations, resources and requirements (OCP-S003).
func (g *generator) blockers() []string {
	out := append([]string(nil), g.resources...)
	out = append(out, g.requirements...)
	for _, s := range g.statements {
		out = append(out, s.id)
	}
	return append(out, g.operationIDs(anyOperation)...)
}
