package merge_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/golden"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/testdoc"
	"github.com/opencheckpoint/ocp/merge"
)

// FuzzMerge: whatever the bytes, two documents merge to a valid one that is the same the other way round, or there is an error of a kind that is
// documented.
func FuzzMerge(f *testing.F) {
	for _, p := range pairs(60, 8_000) {
		f.Add(p[0], p[1], byte(len(p[0])))
	}
	docs := goldenDocuments(f, 8_000)
	for i, doc := range docs {
		other := docs[(i+1)%len(docs)]
		if i%2 == 1 {
			other = bytes.Replace(doc, []byte(`"id": "`), []byte(`"id": "x`), 1)
		}
		f.Add(doc, other, byte(i))
	}
	f.Fuzz(func(t *testing.T, one, other []byte, flags byte) {
		if err := mergesOrNot(one, other, flags); err != nil {
			t.Error(err)
		}
	})
}

// pairs are documents of small families, and damaged ones.
func pairs(n uint64, most int) (list [][2][]byte) {
	for seed := range n {
		f := newFamily(seed)
		for range 2 {
			f.work(f.base, 4)
		}
		one, other := f.inputs[0].src, f.inputs[1].src
		if len(one)+len(other) > 2*most {
			continue
		}
		list = append(list, [2][]byte{one, other}, [2][]byte{f.base.src, one}, [2][]byte{testdoc.Mutate(one, seed), other})
	}
	return list
}

// goldenDocuments are the valid documents of the vectors.
func goldenDocuments(t testing.TB, most int) (docs [][]byte) {
	err := fs.WalkDir(golden.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".ocp.json") {
			return err
		}
		src, err := fs.ReadFile(golden.FS, path)
		if err == nil && len(src) < most && valid(src) {
			docs = append(docs, src)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

// mergesOrNot merges two documents in both orders.
func mergesOrNot(one, other []byte, flags byte) error {
	opts := merge.Options{ID: "urn:x:merged", Now: muchLater, Unrelated: flags&1 != 0, Lenient: flags&2 != 0}
	if flags&4 != 0 {
		opts.Ancestors = [][]byte{[]byte(nearlyEverything)}
	}
	if flags&8 != 0 {
		opts.Now = later.AddDate(-20, 0, 0)
	}
	if flags&16 != 0 {
		opts.Lift = []string{"op-pay", "a"}
	}
	r, err := merge.Merge([][]byte{one, other}, opts)
	again, otherErr := merge.Merge([][]byte{other, one}, opts)
	if err != nil || otherErr != nil {
		if err == nil || otherErr == nil {
			return fmt.Errorf("one way %v, the other way %v", err, otherErr)
		}
		return known(err)
	}
	if !bytes.Equal(r.Bytes(), again.Bytes()) {
		return errors.New("the order matters: " + difference(string(r.Bytes()), string(again.Bytes())))
	}
	if _, err := checkpoint.ParseOne(r.Bytes(), checkpoint.Options{Lenient: opts.Lenient}); err != nil {
		return fmt.Errorf("the result is invalid: %w", err)
	}
	return nil
}

// known returns an error of a kind that is not documented.
func known(err error) error {
	var (
		document *merge.DocumentError
		broken   *merge.DigestError
		request  *merge.RequestError
		instant  *checkpoint.InstantError
	)
	switch {
	case errors.As(err, &document), errors.As(err, &broken), errors.As(err, &request), errors.As(err, &instant):
	case errors.Is(err, checkpoint.ErrSameID), errors.Is(err, checkpoint.ErrText):
	default:
		return fmt.Errorf("%T: %w", err, err)
	}
	return nil
}

// TestDamaged: documents that are valid by a hair, with warnings, with undefined members, of families and of none.
func TestDamaged(t *testing.T) {
	list := pairs(40, 30_000)
	testdoc.Seeds(t, 600, func(seed uint64) []error {
		d := newDice(seed, 31)
		p := pick(d, list)
		one, other := p[0], p[1]
		for range 1 + d.IntN(3) {
			one = testdoc.Mutate(one, d.Uint64())
		}
		if d.chance(50) {
			other = testdoc.Mutate(other, d.Uint64())
		}
		if err := mergesOrNot(one, other, byte(d.IntN(32))|2); err != nil {
			return []error{err}
		}
		return nil
	})
}
