package merge

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// What the descriptions of our omissions begin with; such a one does not make a document forgetful. That of a deletion goes on with the path of the
// object and a comma.
const (
	recordText   = "merge: "
	deletionText = recordText + "deleted "
)

// omission is a record of what the result lacks.
type omission struct {
	reason, what string
	from         *document // from which it can be recovered, or nil
}

// omit records that something of a document is not in the result.
func (m *Merger) omit(reason, what string, from *document) {
	m.omissions = append(m.omissions, omission{reason, what, from})
}

// write makes the document and checks it.
func (m *Merger) write() error {
	if err := m.checkLifts(); err != nil {
		return err
	}
	m.recordDeletions()
	m.inputs64()
	m.recordOmissions()
	m.writeExtensions()
	m.putBackWithdrawn()
	m.recordChanges()
	m.repair()
	for t := range m.derived.Order {
		if isMerged(checkpoint.Type(t)) {
			m.arrange(checkpoint.Type(t), m.first(checkpoint.Type(t)))
		}
	}
	m.dropLists()
	m.stamp.Digest = m.parent.digest().String()
	m.derived.Stamp = m.stamp
	e := jsonspan.Edits{Src: m.parent.Src}
	m.parent.Edit(&e, &m.derived)
	m.result.out = e.AppendTo(make([]byte, 0, e.Len(m.parent.White, m.parent.Waste)))
	return m.check(e.Runs())
}

// first are the entries before all others of a type: the step that resolves the conflicts.
func (m *Merger) first(t checkpoint.Type) [][]byte {
	if t != checkpoint.NextStep || m.nextStep == nil {
		return nil
	}
	return [][]byte{m.nextStep}
}

// recordDeletions says which objects of the base the result lacks, and which it has although an input lacked them.
func (m *Merger) recordDeletions() {
	for _, d := range m.result.Deleted {
		what := d.Object + ","
		if d.Says != "" {
			what += " " + quoted(d.Says) + ","
		}
		m.omit("irrelevant", strings.TrimPrefix(deletionText, recordText)+what+" as in "+strings.Join(d.Inputs, ", "), m.bases[0])
	}
	var lifted []string
	for _, g := range m.result.Lifted {
		lifted = append(lifted, fmt.Sprintf("%s of operation %s (%s)", g.StopCondition, g.Operation, g.Why))
	}
	if len(lifted) > 0 {
		m.omit("superseded", checkpoint.Count(len(lifted), "fork guard")+" lifted: "+strings.Join(lifted, "; "), nil)
	}
	for _, d := range m.result.Restored {
		m.changes = append(m.changes, d.Object+" kept as in the base, of which "+strings.Join(d.Inputs, ", ")+" lacks something")
	}
	for _, r := range m.result.Renames {
		m.changes = append(m.changes, fmt.Sprintf("%s of %s renamed to %s", r.From, r.Input, r.To))
		m.affected = append(m.affected, r.To)
	}
	if len(m.conflicts) > 0 {
		m.changes = append(m.changes, checkpoint.Count(len(m.conflicts), "conflict")+" open")
	}
	for _, c := range m.conflicts {
		m.affected = append(m.affected, c.question)
	}
}

func (m *Merger) recordOmissions() {
	for _, o := range m.omissions {
		resource := ""
		if o.from != nil {
			resource = m.resourceFor(o.from.id)
		}
		m.append(checkpoint.Omission, checkpoint.OmissionText(m.free("ocp.merge."+hash8(o.what)), recordText+o.what, o.reason, resource))
	}
}

// recordChanges says in one transformation what the merge did.
func (m *Merger) recordChanges() {
	var ids []string
	for _, d := range m.tips {
		ids = append(ids, d.id)
	}
	what := fmt.Sprintf("merged %d checkpoints: %s", len(ids), strings.Join(ids, ", "))
	if len(m.bases) > 0 {
		what += "; base " + strings.Join(m.result.Base, ", ")
	} else {
		what += "; without a base"
	}
	for _, c := range m.changes {
		what += "; " + c
	}
	slices.Sort(m.affected)
	exists := m.presence()
	m.affected = slices.DeleteFunc(m.affected, func(id string) bool { return !exists(id) })
	m.append(checkpoint.Transformation, checkpoint.TransformationText(m.free("ocp.merge"), what, slices.Compact(m.affected)...))
}

