package merge_test

// taskEditors are what an agent may do with the task, the progress, the source and the context (§6.1 to §6.3, §6.7).
var taskEditors = []editor{
	{"edits the objective", func(d *draft) string { child(d.doc, "task")["objective"] = d.words(); return "/task/objective" }},
	{"edits the outcome", func(d *draft) string { child(d.doc, "task")["outcome"] = d.words(); return "/task/outcome" }},
	{"sets the task's status", (*draft).setStatus},
	{"edits the scope", (*draft).rescope},
	{"edits the scope", (*draft).rescope},
	{"adds a criterion", func(d *draft) string {
		return d.insert("task/success_criteria", d.described("crit", object{"status": "unmet"}))
	}},
	set("judges a criterion", "task/success_criteria", nil, func(d *draft, e *entry) { e.object["status"] = pick(d.dice, []string{"met", "unmet", "unknown"}) }),
	set("cites for a criterion", "task/success_criteria", nil, reference("evidence", "resources")),
	set("rewords a criterion", "task/success_criteria", nil, func(d *draft, e *entry) { e.object["description"] = d.words() }),
	{"completes a step", (*draft).completeStep},
	{"completes a step", (*draft).completeStep},
	{"adds a next step", func(d *draft) string { return d.insert("progress/next", d.described("next", object{})) }},
	set("blocks a step", "progress/next", nil, reference("blocked_by", "statements")),
	set("rewords a step", "progress/next", nil, func(d *draft, e *entry) { e.object["description"] = d.words() }),
	{"turns to something else", (*draft).refocus},
	{"turns to something else", (*draft).refocus},
	{"adds a session", func(d *draft) string {
		add(child(d.doc, "source"), "session_refs", object{"protocol": "acp", "id": d.token()})
		return "/source/session_refs"
	}},
	{"extends the document", (*draft).extendAny},
	{"extends the document", (*draft).extendAny},
	{"adds context", func(d *draft) string {
		return d.insert("application_context", object{"id": d.newID("app"), "application": d.words()})
	}},
	set("edits a view", "application_context", nil, func(d *draft, e *entry) { e.object["view"] = object{"at": d.token()} }),
	set("edits a draft", "application_context/drafts", nil, func(d *draft, e *entry) { e.object["content"] = d.token() }),
	set("extends a context", "application_context", nil, (*draft).extend),
}

// described is an object with an id, mostly, a description, and more members.
func (d *draft) described(prefix string, o object) object {
	o["description"] = d.words()
	if d.chance(70) {
		o["id"] = d.newID(prefix)
	}
	return o
}

func (d *draft) setStatus() string {
	child(d.doc, "task")["status"] = pick(d.dice, []string{"active", "blocked", "awaiting_input", "paused", "completed", "abandoned"})
	return "/task/status"
}

// rescope adds to the scope or removes from it.
func (d *draft) rescope() string {
	scope := child(child(d.doc, "task"), "scope")
	name := pick(d.dice, []string{"includes", "excludes"})
	if list := items(scope, name); len(list) > 0 && d.chance(40) {
		scope[name] = list[1:]
	} else {
		add(scope, name, d.words())
	}
	return "/task/scope/" + name
}

// completeStep makes a next step a completed one, or adds one that was not planned.
func (d *draft) completeStep() string {
	if e := d.any("progress/next", nil); e != nil && d.chance(50) {
		step := object{"description": e.object["description"], "completed_at": d.at}
		if e.id != "" {
			step["id"] = e.id
		}
		d.drop(e)
		return d.insert("progress/completed", step)
	}
	step := d.described("done", object{})
	if d.chance(50) {
		step["completed_at"] = d.at
	}
	return d.insert("progress/completed", step)
}

func (d *draft) refocus() string {
	focus := object{"description": d.words()}
	if id := d.anyID("operations"); id != "" {
		focus["refs"] = listOf(id)
	}
	child(d.doc, "progress")["focus"] = focus
	return "/progress/focus"
}

// extendAny extends an object of which there is one.
func (d *draft) extendAny() string {
	name := pick(d.dice, []string{"", "source", "task", "progress", "continuation"})
	o := d.doc
	if name != "" {
		o = child(d.doc, name)
	}
	d.extendObject(o)
	return "/" + name
}
