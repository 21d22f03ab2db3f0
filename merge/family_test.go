package merge_test

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/opencheckpoint/ocp/compact"
	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/fork"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/testdoc"
	"github.com/opencheckpoint/ocp/merge"
)

// later is after every generated base, and much later after every descendant of it.
var (
	later     = time.Date(2033, 1, 2, 3, 4, 5, 0, time.UTC)
	muchLater = time.Date(2034, 1, 2, 3, 4, 5, 678900000, time.UTC)
)

// family is a base and documents that descend from it: as a coordinator has them when agents that worked in parallel are done.
type family struct {
	dice
	seed   uint64
	base   *member
	inputs []*member
	others []*member // of the lineage: what inputs were made from
	edits  []edit
	serial int
	polite bool // no agent does what it should not

	orderly bool // all agents have a fork, or none has
}

// member is a document of a family and where it comes from.
type member struct {
	name   string
	src    []byte
	doc    *document
	from   []*member // its direct inputs
	how    string    // captured, compacted, forked, merged
	merged *merge.Result
}

// edit is one change of a draft, for messages, and for laws that need to know what was meant.
type edit struct {
	member string
	what   string
	object string // a local id, or a path
}

func (m *member) id() string { return str(m.doc.object, "id") }

// descends says whether a document is another one or was made from it.
func (m *member) descends(from *member) bool {
	return m == from || slices.ContainsFunc(m.from, func(p *member) bool { return p.descends(from) })
}

// was says whether a document, or one between it and the base, was made in a way.
func (m *member) was(how string) bool {
	return m.how == how || slices.ContainsFunc(m.from, func(p *member) bool { return p.was(how) })
}

// newFamily returns a base without descendants: one of nearly everything, or any document of moderate size.
func newFamily(seed uint64) *family {
	f := &family{dice: newDice(seed, 21), seed: seed, polite: seed%2 == 0}
	src := []byte(nearlyEverything)
	if f.chance(40) {
		for n := seed * 100; ; n++ {
			if src = testdoc.Random(n); len(src) < 20_000 {
				break
			}
		}
	}
	f.base = f.member("base", "authored", src)
	return f
}

func (f *family) member(name, how string, src []byte, from ...*member) *member {
	return &member{name: name, how: how, src: src, doc: read(src), from: from}
}

// adopt makes a fork, which the library wrote, a member.
func (f *family) adopt(name string, r *fork.Result, from *member) *member {
	return f.member(name, "forked", r.Bytes(), from)
}

// grow gives the base descendants of every sort.
func (f *family) grow() error {
	for _, m := range f.children() {
		f.work(m, 2+f.IntN(8))
	}
	for _, step := range []struct {
		percent int
		do      func(*member) error
	}{{20, f.compact}, {15, f.split}} {
		for _, m := range slices.Clone(f.inputs) {
			if !f.chance(step.percent) {
				continue
			}
			if err := step.do(m); err != nil {
				return err
			}
		}
	}
	if len(f.inputs) > 2 && f.chance(25) {
		return f.mergeSome()
	}
	return nil
}

// children begins two to five lines of work: forks of the base, or the base itself.
func (f *family) children() (starts []*member) {
	n := 2 + f.IntN(4)
	for range n {
		starts = append(starts, f.base)
	}
	if !f.chance(40) {
		return starts
	}
	opts := fork.Options{IDs: f.ids(n), Now: f.now()}
	switch f.IntN(3) {
	case 0:
		opts.Owner = fmt.Sprint(1 + f.IntN(n))
	case 1:
		opts.Spread = true
	}
	list, err := fork.Fork(f.base.src, n, opts)
	if err != nil {
		panic(err)
	}
	for i, r := range list {
		if f.orderly || f.chance(80) { // some agents were briefed without a fork
			starts[i] = f.adopt(fmt.Sprint("fork-", i+1), r, f.base)
		}
	}
	return starts
}

