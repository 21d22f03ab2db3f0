package compact

import (
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// state is how far down the ladder a document is. Sizes are in bytes, without white space and needless escapes.
type state struct {
	gone     []bool
	released []bool                       // references that are gone with what they stood in
	without  map[checkpoint.MemberAt]bool // members that are gone
	emptied  []checkpoint.MemberAt        // extensions of which nothing is left
	marked   map[int32]bool               // statements that became stale

	hard  []int32 // references that must resolve, to each entry
	live  []int32 // references from live entries, to each entry
	freed []int32 // entries that lost their last reference, or, in a chain, any

	length     []int32 // of each entry
	count      [numLists]int
	draftsLeft map[int32]int // left in an application context entry
	keysLeft   map[int32]int // left in an entry's extensions
	affected   map[int32]int // references left in a transformation's list

	prefix    int // of the sequence that was taken
	fixed     int // size of the document less its additions
	tallies   [numReasons]tally
	done      condensed
	oldest    int              // inputs beyond the number that a checkpoint keeps
	saved     [numReasons]int  // bytes, by the omissions of each reason
	savedDone int              // by condensing
	paid      [numReasons]bool // the omissions of a reason once saved more than their record costs
	paidAll   bool             // and all of them more than the resource besides
	paidDone  bool
	enough    bool // the document is within the limit, and all records have paid
}

// reset goes back to the top of the ladder.
func (l *ladder) reset() {
	doc := l.doc
	l.state = state{
		gone: make([]bool, len(doc.Objects)), released: make([]bool, len(doc.Refs)), without: map[checkpoint.MemberAt]bool{}, marked: map[int32]bool{},
		hard: make([]int32, len(doc.Objects)), live: make([]int32, len(doc.Objects)), length: make([]int32, len(doc.Objects)),
		draftsLeft: map[int32]int{}, keysLeft: map[int32]int{}, affected: map[int32]int{},
	}
	for i := range doc.Objects {
		o := &doc.Objects[i]
		l.length[i] = int32(o.Min)
		l.count[o.Type]++
		if o.Type == checkpoint.Draft {
			l.draftsLeft[o.Parent]++
		}
	}
	for _, m := range l.extensions {
		l.keysLeft[m.Entry]++
	}
	for _, r := range doc.Refs {
		if r.Field == checkpoint.AffectedField {
			l.affected[r.From]++
			continue
		}
		l.hard[r.To]++
		if isLive(doc, r.From) {
			l.live[r.To]++
		}
	}
	l.markStale()
	l.dropOldestInputs()
	if l.sizes == nil {
		l.measure()
	}
	l.fixed = l.sizes[jsonspan.Plainest] - l.additions()
}

// measure finds the size of the document in each style before anything goes.
func (l *ladder) measure() {
	e := l.build()
	for _, e.Style = range styles {
		l.sizes = append(l.sizes, e.Len(l.doc.White, l.doc.Waste))
	}
}

// isLive says whether an entry is about work that is still open, or knowledge that still holds.
func isLive(doc *checkpoint.Document, i int32) bool {
	o := &doc.Objects[i]
	switch o.Type {
	case checkpoint.Statement:
		return o.Live()
	case checkpoint.Operation:
		return !checkpoint.Terminal(o.Fact(checkpoint.Status))
	case checkpoint.Step, checkpoint.Omission, checkpoint.Transformation:
		return false
	}
	return true
}

// size is the size of the document in bytes.
func (l *ladder) size() int { return l.fixed + l.additions() }

// growing are the lists whose commas depend on what goes and on what the records add.
var growing = [...]checkpoint.Type{checkpoint.Statement, checkpoint.Resource, checkpoint.Context, checkpoint.Operation, checkpoint.Step,
	checkpoint.RecoveryStep, checkpoint.Omission, checkpoint.Transformation}

// additions is the size of the records and of the commas in the growing lists.
func (l *ladder) additions() (n int) {
	for _, t := range growing {
		added, bytes := l.added(t)
		items := l.count[t] + added
		n += bytes + max(0, items-1)
		if place := l.lists[t]; !place.present && added > 0 {
			n += len(`,"":[]`) + len(place.name)
		}
	}
	return n
}

// added counts the new entries of a list and their bytes.
func (l *ladder) added(t checkpoint.Type) (count, bytes int) {
	switch t {
	case checkpoint.Omission:
		for r := range l.tallies {
			if l.tallies[r].total() > 0 {
				count++
				bytes += omissionLen(l.names.omissions[r], &l.tallies[r], reason(r), l.names.resource)
			}
		}
	case checkpoint.Resource:
		if l.omits() {
			return 1, l.resourceLen
		}
	case checkpoint.Step:
		if l.done.count > 0 {
			return 1, l.done.stepLen(l.names.step)
		}
	case checkpoint.Transformation:
		if l.done.count > 0 {
			return 1, l.done.transformationLen(l.names.transformation, l.names.step)
		}
	}
	return count, bytes
}

// omits says whether there is an omission to record.
func (l *ladder) omits() bool {
	for r := range l.tallies {
		if l.tallies[r].total() > 0 {
			return true
		}
	}
	return false
}

// take takes one step: it does the actions and notes the size that the document then has. It does nothing if the step needs a
// record that does not pay.
func (l *ladder) take(c class, actions ...action) {
	if l.enough {
		return
	}
	for _, a := range actions {
		if (a.act == drop || a.act == dropPart) && l.skip[a.reason] || a.act == condense && l.skipDone {
			return
		}
	}
	before := l.fixed
	for _, a := range actions {
		l.do(a)
	}
	l.actions = append(l.actions, actions...)
	l.steps = append(l.steps, step{class: c, until: len(l.actions), size: l.size(), removed: before - l.fixed + staleText*len(actions)})
	l.prefix = len(l.steps)
	l.settle()
}

// staleText is more than a statement grows by when it becomes stale.
const staleText = 32

// settle notes which groups of records have paid for themselves, and whether the document is small enough: no later step can then change what
// the sequence is up to here.
func (l *ladder) settle() {
	gain, all := 0, true
	for r := range l.tallies {
		if t := &l.tallies[r]; t.total() > 0 {
			net := l.saved[r] - omissionLen(l.names.omissions[r], t, reason(r), l.names.resource) - len(`,`)
			l.paid[r] = l.paid[r] || net > 0 || l.carries(reason(r))
			gain, all = gain+net, all && l.paid[r]
		}
	}
	l.paidAll = l.paidAll || gain > l.resourceLen
	if l.done.count > 0 && !l.paidDone {
		l.paidDone = l.savedDone > l.done.stepLen(l.names.step)+l.done.transformationLen(l.names.transformation, l.names.step)+len(`,,`)
		all = all && l.paidDone
	}
	settled := all && (l.paidAll || !l.omits() || l.carriesAny())
	l.enough = l.limit > 0 && settled && l.steps[len(l.steps)-1].size <= l.limit
}

// do does one action.
func (l *ladder) do(a action) {
	before := l.fixed
	switch a.act {
	case fold:
		l.fold(a.entry)
	case drop:
		l.tallyInside(a)
		l.remove(a.entry)
		l.saved[a.reason] += before - l.fixed
	case condense:
		l.condense(a.entry)
		l.savedDone += before - l.fixed
	case dropPart:
		l.dropPart(a)
		l.saved[a.reason] += before - l.fixed
	case dropEmpty:
		l.dropEmptied(a)
		l.saved[a.reason] += before - l.fixed
	}
}

// tallyInside counts an entry and the entries inside it that are still there.
func (l *ladder) tallyInside(a action) {
	for i, end := a.entry, l.doc.Inside(a.entry); i < end; i++ {
		if !l.gone[i] {
			l.tallies[a.reason].add(l.noun(i))
		}
	}
}

// remove takes an entry out, with what is inside it and the references from there.
func (l *ladder) remove(entry int32) {
	o := &l.doc.Objects[entry]
	length := l.length[entry]
	var newly []int32
	for i, end := entry, l.doc.Inside(entry); i < end; i++ {
		if !l.gone[i] {
			newly = append(newly, i)
			l.gone[i] = true
		}
	}
	switch o.Type {
	case checkpoint.Draft:
		if l.draftsLeft[o.Parent]--; l.draftsLeft[o.Parent] > 0 {
			length++ // its comma
		} else {
			l.freed = append(l.freed, o.Parent)
		}
		l.length[o.Parent] -= length
	case checkpoint.Input:
		length++ // the direct input stays
	default:
		l.count[o.Type]--
	}
	l.fixed -= int(length)
	l.release(o.Span())
	for _, i := range newly {
		l.forget(i)
	}
}

// release takes out the references within a span.
func (l *ladder) release(s jsonspan.Span) {
	from, to := l.doc.RefsWithin(s)
	for i := from; i < to; i++ {
		r := &l.doc.Refs[i]
		if l.released[i] || r.Field == checkpoint.AffectedField {
			continue
		}
		l.released[i] = true
		l.hard[r.To]--
		if isLive(l.doc, r.From) {
			l.live[r.To]--
		}
		if l.hard[r.To] == 0 || l.class[r.To] == deadStatements {
			l.freed = append(l.freed, r.To)
		}
	}
}

// forget takes an entry that is gone out of the affected lists of transformations.
func (l *ladder) forget(entry int32) {
	for _, i := range l.affectedBy[entry] {
		r := &l.doc.Refs[i]
		if l.gone[r.From] {
			continue
		}
		t := jsonspan.TextAt(l.doc.Src, int(r.At))
		n := jsonspan.StyledLen(l.doc.Src[t.Start:t.End], jsonspan.Plainest)
		if l.affected[r.From]--; l.affected[r.From] > 0 {
			n++
		}
		l.shrink(r.From, n)
	}
}

// shrink takes bytes from an entry.
func (l *ladder) shrink(entry int32, n int) {
	l.length[entry] -= int32(n)
	l.fixed -= n
}

// fold takes over a record of an earlier compaction, or drops the resource that stands for an older input.
func (l *ladder) fold(entry int32) {
	if t, r, ok := ourOmission(l.doc, entry); ok {
		l.tallies[r].merge(t)
	}
	l.remove(entry)
}

// condense adds a completed step to those that become one.
func (l *ladder) condense(entry int32) {
	description := string(l.doc.StringField(entry, "description"))
	count, names, ours := ourStep(l.doc, entry, description)
	if !ours {
		count, names = 1, shorten(description)
	}
	l.done.add(count, names)
	if at, ok := l.doc.Time(entry); ok && (l.done.latest == "" || at.After(l.done.at)) {
		l.done.latest, l.done.at = string(l.doc.StringField(entry, "completed_at")), at
	}
	l.remove(entry)
	if record, ok := l.transformations[entry]; ok && !l.gone[record] {
		l.remove(record)
	}
}

// dropPart takes out a member of an entry, or one of its extension data.
func (l *ladder) dropPart(a action) {
	l.without[checkpoint.MemberAt{Entry: a.entry, At: a.at}] = true
	item, n := l.part(a.at)
	if a.noun != anExtension {
		l.tallies[a.reason].add(a.noun)
		n++ // its comma: the entry has members that stay
	} else {
		l.tallies[a.reason].addKey(keyName(string(jsonspan.Plain(l.doc.Src, item.Name))))
		if l.keysLeft[a.entry]--; l.keysLeft[a.entry] > 0 {
			n++
		}
	}
	l.shrink(a.entry, n)
	l.release(item.Value)
	if a.noun == someEvidence && l.isVerified(a.entry) && !l.marked[a.entry] {
		l.fixed += int(l.mark(a.entry))
	}
}

// dropEmptied takes out an entry's extensions, of which no key is left.
func (l *ladder) dropEmptied(a action) {
	l.emptied = append(l.emptied, checkpoint.MemberAt{Entry: a.entry, At: a.at})
	name := jsonspan.TextAt(l.doc.Src, int(a.at))
	n := jsonspan.StyledLen(l.doc.Src[name.Start:name.End], jsonspan.Plainest) + len(`:{}`)
	if len(l.doc.Members(a.entry)) > 1 || l.doc.Objects[a.entry].Type == checkpoint.Source {
		n++ // a comma: at least the producer stands beside it
	}
	l.shrink(a.entry, n)
}

// part is a member of an entry, or of its extensions, by the offset of its name, and its length.
func (l *ladder) part(at uint32) (jsonspan.Item, int) {
	c := jsonspan.Cursor{Src: l.doc.Src, Pos: int(at), Lenient: true}
	item := jsonspan.Item{Name: c.Name(), Value: c.Skip()}
	return item, item.Span().Len() - c.White - c.Waste
}

// dropOldestInputs drops the oldest checkpoints among the inputs, which come last, whatever the budget.
func (l *ladder) dropOldestInputs() {
	for _, i := range l.doc.OldestInputs() {
		l.do(action{act: drop, noun: anInput, entry: i})
		l.oldest++
	}
}
