package compact

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// build makes the edits that turn the document into what the state says. What is added stands on no line of its own, whatever style
// the edits are then given.
func (l *ladder) build() *jsonspan.Edits {
	e := &jsonspan.Edits{Src: l.doc.Src, Style: jsonspan.Tight}
	d := checkpoint.Derived{Stamp: l.stamp, Drop: func(i int32) bool { return l.gone[i] }}
	for m := range l.without {
		if !l.gone[m.Entry] {
			d.DropMembers = append(d.DropMembers, m)
		}
	}
	for _, m := range l.emptied {
		if !l.gone[m.Entry] {
			d.DropMembers = append(d.DropMembers, m)
		}
	}
	for i := range l.doc.Refs {
		if r := &l.doc.Refs[i]; r.Field == checkpoint.AffectedField && l.gone[r.To] && !l.gone[r.From] {
			d.DropRefs = append(d.DropRefs, int32(i))
		}
	}
	l.addRecords(&d)
	l.doc.Edit(e, &d)
	for _, i := range slices.Sorted(maps.Keys(l.marked)) {
		if !l.gone[i] {
			m := l.marks[i]
			m.edit(e)
		}
	}
	return e
}

// addRecords adds what §9.2 asks for: the omissions, the condensed steps, and where both can be recovered.
func (l *ladder) addRecords(d *checkpoint.Derived) {
	for r := range l.tallies {
		if t := &l.tallies[r]; t.total() > 0 {
			d.Last[checkpoint.Omission] = append(d.Last[checkpoint.Omission], omission(l.names.omissions[r], t, reason(r), l.names.resource))
		}
	}
	if l.omits() {
		d.Last[checkpoint.Resource] = [][]byte{l.resource()}
	}
	if l.done.count > 0 {
		d.First[checkpoint.Step] = [][]byte{l.done.step(l.names.step)}
		d.Last[checkpoint.Transformation] = [][]byte{l.done.transformation(l.names.transformation, l.names.step)}
	}
}

// resource is the text of the resource that stands for the input.
func (l *ladder) resource() []byte {
	return l.doc.InputResource(&l.stamp, l.names.resource, l.opts.ParentURI)
}

// leaveOutLosses finds groups of records that never paid for themselves, and says whether there are any that were not known yet.
func (l *ladder) leaveOutLosses() bool {
	known, knownDone := l.skip, l.skipDone
	for r := range l.tallies {
		l.skip[r] = l.skip[r] || l.tallies[r].total() > 0 && !l.paid[r]
	}
	if l.omits() && !l.paidAll && !l.carriesAny() {
		l.skip = [numReasons]bool{true, true, true, true}
	}
	l.skipDone = l.skipDone || l.done.count > 0 && !l.paidDone
	return l.skip != known || l.skipDone != knownDone
}

// carries says whether there is a record for a reason whatever is omitted.
func (l *ladder) carries(r reason) bool { return l.carried[r] || r == size && l.oldest > 0 }

// carriesAny says whether there is a record whatever is omitted.
func (l *ladder) carriesAny() bool {
	return l.carries(size) || l.carries(irrelevant) || l.carries(superseded)
}

// sizeOf is the size in bytes of a prefix, by its number of steps.
func (l *ladder) sizeOf(prefix int) int {
	if prefix == 0 {
		return l.sizes[jsonspan.Verbatim]
	}
	return l.steps[prefix-1].size
}

// descend writes the shortest prefix that fits, or the smallest of all.
func (l *ladder) descend(m *meter, before int, digested func() (digest.Digest, error)) (*Result, error) {
	sum, err := digested()
	if err != nil {
		return nil, err
	}
	l.stamp.Digest = sum.String()
	prefix, fits, err := l.choose(m)
	if err != nil {
		return nil, err
	}
	out := l.write(prefix)
	if m.N > 0 && !fits {
		return nil, l.belowFloor(m, out)
	}
	if m.N == 0 {
		asIs, err := m.size(l.doc.Src)
		if err != nil {
			return nil, err
		}
		if size, err := m.size(out); err != nil || size >= asIs || !l.gains(prefix) {
			return l.unchanged(m, asIs)
		}
	}
	return l.result(m, before, prefix, out)
}

// gains says whether a prefix does more than to write records anew: else the floor of a document that is there already would move with the tokens of
// its new id.
func (l *ladder) gains(prefix int) bool {
	for k, s := range l.steps[:prefix] {
		if rungs[s.class] > 1 || rungs[s.class] == 0 && s.size < l.sizeOf(k) {
			return true
		}
	}
	return false
}

// choose returns the shortest prefix that fits, or else the floor.
func (l *ladder) choose(m *meter) (prefix int, fits bool, err error) {
	if m.N > 0 {
		prefix, fits, err = l.search(m)
	}
	if !fits && err == nil {
		prefix, err = l.floor(m)
	}
	return prefix, fits, err
}

