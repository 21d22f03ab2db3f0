package testdoc

var (
	statementKinds     = []string{"instruction", "constraint", "decision", "observation", "hypothesis", "question", "external"}
	statementStatuses  = []string{"", "active", "retracted"}
	originTypes        = []string{"user", "system", "agent", "tool", "application", "external"}
	verificationStates = []string{"verified", "unverified", "disputed", "stale"}
	revalidations      = []string{"before_use", "before_action", "never"}
)

// statement is a planned statement. An empty status is the default one, which is absent.
type statement struct {
	id, kind, status, supersededBy string
}

// planStatements plans at least n statements in groups that supersede each other.
func (g *generator) planStatements(n int) []statement {
	var out []statement
	for len(out) < n {
		out = append(out, g.planGroup()...)
	}
	if g.chance(30) {
		shuffle(g.dice, out)
	}
	return out
}

// planGroup plans a statement by itself, a chain, a fan or, rarely, a cycle (§6.5, OCP-S007).
func (g *generator) planGroup() []statement {
	head := g.planHead()
	switch n := g.below(100); {
	case n < 70:
		return []statement{head}
	case n < 85:
		return g.planChain(head, g.between(1, 4))
	case n < 96:
		return g.planFan(head, g.between(2, 4))
	}
	return g.planCycle(head, g.between(2, 3))
}

// planHead plans a statement that is not superseded.
func (g *generator) planHead() statement {
	s := statement{id: g.newID("st"), kind: pick(g.dice, statementKinds), status: pick(g.dice, statementStatuses)}
	if s.kind == "question" && g.chance(40) {
		s.status = "resolved"
	}
	return s
}

// planChain puts n statements before head, each superseded by the one after it.
func (g *generator) planChain(head statement, n int) []statement {
	chain := []statement{head}
	for range n {
		chain = append(chain, g.planSuperseded(chain[len(chain)-1]))
	}
	for i, j := 0, len(chain)-1; i < j; i, j = i+1, j-1 {
		chain[i], chain[j] = chain[j], chain[i]
	}
	return chain
}

// planFan makes head supersede n statements.
func (g *generator) planFan(head statement, n int) []statement {
	fan := []statement{head}
	for range n {
		fan = append(fan, g.planSuperseded(head))
	}
	return fan
}

// planCycle makes head and n others supersede each other in a ring, which no rule forbids.
func (g *generator) planCycle(head statement, n int) []statement {
	ring := []statement{head}
	for range n {
		last := ring[len(ring)-1]
		ring = append(ring, statement{id: g.newID("st"), kind: head.kind, status: "superseded", supersededBy: last.id})
	}
	ring[0].status, ring[0].supersededBy = "superseded", ring[n].id
	return ring
}

// planSuperseded plans a statement that by supersedes: one of its kind, or a hypothesis that the observation by confirms.
func (g *generator) planSuperseded(by statement) statement {
	kind := by.kind
	if kind == "observation" && g.chance(50) {
		kind = "hypothesis"
	}
	return statement{id: g.newID("st"), kind: kind, status: "superseded", supersededBy: by.id}
}

// statement returns a planned statement.
func (g *generator) statement(s statement) any {
	o := object{{"id", s.id}, {"kind", s.kind}, {"text", g.text()}}
	if s.kind == "decision" || g.chance(5) {
		o.put("rationale", g.text())
	}
	o.put("origin", g.origin(s.kind))
	if s.status != "" {
		o.put("status", s.status)
	}
	if s.supersededBy != "" {
		o.put("superseded_by", s.supersededBy)
	}
	if s.status == "resolved" {
		o.put("resolution", g.text())
	}
	g.putRefs(&o, "evidence", g.resources)
	if g.maybe() {
		o.put("verification", g.verification(s.kind))
	}
	g.putPast(&o, "recorded_at")
	g.extend(&o)
	return o
}

// origin returns an origin that the kind allows.
func (g *generator) origin(kind string) object {
	o := object{{"type", pick(g.dice, originsOf(kind))}}
	g.putText(&o, "name")
	g.putRef(&o, "ref", g.resources)
	return o
}

// originsOf returns the origin types of a kind: instructions are the user's or the system's, and external content never is.
func originsOf(kind string) []string {
	switch kind {
	case "instruction":
		return originTypes[:2]
	case "external":
		return originTypes[2:]
	}
	return originTypes
}

// verification returns a verification; a hypothesis is never verified.
func (g *generator) verification(kind string) object {
	states := verificationStates
	if kind == "hypothesis" {
		states = states[1:]
	}
	o := object{{"state", pick(g.dice, states)}}
	g.putPast(&o, "checked_at")
	g.putText(&o, "method")
	if g.maybe() {
		o.put("revalidate", pick(g.dice, revalidations))
	}
	return o
}
