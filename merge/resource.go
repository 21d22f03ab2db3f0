package merge

import (
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// The members of the group that revision settles.
const (
	revisionMember = iota
	digestMember
	observedMember
	availabilityMember
)

// revision: observations of one revision are taken from the latest. Different revisions are a conflict.
func revision(f *field) {
	if len(f.terms) == 1 {
		f.result = f.terms[0].value
		return
	}
	first := f.terms[0]
	differs := func(v value) bool {
		return canonical([]byte(v.texts[revisionMember])) != canonical([]byte(first.texts[revisionMember])) ||
			canonical([]byte(v.texts[digestMember])) != canonical([]byte(first.texts[digestMember]))
	}
	best, tie := latestObserved(f.values())
	if tie || slices.ContainsFunc(f.values(), differs) {
		f.conflict(f.standing())
		return
	}
	f.result = best
}

// latestObserved is the value that was observed last, and whether another one was at the same time.
func latestObserved(list []value) (best value, tie bool) {
	best = list[0]
	for _, v := range list[1:] {
		x, okX := checkpoint.ParseInstant(plain(best.texts[observedMember]))
		y, okY := checkpoint.ParseInstant(plain(v.texts[observedMember]))
		switch {
		case okY && (!okX || y.After(x)):
			best, tie = v, false
		case okX == okY && !x.After(y):
			tie = true
		}
	}
	return best, tie
}

// sensitivity is taken from one input that adds or changes it. If inputs differ, or one takes it away, it is a conflict, and the excerpt goes.
func sensitivity(f *field) {
	if len(f.terms) == 1 && (!f.terms[0].absent() || !f.known || f.base.absent()) {
		f.result = f.terms[0].value
		return
	}
	f.conflict(f.standing())
}