// writeExtensions sets our own extension data.
func (m *Merger) writeExtensions() {
	own := ""
	if item, ok := m.parent.Member(checkpoint.Top, "extensions"); ok {
		own = string(m.parent.Src[item.Value.Start:item.Value.End])
	}
	text := own
	if m.extensions != nil {
		text = *m.extensions
	}
	if text = withMembers(text, []change{{checkpoint.ForkKey, m.forkEntry}, {Key, m.entryText()}}); text != own {
		m.setOf(checkpoint.Top, "extensions", text)
	}
}

// repair drops what references to other objects are left of objects that the result lacks: they stand in refs and affected.
func (m *Merger) repair() {
	exists := m.presence()
	for _, e := range m.entities {
		switch e.t {
		case checkpoint.NextStep, checkpoint.Requirement, checkpoint.Precondition, checkpoint.StopCondition, checkpoint.RecoveryStep, checkpoint.Transformation:
			if !e.gone {
				m.repairEntity(e, exists)
			}
		}
	}
}

// presence says of each local id whether the result has it.
func (m *Merger) presence() func(id string) bool {
	made := map[string]bool{}
	for t, texts := range m.extra {
		for _, text := range texts {
			d := checkpoint.ParseEntry(t, text)
			for i := range d.Objects {
				made[string(d.ID(int32(i)))] = true
			}
		}
	}
	return func(id string) bool {
		if e := m.called(id); e != nil && !e.gone || made[id] {
			return true
		}
		return m.drafts[id]
	}
}

func (m *Merger) repairEntity(e *entity, exists func(id string) bool) {
	d, i := m.entryOf(e)
	from, to := d.RefsWithin(d.Objects[i].Span())
	lost := map[string]bool{}
	for _, r := range d.Refs[from:to] {
		if id := string(d.Text(r.At)); (r.Field == checkpoint.RefsField || r.Field == checkpoint.AffectedField) && !exists(id) {
			lost[id] = true
		}
	}
	if len(lost) == 0 {
		return
	}
	var changes []change
	text := m.bytesOf(e)
	for _, name := range []string{"refs", "affected"} {
		list := elements(memberText(string(text), name))
		kept := slices.DeleteFunc(slices.Clone(list), func(ref string) bool { return lost[plain(ref)] })
		if len(kept) < len(list) {
			value := arrayOf(kept)
			if len(kept) == 0 {
				value = ""
			}
			changes = append(changes, change{name, value})
		}
	}
	e.text = edited(text, changes)
}

// check holds the result against levels 1 and 2, against its parent, and against every input, before it is handed out.
func (m *Merger) check(runs []jsonspan.Run) error {
	disputed, another := map[string]bool{}, map[string]bool{}
	for _, c := range m.conflicts {
		if c.entity != nil {
			disputed[c.entity.key] = true
			another[c.entity.key] = another[c.entity.key] || c.field != nil && c.field.rule.nature
		}
	}
	isAnotherThing := func(operation string) bool { return another[operation] }
	isDisputed := func(operation string) bool { return disputed[operation] || m.reused[operation] }
	child, err := checkpoint.Recheck(m.parent.Document, m.result.out, runs, m.reading, isAnotherThing)
	if err != nil {
		if d := m.withTerms(); d != nil {
			return refuse("the conflicts that are open in %s cannot be merged: %v", d.id, err).hint("resolve them first: ocp merge --resolve QUESTION=N")
		}
		return &InternalError{Err: err}
	}
	for _, d := range m.tips {
		for _, v := range checkpoint.CheckInput(d.Document, child, isDisputed) {
			return &InternalError{Err: errors.New(d.id + ": " + v.Error())}
		}
	}
	return nil
}

// withTerms is the first tip with open conflicts, whose terms are as untrusted as the rest of it.
func (m *Merger) withTerms() *document {
	for _, d := range m.tips {
		if len(d.held) > 0 {
			return d
		}
	}
	return nil
}
