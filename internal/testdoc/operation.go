package testdoc

var (
	operationKinds    = []string{"approval", "input", "action", "wait"}
	operationStatuses = []string{"planned", "awaiting", "uncertain", "failed", "completed", "cancelled", "approved", "rejected"}
	effects           = []string{"none", "idempotent", "non_idempotent", "unknown"}
	resumes           = []string{"retry", "verify_first", "ask", "do_not_resume"}
)

// operation is a planned operation. An empty effect is an absent one.
type operation struct {
	id, kind, status, effect string
	dependsOn                []string
}

// planOperations plans n operations.
func (g *generator) planOperations(n int) []operation {
	var out []operation
	for range n {
		kind := pick(g.dice, operationKinds)
		out = append(out, operation{
			id:     g.newID("op"),
			kind:   kind,
			status: pick(g.dice, g.statusesOf(kind)),
			effect: pick(g.dice, append([]string{""}, effects...)),
		})
	}
	g.planDependencies(out)
	if g.chance(30) {
		shuffle(g.dice, out)
	}
	return out
}

// statusesOf returns the statuses that an operation of a kind may have in this document: no unfinished one under a completed
// task (OCP-S006), and a recorded outcome only for approvals, which need a resource as evidence (§6.6).
func (g *generator) statusesOf(kind string) []string {
	first, end := 0, 6
	if g.taskStatus == "completed" {
		first = 3
	}
	if kind == "approval" && len(g.resources) > 0 {
		end = 8
	}
	return operationStatuses[first:end]
}

// planDependencies makes a chain, a thinner graph without cycles or, rarely, any graph.
func (g *generator) planDependencies(list []operation) {
	shape := g.below(10)
	for i := range list {
		switch {
		case shape < 3 && i > 0:
			list[i].dependsOn = []string{list[i-1].id}
		case shape < 9:
			list[i].dependsOn = idsOf(sample(g.dice, list[:i], g.below(3)))
		default:
			list[i].dependsOn = idsOf(sample(g.dice, list, g.below(3)))
		}
	}
}

// idsOf returns the ids of operations.
func idsOf(list []operation) []string {
	var out []string
	for _, op := range list {
		out = append(out, op.id)
	}
	return out
}

// anyOperation holds for every operation.
func anyOperation(operation) bool { return true }

// isApproval holds for operations of kind approval.
func isApproval(op operation) bool { return op.kind == "approval" }

// operationIDs returns the ids of the operations for which wanted holds.
func (g *generator) operationIDs(wanted func(operation) bool) []string {
	var out []string
	for _, op := range g.operations {
		if wanted(op) {
			out = append(out, op.id)
		}
	}
	return out
}

// operation returns a planned operation (§6.6).
func (g *generator) operation(op operation) any {
	o := object{{"id", op.id}, {"kind", op.kind}, {"status", op.status}, {"description", g.text()}}
	if op.effect != "" {
		o.put("effect", op.effect)
	}
	if g.maybe() {
		o.put("idempotency_key", g.hex(g.between(1, 16)))
	}
	if op.kind == "action" && g.maybe() {
		o.put("call", g.call())
	}
	g.putRef(&o, "target", g.resources)
	g.putRef(&o, "record", g.resources)
	if len(op.dependsOn) > 0 || g.chance(5) {
		o.put("depends_on", textArray(op.dependsOn))
	}
	g.putResume(&o, op)
	if op.needsApproval() || isApproval(op) && len(g.resources) > 0 && g.chance(10) {
		o.put("approval", g.approval())
	}
	g.putPast(&o, "requested_at")
	g.putPast(&o, "last_attempt_at")
	g.putPast(&o, "completed_at")
	if g.maybe() {
		o.put("expires_at", g.clock.any())
	}
	g.extend(&o)
	return o
}

// putResume adds a resume where one is needed, and sometimes elsewhere: an uncertain operation that may not be repeated
// safely has one other than retry.
func (g *generator) putResume(o *object, op operation) {
	if op.status == "uncertain" && op.effect != "none" && op.effect != "idempotent" {
		o.put("resume", pick(g.dice, resumes[1:]))
		return
	}
	g.putChoice(o, "resume", resumes)
}

// needsApproval reports whether the operation must carry an approval record.
func (op operation) needsApproval() bool {
	return op.status == "approved" || op.status == "rejected"
}

// approval returns an approval record.
func (g *generator) approval() object {
	evidence := sample(g.dice, g.resources, g.between(1, 3))
	o := object{{"decided_by", pick(g.dice, []string{"shift lead", "Leitung", "release board"})}, {"decided_at", g.clock.past()}, {"evidence", textArray(evidence)}}
	g.putText(&o, "scope")
	return o
}

// call returns the invocation of an action.
func (g *generator) call() object {
	o := object{{"tool", pick(g.dice, []string{"send_message", "warehouse.move", "deploy/run", "lösche"})}}
	if g.maybe() {
		o.put("arguments", g.opaqueObject(3))
	}
	return o
}
