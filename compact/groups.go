package compact

import (
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/union"
)

// groups are sets of entries that refer to each other, directly or not: chains of superseded statements, circles of operations.
type groups struct {
	all    [][]int32       // in document order of their first entry
	number map[int32]int   // of the group of an entry
	within map[int32]int32 // how many references to an entry come from its group
}

// newGroups joins entries that references of some fields connect.
func newGroups(doc *checkpoint.Document, entries []int32, joins func(checkpoint.Field) bool) *groups {
	g := &groups{number: map[int32]int{}, within: map[int32]int32{}}
	sets := union.Sets{}
	for _, i := range entries {
		sets[i] = i
	}
	for _, i := range entries {
		from, to := doc.RefsWithin(doc.Objects[i].Span())
		for _, r := range doc.Refs[from:to] {
			if _, inside := sets[r.To]; inside && joins(r.Field) {
				g.within[r.To]++
				sets.Join(i, r.To)
			}
		}
	}
	for _, i := range entries {
		root := sets.Find(i)
		n, ok := g.number[root]
		if !ok {
			n = len(g.all)
			g.all = append(g.all, nil)
		}
		g.number[root], g.number[i] = n, n
		g.all[n] = append(g.all[n], i)
	}
	return g
}

// of returns the groups that entries belong to, each once.
func (g *groups) of(entries []int32) (list [][]int32) {
	var numbers []int
	for _, i := range entries {
		if n, ok := g.number[i]; ok {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		list = append(list, g.all[n])
	}
	return list
}

// isClosed says whether a group may go: it is there, nothing of it is protected, and nothing outside refers into it.
func (g *groups) isClosed(l *ladder, group []int32) bool {
	for _, i := range group {
		if l.gone[i] || l.protected[i] || l.hard[i] != g.within[i] {
			return false
		}
	}
	return true
}

// closed returns the groups that may go.
func (g *groups) closed(l *ladder) (list [][]int32) {
	for _, group := range g.all {
		if g.isClosed(l, group) {
			list = append(list, group)
		}
	}
	return list
}

// dropChains drops chains of retracted and superseded statements, a whole chain a step.
func (l *ladder) dropChains(chains [][]int32) {
	var candidates []candidate
	whole := map[int32][]int32{}
	for _, chain := range chains {
		if !l.chains.isClosed(l, chain) {
			continue
		}
		c := l.candidate(chain[0], 0)
		for _, i := range chain {
			if next := l.candidate(i, 0); next.timed && (!c.timed || next.time.After(c.time)) {
				c.time, c.timed = next.time, true
			}
		}
		c.referenced = false
		candidates = append(candidates, c)
		whole[c.entry] = chain
	}
	for _, c := range inOrder(candidates) {
		var actions []action
		for _, i := range whole[c.entry] {
			r := superseded
			if l.doc.Objects[i].Fact(checkpoint.Status) == checkpoint.Retracted {
				r = irrelevant
			}
			actions = append(actions, l.dropping(i, r))
		}
		l.take(deadStatements, actions...)
	}
}
