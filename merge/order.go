package merge

import (
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// sequence puts the entities of a type in order: the base's order, and each addition behind what precedes it in its input, input by input.
func (m *Merger) sequence(t checkpoint.Type) []*entity {
	list := slices.Clone(m.order[0][t])
	if !m.haveOneOrder(t) {
		list = m.joinOrders(t)
	}
	list = slices.DeleteFunc(list, func(e *entity) bool { return e.gone || e.t != t })
	if t == checkpoint.Step {
		m.byInstant(list)
	}
	return list
}

func (m *Merger) haveOneOrder(t checkpoint.Type) bool {
	for k := range m.docs {
		if !slices.Equal(m.order[k][t], m.order[0][t]) {
			return false
		}
	}
	return true
}

func (m *Merger) joinOrders(t checkpoint.Type) []*entity {
	s := &chain{next: map[*entity]*entity{}, in: map[*entity]bool{}}
	for k := range m.docs {
		s.own = map[*entity]bool{}
		for _, e := range m.order[k][t] {
			s.own[e] = true
		}
		var last *entity
		for _, e := range m.order[k][t] {
			if !s.in[e] {
				s.insert(last, e, m)
			}
			last = e
		}
	}
	return s.list()
}

// chain is a list of entities that grows in the middle; nil is what precedes the first.
type chain struct {
	next map[*entity]*entity
	in   map[*entity]bool
	own  map[*entity]bool // of the document whose additions are put in
}

// insert puts an entity behind another, and behind what earlier inputs have put there.
func (s *chain) insert(behind, e *entity, m *Merger) {
	for next := s.next[behind]; next != nil && !m.inSomeBase(next) && !s.own[next]; next = s.next[behind] {
		behind = next
	}
	s.next[e], s.next[behind] = s.next[behind], e
	s.in[e] = true
}

func (s *chain) list() (list []*entity) {
	for e := s.next[nil]; e != nil; e = s.next[e] {
		list = append(list, e)
	}
	return list
}

// byInstant puts the steps that were completed since the base behind the others, in the order in which they were completed. A step without a time
// goes with the one before it.
func (m *Merger) byInstant(list []*entity) {
	type timed struct {
		*entity
		fresh bool
		at    checkpoint.Instant
	}
	steps := make([]timed, len(list))
	var last checkpoint.Instant
	for i, e := range list {
		d, entry := m.entryOf(e)
		if at, ok := checkpoint.ParseInstant(string(d.StringField(entry, "completed_at"))); ok {
			last = at
		}
		steps[i] = timed{e, !m.wasDone(e), last}
	}
	slices.SortStableFunc(steps, func(a, b timed) int {
		switch {
		case a.fresh != b.fresh && b.fresh, a.fresh && b.fresh && b.at.After(a.at):
			return -1
		case a.fresh != b.fresh, a.fresh && b.fresh && a.at.After(b.at):
			return 1
		}
		return 0
	})
	for i, step := range steps {
		list[i] = step.entity
	}
}

// wasDone says whether a step is completed in a base.
func (m *Merger) wasDone(e *entity) bool {
	for k, b := range m.bases {
		if e.at[k] >= 0 && b.Objects[e.at[k]].Type == checkpoint.Step {
			return true
		}
	}
	return false
}

// arrange says what becomes of the parent's list of a type; one that stays as it is is not touched.
func (m *Merger) arrange(t checkpoint.Type, first [][]byte) {
	parent := slices.Index(m.docs, m.parent)
	var pieces []jsonspan.Piece
	for _, text := range first {
		pieces = append(pieces, jsonspan.Piece{Item: -1, Text: text})
	}
	for _, e := range m.sequence(t) {
		if e.carrier == parent && e.text == nil {
			pieces = append(pieces, jsonspan.Piece{Item: int(e.at[parent])})
		} else {
			pieces = append(pieces, jsonspan.Piece{Item: -1, Text: m.bytesOf(e)})
		}
	}
	for _, text := range m.extra[t] {
		pieces = append(pieces, jsonspan.Piece{Item: -1, Text: text})
	}
	var own []int
	for _, e := range m.order[parent][t] {
		own = append(own, int(e.at[parent]))
	}
	if len(pieces) == 0 && m.isNew(t) {
		m.emptied = append(m.emptied, t)
		return
	}
	same := slices.EqualFunc(pieces, own, func(p jsonspan.Piece, i int) bool { return p.Item == i })
	if !same {
		m.derived.Order[t] = pieces
		if pieces == nil {
			m.derived.Order[t] = []jsonspan.Piece{}
		}
	}
}

// isNew says whether the parent has a list that no base has, as where it is a fork and the list had nothing but guards.
func (m *Merger) isNew(t checkpoint.Type) bool {
	_, present := m.parent.ListOf(t)
	return present && len(m.bases) > 0 && !slices.ContainsFunc(m.bases, func(b *document) bool { _, has := b.ListOf(t); return has })
}

// dropLists drops lists of the parent that are empty and that no base has, and what they stand in if that has nothing else and no base has it.
func (m *Merger) dropLists() {
	for _, t := range m.emptied {
		name, _ := m.parent.ListOf(t)
		owner := t.Owner()
		if m.isNeeded(owner) {
			m.setOf(owner, name, "")
		} else if place := strings.TrimPrefix(owner.Place(), "/"); !slices.Contains(m.dropped, place) {
			m.dropped = append(m.dropped, place)
			m.setOf(checkpoint.Top, place, "")
		}
	}
}

// isNeeded says whether the result has something else in an object of which a document has one than lists that are dropped.
func (m *Merger) isNeeded(owner checkpoint.Type) bool {
	if owner == checkpoint.Top || slices.ContainsFunc(m.bases, func(b *document) bool { return b.Only(owner) >= 0 }) ||
		slices.ContainsFunc(m.derived.SetOf, func(s checkpoint.MemberOf) bool { return s.Owner == owner }) {
		return true
	}
	for t, pieces := range m.derived.Order {
		if len(pieces) > 0 && checkpoint.Type(t).Owner() == owner {
			return true
		}
	}
	gone := 0
	for _, t := range m.emptied {
		if t.Owner() == owner {
			gone++
		}
	}
	return len(m.parent.Members(m.parent.Only(owner))) > gone
}
