package merge

import (
	"cmp"
	"slices"
)

// The members of the group that operationStatus settles.
const (
	operationStatusMember = iota
	approvalMember
	completedAtMember
)

// openOrder are the statuses of an operation that is not over, from the least telling on.
var openOrder = []string{"planned", "awaiting", "failed", "approved", "uncertain"}

// finalOrder are the terminal statuses, from the one that stands first.
var finalOrder = []string{"completed", "rejected", "cancelled"}

func operationStatusOf(v value) string { return plain(v.texts[operationStatusMember]) }

func isFinal(v value) bool { return slices.Contains(finalOrder, operationStatusOf(v)) }

// operationStatus: what is over stays so, and beats what is not. Two ways of being over are a conflict, and so are two approvals or an approval and a rejection.
func operationStatus(f *field) {
	if f.known && isFinal(f.base) && slices.ContainsFunc(f.values(), func(v value) bool { return operationStatusOf(v) != operationStatusOf(f.base) }) {
		f.conflict(f.base) // OCP-T001
		return
	}
	if len(f.terms) == 1 {
		f.result = f.terms[0].value
		return
	}
	final := slices.DeleteFunc(f.values(), func(v value) bool { return !isFinal(v) })
	approved := slices.DeleteFunc(f.values(), func(v value) bool { return operationStatusOf(v) != "approved" })
	switch {
	case len(final) == 1 && (len(approved) == 0 || operationStatusOf(final[0]) == "completed"):
		f.result = final[0]
	case len(final) > 0:
		f.conflict(f.firstFinal(final))
	case len(approved) > 1:
		f.conflict(f.awaiting())
	default:
		f.mostTelling(len(approved) > 0)
	}
}

// firstFinal is the way of being over that stands: the parent's, so that its child agrees with it (OCP-T001), else the first in finalOrder.
func (f *field) firstFinal(final []value) value {
	for k, d := range f.m.docs {
		if d == f.m.parent && f.has[k] && isFinal(f.at[k]) {
			return f.at[k]
		}
	}
	return slices.MinFunc(final, func(a, b value) int {
		return cmp.Or(cmp.Compare(slices.Index(finalOrder, operationStatusOf(a)), slices.Index(finalOrder, operationStatusOf(b))), cmp.Compare(a.canon, b.canon))
	})
}

// awaiting is what an approval goes back to that was given in different ways.
func (f *field) awaiting() value {
	if f.known && operationStatusOf(f.base) == "awaiting" {
		return f.base
	}
	return group(`"awaiting"`, "", "")
}

// mostTelling takes the status that tells most. It is a conflict if that is not all that it takes: an approval would be lost, or the others differ in more.
func (f *field) mostTelling(approved bool) {
	rank := func(v value) int { return slices.Index(openOrder, operationStatusOf(v)) }
	best := slices.MaxFunc(f.values(), func(a, b value) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.canon, a.canon)) })
	same := 0
	for _, v := range f.values() {
		if operationStatusOf(v) == operationStatusOf(best) {
			same++
		}
	}
	if same > 1 || approved && operationStatusOf(best) != "approved" {
		f.conflict(best)
		return
	}
	f.result = best
}
