package merge_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/testdoc"
	"github.com/opencheckpoint/ocp/merge"
)

// law is a law of transforms.md §1 and §4 about one merge.
type law struct {
	name  string
	holds func(*trial) error
}

// laws hold for every merge, with the base at hand or not.
var laws = []law{
	{"valid", validPairs},
	{"identity", identity},
	{"inputs", inputsListed},
	{"parent", parentChosen},
	{"order", orderOfInputs},
	{"duplicates", duplicates},
	{"conflicts", conflictsOpen},
	{"tokens", tokensFound},
	{"held", heldStay},
	{"stands", standing},
	{"objects", objectsFound},
	{"omissions", omissionsFound},
	{"nature", natureKept},
	{"protected", protectedStay},
	{"terminal", terminalStays},
	{"once", actionableOnce},
	{"forbidden", forbiddenStays},
	{"lifted", liftedRightly},
	{"extensions", extensionBytes},
	{"lists", listOrder},
}

func (t *trial) hold(laws []law) (errs []error) {
	for _, l := range laws {
		if err := l.holds(t); err != nil {
			errs = append(errs, fmt.Errorf("law %s: %w", l.name, err))
		}
	}
	return errs
}

func TestLaws(t *testing.T) {
	var families, inputs, conflicted, conflicts, renames, deleted, restored, lifted atomic.Int64
	testdoc.Seeds(t, 180, func(seed uint64) []error {
		f := newFamily(seed)
		if err := f.grow(); err != nil {
			return []error{err}
		}
		trial, err := f.merged()
		if err != nil {
			return []error{fmt.Errorf("%w; %s", err, f.story())}
		}
		r := trial.result
		families.Add(1)
		inputs.Add(int64(len(f.inputs)))
		conflicted.Add(int64(min(1, len(r.Conflicts))))
		conflicts.Add(int64(len(r.Conflicts)))
		renames.Add(int64(len(r.Renames)))
		deleted.Add(int64(len(r.Deleted)))
		restored.Add(int64(len(r.Restored)))
		lifted.Add(int64(len(r.Lifted)))
		return told(trial.hold(laws), f)
	})
	t.Logf("%d families, %d inputs; %d with conflicts, %d of these; %d ids renamed, %d objects deleted, %d restored, %d guards lifted",
		families.Load(), inputs.Load(), conflicted.Load(), conflicts.Load(), renames.Load(), deleted.Load(), restored.Load(), lifted.Load())
}

// told adds to errors what happened in the family.
func told(errs []error, f *family) (out []error) {
	for _, err := range errs {
		out = append(out, fmt.Errorf("%w; %s", err, f.story()))
	}
	return out
}

// validPairs: T001 and T002 with the parent, as the validator sees it, operations in an open conflict excepted. Levels 1 and 2 are checked where
// the result is read.
func validPairs(t *trial) error {
	for _, m := range t.inputs {
		parent, err := checkpoint.ParseOne(m.src, checkpoint.Options{})
		if err != nil {
			return err
		}
		for _, v := range checkpoint.CheckPair(parent, t.parsed) {
			if v.Rule == "OCP-T001" && slices.ContainsFunc(t.result.Conflicts, func(c merge.Conflict) bool { return strings.HasPrefix(c.Path, "/operations/") }) {
				continue // terminalStays is exact
			}
			if v.Rule == "OCP-T002" && m.id() != t.result.Parent {
				continue
			}
			return fmt.Errorf("%s: %w", m.name, &v)
		}
	}
	return nil
}

// identity is transforms.md §1.
func identity(t *trial) error {
	r := t.result
	switch {
	case str(t.out.object, "id") != t.opts.ID || r.ID != t.opts.ID:
		return fmt.Errorf("id %q", r.ID)
	case str(t.out.object, "derivation", "method") != "merged":
		return fmt.Errorf("method %q", str(t.out.object, "derivation", "method"))
	case canon(get(t.out.object, "source", "producer")) != canon(object{"name": "ocp", "version": checkpoint.ProducerVersion}):
		return fmt.Errorf("producer %s", canon(get(t.out.object, "source", "producer")))
	}
	created := instant(str(t.out.object, "created_at"))
	if want := t.opts.Now.Truncate(time.Millisecond); r.ClockBehind == "" && !created.Equal(want) {
		return fmt.Errorf("created_at %s and not %s", created, want)
	}
	for _, m := range t.inputs {
		if at := instant(str(m.doc.object, "created_at")); created.Before(at) {
			return fmt.Errorf("created_at %s is before that of %s, %s", created, m.name, at)
		}
	}
	return nil
}

