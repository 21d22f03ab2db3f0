package compact_test

import (
	"flag"
	"fmt"
	"io"
	"testing"

	"github.com/opencheckpoint/ocp/compact"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

var size = flag.Int("size", 32<<20, "bytes of the document that benchmarks use")

// BenchmarkCompact halves a document; validate+copy is what no transform can do without.
func BenchmarkCompact(b *testing.B) {
	doc := testdoc.Large(1, *size, false)
	b.Run("bytes", func(b *testing.B) { benchmarkCompact(b, doc, compact.Budget{N: len(doc) / 2, Unit: compact.Bytes}) })
	b.Run("fits", func(b *testing.B) { benchmarkCompact(b, doc, compact.Budget{N: len(doc), Unit: compact.Tokens}) })
	b.Run("validate+copy", func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		for b.Loop() {
			if _, err := checkpoint.Parse(doc, checkpoint.Options{}); err != nil {
				b.Fatal(err)
			}
			io.Discard.Write(append([]byte(nil), doc...))
		}
	})
}

// BenchmarkTokens makes documents of 1 MB fit 60,000 tokens.
func BenchmarkTokens(b *testing.B) {
	benchmarkCompact(b, testdoc.Large(1, 1<<20, false), compact.Budget{N: 60_000})
}

// BenchmarkGrowth shows that the time is linear in the size, down to a tenth of it.
func BenchmarkGrowth(b *testing.B) {
	for _, mb := range []int{1, 4, 16, 64} {
		doc := testdoc.Large(1, mb<<20, false)
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) {
			benchmarkCompact(b, doc, compact.Budget{N: len(doc) / 4, Unit: compact.Bytes})
		})
	}
}

func benchmarkCompact(b *testing.B, doc []byte, budget compact.Budget) {
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compact.Compact(doc, compact.Options{Budget: budget}); err != nil {
			b.Fatal(err)
		}
	}
}
