package fork

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/union"
)

// effect is a pending effect: an action that is not terminal, whose effect is not none, and that no unconditional stop condition forbids. A stop
// condition with until lifts in all forks at once, so it keeps none of them from acting.
type effect struct {
	entry int32
	id    string
	guard string // id of the stop condition that guards it
	owner int    // place of the fork in which it is actionable, -1 for none
}

// nobody owns an effect that is guarded in every fork.
const nobody = -1

// findEffects finds the pending effects and their owners.
func (f *Forks) findEffects() error {
	forbidden := f.forbidden()
	for i := range f.doc.Objects {
		entry := int32(i)
		if !f.doc.Objects[i].PendingEffect() {
			continue
		}
		id := string(f.doc.ID(entry))
		if stop, ok := forbidden[entry]; ok {
			f.Notes = append(f.Notes, fmt.Sprintf("operation %s stays forbidden in every fork: %s", id, nameOf(f.doc, stop)))
			continue
		}
		f.effects = append(f.effects, effect{entry: entry, id: id, guard: f.freeID("fork-guard." + id), owner: nobody})
	}
	return f.assignOwners()
}

// forbidden finds the operations that stay forbidden in every fork. What an open merge forbids until its conflict is resolved does not count: each fork could resolve it.
func (f *Forks) forbidden() map[int32]int32 {
	merging := f.doc.MergeTerms()
	forbidden := f.doc.Forbidden()
	maps.DeleteFunc(forbidden, func(_, stop int32) bool { return slices.Contains(merging, stop) })
	return forbidden
}

func nameOf(doc *checkpoint.Document, stop int32) string {
	if id := doc.ID(stop); id != nil {
		return "stop condition " + string(id)
	}
	return "stop condition without an id"
}

// assignOwners gives each group of effects its owner. What is assigned by name comes before --owner and --spread.
func (f *Forks) assignOwners() error {
	groups := groupEffects(f.doc, f.effects)
	owners := make([]int, len(groups))
	for g := range groups {
		owners[g] = nobody
		if f.opts.Spread {
			owners[g] = g % len(f.ids)
		}
	}
	if f.opts.Owner != "" {
		owner, err := f.find(f.opts.Owner)
		if err != nil {
			return err
		}
		for g := range owners {
			owners[g] = owner
		}
	}
	if err := f.assign(groups, owners); err != nil {
		return err
	}
	for g, group := range groups {
		for _, e := range group {
			f.effects[e].owner = owners[g]
		}
	}
	return nil
}

// assign follows the assignments by name, which may not split a group.
func (f *Forks) assign(groups [][]int, owners []int) error {
	byName := make([]string, len(groups)) // the operation that settled a group
	for _, a := range f.opts.Assign {
		owner, err := f.find(a.Fork)
		if err != nil {
			return err
		}
		g, ok := f.groupOf(groups, a.Operation)
		if !ok {
			return f.noEffect(a.Operation)
		}
		switch {
		case byName[g] == a.Operation && owners[g] != owner:
			return refuse("operation %s is assigned to fork %s and to fork %s", a.Operation, f.labels[owners[g]], f.labels[owner])
		case byName[g] != "" && owners[g] != owner:
			return refuse("operations %s depend on each other and go to one fork; %s goes to fork %s and %s to fork %s", f.listGroup(groups[g]),
				byName[g], f.labels[owners[g]], a.Operation, f.labels[owner])
		}
		byName[g], owners[g] = a.Operation, owner
	}
	return nil
}

func (f *Forks) groupOf(groups [][]int, id string) (int, bool) {
	for g, group := range groups {
		for _, e := range group {
			if f.effects[e].id == id {
				return g, true
			}
		}
	}
	return 0, false
}

// noEffect says why an operation cannot be assigned.
func (f *Forks) noEffect(id string) error {
	entry, ok := f.doc.Lookup(id)
	switch {
	case !ok || f.doc.Objects[entry].Type != checkpoint.Operation:
		return refuse("there is no operation %q", id)
	case !f.doc.Objects[entry].PendingEffect():
		return refuse("operation %s is no pending effect: it is over, has no effect, or is no action", id)
	}
	return refuse("operation %s is forbidden in the parent by %s, so no fork can own it", id, nameOf(f.doc, f.forbidden()[entry]))
}

func (f *Forks) listGroup(group []int) string {
	var ids []string
	for _, e := range group {
		ids = append(ids, f.effects[e].id)
	}
	return strings.Join(ids, ", ")
}

// groupEffects puts effects that depend on each other, directly or through other operations that are not over, into one group, in document
// order of their first.
func groupEffects(doc *checkpoint.Document, effects []effect) (groups [][]int) {
	sets := union.Sets{}
	for _, r := range doc.Refs {
		if r.Field == checkpoint.DependsOnField && isPending(doc, r.From) && isPending(doc, r.To) {
			sets.Join(r.From, r.To)
		}
	}
	number := map[int32]int{}
	for e := range effects {
		top := sets.Find(effects[e].entry)
		g, ok := number[top]
		if !ok {
			g = len(groups)
			number[top] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], e)
	}
	return groups
}

// isPending says whether an operation is not over.
func isPending(doc *checkpoint.Document, operation int32) bool {
	return !checkpoint.Terminal(doc.Objects[operation].Fact(checkpoint.Status))
}
