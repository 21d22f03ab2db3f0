package merge_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/opencheckpoint/ocp/fork"
	"github.com/opencheckpoint/ocp/internal/testdoc"
	"github.com/opencheckpoint/ocp/merge"
)

// brood is a parent and forks of it on which no one worked.
type brood struct {
	*family
	parent *member
	forks  []*member
	opts   fork.Options
	owners map[string]int // of the operations that the forks were made for: the place of a fork, -1 for none
}

// newBrood makes forks of a document that may be a fork itself.
func newBrood(seed uint64) (*brood, error) {
	f := newFamily(seed)
	d := f.draft(f.base)
	for range f.IntN(12) {
		d.edit()
	}
	b := &brood{family: f, parent: d.captured(), owners: map[string]int{}}
	if f.chance(25) {
		list, err := fork.Fork(b.parent.src, 2, fork.Options{IDs: f.ids(2), Now: f.now(), Spread: true})
		if err != nil {
			return nil, err
		}
		b.parent = f.adopt("fork", list[f.IntN(2)], b.parent)
	}
	n := 2 + f.IntN(3)
	b.opts = fork.Options{IDs: f.ids(n), Now: f.now(), Remove: f.chance(40)}
	switch f.IntN(3) {
	case 0:
		b.opts.Owner = fmt.Sprint(1 + f.IntN(n))
	case 1:
		b.opts.Spread = true
	}
	list, err := fork.Fork(b.parent.src, n, b.opts)
	if err != nil {
		return nil, err
	}
	for _, e := range b.parent.doc.actionable() {
		b.owners[e.id] = -1
	}
	for i, r := range list {
		b.forks = append(b.forks, f.adopt(fmt.Sprint("fork-", i+1), r, b.parent))
		for _, id := range r.Owns {
			b.owners[id] = i
		}
	}
	return b, nil
}

// TestUntouched: forks on which no one worked merge to their parent's content, without a guard; those that are here without the owner of an effect
// keep its guard.
func TestUntouched(t *testing.T) {
	var effects, absent atomic.Int64
	testdoc.Seeds(t, 240, func(seed uint64) []error {
		b, err := newBrood(seed)
		if err != nil {
			return []error{err}
		}
		here := b.forks
		if len(here) > 2 && b.chance(40) {
			here = shuffled(b.dice, here)[:len(here)-1]
			absent.Add(1)
		}
		effects.Add(int64(len(b.owners)))
		if err := b.merge(here); err != nil {
			return []error{fmt.Errorf("%w; %+v; %s", err, b.opts, b.story())}
		}
		return nil
	})
	t.Logf("%d effects; %d times a fork was absent", effects.Load(), absent.Load())
}

func (b *brood) merge(here []*member) error {
	srcs, opts := sources(here), merge.Options{ID: "urn:x:merged", Now: muchLater, Base: b.parent.src}
	if b.chance(30) {
		srcs, opts.Base = append(srcs, b.parent.src), nil
	}
	b.base, b.inputs = b.parent, here
	t, err := b.trial(shuffled(b.dice, srcs), opts)
	if err != nil {
		return err
	}
	if len(t.result.Conflicts) > 0 {
		return fmt.Errorf("conflicts %+v", t.result.Conflicts)
	}
	for _, check := range []func(*trial, []*member) error{b.content, b.acting, b.guards} {
		if err := check(t, here); err != nil {
			return err
		}
	}
	return nil
}

// content: every object of the parent is there byte for byte, and none besides but what records refer to.
func (b *brood) content(t *trial, _ []*member) error {
	for _, path := range [][]string{{"task"}, {"progress"}, {"application_context"}, {"continuation", "extensions"}} {
		if was, is := rawAt(b.parent.src, path...), rawAt(t.out.src, path...); !bytes.Equal(was, is) {
			return fmt.Errorf("%s was %.300s and is %.300s", path, was, is)
		}
	}
	for _, list := range []string{"statements", "operations", "resources", "continuation/requirements", "continuation/preconditions", "continuation/recovery",
		"continuation/incompatibilities"} {
		if err := sameItems(list, b.parent.src, t.out.src); err != nil {
			return err
		}
	}
	return b.extensions(t)
}

// sameItems compares two lists byte for byte. Resources may follow that stand for documents.
func sameItems(list string, parent, out []byte) error {
	path := strings.Split(list, "/")
	was, is := rawItems(parent, path...), rawItems(out, path...)
	if list == "resources" {
		is = slices.DeleteFunc(is, func(r json.RawMessage) bool {
			stands := string(rawAt(r, "media_type")) == `"application/vnd.opencheckpoint+json"`
			return stands && !slices.ContainsFunc(was, func(w json.RawMessage) bool { return bytes.Equal(r, w) })
		})
	}
	if !slices.EqualFunc(was, is, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		return fmt.Errorf("%s: %s", list, difference(fmt.Sprintf("%s", was), fmt.Sprintf("%s", is)))
	}
	return nil
}

// extensions: those of others as they were; the entry of the forks is gone with their guards, and the parent's own is back.
func (b *brood) extensions(t *trial) error {
	data, _ := t.out.object["extensions"].(object)
	for key := range data {
		if was, is := rawAt(b.parent.src, "extensions", key), rawAt(t.out.src, "extensions", key); key != forkKey && !bytes.Equal(was, is) {
			return fmt.Errorf("extension %s was %s and is %s", key, was, is)
		}
	}
	for key := range child(clone(b.parent.doc.object), "extensions") {
		if _, ok := data[key]; !ok {
			return errors.New("extension " + key + " is gone")
		}
	}
	return nil
}

// acting: what can act is what the forks that are here could do, and what was left to whoever merges all of them.
func (b *brood) acting(t *trial, here []*member) error {
	var want, got []string
	for id, owner := range b.owners {
		if owner < 0 && len(here) == len(b.forks) || owner >= 0 && slices.Contains(here, b.forks[owner]) {
			want = append(want, id)
		}
	}
	for _, e := range t.out.actionable() {
		got = append(got, e.id)
	}
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		return fmt.Errorf("%s can act, and %s should", got, want)
	}
	return nil
}

// guards: the stop conditions are the parent's, and one for each operation that must still not act.
func (b *brood) guards(t *trial, _ []*member) error {
	path := []string{"continuation", "stop_conditions"}
	is := rawItems(t.out.src, path...)
	for _, stop := range rawItems(b.parent.src, path...) {
		i := slices.IndexFunc(is, func(s json.RawMessage) bool { return bytes.Equal(s, stop) })
		if i < 0 {
			return fmt.Errorf("stop condition %s is gone", stop)
		}
		is = slices.Delete(is, i, i+1)
	}
	guarded := map[string]bool{}
	forbidden := b.parent.doc.forbidden()
	for _, stop := range is {
		op := texts(decoded(stop), "applies_to")
		if len(op) != 1 || guarded[op[0]] || forbidden[op[0]] || slices.ContainsFunc(t.out.actionable(), func(e *entry) bool { return e.id == op[0] }) {
			return fmt.Errorf("guard %s", stop)
		}
		guarded[op[0]] = true
	}
	if len(t.result.Kept) != len(is) {
		return fmt.Errorf("%d guards are there and %+v reported as kept", len(is), t.result.Kept)
	}
	return nil
}