// search returns the shortest prefix that fits, false if none does. In bytes the sizes are known.
func (l *ladder) search(m *meter) (int, bool, error) {
	if m.Unit == Tokens {
		return l.searchTokens(m)
	}
	for k := range len(l.steps) + 1 {
		if l.sizeOf(k) <= m.N {
			return k, true, nil
		}
	}
	return 0, false, nil
}

// bytesPerToken is the length of the longest token of every tokenizer: what is longer than so many times the budget need not be counted.
const bytesPerToken = 128

// searchTokens counts as few prefixes as it can. Sizes in tokens are not monotone: an escape can have fewer tokens than the character. But a step
// cannot take more tokens away than bytes, so from a prefix that has n tokens too many the next one that may fit is n bytes further down.
func (l *ladder) searchTokens(m *meter) (int, bool, error) {
	counted := 0
	for k := l.firstWithin(bytesPerToken * m.N); k <= len(l.steps); {
		n, err := l.tokens(m, k)
		if err != nil || n <= m.N {
			return k, err == nil, err
		}
		if counted += l.sizeOf(k); counted > costly {
			return l.bisectTokens(m, k)
		}
		excess := n - m.N
		for k++; k <= len(l.steps) && k >= len(styles); k++ {
			if excess -= l.steps[k-1].removed; excess <= 0 {
				break
			}
		}
	}
	return 0, false, nil
}

// costly is how many bytes are counted before a search is content with a prefix that fits while the one before it does not.
const costly = 256 << 20

// bisectTokens looks for such a prefix behind one that does not fit.
func (l *ladder) bisectTokens(m *meter, tooLarge int) (int, bool, error) {
	var failure error
	i := sort.Search(len(l.steps)-tooLarge, func(i int) bool {
		n, err := l.tokens(m, tooLarge+1+i)
		failure = cmp.Or(failure, err)
		return n <= m.N
	})
	k := tooLarge + 1 + i
	return k, failure == nil && k <= len(l.steps), failure
}

// firstWithin is the first prefix of at most some number of bytes, 0 if the document is small in any case.
func (l *ladder) firstWithin(bytes int) int {
	const small = 1 << 20
	for k := range len(l.steps) + 1 {
		if n := l.sizeOf(k); n <= bytes || n <= small {
			return k
		}
	}
	return len(l.steps)
}

// tokens counts the tokens of a prefix, up to some number far beyond the budget.
func (l *ladder) tokens(m *meter, prefix int) (int, error) {
	const far = 1 << 14
	limit := -1
	if m.N > 0 {
		limit = 2*m.N + far
	}
	return m.counter.Count(l.write(prefix), limit)
}

// floor returns the smallest prefix, the shortest of those. In tokens it is looked for from the end of the sequence on, as long as that is not costly.
func (l *ladder) floor(m *meter) (int, error) {
	if m.Unit == Bytes {
		smallest := 0
		for k := range len(l.steps) + 1 {
			if l.sizeOf(k) < l.sizeOf(smallest) {
				smallest = k
			}
		}
		return smallest, nil
	}
	smallest, least, counted := 0, -1, 0
	for k := len(l.steps); k >= 0 && counted < costly; {
		n, err := m.counter.Count(l.write(k), -1)
		if err != nil {
			return 0, err
		}
		counted += l.sizeOf(k)
		if least < 0 || n <= least {
			smallest, least = k, n
		}
		k = l.back(k, n-least)
	}
	return smallest, nil
}

// back returns the next shorter prefix that may have excess fewer tokens than this one. A step that is taken back gives up no more than what its records
// added. Rung 0 may be a world of its own.
func (l *ladder) back(prefix, excess int) int {
	for prefix--; prefix >= len(styles); prefix-- {
		step := l.steps[prefix]
		if excess -= step.size - l.sizeOf(prefix) + step.removed; excess <= 0 {
			break
		}
	}
	return prefix
}

// write returns the document that a prefix makes.
func (l *ladder) write(prefix int) []byte {
	l.replay(prefix)
	e := l.build()
	e.Style = styles[min(prefix, len(styles)-1)]
	out := e.AppendTo(make([]byte, 0, l.sizeOf(prefix)))
	l.runs = e.Runs()
	return out
}

// replay brings the state to where a prefix ends.
func (l *ladder) replay(prefix int) {
	if prefix < l.prefix {
		l.reset()
	}
	if prefix > l.prefix {
		from := 0
		if l.prefix > 0 {
			from = l.steps[l.prefix-1].until
		}
		for _, a := range l.actions[from:l.steps[prefix-1].until] {
			l.do(a)
		}
	}
	l.prefix = prefix
}

// styles are the ways in which the first prefixes write what they keep; all longer ones write it in the last.
var styles = [...]jsonspan.Style{jsonspan.Verbatim, jsonspan.Tight, jsonspan.Plainest}
