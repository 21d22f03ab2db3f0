package merge_test

// resourceEditors are what an agent may do with resources (§6.4).
var resourceEditors = []editor{
	{"adds a resource", (*draft).addResource},
	{"adds a resource", (*draft).addResource},
	set("sees another revision", "resources", nil, (*draft).observe),
	set("sees another revision", "resources", nil, (*draft).observe),
	set("names a resource", "resources", nil, func(d *draft, e *entry) { e.object[pick(d.dice, []string{"title", "description"})] = d.words() }),
	set("cannot reach a resource", "resources", nil, func(d *draft, e *entry) {
		e.object["availability"] = pick(d.dice, []string{"available", "unavailable"})
	}),
	set("flags a resource", "resources", nil, func(d *draft, e *entry) { e.object["sensitivity"] = pick(d.dice, []string{"internal", "confidential"}) }),
	set("extends a resource", "resources", nil, (*draft).extend),
}

func (d *draft) addResource() string {
	o := object{"id": d.newID("res"), "uri": "urn:example:" + d.words()}
	if d.chance(50) {
		o["revision"] = d.words()
	}
	return d.insert("resources", o)
}

// observe records that a resource has changed.
func (d *draft) observe(e *entry) {
	e.object["revision"] = d.words()
	if d.chance(50) {
		e.object["observed_at"] = d.at
	}
	if d.chance(30) {
		e.object["digest"] = "sha-256:" + d.token()
	}
}
