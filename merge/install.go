package merge

import (
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// install makes a term hold.
func (r *resolution) install(c *conflictData, n int) error {
	value := c.Terms[n].Value
	switch c.Kind {
	case "deletion":
		return r.delete(c)
	case "double_execution":
		return r.installDouble(c, value)
	case "repeated_action":
		return r.installRepeat(c, n)
	}
	e, member := r.at(c.Path)
	if e == nil {
		return refuse("nothing is at %s any more", c.Path).hint("--resolve %s=0 keeps what is there", c.Question)
	}
	if strings.Contains(c.Path, "/extensions/") {
		return r.installNested(e, "extensions", member, value)
	}
	if strings.HasPrefix(c.Path, "/task/scope/") {
		return r.installNested(e, "scope", member, value)
	}
	members := r.membersAt(e, member)
	v := readGroup(value, members)
	if len(members) == 1 {
		v = single(string(value))
	}
	isStatus := e.t == checkpoint.Operation && (member == "status" || member == "approval")
	if now := string(r.doc.StringField(e.at[0], "status")); isStatus && r.isFinal(e.at[0]) && operationStatusOf(v) != now {
		return refuse("operation %s is %s in the document, and what is over stays over (OCP-T001)", e.key, now).
			hint("--resolve %s=0 closes the question; record what really happened as a new operation", c.Question)
	}
	if whole := memberText(string(value), "id") != ""; member == "wording" || member == "nature" && whole {
		r.installAnew(e, member, value, v)
		return nil
	}
	for i, name := range members {
		r.change(e.at[0], change{name, v.texts[i]})
	}
	return nil
}

func (r *resolution) isFinal(operation int32) bool {
	return checkpoint.Terminal(r.doc.Objects[operation].Fact(checkpoint.Status))
}

// at finds the entity, or the object of which a document has one, that a path is about, and what of it.
func (r *resolution) at(path string) (*entity, string) {
	before, member, _ := cutLast(path)
	if at := strings.Index(path, "/extensions/"); at >= 0 {
		before = path[:at]
	}
	before = strings.TrimSuffix(before, "/scope")
	member = unescapeKey(member)
	for _, e := range r.entities {
		if e.path == before {
			return e, member
		}
	}
	for _, t := range []checkpoint.Type{checkpoint.Top, checkpoint.Task, checkpoint.Source, checkpoint.Progress, checkpoint.Continuation, checkpoint.Derivation} {
		if s := r.single(t); s.entity.path == before && s.entity.at[0] >= 0 {
			return s.entity, member
		}
	}
	return nil, ""
}

// membersAt are the members of a field by its rule's name.
func (r *resolution) membersAt(e *entity, name string) []string {
	if e.t == checkpoint.Operation && name == approvalRule.name {
		return approvalRule.members
	}
	if isMerged(e.t) {
		for _, rule := range r.rulesFor(e) {
			if rule.name == name {
				return rule.members
			}
		}
		if name == "wording" {
			return directiveRules[0].members
		}
	}
	return []string{name}
}

// installNested sets a member of an object that is itself a member.
func (r *resolution) installNested(e *entity, outer, name string, value []byte) error {
	i := e.at[0]
	own := valueOf(r.doc.Document, i, outer).texts[0]
	for _, c := range r.set[i] {
		if c.name == outer {
			own = c.text
		}
	}
	r.change(i, change{outer, withMembers(own, []change{{name, string(value)}})})
	return nil
}

// installAnew adds the object that the term describes, and lets it supersede the one that stands, or, if it is of another kind, retracts or cancels
// that one: neither a directive nor the nature of anything is edited in place (§6.5, §9.3).
func (r *resolution) installAnew(e *entity, member string, value []byte, v value) {
	i := e.at[0]
	id := r.free(e.key + "." + hash8(canonical(value)))
	text := value
	if memberText(string(value), "id") == "" { // the wording alone
		changes := []change{{"status", ""}, {"superseded_by", ""}}
		for n, name := range r.membersAt(e, member) {
			changes = append(changes, change{name, v.texts[n]})
		}
		text = edited(r.bytesAt(e, 0), changes)
	}
	r.append(e.t, edited(text, []change{{"id", quoted(id)}}))
	r.affected = append(r.affected, id)
	switch {
	case e.t == checkpoint.Operation && !r.isFinal(i):
		r.change(i, change{"status", `"cancelled"`})
	case e.t == checkpoint.Operation:
	case mayReplaceKind(r.doc.Objects[i].Fact(checkpoint.Kind), checkpoint.ParseEntry(e.t, text).Objects[0].Fact(checkpoint.Kind)):
		r.change(i, change{"status", `"superseded"`}, change{"superseded_by", quoted(id)})
	default:
		r.change(i, change{"status", `"retracted"`}, change{"superseded_by", ""})
	}
}

func (r *resolution) delete(c *conflictData) error {
	for _, e := range r.entities {
		if e.path == c.Path {
			r.gone[e.at[0]] = true
			r.omit("irrelevant", c.Path+" deleted, as "+c.Question+" was resolved", r.doc)
			return nil
		}
	}
	return nil
}

// installDouble takes one input's record of an operation that several completed. Different operations both stay.
func (r *resolution) installDouble(c *conflictData, value []byte) error {
	before, _, _ := cutLast(c.Path)
	for _, e := range r.entities {
		if e.path != before {
			continue
		}
		for _, name := range append(membersOf(string(value)), membersOf(string(r.bytesAt(e, 0)))...) {
			if name != "id" {
				r.change(e.at[0], change{name, memberText(string(value), name)})
			}
		}
	}
	return nil
}

// installRepeat cancels the other one of two actions, if it is not over.
func (r *resolution) installRepeat(c *conflictData, n int) error {
	for k, t := range c.Terms {
		i, ok := r.doc.Lookup(plain(memberText(string(t.Value), "id")))
		if k != n && ok && r.doc.Objects[i].Type == checkpoint.Operation && !r.isFinal(i) {
			r.change(i, change{"status", `"cancelled"`})
		}
	}
	return nil
}
