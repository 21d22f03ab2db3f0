package merge_test

import "slices"

// continuationEditors are what an agent may do with the continuation and the derivation (§6.8, §6.9).
var continuationEditors = []editor{
	{"adds a stop condition", (*draft).addStop},
	{"adds a stop condition", (*draft).addStop},
	{"adds a precondition", func(d *draft) string {
		return d.insert("continuation/preconditions", d.described("pre", object{"on_failure": pick(d.dice, []string{"halt", "ask", "degrade"})}))
	}},
	{"adds a requirement", func(d *draft) string {
		return d.insert("continuation/requirements", object{"id": d.newID("req"), "kind": "tool", "name": d.words(), "necessity": pick(d.dice, []string{"required", "optional"})})
	}},
	{"adds a recovery step", func(d *draft) string { return d.insert("continuation/recovery", d.described("rec", object{})) }},
	{"adds an incompatibility", func(d *draft) string {
		return d.insert("continuation/incompatibilities", d.described("inc", object{}))
	}},
	{"adds an incompatibility", func(d *draft) string {
		add(child(d.doc, "continuation"), "incompatibilities", d.token())
		return "/continuation/incompatibilities"
	}},
	set("widens a stop condition", "continuation/stop_conditions", hasTargets, func(d *draft, e *entry) {
		if id := d.anyID("operations"); id != "" && !slices.Contains(texts(e.object, "applies_to"), id) {
			add(e.object, "applies_to", id)
		}
	}),
	set("refers in a stop condition", "continuation/stop_conditions", nil, reference("refs", "operations")),
	set("rewords a recovery step", "continuation/recovery", nil, func(d *draft, e *entry) { e.object["description"] = d.words() }),
	set("refers in a recovery step", "continuation/recovery", nil, reference("refs", "resources")),
	{"records an omission", func(d *draft) string {
		return d.insert("derivation/omissions", d.described("om", object{"reason": pick(d.dice, []string{"size", "irrelevant"})}))
	}},
	{"records a transformation", func(d *draft) string { return d.insert("derivation/transformations", d.described("tr", object{})) }},
}

func hasTargets(e *entry) bool { return len(items(e.object, "applies_to")) > 0 }

func (d *draft) addStop() string {
	o := d.described("stop", object{})
	if id := d.anyID("operations"); id != "" && d.chance(60) {
		o["applies_to"] = listOf(id)
		if until := d.anyID("operations"); d.chance(40) {
			o["until"] = listOf(any(object{"operation": until, "status": "completed"}))
		}
	}
	return d.insert("continuation/stop_conditions", o)
}

// forbiddenEditors are what no agent should do: words that are not its own (§9.3), a kind (§6.5), a stop condition that gets weaker, an operation
// that is over and is not any more (OCP-T001).
var forbiddenEditors = []editor{
	set("edits a directive", "statements", isDirective, func(d *draft, e *entry) { e.object[pick(d.dice, []string{"text", "rationale"})] = d.words() }),
	set("edits a directive", "statements", isDirective, func(d *draft, e *entry) { e.object["text"] = d.words() }),
	set("edits a kind", "statements", nil, func(d *draft, e *entry) {
		e.object["kind"] = pick(d.dice, []string{"observation", "hypothesis", "constraint"})
	}),
	set("edits an origin", "statements", nil, func(d *draft, e *entry) { child(e.object, "origin")["name"] = d.words() }),
	set("lifts a stop condition", "continuation/stop_conditions", hasTargets, func(_ *draft, e *entry) { e.object["applies_to"] = items(e.object, "applies_to")[1:] }),
	set("limits a stop condition", "continuation/stop_conditions", hasTargets, func(d *draft, e *entry) {
		if _, ok := e.object["until"]; !ok {
			e.object["until"] = listOf(any(object{"operation": d.anyID("operations"), "status": "completed"}))
		}
	}),
	set("rewords a stop condition", "continuation/stop_conditions", nil, func(d *draft, e *entry) { e.object["description"] = d.words() }),
	set("weakens a precondition", "continuation/preconditions", nil, func(_ *draft, e *entry) { e.object["on_failure"] = "degrade" }),
	set("weakens a requirement", "continuation/requirements", nil, func(_ *draft, e *entry) { e.object["necessity"] = "optional" }),
	set("reopens an operation", "operations", func(e *entry) bool { return terminal(e.object) }, func(_ *draft, e *entry) { e.object["status"] = "planned" }),
}

func isDirective(e *entry) bool { return directive(e.object) }
