package merge

import (
	"cmp"
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// free takes the one change; different ones are a conflict.
func free(f *field) {
	if len(f.terms) == 1 {
		f.result = f.terms[0].value
		return
	}
	f.conflict(f.standing())
}

// fixed is for what may not change: one change is a conflict already.
func fixed(f *field) {
	if !f.known && len(f.terms) == 1 {
		f.result = f.terms[0].value
		return
	}
	f.conflict(f.standing())
}

// cautious takes the most cautious of the changes, by words from the least cautious on. A word that is not among them, and none, is the most
// cautious where last is true, else the least.
func cautious(last bool, words ...string) func(*field) {
	return func(f *field) {
		f.result = slices.MaxFunc(f.values(), func(a, b value) int {
			return cmp.Or(cmp.Compare(rankOf(a, last, words), rankOf(b, last, words)), cmp.Compare(b.canon, a.canon))
		})
	}
}

func rankOf(v value, last bool, words []string) int {
	i := slices.Index(words, plain(v.texts[0]))
	if i < 0 && last {
		return len(words)
	}
	return i
}

// earliest takes the earliest of the changed timestamps.
func earliest(f *field) { f.result = f.extreme(-1) }

// latest takes the latest of the changed timestamps of a past event.
func latest(f *field) { f.result = f.extreme(1) }

func (f *field) extreme(sign int) value {
	return slices.MaxFunc(f.values(), func(a, b value) int {
		x, okX := checkpoint.ParseInstant(plain(a.texts[0]))
		y, okY := checkpoint.ParseInstant(plain(b.texts[0]))
		switch {
		case okX != okY:
			if okX {
				return 1
			}
			return -1
		case x.After(y):
			return sign
		case y.After(x):
			return -sign
		}
		return cmp.Compare(b.canon, a.canon)
	})
}

// strictest is for a word that says how strict a condition is, from the least strict on: the strictest of the base's and the changes. One that is
// less strict than the base's is a conflict.
func strictest(words ...string) func(*field) {
	return func(f *field) {
		all := f.values()
		if f.known {
			all = append(all, f.base)
		}
		rank := func(v value) int { return rankOf(v, false, words) }
		f.result = slices.MaxFunc(all, func(a, b value) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.canon, a.canon)) })
		if f.known && slices.ContainsFunc(f.values(), func(v value) bool { return rank(v) < rank(f.base) }) {
			f.conflict(f.result)
		}
	}
}

// onlyLess is for what weakens a condition by being there: only its removal is taken.
func onlyLess(f *field) {
	if len(f.terms) == 1 && (!f.known || f.terms[0].absent()) {
		f.result = f.terms[0].value
		return
	}
	f.conflict(f.standing())
}

// first takes the first of the changes.
func first(f *field) { f.result = f.terms[0].value }

// closed takes a status that is not active, the first of several.
func closed(f *field) {
	f.result = f.terms[0].value
	for _, v := range f.values() {
		if statusOf(v) != "active" {
			f.result = v
			return
		}
	}
}
