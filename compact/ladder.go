package compact

import (
	"cmp"
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

const (
	omissionID       = "ocp.omitted."
	transformationID = "ocp.condensed"
	stepID           = "ocp.done"
)

func newLadder(doc *checkpoint.Document, opts Options) (*ladder, error) {
	p, err := newProtection(doc, opts)
	if err != nil {
		return nil, err
	}
	stamp, err := doc.NewStamp("compacted", opts.ID, opts.Now)
	if err != nil {
		return nil, err
	}
	stamp.Digest = digest.OfBytes(nil).String() // of the right length; Derive fills in the document's
	l := &ladder{protection: p, opts: opts, stamp: stamp, marks: map[int32]staleMark{}, times: map[int32]moment{}}
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

// candidate is an entry, or a member of one, in the order in which candidates of a class go: unreferenced before referenced, older
// before newer, one that tells no time first of all, later in the document first.
type candidate struct {
	entry      int32
	at         uint32
	referenced bool
	moment
}

// moment is a time that an entry tells, if it tells one.
type moment struct {
	time  checkpoint.Instant
	timed bool
}

func (l *ladder) candidate(entry int32, at uint32) candidate {
	c := candidate{entry: entry, at: at, referenced: l.hard[entry] > 0}
	c.moment = l.moment(entry)
	return c
}

// moment is the latest event of an entry. One with many members is asked for it often.
func (l *ladder) moment(entry int32) moment {
	m, known := l.times[entry]
	if !known {
		m.time, m.timed = l.doc.Time(entry)
		l.times[entry] = m
	}
	return m
}

func inOrder(candidates []candidate) []candidate {
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(first(!a.referenced, !b.referenced), first(!a.timed, !b.timed), first(b.time.After(a.time), a.time.After(b.time)),
			cmp.Compare(b.entry, a.entry), cmp.Compare(b.at, a.at))
	})
	return candidates
}

// first puts what has a property before what has it not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// free says whether an entry may be dropped by itself.
func (l *ladder) free(i int32) bool { return !l.gone[i] && !l.protected[i] && l.hard[i] == 0 }

// dropEntries drops the entries of a class that nothing kept refers to, one a step.
func (l *ladder) dropEntries(c class, entries []int32) {
	var candidates []candidate
	for _, i := range entries {
		if l.free(i) && (c != bareContexts || !l.hasDrafts(i)) {
			candidates = append(candidates, l.candidate(i, 0))
		}
	}
	for _, candidate := range inOrder(candidates) {
		l.take(c, l.dropping(candidate.entry, size))
	}
}

