package testdoc

// source returns the source (§6.1).
func (g *generator) source() object {
	o := object{}
	if g.chance(90) {
		o.put("producer", g.software(false))
	}
	if g.maybe() {
		o.put("agent", g.software(false))
	}
	if g.maybe() {
		o.put("model", g.software(true))
	}
	if g.maybe() {
		o.put("session_refs", g.sessions(g.below(3)))
	}
	g.extend(&o)
	return o
}

// software returns a producer, agent or model: a string or an object.
func (g *generator) software(model bool) any {
	name := pick(g.dice, []string{"night-shift", "Übersetzer", "desk.agent", "m/large", "convert"})
	if g.chance(30) {
		return name
	}
	o := object{{"name", name}}
	if g.maybe() {
		o.put("version", pick(g.dice, []string{"1", "3.2.0", "2026-01-01+b7", ""}))
	}
	if g.maybe() {
		o.put("uri", "https://software.example.org/"+g.hex(4))
	}
	if model && g.maybe() {
		o.put("provider", pick(g.dice, []string{"acme", "example.org"}))
	}
	return o
}

// sessions returns n references to session records (§5.2).
func (g *generator) sessions(n int) array {
	out := array{}
	for range n {
		out = append(out, g.session())
	}
	return out
}

// session returns one reference to a session record. Its id is none of ours, though it may look like a local id.
func (g *generator) session() object {
	id := "s-" + g.hex(12)
	if len(g.local) > 0 && g.chance(25) {
		id = pick(g.dice, g.local)
	}
	o := object{{"protocol", pick(g.dice, []string{"a2a", "acp", "asp", "open-responses", "x-thread"})}, {"id", id}}
	if g.maybe() {
		o.put("event", "ev-"+g.hex(4))
	}
	return o
}
