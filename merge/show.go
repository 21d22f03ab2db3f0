package merge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// This file makes data of the conflicts: an open question for each, what shows its terms, and what keeps a destination from going on unawares.

// What the objects are called that a merge makes, and by whom.
const (
	toolName   = "ocp merge"
	questionID = "merge.q."
	termID     = "merge.t."
	stopID     = "merge.stop."
	askID      = "merge.ask"
	nextID     = "merge.next"
)

func (m *Merger) showConflicts() {
	m.carryOrphans()
	slices.SortFunc(m.conflicts, func(a, b *conflict) int { return cmp.Compare(a.path, b.path) })
	var questions []string
	for _, c := range m.conflicts {
		c.question = m.free(questionID + hash8(c.path))
		m.follow(c)
		m.showTerms(c)
		m.stop(c)
		m.ask(c)
		questions = append(questions, c.question)
		m.result.Conflicts = append(m.result.Conflicts, c.public())
	}
	status := m.status
	if len(questions) > 0 {
		status = "blocked"
		m.nextStep = []byte(objectOf("id", quoted(m.free(nextID)), "description", `"resolve the conflicts of the merge"`, "blocked_by", jsonspan.Strings(questions)))
		m.append(checkpoint.Precondition, []byte(objectOf("id", quoted(m.free(askID)),
			"description", quoted("the conflicts of the merge are resolved: each is an open question, and its terms are disputed observations"),
			"on_failure", `"ask"`, "refs", jsonspan.Strings(questions))))
	}
	if own, _ := m.parent.Member(checkpoint.Task, "status"); plain(string(m.parent.Src[own.Value.Start:own.Value.End])) != status {
		m.setOf(checkpoint.Task, "status", quoted(status))
	}
}

// carryOrphans keeps the conflicts of tips about objects that the result lacks, such as ones that a compaction dropped: they can still be read, and
// closed.
func (m *Merger) carryOrphans() {
	here := map[string]bool{}
	for _, e := range m.entities {
		here[e.path] = here[e.path] || !e.gone
	}
	for _, d := range m.tips {
		for path, h := range d.held {
			if m.open[path] || m.isSettled(path) || !isOrphan(path, here) {
				continue
			}
			c := &conflict{path: path, kind: h.kind, stands: string(h.stands)}
			for _, other := range m.heldAt(path) {
				for _, t := range other.terms {
					c.addHeld(t)
				}
			}
			slices.SortFunc(c.terms, func(a, b term) int { return cmp.Compare(a.canon, b.canon) })
			m.add(c)
		}
	}
}

// isOrphan says whether the object in a list that a path is about is not here.
func isOrphan(path string, here map[string]bool) bool {
	t, _ := typeAt(path)
	rest, ok := strings.CutPrefix(path, t.Place())
	if t == checkpoint.NoType || !isMerged(t) || !ok {
		return false
	}
	id, _, _ := strings.Cut(rest, "/")
	return !here[t.Place()+id]
}

// addHeld adds a term that a document holds.
func (c *conflict) addHeld(t termData) {
	v := single(string(t.Value))
	i := slices.IndexFunc(c.terms, func(own term) bool { return own.canon == v.canon })
	if i < 0 {
		i = len(c.terms)
		c.terms = append(c.terms, term{value: v})
	}
	own := &c.terms[i]
	own.inputs = slices.Compact(slices.Sorted(slices.Values(append(own.inputs, t.Inputs...))))
}

// follow does what a conflict means for other objects.
func (m *Merger) follow(c *conflict) {
	if c.entity == nil || c.field == nil {
		return
	}
	switch {
	case c.entity.t == checkpoint.Statement && c.field.rule.name == "status" && c.kind == "difference":
		for _, t := range c.terms {
			if e := m.called(plain(t.texts[supersededMember])); e != nil && e.t == checkpoint.Statement && !e.gone {
				m.dispute(e, c.path)
			}
		}
	case c.entity.t == checkpoint.Resource && c.field.rule.name == "revision":
		m.staleDependents(c)
	case c.entity.t == checkpoint.Operation && c.field.rule.name == "status":
		final := slices.DeleteFunc(c.field.values(), func(v value) bool { return !isFinal(v) })
		if len(final) > 1 {
			c.stopped = m.dependents(c.entity)
			c.why = "operation " + c.entity.key + " ended in different ways: what depends on it must not run until that is resolved"
		}
	}
}

// dispute marks a statement as disputed until the conflict is resolved.
func (m *Merger) dispute(e *entity, path string) {
	was := memberText(string(m.bytesOf(e)), "verification")
	if plain(memberText(was, "state")) != "disputed" {
		m.mark(e, path, was, marked(was, "disputed"))
	}
}

func (m *Merger) mark(e *entity, path, was, text string) {
	m.marks = append(m.marks, mark{Object: e.key, Member: "verification", Was: []byte(was), Path: path})
	e.text = edited(m.bytesOf(e), []change{{"verification", text}})
}

// staleDependents marks what was verified with a resource that has different revisions now.
func (m *Merger) staleDependents(c *conflict) {
	for _, e := range m.cited(c.entity.key) {
		if was := memberText(string(m.bytesOf(e)), "verification"); isVerified(was) {
			m.mark(e, c.path, was, markedStale(was))
		}
	}
}

// cited are the statements that cite a resource.
func (m *Merger) cited(resource string) []*entity {
	if m.citing == nil {
		m.citing = m.referrers(checkpoint.Statement, checkpoint.EvidenceField)
	}
	return m.citing[resource]
}

