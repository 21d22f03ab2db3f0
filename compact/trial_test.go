package compact_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/compact"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// newID is the id of the outputs, so that they can be compared.
const newID = "urn:uuid:0198a000-0000-7000-8000-00000000c0de"

// later is after every generated document, earlier before.
var (
	later   = time.Date(2033, 1, 2, 3, 4, 5, 678000000, time.UTC)
	earlier = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
)

// subject is a document and the options to compact it with.
type subject struct {
	seed   uint64
	src    []byte // without white space around it
	in     *document
	opts   compact.Options
	wishes wishes
	random *rand.Rand
}

// newSubject draws the options of a seed.
func newSubject(seed uint64, src []byte) *subject {
	s := &subject{seed: seed, src: bytes.Trim(src, " \t\r\n"), random: rand.New(rand.NewPCG(seed, 7))}
	s.in = mustDocument(s.src)
	s.opts = compact.Options{ID: newID, Now: later}
	if s.random.IntN(8) == 0 {
		s.opts.Now = earlier
	}
	s.opts.AssumeChecked = s.random.IntN(4) == 0
	s.opts.DropDone = s.random.IntN(4) == 0
	if s.random.IntN(6) == 0 {
		s.opts.KeepKinds = []string{compact.Kinds()[s.random.IntN(7)]}
	}
	for _, e := range s.in.entries {
		if e.id != "" && s.random.IntN(6*len(s.in.byID)) == 0 {
			s.opts.Keep = append(s.opts.Keep, e.id)
		}
	}
	s.wishes = wishes{s.opts.Keep, s.opts.KeepKinds, s.opts.DropDone}
	return s
}

// trial is one compaction.
type trial struct {
	*subject
	budget compact.Budget
	result *compact.Result
	out    *document
	*diff
}

// run compacts to a budget.
func (s *subject) run(budget compact.Budget) (*trial, error) {
	opts := s.opts
	opts.Budget = budget
	r, err := compact.Compact(s.src, opts)
	if err != nil {
		return nil, err
	}
	out, err := newDocument(r.Bytes())
	if err != nil {
		return nil, err
	}
	t := &trial{subject: s, budget: budget, result: r, out: out}
	if !r.Unchanged {
		t.diff = compare(s.in, out)
	}
	return t, nil
}

// floor asks for the floor in bytes.
func (s *subject) floor() (*compact.BudgetError, error) {
	_, err := s.run(compact.Budget{N: 1, Unit: compact.Bytes})
	floor, ok := err.(*compact.BudgetError)
	if !ok {
		return nil, fmt.Errorf("a budget of 1 B: %v", err)
	}
	return floor, nil
}

// budgets are the budgets in bytes to try: the ends of the range, its middle, and the floor by name.
func (s *subject) budgets(floor, more int) (list []compact.Budget) {
	top := len(s.src) - 1
	if floor > top {
		return []compact.Budget{{Unit: compact.Bytes}}
	}
	list = []compact.Budget{{N: top, Unit: compact.Bytes}, {N: floor, Unit: compact.Bytes}}
	if s.seed%4 == 0 {
		list = append(list, compact.Budget{Unit: compact.Bytes})
	}
	for range more {
		list = append(list, compact.Budget{N: floor + s.random.IntN(top-floor+1), Unit: compact.Bytes})
	}
	return list
}

// documents calls f for n generated documents, on all processors, and reports its errors by seed. The documents are of every
// layout; entries without an id are marked.
func documents(t *testing.T, n int, f func(s *subject) []error) {
	t.Helper()
	testdoc.Seeds(t, n, func(seed uint64) []error { return f(newSubject(seed, varied(seed, marked(testdoc.Random(seed))))) })
}

// varied gives some documents what the generator does not know: the entries of a merge with open conflicts and of a fork.
func varied(seed uint64, src []byte) []byte {
	random := rand.New(rand.NewPCG(seed, 8))
	doc := mustDocument(src)
	var names []string
	for _, e := range doc.entries {
		if e.id != "" && random.IntN(5) == 0 {
			names = append(names, string(appendString(nil, e.id)))
		}
	}
	if random.IntN(6) == 0 {
		src = withKey(src, ourKeys+"merge", `{"conflicts":[{"terms":[`+strings.Join(names, ",")+`,1.50]}],"before":"active"}`)
	}
	names = nil
	for _, e := range doc.entries {
		if e.shape == "input" && random.IntN(2) == 0 {
			names = append(names, string(appendString(nil, e.v.str("id"))))
		}
	}
	if random.IntN(6) == 0 {
		src = withKey(src, ourKeys+"fork", `{"parent":"x","of":{"siblings":[`+strings.Join(names, ",")+`]}}`)
	}
	return src
}

// withKey adds extension data at the top level.
func withKey(src []byte, key, data string) []byte {
	doc := mustDecode(src)
	text := string(appendString(nil, key)) + ":" + strings.Replace(data, "[,", "[", 1)
	if doc.get("extensions") == nil {
		return added(src, doc, `"extensions":{`+text+"}")
	}
	return added(src, doc.get("extensions"), text)
}

// added puts an element or a member behind the others of a container.
func added(src []byte, container *value, text string) []byte {
	if len(container.kids) > 0 {
		text = "," + text
	}
	at := container.at[asItStood][1] - 1
	return edited(src, []edit{{at, at, text}})
}
