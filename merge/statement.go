package merge

import (
	"cmp"
	"slices"
)

// The members of the group that statementStatus settles.
const (
	statusMember = iota
	supersededMember
	resolutionMember
)

// statusCanon reads an absent status as active (§4.4).
func statusCanon(v value) string {
	if plain(v.texts[statusMember]) == "active" {
		texts := slices.Clone(v.texts)
		texts[statusMember] = ""
		return group(texts...).canon
	}
	return v.canon
}

func statusOf(v value) string { return cmp.Or(plain(v.texts[statusMember]), "active") }

// statementStatus: superseded beats retracted. Different replacements are a conflict in which the lowest one stands, different resolutions one in
// which the question is open again.
func statementStatus(f *field) {
	list := f.values()
	if has(list, "superseded") {
		list = slices.DeleteFunc(list, func(v value) bool { return statusOf(v) == "retracted" })
	}
	switch {
	case len(list) == 1:
		f.result = list[0]
	case all(list, "superseded"):
		f.conflict(slices.MinFunc(list, func(a, b value) int {
			return cmp.Compare(plain(a.texts[supersededMember]), plain(b.texts[supersededMember]))
		}))
	case all(list, "resolved"):
		f.conflict(f.reopened())
	default:
		f.conflict(f.standing())
	}
}

func has(list []value, status string) bool {
	return slices.ContainsFunc(list, func(v value) bool { return statusOf(v) == status })
}

func all(list []value, status string) bool {
	return !slices.ContainsFunc(list, func(v value) bool { return statusOf(v) != status })
}

// reopened is the status of an open question, spelled as in the base where it was open there.
func (f *field) reopened() value {
	if f.known && statusOf(f.base) == "active" {
		return f.base
	}
	return group("", "", "")
}

// verificationOrder are the verification states from the best on; what is not recorded is unverified.
var verificationOrder = []string{"verified", "unverified", "stale", "disputed"}

// revalidateOrder are the words of revalidate from the least cautious on.
var revalidateOrder = []string{"never", "", "before_action", "before_use"}

// worst takes the worst of the changed verifications.
func worst(f *field) {
	f.result = slices.MaxFunc(f.values(), func(a, b value) int {
		return cmp.Or(cmp.Compare(verificationRank(a), verificationRank(b)),
			cmp.Compare(revalidateRank(a), revalidateRank(b)), cmp.Compare(b.canon, a.canon))
	})
}

func verificationRank(v value) int {
	if v.texts[0] == "" {
		return slices.Index(verificationOrder, "unverified")
	}
	return slices.Index(verificationOrder, plain(memberText(v.texts[0], "state")))
}

func revalidateRank(v value) int {
	return slices.Index(revalidateOrder, plain(memberText(v.texts[0], "revalidate")))
}

// memberText is the text of a member of an object, "" if it has none.
func memberText(object, name string) string {
	return readGroup([]byte(object), []string{name}).texts[0]
}

// isVerified says whether a verification is that of something checked.
func isVerified(text string) bool { return plain(memberText(text, "state")) == "verified" }

// markedStale is a verification that has to be checked again.
func markedStale(text string) string { return marked(text, "stale") }

// marked is a verification with another state, to be checked before use. What may not be checked again is not said twice.
func marked(text, state string) string {
	if text == "" {
		text = "{}"
	}
	changes := []change{{"state", quoted(state)}}
	if r := plain(memberText(text, "revalidate")); r == "" || r == "never" {
		changes = append(changes, change{"revalidate", `"before_use"`})
	}
	return string(edited([]byte(text), changes))
}