// inputsListed: the inputs with id and digest, then what they list, once each.
func inputsListed(t *trial) error {
	list := items(t.out.object, "derivation", "inputs")
	var direct, listed []string
	for _, m := range t.inputs {
		sum, err := digest.Of(m.src)
		if err != nil {
			return err
		}
		direct = append(direct, canon(object{"id": m.id(), "digest": sum.String()}))
	}
	for _, v := range list {
		if id := canon(object{"id": get(v, "id"), "protocol": get(v, "protocol")}); !slices.Contains(listed, id) {
			listed = append(listed, id)
		} else if get(v, "protocol") == nil {
			return fmt.Errorf("%s is listed twice", id)
		}
	}
	slices.Sort(direct)
	first := []string{}
	for _, v := range list[:min(len(list), len(direct))] {
		first = append(first, canon(v))
	}
	if slices.Sort(first); !slices.Equal(first, direct) {
		return fmt.Errorf("the first inputs are %s", first)
	}
	for _, m := range t.inputs {
		for _, v := range items(m.doc.object, "derivation", "inputs") {
			if !slices.Contains(listed, canon(object{"id": get(v, "id"), "protocol": get(v, "protocol")})) && len(list) < 64 {
				return fmt.Errorf("%s, an input of %s, is not listed", canon(v), m.name)
			}
		}
	}
	return nil
}

// parentChosen: among those that own pending effects, else among all, the latest, then the one with the lowest id.
func parentChosen(t *trial) error {
	candidates := slices.DeleteFunc(slices.Clone(t.inputs), func(m *member) bool { return len(m.doc.actionable()) == 0 })
	if len(candidates) == 0 {
		candidates = slices.Clone(t.inputs)
	}
	best := slices.MinFunc(candidates, func(a, b *member) int {
		if c := instant(str(b.doc.object, "created_at")).Compare(instant(str(a.doc.object, "created_at"))); c != 0 {
			return c
		}
		return strings.Compare(a.id(), b.id())
	})
	if got := str(t.out.object, "parent", "id"); got != best.id() || t.result.Parent != got {
		return fmt.Errorf("parent %s and not %s", got, best.id())
	}
	return nil
}

// orderOfInputs: the inputs in another order give the same bytes and say the same.
func orderOfInputs(t *trial) error {
	for _, srcs := range [][][]byte{shuffled(t.dice, t.srcs), reversed(t.srcs)} {
		if err := t.sameAs(srcs); err != nil {
			return err
		}
	}
	return nil
}

func reversed[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// duplicates: what is given twice counts once.
func duplicates(t *trial) error {
	return t.sameAs(append(some(t.dice, t.srcs, 50), append(t.srcs, pick(t.dice, t.srcs))...))
}

func (t *trial) sameAs(srcs [][]byte) error {
	r, err := attempt(srcs, t.opts)
	if err != nil {
		return err
	}
	if !bytes.Equal(r.Bytes(), t.result.Bytes()) {
		return errors.New("the result differs: " + difference(string(t.result.Bytes()), string(r.Bytes())))
	}
	if got, want := facts(r), facts(t.result); got != want {
		return errors.New("it says something else: " + difference(want, got))
	}
	return nil
}

// facts are the fields of a result.
func facts(r *merge.Result) string {
	c := merge.Result{ID: r.ID, Unchanged: r.Unchanged, ClockBehind: r.ClockBehind, Base: r.Base, Found: r.Found, Inputs: r.Inputs, Parent: r.Parent, ParentWhy: r.ParentWhy,
		Conflicts: r.Conflicts, Renames: r.Renames, Deleted: r.Deleted, Restored: r.Restored, Lifted: r.Lifted, Kept: r.Kept, Notes: r.Notes}
	return fmt.Sprintf("%+v", c)
}

// difference shows where two texts part.
func difference(want, got string) string {
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	from := max(0, i-80)
	return fmt.Sprintf("%q and %q", want[from:min(len(want), i+80)], got[from:min(len(got), i+80)])
}
