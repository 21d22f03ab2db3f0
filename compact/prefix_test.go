package compact_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/opencheckpoint/ocp/compact"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// prefixes plays the ladder of a subject.
func (s *subject) prefixes() (*compact.Prefixes, error) { return compact.NewPrefixes(s.src, s.opts) }

// tight is law 10 in bytes. It needs the sequence of steps, so it asks the ladder for its prefixes: no shorter one than that which was
// taken fits, and the floor is the smallest of all.
func (s *subject) tight(trials []*trial, floor *compact.BudgetError) (errs []error) {
	p, err := s.prefixes()
	if err != nil {
		return []error{err}
	}
	least := p.Size(0)
	for k := range p.Len() {
		least = min(least, p.Size(k))
	}
	if floor.Floor != min(least, len(s.src)) {
		errs = append(errs, fmt.Errorf("law 3 floor: %v, the smallest prefix has %d bytes", floor, least))
	}
	for _, t := range trials {
		taken, ok := t.result.Taken()
		if !ok && least >= len(s.src) {
			continue
		}
		limit := t.budget.N
		if limit == 0 {
			limit = least
		}
		for k := range taken {
			if p.Size(k) <= limit {
				errs = append(errs, fmt.Errorf("%v: law 10 tight: prefix %d has %d bytes and %d was taken", t.budget, k, p.Size(k), taken))
			}
		}
		if !ok || p.Size(taken) != t.result.Size {
			errs = append(errs, fmt.Errorf("%v: prefix %d has %d bytes, the result %d", t.budget, taken, p.Size(taken), t.result.Size))
		}
	}
	return errs
}

// TestEveryPrefix: whatever the budget could be, the laws hold. Each prefix has the size that was counted.
func TestEveryPrefix(t *testing.T) {
	documents(t, 500, func(s *subject) (errs []error) {
		if len(s.src) > 20_000 {
			return nil
		}
		p, err := s.prefixes()
		if err != nil {
			return []error{err}
		}
		var trials []*trial
		var last []byte
		for k := range p.Len() {
			out := p.Write(k)
			if len(out) != p.Size(k) {
				errs = append(errs, fmt.Errorf("prefix %d has %d bytes, %d were counted", k, len(out), p.Size(k)))
			}
			if k > 2 && bytes.Equal(out, last) { // a document may have no white space and no needless escapes
				errs = append(errs, fmt.Errorf("prefix %d changes nothing", k))
			}
			last = out
			doc, err := newDocument(out)
			if err != nil {
				return append(errs, err)
			}
			one := &trial{subject: s, out: doc, result: &compact.Result{ID: newID}, diff: compare(s.in, doc)}
			for _, fault := range one.faults {
				errs = append(errs, fmt.Errorf("prefix %d: carried: %s", k, fault))
			}
			for _, law := range []func(*trial) error{protectedStays, accounting, closureOfPrefix} {
				if err := law(one); err != nil {
					errs = append(errs, fmt.Errorf("prefix %d: %w", k, err))
				}
			}
			trials = append(trials, one)
		}
		return append(errs, nestedInOrder(trials)...)
	})
}

// closureOfPrefix is law 7 by the oracle alone.
func closureOfPrefix(t *trial) error {
	if faults := t.out.check(); len(faults) > 0 {
		return fmt.Errorf("law 7 closure: %v", faults)
	}
	return nil
}

// nestedInOrder is law 9 for all prefixes: each loses what the one before it lost.
func nestedInOrder(trials []*trial) (errs []error) {
	lost := map[string]bool{}
	for k, t := range trials {
		losses := t.losses()
		for what := range lost {
			if !losses[what] {
				errs = append(errs, fmt.Errorf("law 9 nested: %s is back in prefix %d", what, k))
			}
		}
		lost = losses
	}
	return errs
}

