package merge

import (
	"maps"
	"slices"
)

// done is an action of an entity, in one document or, where k is negative, in the result.
type done struct {
	*action
	entity *entity
	k      int
	place  int // among all
}

// calls finds actions that are the same one without comparing each with each.
type calls struct {
	all      []*done
	byEntity map[*entity][]*done
	byKey    map[string][]*done
	byTool   map[string][]*done // every call
	bare     map[string][]*done // calls without arguments
	byFirst  map[string][]*done // by tool and the first argument
	byAny    map[string][]*done // by tool and each argument
}

func newCalls() *calls {
	return &calls{byEntity: map[*entity][]*done{}, byKey: map[string][]*done{}, byTool: map[string][]*done{}, bare: map[string][]*done{},
		byFirst: map[string][]*done{}, byAny: map[string][]*done{}}
}

func (c *calls) add(d *done) {
	d.place = len(c.all)
	c.all = append(c.all, d)
	c.byEntity[d.entity] = append(c.byEntity[d.entity], d)
	if d.key != "" {
		c.byKey[d.key] = append(c.byKey[d.key], d)
	}
	if d.tool == "" {
		return
	}
	c.byTool[d.tool] = append(c.byTool[d.tool], d)
	names := d.names()
	if len(names) == 0 {
		c.bare[d.tool] = append(c.bare[d.tool], d)
		return
	}
	c.byFirst[d.argument(names[0])] = append(c.byFirst[d.argument(names[0])], d)
	for _, name := range names {
		c.byAny[d.argument(name)] = append(c.byAny[d.argument(name)], d)
	}
}

// argument is what a call with an argument is listed under.
func (d *done) argument(name string) string {
	return d.tool + "\x00" + name + "\x00" + d.arguments[name]
}

// alike are the other actions that repeat one: those of its entity, those with its key, those whose call includes its own or is included in it.
func (c *calls) alike(d *done) []*done {
	found := map[*done]bool{}
	look := func(list []*done) {
		for _, other := range list {
			if other != d && (other.entity == d.entity || d.repeats(other.action)) {
				found[other] = true
			}
		}
	}
	look(c.byEntity[d.entity])
	if d.key != "" {
		look(c.byKey[d.key])
	}
	if d.tool != "" {
		look(c.bare[d.tool])
		names := d.names()
		if len(names) == 0 {
			look(c.byTool[d.tool])
		} else {
			look(c.byAny[d.argument(names[0])])
		}
		for _, name := range names {
			look(c.byFirst[d.argument(name)])
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b *done) int { return a.place - b.place })
}

// names are the names of a call's arguments, in order.
func (a *action) names() []string { return slices.Sorted(maps.Keys(a.arguments)) }