// compact replaces an input by a smaller child of it.
func (f *family) compact(m *member) error {
	opts := compact.Options{ID: f.ids(1)[0], Now: f.now(), Budget: compact.Budget{N: len(m.src) - f.IntN(len(m.src)/2), Unit: compact.Bytes}}
	r, err := compact.Compact(m.src, opts)
	if errors.As(err, new(*compact.BudgetError)) {
		opts.Budget.N = 0
		r, err = compact.Compact(m.src, opts)
	}
	if err != nil || r.Unchanged {
		return err
	}
	f.replace([]*member{m}, f.member(m.name+".compacted", "compacted", r.Bytes(), m))
	return nil
}

// split replaces an input by forks of it on which work went on.
func (f *family) split(m *member) error {
	list, err := fork.Fork(m.src, 2, fork.Options{IDs: f.ids(2), Now: f.now(), Spread: f.chance(50)})
	if err != nil {
		return err
	}
	f.replace([]*member{m})
	for i, r := range list {
		if s := f.adopt(fmt.Sprintf("%s.fork-%d", m.name, i+1), r, m); f.chance(70) {
			f.work(s, 1+f.IntN(3))
		} else {
			f.inputs = append(f.inputs, s)
		}
	}
	return nil
}

// mergeSome replaces two inputs by the merge of them, on which work may go on.
func (f *family) mergeSome() error {
	two := shuffled(f.dice, f.inputs)[:2]
	r, err := attempt(sources(two), merge.Options{Base: f.base.src, Ancestors: sources(f.others), ID: f.ids(1)[0], Now: f.now()})
	if err != nil {
		return fmt.Errorf("a merge in part: %T: %w", err, err)
	}
	m := f.member(two[0].name+"+"+two[1].name, "merged", r.Bytes(), two...)
	m.merged = r
	f.replace(two, m)
	if f.chance(50) {
		f.replace([]*member{m})
		f.work(m, 1+f.IntN(3))
	}
	return nil
}

// replace takes documents out of the inputs and puts others in.
func (f *family) replace(old []*member, by ...*member) {
	f.inputs = slices.DeleteFunc(f.inputs, func(m *member) bool { return slices.Contains(old, m) })
	f.others = append(f.others, old...)
	f.inputs = append(f.inputs, by...)
}

func sources(list []*member) (srcs [][]byte) {
	for _, m := range list {
		srcs = append(srcs, m.src)
	}
	return srcs
}

// ids returns ids of new checkpoints in no particular order.
func (f *family) ids(n int) (ids []string) {
	for range n {
		f.serial++
		ids = append(ids, fmt.Sprintf("urn:x:%02x-%d", f.IntN(256), f.serial))
	}
	return ids
}

// now is later than all that was made before.
func (f *family) now() time.Time {
	f.serial++
	return later.Add(time.Duration(f.serial) * time.Minute)
}

// work makes a checkpoint of what an agent did with a document, and makes that an input.
func (f *family) work(on *member, edits int) {
	d := f.draft(on)
	for range edits {
		d.edit()
	}
	f.inputs = append(f.inputs, d.captured())
	if on != f.base {
		f.others = append(f.others, on)
	}
}

// captured ends a draft.
func (d *draft) captured() *member { return d.member(d.name, "captured", d.src, d.on) }

// derived is what a document's child says about itself: a new id, its parent, and its inputs, the direct one first.
func (d *draft) derive() {
	sum, err := digest.Of(d.on.src)
	if err != nil {
		panic(err)
	}
	direct := object{"id": d.on.id(), "digest": sum.String()}
	inputs := listOf(any(direct))
	for _, older := range items(d.doc, "derivation", "inputs") {
		if str(older, "id") != d.on.id() {
			inputs = append(inputs, older)
		}
	}
	d.doc["id"], d.doc["created_at"], d.doc["parent"] = d.ids(1)[0], d.at, clone(direct)
	child(d.doc, "source")["producer"] = "agent " + d.name
	derivation := child(d.doc, "derivation")
	derivation["method"], derivation["inputs"] = "captured", inputs
}

// valid says whether a text is a valid checkpoint.
func valid(src []byte) bool {
	_, err := checkpoint.ParseOne(src, checkpoint.Options{})
	return err == nil
}