func (l *ladder) dropping(entry int32, r reason) action {
	return action{act: drop, reason: r, noun: l.noun(entry), entry: entry}
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

func (l *ladder) hasDrafts(context int32) bool {
	for i, end := context+1, l.doc.Inside(context); i < end; i++ {
		if l.doc.Objects[i].Type == checkpoint.Draft && !l.gone[i] {
			return true
		}
	}
	return false
}

// foldRecords is one step: all records of ours turn into those of this compaction, and the resources that stand for older inputs, to which the
// new input leads, go with them.
func (l *ladder) foldRecords() {
	var actions []action
	named := map[int32]int32{} // how many of the records say that what they cover can be recovered there
	for _, i := range l.byClass[oldRecords] {
		actions = append(actions, action{act: fold, entry: i})
		from, to := l.doc.RefsWithin(l.doc.Objects[i].Span())
		for _, r := range l.doc.Refs[from:to] {
			named[r.To]++
		}
	}
	for i, n := range named {
		if !l.protected[i] && isInputResource(l.doc, i) && l.hard[i] == n {
			actions = append(actions, action{act: fold, entry: i})
		}
	}
	slices.SortFunc(actions, func(a, b action) int { return cmp.Compare(a.entry, b.entry) })
	if len(actions) > 0 {
		l.take(oldRecords, actions...)
	}
}

// dropExcerpts drops those that no live object depends on and those marked as sensitive; in the later class, all.
func (l *ladder) dropExcerpts(c class) {
	var candidates []candidate
	for _, m := range l.excerpts {
		if !l.gone[m.Entry] && !l.without[m] && (c == otherExcerpts || l.live[m.Entry] == 0 || l.isSensitive(m.Entry)) {
			candidates = append(candidates, l.candidate(m.Entry, m.At))
		}
	}
	for _, candidate := range inOrder(candidates) {
		a := action{act: dropPart, noun: anExcerpt, entry: candidate.entry, at: candidate.at}
		if l.isSensitive(candidate.entry) {
			a.reason = sensitive
		}
		l.take(c, a)
	}
}

func (l *ladder) isSensitive(resource int32) bool {
	_, ok := l.doc.Field(resource, "sensitivity")
	return ok
}

// dropContextMembers drops filters, view and state of application context entries; a state takes its schema along.
func (l *ladder) dropContextMembers() {
	var candidates []candidate
	for _, m := range l.contextParts {
		if !l.gone[m.Entry] {
			candidates = append(candidates, l.candidate(m.Entry, m.At))
		}
	}
	for _, candidate := range inOrder(candidates) {
		l.take(contextMembers, l.contextPart(candidate)...)
	}
}

func (l *ladder) contextPart(c candidate) []action {
	part := func(n noun, at uint32) action { return action{act: dropPart, noun: n, entry: c.entry, at: at} }
	name := string(l.doc.Text(c.at))
	switch name {
	case "filters":
		return []action{part(aFilter, c.at)}
	case "view":
		return []action{part(aView, c.at)}
	case "state_schema":
		return []action{part(aSchema, c.at)}
	}
	actions := []action{part(aState, c.at)}
	if schema, ok := l.doc.Field(c.entry, "state_schema"); ok {
		actions = append(actions, part(aSchema, uint32(schema.Name.Start)))
	}
	return actions
}

// condenseSteps turns completed steps into one, the oldest first: their order in the document is that of the work (§6.3).
func (l *ladder) condenseSteps() {
	for _, i := range l.byClass[completedSteps] {
		if l.free(i) {
			l.take(completedSteps, action{act: condense, entry: i})
		}
	}
}

// dropEvidence drops the evidence of kept statements, or of success criteria; a resource that nothing refers to any more goes with it.
func (l *ladder) dropEvidence(c class) {
	var candidates []candidate
	for _, m := range l.evidence {
		if !l.gone[m.Entry] && !l.without[m] && (l.doc.Objects[m.Entry].Type == checkpoint.Statement) == (c == evidence) {
			candidates = append(candidates, l.candidate(m.Entry, m.At))
		}
	}
	for _, candidate := range inOrder(candidates) {
		actions := []action{{act: dropPart, noun: someEvidence, entry: candidate.entry, at: candidate.at}}
		l.take(c, append(actions, l.orphans(candidate)...)...)
	}
}

// orphans are the resources that only one list of evidence refers to.
func (l *ladder) orphans(c candidate) (actions []action) {
	list, _ := l.part(c.at)
	from, to := l.doc.RefsWithin(list.Value)
	count := map[int32]int32{}
	for _, r := range l.doc.Refs[from:to] {
		count[r.To]++
	}
	for _, r := range l.doc.Refs[from:to] {
		if n := count[r.To]; n > 0 && l.hard[r.To] == n && !l.protected[r.To] && l.class[r.To] == resources {
			actions = append(actions, l.dropping(r.To, size))
		}
		delete(count, r.To)
	}
	return actions
}

// dropExtensions drops extension data key by key, except what a requirement or this program needs.
func (l *ladder) dropExtensions() {
	var candidates []candidate
	left := map[int32]int{} // keys of an entry
	for _, m := range l.extensions {
		if l.gone[m.Entry] {
			continue
		}
		left[m.Entry]++
		if !l.keepsKey(l.doc.Text(m.At)) {
			candidates = append(candidates, l.candidate(m.Entry, m.At))
		}
	}
	for _, candidate := range inOrder(candidates) {
		actions := []action{{act: dropPart, noun: anExtension, entry: candidate.entry, at: candidate.at}}
		if left[candidate.entry]--; left[candidate.entry] == 0 {
			member, _ := l.doc.Field(candidate.entry, "extensions")
			actions = append(actions, action{act: dropEmpty, entry: candidate.entry, at: uint32(member.Name.Start)})
		}
		l.take(extensionData, actions...)
	}
}

// runCycles drops what only its own class refers to, in circles.
func (l *ladder) runCycles(from, until class) {
	for c := from; c < until; c++ {
		if c == settledOperations || c == doneOperations && l.opts.DropDone {
			for _, circle := range l.circles(c) {
				var actions []action
				for _, i := range circle {
					actions = append(actions, l.dropping(i, size))
				}
				l.take(c, actions...)
				l.runFreed(until)
			}
		}
	}
}

// circles groups the entries of a class that nothing outside their group refers to.
func (l *ladder) circles(c class) [][]int32 {
	var open []int32
	for _, i := range l.byClass[c] {
		if !l.gone[i] && !l.protected[i] {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return newGroups(l.doc, open, func(f checkpoint.Field) bool { return f != checkpoint.AffectedField }).closed(l)
}
