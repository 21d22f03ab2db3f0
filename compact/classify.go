package compact

import (
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// material is what a document has for the ladder: fixed by the document and the options.
type material struct {
	class   []class // of each entry: when it may go, if nothing refers to it
	byClass [numClasses][]int32
	chains  *groups

	excerpts, evidence, contextParts, extensions []checkpoint.MemberAt

	carried         [numReasons]bool  // reasons for which the document has a record of ours
	transformations map[int32]int32   // of a step that stands for condensed ones: the record that says so
	affectedBy      map[int32][]int32 // references in affected lists, by the entry that they name
	lists           [numLists]listPlace
	checked         map[int32]bool // statements whose evidence was rechecked and is as recorded
	mismatched      []string
}

// listPlace is a list that a compaction may add to: whether the document has it, and the length of its name.
type listPlace struct {
	present bool
	name    string
}

// numLists bounds the entry types.
const numLists = int(checkpoint.Transformation) + 1

// classify sorts the entries and the members that may go into classes.
func (l *ladder) classify() {
	doc := l.doc
	l.class = make([]class, len(doc.Objects))
	l.transformations = map[int32]int32{}
	l.affectedBy = map[int32][]int32{}
	var dead []int32
	for i := range doc.Objects {
		entry := int32(i)
		o := &doc.Objects[i]
		if o.Type == checkpoint.Statement && !o.Live() && o.Fact(checkpoint.Status) != checkpoint.Resolved {
			dead = append(dead, entry)
		}
		if o.Type == checkpoint.Omission {
			if _, r, ok := ourOmission(doc, entry); ok && !l.protected[entry] {
				l.carried[r] = true
			}
		}
		if c := l.classOf(entry); c != never && !l.protected[entry] {
			l.class[entry] = c
			l.byClass[c] = append(l.byClass[c], entry)
		}
		if o.Type == checkpoint.Transformation && !l.protected[entry] {
			step, _ := condensedStep(doc, entry)
			l.transformations[step] = entry
		}
	}
	l.collectParts()
	l.chains = newGroups(doc, dead, func(f checkpoint.Field) bool { return f == checkpoint.SupersededByField })
	for i, r := range doc.Refs {
		if r.Field == checkpoint.AffectedField {
			l.affectedBy[r.To] = append(l.affectedBy[r.To], int32(i))
		}
	}
	for _, t := range []checkpoint.Type{checkpoint.Statement, checkpoint.Resource, checkpoint.Context, checkpoint.Operation, checkpoint.Step, checkpoint.RecoveryStep,
		checkpoint.Input, checkpoint.Omission, checkpoint.Transformation} {
		name, present := doc.ListOf(t)
		l.lists[t] = listPlace{present, name}
	}
	l.classifyInputs()
}

// classOf says when an entry may go, protection aside.
func (l *ladder) classOf(i int32) class {
	o := &l.doc.Objects[i]
	switch o.Type {
	case checkpoint.Statement:
		return statementClass(o)
	case checkpoint.Resource:
		return resources
	case checkpoint.Context:
		return bareContexts
	case checkpoint.Draft:
		return drafts
	case checkpoint.Step:
		return completedSteps
	case checkpoint.RecoveryStep:
		return recoverySteps
	case checkpoint.Omission:
		return oldRecords
	case checkpoint.Operation:
		return operationClass(o)
	}
	return never
}

func statementClass(o *checkpoint.Object) class {
	state := o.Fact(checkpoint.Verification)
	switch kind := o.Fact(checkpoint.Kind); {
	case o.Fact(checkpoint.Status) == checkpoint.Resolved:
		return resolvedQuestions
	case !o.Live():
		return deadStatements
	case kind == checkpoint.External, kind == checkpoint.Hypothesis:
		return guesses
	case kind != checkpoint.Observation:
		return never
	case state == checkpoint.Verified:
		return verifiedObservations
	case state == checkpoint.Disputed, state == checkpoint.Stale:
		return doubtedObservations
	}
	return guesses
}

// operationClass keeps rejected approvals and terminal actions with an effect until the last rung: work that was done, or refused, must not
// be done again.
func operationClass(o *checkpoint.Object) class {
	status := o.Fact(checkpoint.Status)
	switch kind := o.Fact(checkpoint.Kind); {
	case !checkpoint.Terminal(status):
		return never
	case kind == checkpoint.Approval && status == checkpoint.Rejected, kind == checkpoint.Action && o.Fact(checkpoint.Effect) != checkpoint.NoEffect:
		return doneOperations
	}
	return settledOperations
}

// collectParts notes the members that may go by themselves, and where each statement says that it is verified.
func (l *ladder) collectParts() {
	for _, m := range l.doc.Parts {
		name := string(l.doc.Text(m.At))
		if name == "verification" {
			if l.isVerified(m.Entry) {
				l.marks[m.Entry] = l.findMark(m.At)
			}
			continue
		}
		if l.whole[m.Entry] {
			continue
		}
		if name == "extensions" {
			l.collectKeys(m)
		} else if parts := l.partsOf(m.Entry, name); parts != nil {
			*parts = append(*parts, m)
		}
	}
}

// partsOf returns where to note a member, nil if it does not go by itself.
func (l *ladder) partsOf(i int32, name string) *[]checkpoint.MemberAt {
	switch o := &l.doc.Objects[i]; {
	case o.Type == checkpoint.Resource && name == "excerpt":
		return &l.excerpts
	case (o.Type == checkpoint.Statement || o.Type == checkpoint.Criterion) && name == "evidence":
		return &l.evidence
	case o.Type != checkpoint.Context || l.needed[i]:
		return nil
	case name == "filters", name == "view", name == "state":
		return &l.contextParts
	case name == "state_schema" && !l.doc.Has(i, "state"): // else it goes with the state
		return &l.contextParts
	}
	return nil
}

func (l *ladder) collectKeys(m checkpoint.MemberAt) {
	extensions, _ := l.part(m.At)
	jsonspan.EachMember(l.doc.Src, extensions.Value, func(key jsonspan.Item) {
		l.extensions = append(l.extensions, checkpoint.MemberAt{Entry: m.Entry, At: uint32(key.Name.Start)})
	})
}

// classifyInputs finds the older checkpoints among derivation.inputs: not the direct ones, which the new checkpoint will name itself, not sessions,
// and not what a fork's own extension entry names, from which a merge finds its base.
func (l *ladder) classifyInputs() {
	bases := l.doc.ForkBases()
	for i := range l.doc.Objects {
		entry := int32(i)
		if !l.doc.IsCheckpointInput(entry) || bases[string(l.doc.StringField(entry, "id"))] {
			continue
		}
		l.class[entry] = oldInputs
		l.byClass[oldInputs] = append(l.byClass[oldInputs], entry)
	}
}
