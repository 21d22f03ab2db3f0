package merge

import (
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// This file is the table of transforms: what becomes of changes of each member. A member that no rule names is free: one change is taken, different
// ones are a conflict.

func alone(name string, policy func(*field)) *rule {
	return &rule{name: name, members: []string{name}, policy: policy}
}

func (r *rule) asList() *rule   { r.list = true; return r }
func (r *rule) asNature() *rule { r.nature = true; return r }
func (r *rule) asSolid() *rule  { r.solid = true; return r }

func (r *rule) reading(normal func(value) string) *rule { r.normal = normal; return r }

func tied(name string, policy func(*field), members ...string) *rule {
	return (&rule{name: name, members: members, policy: policy}).asSolid()
}

func lists(names ...string) (rules []*rule) {
	for _, name := range names {
		rules = append(rules, alone(name, union).asList())
	}
	return rules
}

// The rules by type. A directive is an instruction, a constraint or a decision: its wording is never changed in place (§9.3).
var (
	directiveRules = append([]*rule{
		tied("wording", fixed, "kind", "origin", "text", "rationale").asNature(),
	}, statusRules...)
	otherStatementRules = append([]*rule{
		tied("nature", fixed, "kind", "origin").asNature(),
	}, statusRules...)
	statusRules = append([]*rule{
		tied("status", statementStatus, "status", "superseded_by", "resolution").reading(statusCanon),
		alone("verification", worst).asSolid(),
	}, lists("evidence")...)

	// ownRules are for the statements that merges made of conflicts, which only say what became of those.
	ownRules = []*rule{
		tied("status", closed, "status", "superseded_by", "resolution").reading(statusCanon),
		alone("text", first), alone("verification", worst).asSolid(), alone("evidence", unionAll).asList(),
	}

	rulesByType = map[checkpoint.Type][]*rule{
		checkpoint.Resource: {
			tied("address", free, "uri", "locator"),
			tied("revision", revision, "revision", "digest", "observed_at", "availability"),
			alone("sensitivity", sensitivity),
		},
		checkpoint.Operation: append([]*rule{
			tied("nature", fixed, "kind").asNature(),
			tied("status", operationStatus, "status"),
			alone("effect", cautious(true, effects...)).asSolid(),
			alone("resume", cautious(false, "retry", "verify_first", "ask", "do_not_resume")).asSolid(),
			alone("expires_at", earliest), alone("completed_at", earliest), alone("last_attempt_at", latest),
		}, lists("depends_on")...),
		checkpoint.StopCondition: {
			alone("description", fixed), alone("applies_to", appliesTo).asList().asSolid(), alone("until", until).asSolid(), alone("refs", union).asList(),
		},
		checkpoint.Precondition: {
			alone("description", fixed), alone("on_failure", strictest("degrade", "ask", "halt")), alone("refs", union).asList(),
		},
		checkpoint.Requirement: {
			alone("kind", fixed), alone("name", fixed), alone("description", fixed), alone("necessity", strictest("optional", "recommended", "required")),
			alone("fallback", onlyLess), alone("refs", union).asList(),
		},
		checkpoint.Incompatibility: {alone("description", fixed)},
		checkpoint.Criterion:       append([]*rule{alone("status", criterionStatus)}, lists("evidence")...),
		checkpoint.Step:            append([]*rule{alone("completed_at", earliest)}, lists("evidence")...),
		checkpoint.NextStep:        lists("blocked_by", "requires", "refs"),
		checkpoint.RecoveryStep:    lists("refs"),
	}
)

// approvalRule is settled after the status, on which it depends: its members are those of what a term installs, of which the record tells changes.
var approvalRule = tied("approval", approvalRecord, "status", "approval").reading(func(v value) string { return canonical([]byte(v.texts[approvalMember])) })

// rulesFor are the rules for an entity; what kind of statement it is the base says, or else the document whose text is taken.
func (m *Merger) rulesFor(e *entity) []*rule {
	if e.t != checkpoint.Statement {
		return rulesByType[e.t]
	}
	k := e.carrier
	if m.inSomeBase(e) {
		k = slices.IndexFunc(e.at, func(i int32) bool { return i >= 0 })
	}
	d, i := m.doc(e, k)
	if isOwn(d.Document, i) {
		return ownRules
	}
	if d.Objects[i].Fact(checkpoint.Kind) <= checkpoint.Decision {
		return directiveRules
	}
	return otherStatementRules
}
