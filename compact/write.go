package compact

import (
	"maps"
	"slices"
	"sort"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// build makes the edits that turn the document into what the state says.
func (l *ladder) build(style jsonspan.Style) *jsonspan.Edits {
	e := &jsonspan.Edits{Src: l.doc.Src, Style: style}
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
			l.staleEdits(e, i)
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
	uri := l.opts.ParentURI
	if uri == "" {
		uri = l.doc.GlobalID()
	}
	b := jsonspan.AppendQuoted([]byte(`{"id":`), l.names.resource)
	b = jsonspan.AppendQuoted(append(b, `,"uri":`...), uri)
	b = jsonspan.AppendQuoted(append(b, `,"media_type":`...), checkpoint.MediaType)
	b = jsonspan.AppendQuoted(append(b, `,"digest":`...), l.stamp.Digest)
	b = jsonspan.AppendQuoted(append(b, `,"observed_at":`...), l.stamp.CreatedAt)
	return append(b, '}')
}

// leaveOutLosses finds groups of records that cost more than they save, and says whether there are any that were not known yet.
func (l *ladder) leaveOutLosses() (found bool) {
	known, knownDone := l.skip, l.skipDone
	gain := 0
	for r := range l.tallies {
		t := &l.tallies[r]
		if t.total() == 0 {
			continue
		}
		net := l.saved[r] - omissionLen(l.names.omissions[r], t, reason(r), l.names.resource) - len(`,`)
		if net <= 0 && !l.carries(reason(r)) {
			l.skip[r] = true
		}
		gain += net
	}
	if l.omits() && gain <= l.resourceLen && !l.carries(size) && !l.carries(irrelevant) && !l.carries(superseded) {
		l.skip = [numReasons]bool{true, true, true, true}
	}
	if l.done.count > 0 && l.savedDone <= l.done.stepLen(l.names.step)+l.done.transformationLen(l.names.transformation, l.names.step)+len(`,,`) {
		l.skipDone = true
	}
	return l.skip != known || l.skipDone != knownDone
}

// carries says whether there is a record for a reason whatever is omitted.
func (l *ladder) carries(r reason) bool {
	if r == size && l.oldest > 0 {
		return true
	}
	for _, i := range l.byClass[oldRecords] {
		if _, reason, _ := ourOmission(l.doc, i); reason == r {
			return true
		}
	}
	return false
}

// prefixes are the prefixes of the sequence that are smaller than every shorter one, by their number of steps. No other one can be the shortest
// that fits; a step that costs more than it saves so counts as a part of the next one that pays for it.
func (l *ladder) prefixes() (list []int) {
	smallest := l.sizes[jsonspan.Verbatim] + 1
	for k := range len(l.steps) + 1 {
		if n := l.sizeOf(k); n < smallest {
			smallest = n
			list = append(list, k)
		}
	}
	return list
}

func (l *ladder) sizeOf(prefix int) int {
	if prefix == 0 {
		return l.sizes[jsonspan.Verbatim]
	}
	return l.steps[prefix-1].size
}

// descend writes the shortest prefix that fits.
func (l *ladder) descend(m *meter, before int) (*Result, error) {
	sum, err := digest.Of(l.doc.Src)
	if err != nil {
		return nil, err
	}
	l.stamp.Digest = sum.String()
	prefixes := l.prefixes()
	floor := len(prefixes) - 1
	chosen := floor
	if m.N > 0 {
		if chosen, err = l.search(m, prefixes); err != nil {
			return nil, err
		}
	}
	if chosen < 0 {
		return nil, l.belowFloor(m, prefixes[floor])
	}
	out := l.write(prefixes[chosen])
	if m.N == 0 && len(out) >= len(l.doc.Src) {
		return l.unchanged(m)
	}
	return l.result(m, before, prefixes[chosen], out)
}

// search returns the place of the shortest prefix that fits, -1 if none does.
func (l *ladder) search(m *meter, prefixes []int) (int, error) {
	if m.unit == Bytes {
		i := sort.Search(len(prefixes), func(i int) bool { return l.sizeOf(prefixes[i]) <= m.N })
		if i == len(prefixes) {
			return -1, nil
		}
		return i, nil
	}
	var failure error
	fits := func(i int) bool {
		_, ok, err := m.fits(l.write(prefixes[i]))
		if err != nil {
			failure = err
		}
		return ok
	}
	last := len(prefixes) - 1
	if !fits(last) {
		return -1, failure
	}
	i := sort.Search(last, fits)
	for i > 0 && fits(i-1) {
		i-- // a token more can be a byte less
	}
	return i, failure
}

// write returns the document that a prefix makes.
func (l *ladder) write(prefix int) []byte {
	l.replay(prefix)
	style := styles[min(prefix, len(styles)-1)]
	return l.build(style).AppendTo(make([]byte, 0, l.sizeOf(prefix)))
}

// replay brings the state to where a prefix ends.
func (l *ladder) replay(prefix int) {
	actions, steps := l.actions, l.steps
	l.actions, l.steps = nil, nil
	l.reset()
	l.actions, l.steps = actions, steps
	if prefix > 0 {
		for _, a := range actions[:steps[prefix-1].until] {
			l.do(a)
		}
	}
}

// styles are the ways in which the first prefixes write what they keep; all longer ones write it in the last.
var styles = [...]jsonspan.Style{jsonspan.Verbatim, jsonspan.Tight, jsonspan.Plainest}
