package merge

import (
	"cmp"
	"slices"
)

// approvalMember is the place of the approval record in approvalRule.
const approvalMember = 1

// openOrder are the statuses of an operation that is not over, from the least telling on.
var openOrder = []string{"planned", "awaiting", "failed", "approved", "uncertain"}

// finalOrder are the terminal statuses, from the one that stands first.
var finalOrder = []string{"completed", "rejected", "cancelled"}

func operationStatusOf(v value) string { return plain(v.texts[0]) }

func isFinal(v value) bool { return slices.Contains(finalOrder, operationStatusOf(v)) }

// operationStatus: what is over stays so, and beats what is not; of the rest the status that tells most is taken. Two ways of being over are a
// conflict.
func operationStatus(f *field) {
	final := slices.DeleteFunc(f.values(), func(v value) bool { return !isFinal(v) })
	switch {
	case f.known && isFinal(f.base):
		f.conflict(f.firstFinal(append(final, f.base))) // OCP-T001
		if f.result.canon != f.base.canon {
			f.addUnchanged()
		}
	case len(final) == 1:
		f.result = final[0]
	case len(final) > 1:
		f.terms = slices.DeleteFunc(f.terms, func(t term) bool { return !isFinal(t.value) })
		f.conflict(f.firstFinal(final))
	default:
		rank := func(v value) int { return slices.Index(openOrder, operationStatusOf(v)) }
		f.result = slices.MaxFunc(f.values(), func(a, b value) int { return cmp.Compare(rank(a), rank(b)) })
	}
}

// addUnchanged makes a term of the base's value, which some inputs have.
func (f *field) addUnchanged() {
	for k := len(f.m.bases); k < len(f.m.docs); k++ {
		if f.has[k] && f.at[k].canon == f.base.canon {
			f.add(f.at[k], f.m.docs[k].id)
		}
	}
	f.sortTerms()
}

// firstFinal is the way of being over that stands: the parent's, so that its child agrees with it (OCP-T001), else the first in finalOrder.
func (f *field) firstFinal(final []value) value {
	for k, d := range f.m.docs {
		if d == f.m.parent && f.has[k] && isFinal(f.at[k]) {
			return f.at[k]
		}
	}
	return slices.MinFunc(final, func(a, b value) int {
		return cmp.Compare(slices.Index(finalOrder, operationStatusOf(a)), slices.Index(finalOrder, operationStatusOf(b)))
	})
}

// approvalRecord takes one record; that there is none elsewhere does not compete with it.
func approvalRecord(f *field) {
	records := slices.DeleteFunc(f.values(), func(v value) bool { return v.texts[approvalMember] == "" })
	switch len(records) {
	case 0:
		f.result = f.terms[0].value
	case 1:
		f.result = records[0]
	default:
		f.conflict(f.standing())
	}
}

// settleApproval takes one approval record as it is. Different ones are a conflict: an approval goes back to awaiting, unless one is rejected,
// which stays with its record.
func (s *settlement) settleApproval() {
	f := s.newField(s.entity.path+"/approval", approvalRule, func(k int) (value, bool) { return s.read(k, approvalRule) })
	s.fields["approval"] = f
	status := s.fields["status"].result.texts[0]
	if f.kind != "" && plain(status) == "approved" {
		status = `"awaiting"`
	}
	record := f.result.texts[approvalMember]
	if f.kind != "" {
		record = ""
		if f.known {
			record = f.base.texts[approvalMember]
		}
		rejected := slices.DeleteFunc(f.values(), func(v value) bool { return operationStatusOf(v) != "rejected" })
		if plain(status) == "rejected" && len(rejected) > 0 {
			record = rejected[0].texts[approvalMember]
		}
	}
	f.result = value{texts: []string{status, record}, canon: canonical([]byte(record))}
	s.accept(f)
}

// actedStatuses are those that say that somebody acted on what the operation was.
var actedStatuses = []string{"completed", "uncertain", "failed", "approved", "rejected"}

// followActed keeps what an operation is as the inputs have it that acted on it: what another input made of it meanwhile is a conflict, and an
// approval of it goes back to awaiting. Inputs that acted on different things are one, too.
func (s *settlement) followActed() {
	acted := s.acted()
	disputed := false
	for _, name := range []string{"call", "target", "idempotency_key", "description"} {
		f := s.fields[name]
		if f == nil || f.kind != "" || name == "description" && !disputed && !s.isOnlyDescribed() {
			continue
		}
		if stands, differs := f.actedValue(acted); differs {
			f.addActed(acted, stands)
			f.conflict(stands)
			s.accept(f)
			disputed = true
		}
	}
	if f := s.fields["approval"]; disputed && f.kind == "" && operationStatusOf(f.result) == "approved" {
		record := ""
		if f.known {
			record = f.base.texts[approvalMember]
		}
		f.conflict(value{texts: []string{`"awaiting"`, record}, canon: canonical([]byte(record))})
		s.accept(f)
	}
}

// acted are the tips that changed the status to one that says that somebody acted.
func (s *settlement) acted() (tips []int) {
	status := s.fields["status"]
	for k := len(s.bases); k < len(s.docs); k++ {
		if status.has[k] && slices.Contains(actedStatuses, operationStatusOf(status.at[k])) && !(status.known && status.at[k].canon == status.base.canon) {
			tips = append(tips, k)
		}
	}
	return tips
}

// actedValue is the value of those who acted, the lowest of several, and whether somebody has another one than they.
func (f *field) actedValue(acted []int) (stands value, differs bool) {
	found := false
	for _, k := range acted {
		if f.forgets(k) {
			continue
		}
		if found && f.at[k].canon != stands.canon {
			differs = true
		}
		if !found || f.at[k].canon < stands.canon {
			stands, found = f.at[k], true
		}
	}
	return stands, differs || found && stands.canon != f.result.canon
}

// addActed makes terms of what others who acted have, where it is the base's.
func (f *field) addActed(acted []int, stands value) {
	for _, k := range acted {
		if v := f.at[k]; f.known && v.canon == f.base.canon && v.canon != stands.canon {
			f.add(v, f.m.docs[k].id)
		}
	}
	f.sortTerms()
}

// isOnlyDescribed says whether nothing but the description says what an operation does.
func (s *settlement) isOnlyDescribed() bool {
	f := s.fields["call"]
	return f == nil || f.result.absent()
}

// effects are the effects of an operation from the least cautious on (§6.6).
var effects = []string{"none", "idempotent", "non_idempotent", "unknown"}

// triedStatuses are those that say that somebody did an action, or began to.
var triedStatuses = []string{"completed", "uncertain", "failed"}

// followEffect: what an input did, or began to do, has an effect no less cautious than that input says, whatever others make of it, and where several
// did, than any document says. What nobody tried meanwhile may get a lesser one. None, unknown and not idempotent are treated alike (§6.6).
func (s *settlement) followEffect() {
	f := s.fields["effect"]
	tried := slices.DeleteFunc(s.acted(), func(k int) bool { return !slices.Contains(triedStatuses, operationStatusOf(s.fields["status"].at[k])) })
	if len(tried) == 0 || f.kind != "" {
		return
	}
	most := f.result
	for k := range s.docs {
		if f.has[k] && (len(tried) > 1 || slices.Contains(tried, k)) && effectRank(f.at[k]) > effectRank(most) {
			most = f.at[k]
		}
	}
	f.result = most
	s.accept(f)
}

// effectRank says how cautious an effect is. Those that are treated alike are equal.
func effectRank(v value) int {
	return min(rankOf(v, true, effects), slices.Index(effects, "non_idempotent"))
}