// referrers are the entities of a type by the local ids that they name in a field.
func (m *Merger) referrers(t checkpoint.Type, field checkpoint.Field) map[string][]*entity {
	list := map[string][]*entity{}
	for _, e := range m.entities {
		if e.t != t || e.gone {
			continue
		}
		d, i := m.entryOf(e)
		from, to := d.RefsWithin(d.Objects[i].Span())
		for _, r := range d.Refs[from:to] {
			if r.Field == field {
				list[string(d.Text(r.At))] = append(list[string(d.Text(r.At))], e)
			}
		}
	}
	return list
}

// dependents are the operations that are not over and depend on an operation; what depends on those waits for them.
func (m *Merger) dependents(e *entity) (ids []string) {
	if m.depending == nil {
		m.depending = m.referrers(checkpoint.Operation, checkpoint.DependsOnField)
	}
	for _, other := range m.depending[e.key] {
		if d, i := m.entryOf(other); !checkpoint.Terminal(d.Objects[i].Fact(checkpoint.Status)) {
			ids = append(ids, other.key)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// showTerms makes of each term a disputed observation that quotes it, or, of different revisions of a resource, a variant of it.
func (m *Merger) showTerms(c *conflict) {
	for i, t := range c.terms {
		if c.entity != nil && c.entity.t == checkpoint.Resource && c.field.rule.name == "revision" {
			c.made = append(c.made, []string{m.variant(c, t)})
			continue
		}
		id := m.free(fmt.Sprintf("%s%s.%d", termID, hash8(c.path), i+1))
		c.made = append(c.made, []string{id})
		m.append(checkpoint.Statement, ownStatement(id, "observation", c.says(t), m.evidence(t.inputs), disputedText))
	}
}

// says quotes a term.
func (c *conflict) says(t term) string {
	text, path := c.valueText(t), c.path
	if c.kind == "double_execution" || c.kind == "repeated_action" {
		path = checkpoint.Operation.Place() + plain(memberText(text, "id"))
	}
	where := "in " + strings.Join(t.inputs, ", ") + ", " + path
	if text == "" {
		return where + " is absent"
	}
	return where + " is " + text
}

// variant is a copy of a resource with another revision.
func (m *Merger) variant(c *conflict, t term) string {
	id := m.free(c.entity.key + "." + hash8(t.canon))
	changes := []change{{"id", quoted(id)}}
	for i, name := range c.members {
		changes = append(changes, change{name, t.texts[i]})
	}
	m.append(checkpoint.Resource, edited(m.bytesOf(c.entity), changes))
	return id
}

// stop forbids operations until a conflict is resolved.
func (m *Merger) stop(c *conflict) {
	if len(c.stopped) == 0 {
		return
	}
	id := m.free(stopID + hash8(c.path))
	c.stops = []string{id}
	m.append(checkpoint.StopCondition, []byte(objectOf("id", quoted(id), "description", quoted(c.why), "applies_to", jsonspan.Strings(c.stopped),
		"refs", jsonspan.Strings([]string{c.question}))))
}

// ask makes the open question.
func (m *Merger) ask(c *conflict) {
	var inputs []string
	for _, t := range c.terms {
		inputs = append(inputs, t.inputs...)
	}
	slices.Sort(inputs)
	public := c.public()
	text := public.Asks() + " " + strings.Join(public.Options(), "; ")
	m.append(checkpoint.Statement, ownStatement(c.question, "question", text, m.evidence(slices.Compact(inputs)), ""))
}

// disputedText is the verification of a term.
const disputedText = `{"state":"disputed","revalidate":"before_use"}`

// ownStatement is a statement of a merge's own.
func ownStatement(id, kind, text string, evidence []string, verification string) []byte {
	return []byte(objectOf("id", quoted(id), "kind", quoted(kind), "text", quoted(text), "origin", objectOf("type", `"tool"`, "name", quoted(toolName)),
		"evidence", jsonspan.Strings(evidence), "verification", verification))
}

// evidence are the resources that stand for inputs.
func (m *Merger) evidence(inputs []string) (ids []string) {
	for _, input := range inputs {
		ids = append(ids, m.resourceFor(input))
	}
	return ids
}

// resourceFor is the resource that stands for a checkpoint; it is made if the result has none.
func (m *Merger) resourceFor(id string) string {
	if m.resources == nil {
		m.findResources()
	}
	resource, ok := m.resources[id]
	if !ok {
		uri := id
		if id == m.parent.id {
			uri = cmp.Or(m.opts.ParentURI, id)
		}
		resource = m.free(checkpoint.InputResourceID + "." + hash8(id))
		m.resources[id] = resource
		m.append(checkpoint.Resource, checkpoint.InputResourceText(resource, uri, m.digestOf(id), m.stamp.CreatedAt))
		m.madeFor = append(m.madeFor, resource)
	}
	return resource
}

// findResources finds those that the result has already.
func (m *Merger) findResources() {
	m.resources = map[string]string{}
	for _, e := range m.entities {
		if e.t != checkpoint.Resource || e.gone || !strings.HasPrefix(e.key, checkpoint.InputResourceID) {
			continue
		}
		if d, i := m.entryOf(e); d.IsInputResource(i) {
			m.resources[string(d.StringField(i, "uri"))] = e.key
		}
	}
}

// digestOf is the digest of a checkpoint as far as the documents at hand tell it, or "".
func (m *Merger) digestOf(id string) string {
	if d, ok := m.lineage.at[id]; ok {
		return d.digest().String()
	}
	for _, d := range m.tips {
		for _, n := range d.names {
			if n.id == id && n.signed {
				if sum, err := d.given.RecordedDigest(n.digest); err == nil {
					return sum.String()
				}
			}
		}
	}
	return ""
}
