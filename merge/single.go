package merge

import (
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// This file settles the objects of which a document has one. The parent carries them.

// single begins the work on one.
func (m *Merger) single(t checkpoint.Type) *settlement {
	e := &entity{t: t, path: t.Place(), at: make([]int32, len(m.docs)), carrier: slices.Index(m.docs, m.parent)}
	for k, d := range m.docs {
		e.at[k] = d.Only(t)
	}
	return &settlement{Merger: m, entity: e, fields: map[string]*field{}, single: true}
}

func (m *Merger) settleSingles() {
	m.settleTask()
	m.settleSource()
	m.settleRest(checkpoint.Progress, "completed", "focus", "next")
	m.settleRest(checkpoint.Continuation, "requirements", "preconditions", "stop_conditions", "recovery", "incompatibilities")
	m.settleRest(checkpoint.Derivation, "method", "inputs", "omissions", "transformations")
	m.settleRest(checkpoint.Top, "opencheckpoint", "created_at", "parent", "source", "task", "progress", "statements", "resources",
		"application_context", "operations", "continuation", "derivation")
	if own, _ := m.parent.Member(checkpoint.Progress, "focus"); canonical([]byte(m.focus)) != canonical(m.parent.Src[own.Value.Start:own.Value.End]) {
		m.setOf(checkpoint.Progress, "focus", m.focus)
	}
}

// settleRest settles extension data, and members that the specification does not define.
func (m *Merger) settleRest(t checkpoint.Type, but ...string) {
	s := m.single(t)
	for _, name := range s.otherMembers(but...) {
		s.settle(alone(name, free))
	}
	s.settleExtensions(s.entity.path+"/extensions", s.readMember)
	s.write()
}

// write changes the parent's object.
func (s *settlement) write() {
	for _, c := range s.changes {
		if s.entity.t == checkpoint.Top && c.name == "extensions" {
			s.extensions = &c.text
			continue
		}
		s.setOf(s.entity.t, c.name, c.text)
	}
}

// setOf sets a member of an object of which a document has one, or drops it if the text is "".
func (m *Merger) setOf(t checkpoint.Type, name, text string) {
	if text != "" {
		m.derived.SetOf = append(m.derived.SetOf, checkpoint.MemberOf{Owner: t, Name: name, Value: text})
		return
	}
	entry := m.parent.Only(t)
	if item, ok := m.parent.Member(t, name); ok {
		m.derived.DropMembers = append(m.derived.DropMembers, checkpoint.MemberAt{Entry: entry, At: uint32(item.Name.Start)})
	}
}

// settleTask settles all but the criteria, which are entities, and what conflicts make of the status.
func (m *Merger) settleTask() {
	s := m.single(checkpoint.Task)
	s.settleScope()
	for _, name := range s.otherMembers("status", "success_criteria", "scope") {
		s.settle(alone(name, free))
	}
	s.settleExtensions(s.entity.path+"/extensions", s.readMember)
	m.status = m.joinStatus(s)
	s.write()
}

// settleScope settles what is in and out of bounds one by one: an exclusion is never lost.
func (s *settlement) settleScope() {
	object := make([]string, len(s.docs))
	var names []string
	known := map[string]bool{}
	for k := range s.docs {
		object[k], _ = s.readMember(k, "scope")
		names = missing(names, known, membersOf(object[k]))
	}
	names = missing(names, known, s.heldUnder(s.entity.path+"/scope"))
	own := object[s.entity.carrier]
	var changes []change
	for _, name := range names {
		f := s.newField(s.entity.path+"/scope/"+escapeKey(name), scopeRule(name), func(k int) (value, bool) { return single(memberText(object[k], name)), true })
		if canonical([]byte(memberText(own, name))) != f.result.canon {
			changes = append(changes, change{name, f.result.texts[0]})
		}
		if f.kind != "" {
			s.open(f)
		}
	}
	if len(changes) > 0 {
		s.set("scope", withMembers(own, changes))
	}
}

func scopeRule(name string) *rule {
	switch name {
	case "includes":
		return alone(name, union).asList()
	case "excludes":
		return alone(name, unionAll).asList()
	}
	return alone(name, free)
}

// statusOrder are the task statuses from the one that prevails.
var statusOrder = []string{"blocked", "awaiting_input", "paused", "active"}

// joinStatus joins the status over all tips: an ending holds only where all agree on it and no operation is open (OCP-S006).
func (m *Merger) joinStatus(s *settlement) string {
	var list []string
	for k := len(m.bases); k < len(m.docs); k++ {
		text, _ := s.readMember(k, "status")
		list = append(list, plain(text))
	}
	if m.isUnchanged(s, list) && (list[0] != "completed" || !m.hasOpenOperation(list[0])) {
		return list[0]
	}
	for _, status := range statusOrder {
		if slices.Contains(list, status) {
			return status
		}
	}
	if len(slices.Compact(slices.Sorted(slices.Values(list)))) == 1 && !m.hasOpenOperation(list[0]) {
		return list[0]
	}
	return "active"
}

// isUnchanged says whether all tips have the status of every base.
func (m *Merger) isUnchanged(s *settlement, list []string) bool {
	for k := range m.bases {
		text, _ := s.readMember(k, "status")
		list = append(list, plain(text))
	}
	return !slices.ContainsFunc(list, func(status string) bool { return status != list[0] })
}

// hasOpenOperation says whether an operation is open that a task of a status must not have: OCP-S006 for a completed one, any that is not over for
// an abandoned one.
func (m *Merger) hasOpenOperation(status string) bool {
	return slices.ContainsFunc(m.entities, func(e *entity) bool {
		if e.t != checkpoint.Operation || e.gone {
			return false
		}
		d, i := m.entryOf(e)
		if status == "completed" {
			return isOpenOperation(string(d.StringField(i, "status")))
		}
		return !checkpoint.Terminal(d.Objects[i].Fact(checkpoint.Status))
	})
}

// settleSource keeps what all inputs agree on, and every session.
func (m *Merger) settleSource() {
	s := m.single(checkpoint.Source)
	s.settle(alone("agent", agreed))
	s.settle(alone("model", agreed))
	s.settle(alone("session_refs", unionAll).asList())
	for _, name := range s.otherMembers("producer") {
		s.settle(alone(name, free))
	}
	s.settleExtensions(s.entity.path+"/extensions", s.readMember)
	s.write()
}

// agreed takes what all tips have alike, and nothing else.
func agreed(f *field) {
	first := f.at[len(f.m.bases)]
	for _, v := range f.at[len(f.m.bases):] {
		if v.canon != first.canon {
			f.result = single("")
			return
		}
	}
	f.result = first
}
