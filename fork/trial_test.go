package fork_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/opencheckpoint/ocp/compact"
	"github.com/opencheckpoint/ocp/fork"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

const forkKey = "io.github.opencheckpoint/fork"

// later is after every generated document, earlier before.
var (
	later   = time.Date(2033, 1, 2, 3, 4, 5, 678900000, time.UTC)
	earlier = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
)

// trial is one parent with the forks that were made of it.
type trial struct {
	src    []byte // the parent
	parent *model
	doc    *checkpoint.Document // of the parent, as the validator sees it
	sum    string               // the parent's digest
	n      int
	opts   fork.Options
	forks  []*sibling

	owners map[string]int // of the pending effects: the place of a fork, -1 for none
	live   []string       // the ids of the statements that are to be superseded
}

// sibling is one fork.
type sibling struct {
	*trial
	i      int
	result *fork.Result
	*model
	doc     *checkpoint.Document
	undo    undo
	removed map[string]bool // what it should not have
}

// run makes forks of a parent and reads them.
func run(src []byte, n int, opts fork.Options) (*trial, error) {
	src = bytes.Trim(src, " \t\r\n")
	t := &trial{src: src, n: n, opts: opts, live: opts.Supersede}
	var err error
	if t.parent, err = newModel(src); err != nil {
		return nil, err
	}
	results, err := fork.Fork(src, n, opts)
	if err != nil {
		return nil, err
	}
	if t.sum, err = sumOf(src, opts.Lenient); err != nil {
		return nil, err
	}
	if t.doc, err = checkpoint.ParseOne(src, checkpoint.Options{Lenient: opts.Lenient}); err != nil {
		return nil, err
	}
	t.owners = t.dueOwners()
	for i, r := range results {
		s := &sibling{trial: t, i: i, result: r}
		if s.model, err = newModel(r.Bytes()); err != nil {
			return nil, err
		}
		if s.doc, err = checkpoint.ParseOne(r.Bytes(), checkpoint.Options{Lenient: opts.Lenient}); err != nil {
			return nil, err
		}
		s.removed = s.dueRemoved()
		s.takeApart()
		t.forks = append(t.forks, s)
	}
	return t, nil
}

// takeApart parts what the fork added from what it carried.
func (s *sibling) takeApart() {
	s.undo = undo{parent: s.parent, removed: s.removed, superseded: map[string]bool{}, added: map[string][]*value{},
		inputsGone: s.parent.noPlace()}
	for _, id := range s.live {
		if s.replaces(id) {
			s.undo.superseded[id] = true
		}
	}
	text := s.undo.undone("", s.parent.value, s.value)
	if text != string(s.src) {
		s.undo.fault("the parent's text was", differenceOf(string(s.src), text))
	}
}

// replaces says whether this fork has a new statement of the kind of one that is to be superseded.
func (s *sibling) replaces(id string) bool {
	return slices.ContainsFunc(s.opts.Statements, func(n fork.Statement) bool {
		return s.place(n.Fork) == s.i && n.Kind == s.parent.byID[id].str("kind")
	})
}

// differenceOf shows where two texts part.
func differenceOf(want, got string) string {
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	from := max(0, i-60)
	return fmt.Sprintf("%q and is %q", want[from:min(len(want), i+60)], got[from:min(len(got), i+60)])
}

// label is the label of fork i.
func (t *trial) label(i int) string {
	if t.opts.Labels == nil {
		return fmt.Sprint(i + 1)
	}
	return t.opts.Labels[i]
}

// place finds a fork by its label, or else its number.
func (t *trial) place(name string) int {
	for i := range t.n {
		if t.label(i) == name {
			return i
		}
	}
	for i := range t.n {
		if fmt.Sprint(i+1) == name {
			return i
		}
	}
	panic("no fork " + name)
}

// dueOwners says who should own each pending effect: no fork, the one of --owner, or one after the other; what is assigned goes where it is
// assigned to, and its group with it.
func (t *trial) dueOwners() map[string]int {
	owners := map[string]int{}
	for g, group := range t.parent.groups() {
		owner := -1
		switch {
		case t.opts.Owner != "":
			owner = t.place(t.opts.Owner)
		case t.opts.Spread:
			owner = g % t.n
		}
		for _, a := range t.opts.Assign {
			if slices.Contains(group, a.Operation) {
				owner = t.place(a.Fork)
			}
		}
		for _, id := range group {
			owners[id] = owner
		}
	}
	return owners
}

// dueRemoved says which operations this fork should not have.
func (s *sibling) dueRemoved() map[string]bool {
	if !s.opts.Remove {
		return nil
	}
	var candidates []string
	for id, owner := range s.owners {
		if owner >= 0 && owner != s.i {
			candidates = append(candidates, id)
		}
	}
	return s.parent.removable(candidates)
}

