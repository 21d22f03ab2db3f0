package testdoc

// generator makes one valid checkpoint. It first plans which local objects there are, so that any of them can be referenced
// from anywhere (§4.1), and then makes them in the order of the document.
type generator struct {
	*dice
	clock clock
	// density is how many of 100 optional members occur, oddness how many of 100 words are oddities, extended how many of
	// 100 core objects carry extension data.
	density, oddness, extended int
	// scale is about how many objects a list has at most; 0 means no lists at all.
	scale int

	taken map[string]bool
	// local are all local ids.
	local []string

	id, parentID, parentDigest string
	taskStatus                 string
	resources, requirements    []string
	statements                 []statement
	operations                 []operation

	// The ids of the other local objects; an empty one is an object without.
	criteria, completed, next               []string
	contexts, drafts                        []string
	preconditions, stops, recovery, hurdles []string
	omissions, transformations              []string
}

// newGenerator chooses the character of a document.
func newGenerator(seed uint64) *generator {
	d := newDice(seed, 1)
	return &generator{
		dice:     d,
		clock:    newClock(d),
		density:  pick(d, []int{30, 50, 70, 95}),
		oddness:  pick(d, []int{0, 4, 25}),
		extended: pick(d, []int{0, 15, 50}),
		scale:    pick(d, []int{1, 2, 4, 4, 8, 16}),
		taken:    map[string]bool{},
	}
}

// plan decides on every local object of the document.
func (g *generator) plan() {
	g.id = g.globalID()
	g.taskStatus = pick(g.dice, taskStatuses)
	g.planParent()
	g.resources = g.planned("res", g.newID)
	g.requirements = g.planned("req", g.newID)
	g.statements = g.planStatements(g.below(2*g.scale + 1))
	g.operations = g.planOperations(g.below(g.scale + 1))
	g.criteria = g.planned("crit", g.maybeID)
	g.completed = g.planned("done", g.maybeID)
	g.next = g.planned("next", g.maybeID)
	g.contexts = g.planned("app", g.maybeID)
	g.drafts = g.planned("draft", g.maybeID)
	g.preconditions = g.planned("pre", g.maybeID)
	g.stops = g.planned("stop", g.maybeID)
	g.recovery = g.planned("rec", g.maybeID)
	g.hurdles = g.planned("inc", g.maybeID)
	g.omissions = g.planned("om", g.maybeID)
	g.transformations = g.planned("tr", g.maybeID)
}

// planned makes up to scale ids.
func (g *generator) planned(prefix string, newID func(string) string) []string {
	var out []string
	for range g.below(g.scale + 1) {
		out = append(out, newID(prefix))
	}
	return out
}

// planParent chooses a parent that is not the document itself (OCP-S004).
func (g *generator) planParent() {
	if !g.chance(40) {
		return
	}
	g.parentID = g.globalID()
	if g.chance(60) {
		g.parentDigest = g.digest()
	}
}

// maybe is true where an optional member occurs.
func (g *generator) maybe() bool {
	return g.chance(g.density)
}

// putText adds an optional text member, sometimes.
func (g *generator) putText(o *object, name string) {
	if g.maybe() {
		o.put(name, g.optionalText())
	}
}

// putID adds an id unless it is empty.
func putID(o *object, id string) {
	if id != "" {
		o.put("id", id)
	}
}

// described returns the start of an entry that has a description, and an id unless it is empty.
func (g *generator) described(id string) object {
	o := object{}
	putID(&o, id)
	o.put("description", g.text())
	return o
}

// putPast adds an optional timestamp of a past event, sometimes (§4.2).
func (g *generator) putPast(o *object, name string) {
	if g.maybe() {
		o.put(name, g.clock.past())
	}
}

// putRef adds an optional reference to one of the targets, sometimes.
func (g *generator) putRef(o *object, name string, targets []string) {
	if len(targets) > 0 && g.maybe() {
		o.put(name, pick(g.dice, targets))
	}
}

// putRefs adds an optional list of references, sometimes; it may be empty.
func (g *generator) putRefs(o *object, name string, targets []string) {
	if g.maybe() {
		o.put(name, textArray(sample(g.dice, targets, g.below(4))))
	}
}

// putList adds a list made from planned objects; an empty one is mostly left out.
func putList[T any](g *generator, o *object, name string, planned []T, build func(T) any) {
	if len(planned) == 0 && !g.chance(10) {
		return
	}
	list := array{}
	for _, p := range planned {
		list = append(list, build(p))
	}
	o.put(name, list)
}

// putObject adds an optional object unless it came out empty, when it is mostly left out.
func (g *generator) putObject(o *object, name string, value object) {
	if len(value) > 0 || g.chance(5) {
		o.put(name, value)
	}
}
