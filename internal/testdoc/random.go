package testdoc

// Random returns a valid checkpoint made from seed. Over a few hundred seeds every object kind, status, enumeration value and
// reference field of the specification occurs. Rules that are warnings (OCP-W001 to OCP-W004) may be broken, errors never. The
// same seed gives the same bytes on every platform.
func Random(seed uint64) []byte {
	g := newGenerator(seed)
	w := g.writer()
	w.margin()
	if g.chance(8) {
		w.value(g.smallest(), 0)
	} else {
		g.plan()
		w.value(g.checkpoint(), 0)
	}
	w.margin()
	return w.text
}

// writer chooses how the document is spelled.
func (g *generator) writer() *writer {
	w := &writer{dice: g.dice}
	w.order = pick(g.dice, []order{kept, kept, kept, shuffled, reversed})
	w.escapes = pick(g.dice, []int{0, 0, 2, 30})
	w.nameEscapes = pick(g.dice, []int{0, 0, 0, 2, 20})
	w.newline = pick(g.dice, []string{"\n", "\n", "\r\n", " \n", "\r\n\r\n"})
	switch g.below(6) {
	case 0, 1:
		w.indent = "  "
	case 2:
		w.indent = "\t"
	case 3:
		w.odd = true
	}
	return w
}

// margin writes white space around the document.
func (w *writer) margin() {
	w.gap()
	if w.indent != "" && w.dice.chance(70) {
		w.text = append(w.text, w.newline...)
	}
}

// smallest returns a checkpoint of required members only (§6).
func (g *generator) smallest() object {
	return object{
		{"opencheckpoint", "0.1"},
		{"id", g.globalID()},
		{"created_at", g.clock.createdAt()},
		{"source", object{}},
		{"task", object{{"objective", g.text()}, {"status", pick(g.dice, taskStatuses)}}},
	}
}

// checkpoint returns the planned document (§6).
func (g *generator) checkpoint() object {
	o := object{{"opencheckpoint", "0.1"}, {"id", g.id}, {"created_at", g.clock.createdAt()}}
	if g.parentID != "" {
		o.put("parent", checkpointInput(g.parentID, g.parentDigest))
	}
	o.put("source", g.source())
	o.put("task", g.task())
	g.putObject(&o, "progress", g.progress())
	putList(g, &o, "statements", g.statements, g.statement)
	putList(g, &o, "resources", g.resources, g.resource)
	g.putContexts(&o)
	putList(g, &o, "operations", g.operations, g.operation)
	g.putObject(&o, "continuation", g.continuation())
	if g.maybe() || len(g.omissions)+len(g.transformations) > 0 {
		o.put("derivation", g.derivation())
	}
	g.extend(&o)
	return o
}