// dueGuarded are the effects that a guard of this fork should forbid, in document order.
func (s *sibling) dueGuarded() (ids []string) {
	for _, id := range s.parent.pending() {
		if s.owners[id] != s.i && !s.removed[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// wishes draws the number of forks and the options of a seed. All can be met.
func wishes(d dice, parent *model) (n int, opts fork.Options) {
	n = pick(d, []int{1, 2, 2, 3, 3, 4, 6})
	opts = fork.Options{Now: later, Remove: d.chance(40)}
	if d.chance(12) {
		opts.Now = earlier
	}
	if d.chance(15) {
		opts.ParentURI = pick(d, []string{"file:///srv/parent.ocp.json", "https://user@example.org/p", "p\"\\\u2028\n"})
	}
	for range n {
		opts.IDs = append(opts.IDs, fmt.Sprintf("urn:x:fork-%d", d.Uint64()))
	}
	switch d.IntN(4) {
	case 0:
		opts.Labels = []string{"A", "B", "C", "D", "E", "F"}[:n]
	case 1:
		opts.Labels = []string{"2", "1", "-x", "_.", "Z9", strings.Repeat("l", 120)}[:n]
	}
	t := &trial{n: n, opts: opts, parent: parent}
	someFork := func() string {
		i := d.IntN(n)
		if name := fmt.Sprint(i + 1); d.chance(30) && t.place(name) == i {
			return name
		}
		return t.label(i)
	}
	switch d.IntN(6) {
	case 0, 1:
		opts.Owner = someFork()
	case 2, 3:
		opts.Spread = true
	}
	for _, group := range parent.groups() {
		if owner := someFork(); d.chance(40) {
			for _, id := range some(d, group, 60) {
				opts.Assign = append(opts.Assign, fork.Assignment{Operation: id, Fork: owner})
			}
		}
	}
	wishStatements(d, &opts, someFork)
	t.opts = opts
	opts.Supersede = t.someSuperseded(d)
	return n, opts
}

func wishStatements(d dice, opts *fork.Options, someFork func() string) {
	for range d.IntN(4) * d.IntN(2) {
		s := fork.Statement{Fork: someFork(), Kind: pick(d, []string{"instruction", "constraint"}),
			Text: pick(d, []string{"", "Only read.", "a\"\\\u0000\u2028\U0001F600\r\n</script>"}), By: fork.Origin{Type: pick(d, []string{"user", "system"})}}
		if s.Kind == "constraint" {
			s.By.Type = pick(d, checkpoint.OriginTypes())
		}
		if d.chance(40) {
			s.By.Name = "A \"person\""
		}
		opts.Statements = append(opts.Statements, s)
	}
}

// someSuperseded draws active statements of the kinds that are added.
func (t *trial) someSuperseded(d dice) (ids []string) {
	for _, e := range t.parent.entries {
		added := slices.ContainsFunc(t.opts.Statements, func(s fork.Statement) bool { return s.Kind == e.str("kind") })
		if e.path == "statements" && added && (e.get("status") == nil || e.str("status") == "active") && d.chance(50) {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// document makes the parent of a seed and says whether it is to be read leniently: any valid checkpoint, one that is little else than
// operations, one with members that are not defined.
func document(seed uint64) (src []byte, lenient bool) {
	d := newDice(seed, 12)
	switch d.IntN(10) {
	case 0, 1, 2, 3, 4:
		return dense(seed), false
	case 5:
		return undefined(d, dense(seed)), true
	case 6:
		return undefined(d, testdoc.Random(seed)), true
	}
	return testdoc.Random(seed), false
}

// generations makes the forks of a seed's document, forks of one of them, and so on, now and then compacted in between.
func generations(seed uint64, each func(*trial) []error) (errs []error) {
	src, lenient := document(seed)
	d := newDice(seed, 13)
	for generation := range 4 {
		n, opts := wishes(d, mustModel(src))
		opts.Lenient = lenient
		t, err := run(src, n, opts)
		if err != nil {
			return append(errs, fmt.Errorf("generation %d: %T: %w", generation, err, err))
		}
		for _, err := range each(t) {
			errs = append(errs, fmt.Errorf("generation %d: %w; %d forks with %s", generation, err, n, show(opts)))
		}
		src = t.next(d).result.Bytes()
		if d.chance(25) {
			if src, err = compacted(d, src, lenient); err != nil {
				return append(errs, fmt.Errorf("generation %d: %w", generation, err))
			}
		}
	}
	return errs
}

// next picks the fork to go on with, mostly the one that owns most.
func (t *trial) next(d dice) *sibling {
	if d.chance(35) {
		return pick(d, t.forks)
	}
	return slices.MaxFunc(t.forks, func(a, b *sibling) int { return len(a.pending()) - len(b.pending()) })
}

func show(opts fork.Options) string {
	s := fmt.Sprintf("%+v", opts)
	return s[:min(len(s), 600)]
}

// compacted compacts a document to its floor or something above.
func compacted(d dice, src []byte, lenient bool) ([]byte, error) {
	opts := compact.Options{Lenient: lenient, Budget: compact.Budget{N: len(src) - d.IntN(len(src)/4), Unit: compact.Bytes}}
	r, err := compact.Compact(src, opts)
	if errors.As(err, new(*compact.BudgetError)) {
		opts.Budget.N = 0
		r, err = compact.Compact(src, opts)
	}
	if err != nil {
		return nil, err
	}
	return r.Bytes(), nil
}