// count counts the tokens of a whole text in one go.
func count(t *testing.T, name tokenizer.Encoding) func([]byte) int {
	codec, err := tokenizer.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return func(text []byte) int {
		n, err := codec.Count(string(text))
		n += bytes.Count(text, []byte{0x7f}) // the library passes over it
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// TestTokens is laws 1 to 3 and 10 in tokens, counted here once more: what is claimed is so, the floor is the least of all prefixes,
// and no shorter prefix fits.
func TestTokens(t *testing.T) {
	tokens := count(t, tokenizer.O200kBase)
	var n atomic.Int64
	documents(t, 300, func(s *subject) (errs []error) {
		if len(s.src) > 8_000 {
			return nil
		}
		p, err := s.prefixes()
		if err != nil {
			return []error{err}
		}
		n.Add(1)
		sizes := make([]int, p.Len())
		for k := range sizes {
			sizes[k] = tokens(p.Write(k))
		}
		whole, least := tokens(s.src), slices.Min(sizes)
		_, err = s.run(compact.Budget{N: 1})
		floor, ok := err.(*compact.BudgetError)
		if !ok || floor.Unit != compact.Tokens || floor.Floor != min(least, whole) {
			errs = append(errs, fmt.Errorf("law 3 floor: the least prefix has %d tokens, the document %d: %v", least, whole, err))
		}
		if r, err := s.run(compact.Budget{}); err != nil {
			errs = append(errs, err)
		} else if n := tokens(r.result.Bytes()); n > whole || n != r.result.Size {
			errs = append(errs, fmt.Errorf("law 1 fits: the floor has %d tokens, %d claimed, the document %d", n, r.result.Size, whole))
		}
		if least >= whole {
			return errs
		}
		for _, budget := range []int{whole - 1, least, least + s.random.IntN(whole-least)} {
			trial, err := s.run(compact.Budget{N: budget})
			if err != nil {
				errs = append(errs, fmt.Errorf("%d tokens: %w", budget, err))
				continue
			}
			size := tokens(trial.result.Bytes())
			if size > budget || size != trial.result.Size || trial.result.Before != whole && trial.result.Before != 0 {
				errs = append(errs, fmt.Errorf("law 1 fits: %d tokens of %d, budget %d, %d of %d claimed", size, whole, budget, trial.result.Size, trial.result.Before))
			}
			errs = append(errs, trial.hold()...)
			shortest := slices.IndexFunc(sizes, func(n int) bool { return n <= budget })
			if taken, _ := trial.result.Taken(); taken != shortest {
				errs = append(errs, fmt.Errorf("law 10 tight: a budget of %d tokens took prefix %d (%d tokens) where %d (%d) fits", budget, taken, sizes[taken], shortest, sizes[shortest]))
			}
		}
		return errs
	})
	t.Logf("%d documents", n.Load())
}

// TestTokenizers: a budget counts with the tokenizer that is asked for.
func TestTokenizers(t *testing.T) {
	src := marked(testdoc.Large(3, 12_000, true))
	for _, name := range []tokenizer.Encoding{tokenizer.O200kBase, tokenizer.Cl100kBase, tokenizer.R50kBase} {
		tokens := count(t, name)
		budget := tokens(src) / 2
		r, err := compact.Compact(src, compact.Options{Budget: compact.Budget{N: budget}, Tokenizer: string(name)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if size := tokens(r.Bytes()); size > budget || size != r.Size {
			t.Errorf("%s: %d tokens, %d claimed, budget %d", name, size, r.Size, budget)
		}
	}
}

// TestTokensOfRuns: one token can stand for a long run of one character, so bytes say little about tokens.
func TestTokensOfRuns(t *testing.T) {
	tokens := count(t, tokenizer.O200kBase)
	for run, statements := range map[string]int{" ": 1, "=": 18} {
		if testing.Short() && statements > 1 {
			continue // a megabyte, counted a dozen times
		}
		var list []string
		for i := range statements {
			list = append(list, fmt.Sprintf(`{"id":"a%d","kind":"instruction","text":"%s","origin":{"type":"user"}}`, i, strings.Repeat(run, 60_000)))
		}
		for i := range 2 {
			list = append(list, fmt.Sprintf(`{"id":"b%d","kind":"external","text":"%s","origin":{"type":"tool"}}`, i, strings.Repeat("other word ", 150)))
		}
		src := []byte(head + `,"statements":[` + strings.Join(list, ",") + "]}")
		s := newSubject(1, src)
		s.opts, s.wishes = compact.Options{ID: newID, Now: later}, wishes{}
		p, err := s.prefixes()
		if err != nil {
			t.Fatal(err)
		}
		whole := tokens(src)
		sizes := []int{}
		for k := range p.Len() {
			sizes = append(sizes, tokens(p.Write(k)))
		}
		for _, budget := range []int{sizes[len(sizes)-2], slices.Min(sizes)} {
			if budget >= whole {
				continue
			}
			trial, err := s.run(compact.Budget{N: budget})
			if err != nil {
				t.Errorf("%q: %d bytes in %d tokens, prefixes %v, budget %d: %v", run, len(src), whole, sizes, budget, err)
				continue
			}
			shortest := slices.IndexFunc(sizes, func(n int) bool { return n <= budget })
			if taken, _ := trial.result.Taken(); taken != shortest {
				t.Errorf("%q: law 10 tight: %d bytes in %d tokens, prefixes %v, budget %d took %d", run, len(src), whole, sizes, budget, taken)
			}
		}
	}
}
