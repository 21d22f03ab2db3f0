package merge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/internal/testdoc"
	"github.com/opencheckpoint/ocp/merge"
)

// baselessLaws hold without a base at hand: nothing can be told to have been deleted or to be anyone's change.
var baselessLaws = []law{
	{"identity", identity}, {"inputs", inputsListed}, {"parent", parentChosen}, {"order", orderOfInputs}, {"duplicates", duplicates},
	{"conflicts", conflictsOpen}, {"tokens", tokensFound}, {"terminal", terminalStays}, {"once", actionableOnce}, {"everything", everythingFound},
}

// TestBaseless: without the base at hand nothing is missing that any input has.
func TestBaseless(t *testing.T) {
	testdoc.Seeds(t, 160, func(seed uint64) []error {
		f := newFamily(seed)
		for range 2 + f.IntN(3) {
			f.work(f.base, f.IntN(7))
		}
		if f.chance(25) {
			if err := f.compact(f.inputs[0]); err != nil {
				return []error{err}
			}
		}
		if f.chance(25) {
			if err := f.split(f.inputs[1]); err != nil {
				return []error{err}
			}
		}
		trial, err := f.trial(sources(f.inputs), merge.Options{ID: "urn:x:merged", Now: muchLater, Ancestors: sources(f.others)})
		if err != nil {
			return told([]error{err}, f)
		}
		errs := trial.hold(baselessLaws)
		if trial.result.Found != merge.BaseAbsent || len(trial.result.Deleted) > 0 || len(trial.result.Notes) == 0 {
			errs = append(errs, fmt.Errorf("base %s, deleted %v, notes %q", trial.result.Found, trial.result.Deleted, trial.result.Notes))
		}
		return told(errs, f)
	})
}

// everythingFound: each object and each text of each input.
func everythingFound(t *trial) error {
	text := allStrings(t.out.object)
	for _, m := range t.inputs {
		for _, e := range m.doc.entries {
			if e.id != "" && t.find(m, e) == nil && !t.isLifted(m, e.id) && !(e.path == "progress/next" && t.done(e)) {
				return fmt.Errorf("%s %s of %s is gone", e.path, e.id, m.name)
			}
			if lost := t.lostText(e, text); lost != "" && !t.isLifted(m, e.id) {
				return fmt.Errorf("%s %s of %s: %q is lost", e.path, e.key, m.name, lost)
			}
		}
		for _, name := range []string{"objective", "outcome"} {
			if s := str(m.doc.object, "task", name); !strings.Contains(text, s) {
				return fmt.Errorf("%s %q of %s is lost", name, s, m.name)
			}
		}
	}
	return nil
}

// lostText returns a text of an entry that the result has nowhere. An excerpt goes where agents differ on how sensitive it is.
func (t *trial) lostText(e *entry, all string) string {
	for _, name := range []string{"text", "rationale", "resolution", "description", "title", "content", "fallback"} {
		if s := str(e.object, name); s != "" && !strings.Contains(all, s) && !slices.Contains([]string{"derivation/omissions", "derivation/transformations"}, e.path) {
			return s
		}
	}
	return ""
}

// TestUnrelated: documents that name no common ancestor are merged only if the person says so.
func TestUnrelated(t *testing.T) {
	testdoc.Seeds(t, 60, func(seed uint64) []error {
		f := newFamily(seed)
		f.inputs = []*member{f.base, f.member("other", "authored", testdoc.Random(seed+900_000))}
		opts := merge.Options{ID: "urn:x:merged", Now: muchLater}
		if r, err := merge.Merge(sources(f.inputs), opts); err == nil {
			return []error{fmt.Errorf("unrelated documents made %s", r.ID)}
		}
		opts.Unrelated = true
		trial, err := f.trial(sources(f.inputs), opts)
		if err != nil {
			return []error{err}
		}
		return trial.hold([]law{{"order", orderOfInputs}, {"conflicts", conflictsOpen}, {"everything", everythingFound}, {"once", actionableOnce}})
	})
}
