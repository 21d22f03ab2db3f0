package compact

import (
	"bytes"
	"fmt"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// The codes of CheckPair. C1 to C8 are MUSTs of §9.2, for any producer; the others are laws of this package, for what it made.
const (
	lostDirective   = "OCX-C1"  // an active instruction, constraint or decision is gone, no longer active, or says something else
	lostQuestion    = "OCX-C2"  // so is an open question
	lostOperation   = "OCX-C3"  // a non-terminal operation is gone or changed
	lostStop        = "OCX-C4"  // a stop condition is gone or changed
	changedNature   = "OCX-C5"  // a statement's kind or origin changed
	raisedState     = "OCX-C6"  // a verification state rose
	unmarkedStale   = "OCX-C7"  // a statement lost evidence and is not stale, or does not say when to check it again
	unrecordedLoss  = "OCX-C8"  // something was dropped and no omission or transformation says so
	lostContinuance = "OCX-C9"  // the task, a requirement, precondition, incompatibility, focus or next step is gone or changed
	miscounted      = "OCX-C10" // the records cover less than is missing
	addedStatement  = "OCX-C11" // a statement that the parent lacks
	changedEntry    = "OCX-C12" // another entry that is carried is changed
)

// CheckPair tests by value what §9.2 asks of a compacted child, and of one that this package made what it promises besides. The findings are
// located in the child and are warnings; they say nothing about levels 1 and 2. A child with another method has none.
func CheckPair(parent, child *checkpoint.Document) []checkpoint.Violation {
	p := &pair{parent: parent, child: child, unnamed: unnamed(child)}
	if d := child.Only(checkpoint.Derivation); d < 0 || child.Objects[d].Fact(checkpoint.Kind) != checkpoint.MethodCompacted {
		return nil
	}
	for i := range parent.Objects {
		p.compare(int32(i))
	}
	p.checkAdded()
	p.checkRecords()
	return p.found.Located(p.child)
}

// pair is a parent and its compacted child.
type pair struct {
	parent, child *checkpoint.Document
	found         checkpoint.Findings
	missing       tally               // entries of the parent that the child lacks
	unnamed       map[content][]int32 // entries of the child that have no id
}

// content is what an entry says, and its type.
type content struct {
	t    checkpoint.Type
	text string
}

// unnamed finds the entries without an id by their content.
func unnamed(d *checkpoint.Document) map[content][]int32 {
	entries := map[content][]int32{}
	for i := range d.Objects {
		if o := &d.Objects[i]; o.Parent > 0 || o.Parent == 0 && isCounted(o.Type) {
			if d.ID(int32(i)) == nil {
				c := content{o.Type, string(canonical(d, int32(i)))}
				entries[c] = append(entries[c], int32(i))
			}
		}
	}
	return entries
}

func (p *pair) breach(rule string, offset int, format string, args ...any) {
	p.found.Add(checkpoint.Violation{Rule: rule, Level: 2, Severity: checkpoint.Warning, Offset: offset, Msg: fmt.Sprintf(format, args...)})
}

// compare looks for what became of an entry of the parent.
func (p *pair) compare(i int32) {
	o := &p.parent.Objects[i]
	rule := p.ruleFor(i)
	j, found := p.counterpart(i)
	switch {
	case !found && rule != "":
		p.breach(rule, p.recordsAt(), "%s %s is gone", o.Type, p.name(i))
	case !found && isCounted(o.Type) && !p.isBookkeeping(i):
		p.missing.add(nounOf(o))
	case found && rule != "" && !p.sameContent(i, j):
		p.breach(rule, int(p.child.Objects[j].Start), "%s %s is changed", o.Type, p.name(i))
	case found && p.isOurs() && isCarriedWhole(o.Type) && !p.sameContent(i, j):
		p.breach(changedEntry, int(p.child.Objects[j].Start), "%s %s is changed", o.Type, p.name(i))
	}
	if found && o.Type == checkpoint.Statement {
		p.compareStatement(i, j)
	}
}

// ruleFor returns the code of losing an entry, "" for one that may go.
func (p *pair) ruleFor(i int32) string {
	o := &p.parent.Objects[i]
	switch o.Type {
	case checkpoint.Statement:
		kind := o.Fact(checkpoint.Kind)
		switch {
		case o.Live() && kind <= checkpoint.Decision:
			return lostDirective
		case o.Live() && kind == checkpoint.Question:
			return lostQuestion
		}
	case checkpoint.Operation:
		if !checkpoint.Terminal(o.Fact(checkpoint.Status)) {
			return lostOperation
		}
	case checkpoint.StopCondition:
		return lostStop
	case checkpoint.Requirement, checkpoint.Precondition, checkpoint.Incompatibility, checkpoint.Focus, checkpoint.NextStep, checkpoint.Task,
		checkpoint.Criterion:
		if p.isOurs() {
			return lostContinuance
		}
	}
	return ""
}

// isCarriedWhole says whether entries of a type keep what they say as long as they are there.
func isCarriedWhole(t checkpoint.Type) bool {
	switch t {
	case checkpoint.Statement, checkpoint.Resource, checkpoint.Operation, checkpoint.Step, checkpoint.RecoveryStep, checkpoint.Draft:
		return true
	}
	return false
}

func isCounted(t checkpoint.Type) bool {
	switch t {
	case checkpoint.Statement, checkpoint.Resource, checkpoint.Operation, checkpoint.Context, checkpoint.Selection, checkpoint.Draft,
		checkpoint.RecoveryStep, checkpoint.Step:
		return true
	}
	return false
}

// isBookkeeping says whether an entry of the parent stands for what was counted before it: condensed steps, an older input.
func (p *pair) isBookkeeping(i int32) bool {
	if p.parent.Objects[i].Type == checkpoint.Step {
		_, _, ok := ourStep(p.parent, i, string(p.parent.StringField(i, "description")))
		return ok
	}
	return p.parent.IsInputResource(i)
}

// counterpart finds an entry of the parent in the child: by its id, or, without one, by its content.
func (p *pair) counterpart(i int32) (int32, bool) {
	o := &p.parent.Objects[i]
	if o.Type == checkpoint.Task || o.Type == checkpoint.Focus {
		j := p.child.Only(o.Type)
		return j, j >= 0
	}
	if id := p.parent.ID(i); id != nil {
		j, ok := p.child.Lookup(string(id))
		return j, ok && p.child.Objects[j].Type == o.Type
	}
	c := content{o.Type, string(canonical(p.parent, i))}
	alike := p.unnamed[c]
	if len(alike) == 0 {
		return 0, false
	}
	p.unnamed[c] = alike[1:] // each stands for one
	return alike[0], true
}

// mayChange says which members of an entry a compaction may change or drop.
func mayChange(t checkpoint.Type, name string) bool {
	switch name {
	case "evidence", "extensions", "verification", "excerpt", "success_criteria":
		return true
	case "view", "filters", "state", "state_schema", "drafts":
		return t == checkpoint.Context
	}
	return false
}

// canonical is the content of an entry without the members that may change.
func canonical(d *checkpoint.Document, i int32) []byte {
	s := d.Objects[i].Span()
	if d.Src[s.Start] != '{' {
		text, _ := jsonspan.Canonical(d.Src[s.Start:s.End])
		return text
	}
	e := jsonspan.Edits{Src: d.Src[s.Start:s.End]}
	items := jsonspan.Items(e.Src, jsonspan.Span{End: s.Len()})
	e.Items(jsonspan.Span{End: s.Len()}, jsonspan.Spans(items), jsonspan.Change{Dropped: func(k int) bool {
		return mayChange(d.Objects[i].Type, string(jsonspan.Plain(e.Src, items[k].Name)))
	}})
	text, _ := jsonspan.Canonical(e.AppendTo(nil))
	return text
}

func (p *pair) sameContent(i, j int32) bool {
	return bytes.Equal(canonical(p.parent, i), canonical(p.child, j))
}

// compareStatement tests what no compaction may do to a statement that it carries.
func (p *pair) compareStatement(i, j int32) {
	was, is := &p.parent.Objects[i], &p.child.Objects[j]
	at := int(is.Start)
	if was.Fact(checkpoint.Kind) != is.Fact(checkpoint.Kind) || !p.sameMember(i, j, "origin") {
		p.breach(changedNature, at, "statement %s has another kind or origin", p.name(i))
	}
	if rank(is) > rank(was) {
		p.breach(raisedState, at, "statement %s has a higher verification state", p.name(i))
	}
	if was.Fact(checkpoint.Verification) == checkpoint.Verified && p.lostEvidence(i, j) && !p.isMarked(j) {
		p.breach(unmarkedStale, at, "statement %s lost evidence and is not stale with a time to check it again", p.name(i))
	}
}

func (p *pair) sameMember(i, j int32, name string) bool {
	a, okA := p.parent.Field(i, name)
	b, okB := p.child.Field(j, name)
	if !okA || !okB {
		return okA == okB
	}
	x, _ := jsonspan.Canonical(p.parent.Src[a.Value.Start:a.Value.End])
	y, _ := jsonspan.Canonical(p.child.Src[b.Value.Start:b.Value.End])
	return bytes.Equal(x, y)
}

// rank orders verification states from the worst; what is not recorded is unverified.
func rank(o *checkpoint.Object) int {
	switch o.Fact(checkpoint.Verification) {
	case checkpoint.Disputed:
		return 0
	case checkpoint.Stale:
		return 1
	case checkpoint.Verified:
		return 3
	}
	return 2
}

// lostEvidence says whether the parent's statement cites a resource that the child's does not.
func (p *pair) lostEvidence(i, j int32) bool {
	carried := map[string]bool{}
	for _, id := range evidenceIDs(p.child, j) {
		carried[id] = true
	}
	for _, id := range evidenceIDs(p.parent, i) {
		if !carried[id] {
			return true
		}
	}
	return false
}

func evidenceIDs(d *checkpoint.Document, i int32) (ids []string) {
	from, to := d.RefsWithin(d.Objects[i].Span())
	for _, r := range d.Refs[from:to] {
		if r.Field == checkpoint.EvidenceField {
			ids = append(ids, string(d.Text(r.At)))
		}
	}
	return ids
}

// isMarked says whether a statement is stale and says when to check it again.
func (p *pair) isMarked(j int32) bool {
	if p.child.Objects[j].Fact(checkpoint.Verification) != checkpoint.Stale {
		return false
	}
	verification, _ := p.child.Field(j, "verification")
	revalidate, ok := jsonspan.FindIn(p.child.Src, verification.Value, "revalidate")
	return ok && string(p.child.Text(uint32(revalidate.Value.Start))) != "never"
}

// checkAdded looks for statements that were not there: a compaction writes none.
func (p *pair) checkAdded() {
	if !p.isOurs() {
		return
	}
	for j := range p.child.Objects {
		if p.child.Objects[j].Type != checkpoint.Statement {
			continue
		}
		if _, ok := p.parent.Lookup(string(p.child.ID(int32(j)))); !ok {
			p.breach(addedStatement, int(p.child.Objects[j].Start), "statement %q is none of the parent's", p.child.ID(int32(j)))
		}
	}
}

// checkRecords tests whether what is missing is recorded, for a child of ours by what it was.
func (p *pair) checkRecords() {
	was, is := countRecords(p.parent), countRecords(p.child)
	missing, short := p.missing.total(), 0
	for n, c := range p.missing.counts {
		short += max(0, c-(is.counts[n]-was.counts[n]))
	}
	switch {
	case missing > 0 && is.total() == was.total() && p.newRecords() == 0:
		p.breach(unrecordedLoss, p.recordsAt(), "%s and no omission or transformation says so", gone(missing))
	case p.isOurs() && short > 0:
		p.breach(miscounted, p.recordsAt(), "%s and the records cover %d", gone(missing), missing-short)
	}
}

func gone(n int) string {
	if n == 1 {
		return "1 entry is gone"
	}
	return fmt.Sprintf("%d entries are gone", n)
}

// newRecords counts the records that the parent does not have.
func (p *pair) newRecords() (n int) {
	old := records(p.parent)
	for record := range records(p.child) {
		if !old[record] {
			n++
		}
	}
	return n
}

func records(d *checkpoint.Document) map[content]bool {
	list := map[content]bool{}
	for i := range d.Objects {
		if t := d.Objects[i].Type; t == checkpoint.Omission || t == checkpoint.Transformation {
			list[content{t, string(canonical(d, int32(i)))}] = true
		}
	}
	return list
}

// countRecords adds up what the records of ours cover.
func countRecords(d *checkpoint.Document) (sum tally) {
	for i := range d.Objects {
		switch d.Objects[i].Type {
		case checkpoint.Omission:
			if t, ok := parseTally(string(d.StringField(int32(i), "description"))); ok {
				sum.merge(t)
			}
		case checkpoint.Transformation:
			if count, _, ok := parseCount(string(d.StringField(int32(i), "description")), condensedText); ok {
				sum.count(aStep, count)
			}
		}
	}
	return sum
}

// isOurs says whether this package made the child.
func (p *pair) isOurs() bool {
	producer, ok := p.child.Member(checkpoint.Source, "producer")
	if !ok || p.child.Src[producer.Value.Start] != '{' {
		return false
	}
	name, ok := jsonspan.FindIn(p.child.Src, producer.Value, "name")
	return ok && string(p.child.Src[name.Value.Start:name.Value.End]) == `"ocp"`
}

// recordsAt is where the child should say what it lacks.
func (p *pair) recordsAt() int {
	return int(p.child.Objects[p.child.Only(checkpoint.Derivation)].Start)
}

func (p *pair) name(i int32) string {
	if id := p.parent.ID(i); id != nil {
		return fmt.Sprintf("%q", id)
	}
	return "without an id"
}
