package testdoc

var (
	methods         = []string{"captured", "compacted", "merged", "converted", "authored", "forked"}
	omissionReasons = []string{"size", "irrelevant", "superseded", "sensitive", "unavailable"}
)

// derivation returns the derivation (§6.9). A fork has its parent among its inputs (§9.3); without a parent it is none.
func (g *generator) derivation() object {
	method := pick(g.dice, methods)
	if method == "forked" && g.parentID == "" {
		method = "captured"
	}
	o := object{{"method", method}}
	if method == "forked" || g.maybe() {
		o.put("inputs", g.inputs())
	}
	putList(g, &o, "omissions", g.omissions, g.omission)
	putList(g, &o, "transformations", g.transformations, g.transformation)
	return o
}

// inputs returns checkpoints, the parent first, and sessions.
func (g *generator) inputs() array {
	out := array{}
	if g.parentID != "" {
		out = append(out, checkpointInput(g.parentID, g.parentDigest))
	}
	for range g.below(3) {
		out = append(out, checkpointInput(g.globalID(), pick(g.dice, []string{"", g.digest()})))
	}
	out = append(out, g.sessions(g.below(3))...)
	if g.chance(20) {
		shuffle(g.dice, out)
	}
	return out
}

// checkpointInput returns a parent or an input that is a checkpoint, with its digest if there is one.
func checkpointInput(id, digest string) object {
	o := object{{"id", id}}
	if digest != "" {
		o.put("digest", digest)
	}
	return o
}

// omission returns a record of something left out.
func (g *generator) omission(id string) any {
	o := g.described(id)
	o.put("reason", pick(g.dice, omissionReasons))
	g.putRef(&o, "recoverable_from", g.resources)
	return o
}

// transformation returns a record of something condensed.
func (g *generator) transformation(id string) any {
	o := g.described(id)
	g.putRefs(&o, "affected", g.local)
	return o
}
