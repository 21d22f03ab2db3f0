package merge_test

import (
	"flag"
	"fmt"
	"io"
	"testing"

	"github.com/opencheckpoint/ocp/fork"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/testdoc"
	"github.com/opencheckpoint/ocp/merge"
)

var size = flag.Int("size", 32<<20, "bytes of the document that benchmarks use")

// forked is a document and three forks of it.
func forked(b *testing.B, size int) [][]byte {
	doc := testdoc.Large(1, size, false)
	forks, err := fork.Fork(doc, 3, fork.Options{Spread: true})
	if err != nil {
		b.Fatal(err)
	}
	docs := [][]byte{doc}
	for _, r := range forks {
		docs = append(docs, r.Bytes())
	}
	return docs
}

// BenchmarkMerge merges three forks, with the base at hand and without; validate is what no merge can do without.
func BenchmarkMerge(b *testing.B) {
	docs := forked(b, *size)
	b.Run("three", func(b *testing.B) { benchmarkMerge(b, docs[1:]) })
	b.Run("three+base", func(b *testing.B) { benchmarkMerge(b, docs) })
	b.Run("three-validates", func(b *testing.B) {
		b.SetBytes(int64(3 * len(docs[0])))
		b.ReportAllocs()
		for b.Loop() {
			for _, doc := range docs[1:] {
				if _, err := checkpoint.ParseOne(doc, checkpoint.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkMergeGrowth shows that the time is linear in the size.
func BenchmarkMergeGrowth(b *testing.B) {
	for _, mb := range []int{1, 4, 16, 64} {
		docs := forked(b, mb<<20)
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) { benchmarkMerge(b, docs) })
	}
}

func benchmarkMerge(b *testing.B, docs [][]byte) {
	b.SetBytes(int64(len(docs) * len(docs[0])))
	b.ReportAllocs()
	for b.Loop() {
		r, err := merge.Merge(docs, merge.Options{})
		if err != nil {
			b.Fatal(err)
		}
		r.WriteTo(io.Discard)
	}
}
