package merge

import (
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// settle decides what the result has.
func (m *Merger) settle() {
	m.gather()
	for _, e := range m.entities {
		m.choose(e)
	}
	m.findForks()
	m.settleAbsence()
	for _, e := range m.entities {
		if !e.gone && !m.isSame(e) {
			m.settleEntity(e)
		}
	}
	m.settleFocus()
	m.keepDrafts()
	m.reviveReferenced()
	m.breakCycles()
	m.staleByRevision()
	m.liftGuards()
	m.findDoubles()
	m.findRepeats()
	m.noteSteps()
	m.settleSingles()
	m.showConflicts()
}

// settleEntity decides the members of an entity that documents have in different versions.
func (m *Merger) settleEntity(e *entity) {
	switch {
	case isWhole(e.t):
		m.settleWhole(e)
		return
	case m.bytesAt(e, e.carrier)[0] != '{':
		return // a text, which says the same in all spellings
	}
	s := &settlement{Merger: m, entity: e, fields: map[string]*field{}}
	s.setApart()
	for _, r := range m.rulesFor(e) {
		s.settle(r)
	}
	if e.t == checkpoint.Operation {
		s.settleApproval()
	}
	for _, name := range s.otherMembers() {
		s.settle(alone(name, free))
	}
	s.settleExtensions(e.path+"/extensions", s.readMember)
	s.follow()
	e.fields = s.fields
	e.text = edited(m.bytesAt(e, e.carrier), s.changes)
}

// settlement is the work on one entity, or on one object of which a document has one.
type settlement struct {
	*Merger
	entity  *entity
	fields  map[string]*field // by rule name
	changes []change          // of the carrier's text
	single  bool              // a document that lacks the object has nothing of it
	apart   map[int]bool      // tips whose version has another kind, so that nothing of it is taken
}

// has says whether a document's version of the entity counts: where it is a completed step in one document, only those do in which it is one.
func (s *settlement) has(k int) bool {
	d, i := s.doc(s.entity, k)
	return s.single || i >= 0 && !s.apart[k] && (!isStep(s.entity.t) || d.Objects[i].Type == s.entity.t)
}

// setApart finds the tips in which a statement or an operation has another kind than in the base, or another origin and text: their versions are
// terms of a conflict as they are, since nobody else says what they say. What a tip wrote into a next step that another one completed is recorded.
func (s *settlement) setApart() {
	s.apart = map[int]bool{}
	base := slices.IndexFunc(s.entity.at[:len(s.bases)], func(i int32) bool { return i >= 0 })
	for k := len(s.bases); k < len(s.docs); k++ {
		d, i := s.doc(s.entity, k)
		switch {
		case i < 0:
		case s.entity.t == checkpoint.Step && d.Objects[i].Type == checkpoint.NextStep && (base < 0 || s.isChanged(s.entity, k)):
			s.omit("superseded", "next step "+s.title(s.entity)+" of "+d.id+", which is done: "+string(s.bytesAt(s.entity, k)), nil)
		case base >= 0 && (s.entity.t == checkpoint.Statement || s.entity.t == checkpoint.Operation):
			b, j := s.doc(s.entity, base)
			same := func(member string) bool { return sameMembers(b.Document, j, d.Document, i, member) }
			s.apart[k] = !same("kind") || !same("origin") && !same("text")
		}
	}
	if s.apart[s.entity.carrier] {
		s.entity.carrier, s.entity.text = base, nil
	}
}

// readMember is a member's text in a document.
func (s *settlement) readMember(k int, name string) (text string, has bool) {
	if !s.has(k) {
		return "", false
	}
	d, i := s.doc(s.entity, k)
	if i < 0 {
		return "", true
	}
	item, ok := d.Field(i, name)
	if !ok {
		return "", true
	}
	return string(d.Src[item.Value.Start:item.Value.End]), true
}

// settle decides one field and notes what that changes in the carrier's text.
func (s *settlement) settle(r *rule) {
	f := s.newField(s.entity.path+"/"+escapeKey(r.name), r, func(k int) (value, bool) { return s.read(k, r) })
	s.fields[r.name] = f
	s.accept(f)
}

func (s *settlement) read(k int, r *rule) (value, bool) {
	if s.apart[k] && r.nature {
		return wholeValue(s.bytesAt(s.entity, k), r.members), true
	}
	if r.name == "status" && s.mayBeOver(s.entity, k) {
		return single(uncertain), true
	}
	texts := make([]string, len(r.members))
	for n, name := range r.members {
		text, has := s.readMember(k, name)
		if !has {
			return value{}, false
		}
		texts[n] = text
	}
	if len(texts) == 1 {
		return single(texts[0]), true
	}
	return group(texts...), true
}

// accept takes over a field's result.
func (s *settlement) accept(f *field) {
	own, _ := s.read(s.entity.carrier, f.rule)
	for n, name := range f.rule.members {
		text := f.result.texts[n]
		s.unset(name)
		if own.texts[n] != text && canonical([]byte(own.texts[n])) != canonical([]byte(text)) {
			s.set(name, text)
		}
	}
	if f.kind != "" {
		s.open(f)
	}
}

func (s *settlement) unset(name string) {
	s.changes = slices.DeleteFunc(s.changes, func(c change) bool { return c.name == name })
}

func (s *settlement) set(name, text string) {
	s.unset(name)
	s.changes = append(s.changes, change{name, text})
}

// otherMembers are those that no rule names and that some document has, in order of appearance, or that are in conflict in one.
func (s *settlement) otherMembers(but ...string) (names []string) {
	known := map[string]bool{"id": true, "extensions": true}
	for _, name := range but {
		known[name] = true
	}
	for rule, f := range s.fields {
		known[rule] = true
		for _, name := range f.rule.members {
			known[name] = true
		}
	}
	for k, d := range s.docs {
		if !s.has(k) || s.entity.at[k] < 0 {
			continue
		}
		d.EachMember(s.entity.at[k], func(item jsonspan.Item) {
			if name := string(jsonspan.Plain(d.Src, item.Name)); !known[name] {
				known[name] = true
				names = append(names, name)
			}
		})
	}
	return missing(names, known, s.heldUnder(s.entity.path))
}

// missing adds names that are not known.
func missing(names []string, known map[string]bool, more []string) []string {
	for _, name := range more {
		if !known[name] {
			known[name] = true
			names = append(names, name)
		}
	}
	return names
}

// follow does what one field means for another.
func (s *settlement) follow() {
	switch s.entity.t {
	case checkpoint.Statement:
		s.followStatement()
	case checkpoint.Resource:
		if f := s.fields["sensitivity"]; f.kind != "" {
			s.set("excerpt", "")
			s.omit("sensitive", "excerpt of resource "+s.entity.key+", on whose sensitivity the inputs differ", nil)
		}
	case checkpoint.Operation:
		s.followActed()
		s.followEffect()
		s.followOperation()
	}
}

// followStatement: what was verified has to be checked again, unless one document has this verification with this text and this evidence.
func (s *settlement) followStatement() {
	f := s.fields["verification"]
	if !isVerified(f.result.texts[0]) {
		return
	}
	for k := range s.docs {
		text, has := s.readMember(k, "text")
		if has && f.at[k].canon == f.result.canon && canonical([]byte(text)) == s.textResult() && sameElements(s.fields["evidence"].at[k], s.fields["evidence"].result) {
			return
		}
	}
	s.set("verification", markedStale(f.result.texts[0]))
}

// textResult is the canonical form of a statement's text in the result.
func (s *settlement) textResult() string {
	if f := s.fields["wording"]; f != nil {
		return canonical([]byte(f.result.texts[slices.Index(f.rule.members, "text")]))
	}
	return s.fields["text"].result.canon
}

// sameElements says whether two lists have the same items.
func sameElements(a, b value) bool {
	x, _ := elementsOf(a)
	y, _ := elementsOf(b)
	return includes(x, y) && includes(y, x)
}

// uncertain is the status of an action that may be over in an input.
const uncertain = `"uncertain"`

// followOperation: an uncertain operation that may not be repeated is verified first, at least (§6.6).
func (s *settlement) followOperation() {
	if f := s.fields["status"]; f.known && f.result.texts[0] == uncertain && f.base.texts[0] != uncertain {
		for k, d := range s.docs {
			if s.mayBeOver(s.entity, k) {
				s.note("%s may have been done: %s was compacted and lacks it, and a compaction keeps what is not over", s.entity.path, d.id)
			}
		}
	}
	status, effect, resume := operationStatusOf(s.fields["approval"].result), plain(s.fields["effect"].result.texts[0]), plain(s.fields["resume"].result.texts[0])
	if status == "uncertain" && effect != "none" && effect != "idempotent" && (resume == "" || resume == "retry") {
		s.set("resume", `"verify_first"`)
	}
}
