package testdoc

var (
	selectionRoles = []string{"focused", "selected", "open", "pinned"}
	draftStatuses  = []string{"unsaved", "saved", "submitted"}
)

// putContexts adds the application context (§6.7) and deals the planned drafts out to its entries. Drafts need an entry.
func (g *generator) putContexts(o *object) {
	contexts, drafts := g.contexts, g.drafts
	if len(contexts) == 0 && len(drafts) > 0 {
		contexts = []string{""}
	}
	each := 0
	if len(contexts) > 0 {
		each = (len(drafts) + len(contexts) - 1) / len(contexts)
	}
	putList(g, o, "application_context", contexts, func(id string) any {
		mine := drafts[:min(each, len(drafts))]
		drafts = drafts[len(mine):]
		return g.context(id, mine)
	})
}

// context returns an entry of the application context.
func (g *generator) context(id string, drafts []string) object {
	o := object{}
	putID(&o, id)
	o.put("application", pick(g.dice, []string{"mail-desktop", "stock-web", "editor", "Tabellen"}))
	g.putText(&o, "view")
	if g.maybe() {
		o.put("selections", g.selections())
	}
	if g.maybe() {
		o.put("filters", g.opaqueObject(2))
	}
	putList(g, &o, "drafts", drafts, g.draft)
	if g.maybe() {
		o.put("state", g.opaqueObject(3))
	}
	if g.maybe() {
		o.put("state_schema", "https://schemas.example.org/state/"+g.hex(3))
	}
	g.extend(&o)
	return o
}

// selections returns selections, each of a resource.
func (g *generator) selections() array {
	out := array{}
	for _, id := range sample(g.dice, g.resources, g.below(3)) {
		o := object{{"resource", id}, {"role", pick(g.dice, selectionRoles)}}
		if g.maybe() {
			o.put("detail", g.opaqueObject(2))
		}
		out = append(out, o)
	}
	return out
}

// draft returns a draft.
func (g *generator) draft(id string) any {
	o := object{}
	putID(&o, id)
	g.putRef(&o, "target", g.resources)
	o.put("status", pick(g.dice, draftStatuses))
	g.putText(&o, "description")
	if g.maybe() {
		o.put("content", g.bounded(16384))
	}
	g.putRef(&o, "content_ref", g.resources)
	return o
}
