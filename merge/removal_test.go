package merge_test

import (
	"slices"
	"strings"
)

// removals take objects out of a document: what may go, what must not, and what others refer to.
var removals = []editor{
	{"removes something", func(d *draft) string { return d.remove(func(*entry) bool { return true }) }},
	{"removes something loose", (*draft).removeLoose},
	{"removes something loose", (*draft).removeLoose},
	{"removes what is protected", func(d *draft) string { return d.remove(protected) }},
}

// removeLoose drops an object that nothing needs, and that was not protected in the base either.
func (d *draft) removeLoose() string {
	referred := d.read().referred()
	return d.remove(func(e *entry) bool {
		base := d.base.doc.byKey[e.path+"\n"+e.key]
		return !protected(e) && !referred[e.id] && (base == nil || !protected(base))
	})
}

// remove drops an object and the references to it.
func (d *draft) remove(wanted func(*entry) bool) string {
	var list []*entry
	for _, p := range places {
		if p.path != "progress/focus" && !strings.HasPrefix(p.path, "derivation/") {
			list = append(list, d.entries(p.path, wanted)...)
		}
	}
	if len(list) == 0 {
		return ""
	}
	e := pick(d.dice, list)
	d.drop(e)
	return e.key
}

func (d *draft) drop(e *entry) {
	doc := d.read()
	if e.id != "" {
		doc.refer(func(id string) string {
			if id == e.id {
				return ""
			}
			return id
		})
	}
	owners := []any{any(d.doc)}
	names := strings.Split(e.path, "/")
	if len(names) > 1 {
		owners = at(owners, names[0])
	}
	for _, owner := range owners {
		o, name := owner.(object), names[len(names)-1]
		list := items(o, name)
		o[name] = slices.DeleteFunc(slices.Clone(list), func(v any) bool { return same(v, e) })
		if list == nil {
			delete(o, name)
		}
	}
}

// same says whether an element of a list is an entry.
func same(v any, e *entry) bool {
	if e.id != "" {
		return str(v, "id") == e.id
	}
	if text, ok := v.(string); ok {
		return text == e.object["description"]
	}
	return str(v, "id") == "" && canon(v) == canon(e.object)
}

// protected says whether no merge may lose an object (transforms.md §2 and §4).
func protected(e *entry) bool {
	switch e.path {
	case "statements":
		return live(e.object) && (directive(e.object) || str(e.object, "kind") == "question")
	case "operations":
		return !terminal(e.object) || done(e.object)
	case "application_context":
		return slices.ContainsFunc(items(e.object, "drafts"), func(d any) bool { return str(d, "status") == "unsaved" })
	case "application_context/drafts":
		return str(e.object, "status") == "unsaved"
	case "continuation/requirements", "continuation/preconditions", "continuation/stop_conditions", "continuation/incompatibilities", "progress/completed":
		return true
	}
	return false
}

// done says whether an operation is an action that is done and may have had an effect, or an approval that was refused.
func done(operation object) bool {
	switch str(operation, "status") {
	case "completed":
		return str(operation, "kind") == "action" && str(operation, "effect") != "none"
	case "rejected":
		return str(operation, "kind") == "approval"
	}
	return false
}
