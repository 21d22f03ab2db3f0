package compact_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/opencheckpoint/ocp/compact"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// FuzzCompact: whatever the bytes and the budget, the result is a valid checkpoint that fits and has what is protected, or the error is of a
// kind that is documented.
func FuzzCompact(f *testing.F) {
	for seed := range uint64(30) {
		src := testdoc.Random(seed)
		f.Add(src, len(src)/2, byte(seed))
		f.Add(testdoc.Mutate(src, seed), len(src)/3, byte(seed))
		if len(src) < 10_000 {
			f.Add(withForeign(src), len(src)*2/3, byte(seed*3))
		}
	}
	for _, tail := range []string{"}", `,"statements":[]}`, `,"derivation":{"method":"captured"},"extensions":{"com.example":[1,2,"` + strings.Repeat("x", 500) + `"]}}`} {
		f.Add([]byte(head+tail), 0, byte(0))
		f.Add(spaced(head+tail, "\r\n"), 300, byte(1))
	}
	f.Fuzz(func(t *testing.T, src []byte, budget int, flags byte) {
		opts := compact.Options{Budget: compact.Budget{N: max(budget, 0), Unit: compact.Bytes}, ID: newID, Now: later, AssumeChecked: flags&1 != 0,
			DropDone: flags&2 != 0, Lenient: flags&4 != 0}
		if flags&8 != 0 {
			opts.KeepKinds = []string{"observation", "external"}
		}
		r, err := compact.Compact(src, opts)
		if err != nil {
			known(t, err)
			return
		}
		holdsFor(t, src, opts, r)
	})
}

// known fails for an error of a kind that is not documented.
func known(t *testing.T, err error) {
	var syntax *jsonspan.SyntaxError
	var invalid *checkpoint.InvalidError
	var budget *compact.BudgetError
	var instant *checkpoint.InstantError
	switch {
	case errors.As(err, &budget):
		if budget.Floor <= budget.Budget || len(budget.Parts) == 0 {
			t.Errorf("%+v", budget)
		}
	case errors.As(err, &syntax), errors.As(err, &invalid), errors.As(err, &instant), errors.Is(err, checkpoint.ErrSameID):
	default:
		t.Errorf("%T: %v", err, err)
	}
}

// holdsFor checks what can be said of any document.
func holdsFor(t *testing.T, src []byte, opts compact.Options, r *compact.Result) {
	out := r.Bytes()
	if _, err := checkpoint.ParseOne(out, checkpoint.Options{Lenient: opts.Lenient}); err != nil {
		t.Fatal(err)
	}
	if n := opts.Budget.N; n > 0 && len(out) > n || len(out) > len(src) || r.Size != len(out) {
		t.Errorf("%d bytes of %d, budget %d, %d claimed", len(out), len(src), n, r.Size)
	}
	before, after := mustDocument(src), mustDocument(out)
	for e, s := range before.protected(wishes{keepKinds: opts.KeepKinds, dropDone: opts.DropDone}) {
		if s.stays && e.id != "" && after.byID[e.id] == nil {
			t.Errorf("%s is gone", e.key)
		}
	}
	for _, e := range after.entries {
		was := before.byID[e.id]
		if e.shape != "statement" {
			continue
		}
		for _, path := range []string{"kind", "text", "origin", "status", "superseded_by", "rationale", "resolution"} {
			if was == nil || (was.v.get(path) == nil) != (e.v.get(path) == nil) || e.v.get(path) != nil && was.v.get(path).spelled(plainest) != e.v.get(path).spelled(plainest) {
				t.Errorf("%s of %s changed", path, e.key)
			}
		}
		if state, old := e.v.get("verification").str("state"), was.v.get("verification").str("state"); state != old && (old != "verified" || state != "stale") {
			t.Errorf("%s was %s and is %s", e.key, old, state)
		}
	}
}

// lawsOf holds all laws against a damaged document, if it is still valid.
func lawsOf(seed, mutation uint64) (valid bool, errs []error) {
	src := marked(testdoc.Random(seed))
	for range 1 + mutation%3 {
		src = testdoc.Mutate(src, mutation)
	}
	opts := checkpoint.Options{Lenient: mutation%2 == 0}
	if _, err := checkpoint.ParseOne(src, opts); err != nil {
		return false, nil
	}
	if doc := mustDocument(src); len(doc.check()) > 0 {
		return false, nil // such as an impossible instant, of which the specification says nothing
	}
	s := newSubject(seed, src)
	s.opts.Lenient = opts.Lenient
	floor, err := s.floor()
	if err != nil {
		return true, []error{err}
	}
	for _, budget := range s.budgets(floor.Floor, 1) {
		trial, err := s.run(budget)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, trial.hold()...)
	}
	return true, errs
}

// TestDamaged: documents that are valid by a hair, with warnings, shapes that are only inferred, undefined members.
func TestDamaged(t *testing.T) {
	var valid atomic.Int64
	testdoc.Seeds(t, 800, func(seed uint64) []error {
		is, errs := lawsOf(seed, seed+50_000)
		if is {
			valid.Add(1)
		}
		return errs
	})
	t.Logf("%d valid documents", valid.Load())
}

// FuzzLaws is TestDamaged for any seeds.
func FuzzLaws(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, seed, mutation uint64) {
		_, errs := lawsOf(seed, mutation)
		for _, err := range errs {
			t.Error(err)
		}
	})
}
