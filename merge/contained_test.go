package merge_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/opencheckpoint/ocp/internal/testdoc"
	"github.com/opencheckpoint/ocp/merge"
)

// TestContained: a document merged with what it was made from comes out as it is, byte for byte, whatever else is at hand.
func TestContained(t *testing.T) {
	testdoc.Seeds(t, 100, func(seed uint64) []error {
		f := newFamily(seed)
		if err := f.grow(); err != nil {
			return []error{err}
		}
		for _, m := range f.inputs {
			if err := f.contained(m); err != nil {
				return []error{fmt.Errorf("%s: %w; %s", m.name, err, f.story())}
			}
		}
		return nil
	})
}

func (f *family) contained(m *member) error {
	older := slices.DeleteFunc(append(slices.Clone(f.others), f.base), func(o *member) bool { return o == m || !m.descends(o) })
	some := append([]*member{m, pick(f.dice, older)}, some(f.dice, older, 30)...)
	opts := merge.Options{Ancestors: sources(f.others), ID: "urn:x:merged", Now: muchLater}
	r, err := attempt(shuffled(f.dice, sources(some)), opts)
	if err != nil {
		return err
	}
	if !r.Unchanged || r.ID != m.id() || !bytes.Equal(r.Bytes(), bytes.TrimSpace(m.src)) {
		return fmt.Errorf("unchanged is %v, id %s: %s", r.Unchanged, r.ID, difference(string(m.src), string(r.Bytes())))
	}
	if m.merged != nil && len(r.Conflicts) != len(m.merged.Conflicts) {
		return fmt.Errorf("%d open conflicts, and %d are reported", len(m.merged.Conflicts), len(r.Conflicts))
	}
	return nil
}

// TestEqual: documents with one id and one content are one document, however they are written; with other content they are refused.
func TestEqual(t *testing.T) {
	f := newFamily(3)
	f.work(f.base, 4)
	f.work(f.base, 4)
	srcs := sources(f.inputs)
	opts := merge.Options{Base: f.base.src, ID: "urn:x:merged", Now: muchLater}
	first, err := merge.Merge(srcs, opts)
	if err != nil {
		t.Fatal(err)
	}
	spaced := bytes.ReplaceAll(srcs[0], []byte(`,"`), []byte(" ,\n\t\""))
	for _, again := range [][][]byte{{srcs[0], spaced, srcs[1]}, {spaced, srcs[1], srcs[0]}, {srcs[1], spaced, srcs[0], srcs[1]}} {
		r, err := attempt(again, opts)
		if err != nil {
			t.Fatal(err)
		}
		if canon(decoded(r.Bytes())) != canon(decoded(first.Bytes())) {
			t.Error("another spelling of an input made another result")
		}
	}
	other := bytes.Replace(srcs[0], []byte(`"objective":"`), []byte(`"objective":"not `), 1)
	if r, err := attempt([][]byte{srcs[0], other, srcs[1]}, opts); err == nil {
		t.Errorf("two documents with one id made %s", r.ID)
	}
	for _, few := range [][][]byte{nil, srcs[:1]} {
		if _, err := merge.Merge(few, opts); err == nil {
			t.Errorf("%d documents were merged", len(few))
		}
	}
}
