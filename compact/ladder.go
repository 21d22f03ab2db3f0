package compact

import (
	"slices"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// class is a place in the order in which things go. Within a class the order is the candidate's.
type class uint8

const (
	never class = iota
	oldRecords
	oldInputs
	spareExcerpts
	deadStatements
	otherExcerpts
	resources
	contextMembers
	guesses
	completedSteps
	resolvedQuestions
	doubtedObservations
	verifiedObservations
	evidence
	bareContexts
	drafts
	criteriaEvidence
	recoverySteps
	settledOperations
	extensionData
	doneOperations
	numClasses
)

// rungs says which rung of the ladder each class belongs to.
var rungs = [numClasses]int{
	oldRecords: 1, oldInputs: 1, spareExcerpts: 2, deadStatements: 3, otherExcerpts: 3, resources: 4, contextMembers: 4, guesses: 5,
	completedSteps: 6, resolvedQuestions: 7, doubtedObservations: 7, verifiedObservations: 7, evidence: 8, bareContexts: 9, drafts: 9,
	criteriaEvidence: 9, recoverySteps: 9, settledOperations: 9, extensionData: 10, doneOperations: 11,
}

// act is what one action does.
type act uint8

const (
	tighten   act = iota // drop insignificant white space
	unescape             // drop needless escapes
	fold                 // take over the records of an earlier compaction
	drop                 // drop an entry, counted in an omission
	condense             // turn a completed step into a part of one
	dropPart             // drop a member of an entry, counted in an omission
	dropEmpty            // drop a member of which nothing is left
)

// action is one change. A step of the ladder is a run of actions.
type action struct {
	act    act
	reason reason
	noun   noun
	entry  int32
	at     uint32 // of the member's name, for dropPart and dropEmpty
}

// step is one step of the ladder: its actions, and the size of the document in bytes once it is taken.
type step struct {
	class   class
	until   int // its actions are those before this place, from the previous step's on
	size    int
	removed int // bytes that the actions take away, records aside; no fewer
}

// ladder finds the sequence of steps for one document and set of options. It plays the whole sequence through once, on counts alone;
// the document is written later, for the prefix that fits.
type ladder struct {
	*protection
	opts  Options
	stamp checkpoint.Stamp
	names recordIDs

	sizes       []int               // of the document before the first step, in each style
	times       map[int32]moment    // of entries that were asked for their time
	marks       map[int32]staleMark // of the statements that are verified
	resourceLen int                 // length of the resource that stands for the input
	limit       int                 // bytes at which the sequence may end, 0 for none
	skip        [numReasons]bool    // groups of records that do not pay for themselves
	skipDone    bool

	material
	state
	runs    []jsonspan.Run // of the document that was written last
	actions []action
	steps   []step
}

// recordIDs are the local ids that the records of this compaction get.
type recordIDs struct {
	omissions            [numReasons]string
	transformation, step string
	resource             string
}

// What the ids of records begin with. They are looked for in records of earlier compactions too.
const (
	omissionID       = "ocp.omitted."
	transformationID = "ocp.condensed"
	stepID           = "ocp.done"
)

// newLadder finds the sequence of steps for a document, as far as the budget needs it.
func newLadder(doc *checkpoint.Document, opts Options) (*ladder, error) {
	stamp, err := doc.NewStamp("compacted", opts.ID, opts.Now)
	if err != nil {
		return nil, err
	}
	stamp.Digest = digest.OfBytes(nil).String() // of the right length, until the document's is known
	l := &ladder{protection: newProtection(doc, opts), opts: opts, stamp: stamp, marks: map[int32]staleMark{}, times: map[int32]moment{}}
	for r := range l.names.omissions {
		l.names.omissions[r] = doc.FreeID(omissionID + reasonWords[r])
	}
	l.names.transformation, l.names.step, l.names.resource = doc.FreeID(transformationID), doc.FreeID(stepID), doc.FreeID(checkpoint.InputResourceID)
	l.resourceLen = len(l.resource())
	l.classify()
	l.recheck()
	if opts.Budget.Unit == Bytes {
		l.limit = opts.Budget.N
	}
	l.play()
	return l, nil
}

// play makes the sequence of steps, as far as the budget needs it. A group of records that nowhere in the sequence saves more than it costs is
// left out, and the rest played again.
func (l *ladder) play() {
	for {
		l.reset()
		l.actions, l.steps = l.actions[:0], l.steps[:0]
		l.rewrite()
		for rung, first := 1, oldRecords; first < numClasses && !l.enough; rung++ {
			last := first
			for ; last < numClasses && rungs[last] == rung && !l.enough; last++ {
				l.runClass(last)
			}
			l.runFreed(last)
			l.runCycles(first, last)
			first = last
		}
		if !l.leaveOutLosses() {
			return
		}
	}
}

// rewrite takes the steps of rung 0, which lose nothing.
func (l *ladder) rewrite() {
	for i, style := range styles[1:] {
		l.actions = append(l.actions, action{act: tighten + act(i)})
		l.steps = append(l.steps, step{class: never, until: len(l.actions), size: l.sizes[style]})
	}
	l.prefix = len(l.steps)
}

// runClass takes the steps of one class.
func (l *ladder) runClass(c class) {
	switch c {
	case oldRecords:
		l.foldRecords()
	case spareExcerpts, otherExcerpts:
		l.dropExcerpts(c)
	case deadStatements:
		l.dropChains(l.chains.all)
	case contextMembers:
		l.dropContextMembers()
	case completedSteps:
		l.condenseSteps()
	case evidence, criteriaEvidence:
		l.dropEvidence(c)
	case extensionData:
		l.dropExtensions()
	case doneOperations:
		if l.opts.DropDone {
			l.dropEntries(c, l.byClass[c])
		}
	default:
		l.dropEntries(c, l.byClass[c])
	}
}

// runFreed goes back for what the rungs so far would have taken, had it been unreferenced then, until there is no more of it.
func (l *ladder) runFreed(until class) {
	for len(l.freed) > 0 && !l.enough {
		var freed [numClasses][]int32
		slices.Sort(l.freed)
		for _, i := range slices.Compact(l.freed) {
			freed[l.class[i]] = append(freed[l.class[i]], i)
		}
		l.freed = nil
		for c := oldInputs; c < until; c++ {
			switch {
			case len(freed[c]) == 0:
			case c == deadStatements:
				l.dropChains(l.chains.of(freed[c]))
			case c == completedSteps:
				l.condenseSteps()
			default:
				l.dropEntries(c, freed[c])
			}
		}
	}
}

func (l *ladder) noun(entry int32) noun { return nounOf(&l.doc.Objects[entry]) }

// nounOf is what a record calls an entry.
func nounOf(o *checkpoint.Object) noun {
	switch o.Type {
	case checkpoint.Statement:
		return aStatement + noun(o.Fact(checkpoint.Kind)) - 1
	case checkpoint.Resource:
		return aResource
	case checkpoint.Operation:
		return anOperation
	case checkpoint.Context:
		return aContext
	case checkpoint.Selection:
		return aSelection
	case checkpoint.Draft:
		return aDraft
	case checkpoint.RecoveryStep:
		return aRecoveryStep
	case checkpoint.Step:
		return aStep
	}
	return anInput
}
