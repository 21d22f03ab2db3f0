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
	differs := func(v value) bool { return !sameRevision(v, f.terms[0].value) }
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

// staleByRevision makes statements stale that were verified with another revision of a resource than the result has (§10.4): no document has both.
func (m *Merger) staleByRevision() {
	for _, resource := range m.entities {
		f := resource.fields["revision"]
		if f == nil || resource.gone || f.kind != "" || !f.isRevised() {
			continue
		}
		for _, e := range m.cited(resource.key) {
			was := memberText(string(m.bytesOf(e)), "verification")
			if isVerified(was) && !m.isVerifiedWith(e, was, f) {
				e.text = edited(m.bytesOf(e), []change{{"verification", markedStale(was)}})
			}
		}
	}
}

// isRevised says whether a change of the field is one of the revision or the digest.
func (f *field) isRevised() bool {
	return slices.ContainsFunc(f.values(), func(v value) bool { return !f.known || !sameRevision(v, f.base) })
}

func sameRevision(a, b value) bool {
	return canonical([]byte(a.texts[revisionMember])) == canonical([]byte(b.texts[revisionMember])) &&
		canonical([]byte(a.texts[digestMember])) == canonical([]byte(b.texts[digestMember]))
}

// isVerifiedWith says whether a document has a statement with a verification and a resource in the revision of the result.
func (m *Merger) isVerifiedWith(e *entity, verification string, f *field) bool {
	for k := range m.docs {
		d, i := m.doc(e, k)
		if i >= 0 && f.has[k] && sameRevision(f.at[k], f.result) && valueOf(d.Document, i, "verification").canon == canonical([]byte(verification)) {
			return true
		}
	}
	return false
}
