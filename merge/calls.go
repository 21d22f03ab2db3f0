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
	all     []*done
	byKey   map[string]*queue
	byTool  map[string]*queue // every call
	bare    map[string]*queue // calls without arguments
	byFirst map[string]*queue // by tool and the first argument
	byAny   map[string]*queue // by tool and each argument
}

func newCalls() *calls {
	return &calls{byKey: map[string]*queue{}, byTool: map[string]*queue{}, bare: map[string]*queue{}, byFirst: map[string]*queue{}, byAny: map[string]*queue{}}
}

func enqueue(queues map[string]*queue, key string, d *done) {
	if queues[key] == nil {
		queues[key] = &queue{}
	}
	queues[key].list = append(queues[key].list, d)
}

func (c *calls) add(d *done) {
	d.place = len(c.all)
	c.all = append(c.all, d)
	if d.key != "" {
		enqueue(c.byKey, d.key, d)
	}
	if d.tool == "" {
		return
	}
	enqueue(c.byTool, d.tool, d)
	names := d.names()
	if len(names) == 0 {
		enqueue(c.bare, d.tool, d)
		return
	}
	enqueue(c.byFirst, d.argument(names[0]), d)
	for _, name := range names {
		enqueue(c.byAny, d.argument(name), d)
	}
}

// argument is what a call with an argument is listed under.
func (d *done) argument(name string) string {
	return d.tool + "\x00" + name + "\x00" + d.arguments[name]
}

// first is the first action that repeats one, of those that are not used up and that pass: it has its key, or one's call includes the other's.
func (c *calls) first(d *done, used map[*done]bool, pass func(*done) bool) *done {
	var lists []*queue
	if d.key != "" {
		lists = append(lists, c.byKey[d.key])
	}
	if d.tool != "" {
		names := d.names()
		lists = append(lists, c.bare[d.tool])
		if len(names) == 0 {
			lists = append(lists, c.byTool[d.tool])
		} else {
			lists = append(lists, c.byAny[d.argument(names[0])])
		}
		for _, name := range names {
			lists = append(lists, c.byFirst[d.argument(name)])
		}
	}
	var best *done
	for _, list := range lists {
		if other := list.first(d, used, pass); other != nil && (best == nil || other.place < best.place) {
			best = other
		}
	}
	return best
}

// queue is a list of actions whose front is used up.
type queue struct {
	list []*done
	head int
}

func (q *queue) first(d *done, used map[*done]bool, pass func(*done) bool) *done {
	if q == nil {
		return nil
	}
	for i := q.head; i < len(q.list); i++ {
		other := q.list[i]
		if used[other] {
			if i == q.head {
				q.head++
			}
			continue
		}
		if pass(other) && d.repeats(other.action) {
			return other
		}
	}
	return nil
}

// names are the names of a call's arguments, in order.
func (a *action) names() []string { return slices.Sorted(maps.Keys(a.arguments)) }

// rewind makes all actions available again.
func (c *calls) rewind() {
	for _, queues := range []map[string]*queue{c.byKey, c.byTool, c.bare, c.byFirst, c.byAny} {
		for _, q := range queues {
			q.head = 0
		}
	}
}
