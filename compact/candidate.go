package compact

import (
	"cmp"
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

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
