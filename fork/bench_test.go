package fork_test

import (
	"flag"
	"fmt"
	"io"
	"testing"

	"github.com/opencheckpoint/ocp/fork"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

var size = flag.Int("size", 32<<20, "bytes of the document that benchmarks use")

// BenchmarkFork makes three forks and writes them; validate+copies is what no transform can do without.
func BenchmarkFork(b *testing.B) {
	doc := testdoc.Large(1, *size, false)
	b.Run("n3", func(b *testing.B) { benchmarkFork(b, doc, 3, fork.Options{}) })
	b.Run("validate+copies", func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := checkpoint.ParseOne(doc, checkpoint.Options{}); err != nil {
				b.Fatal(err)
			}
			for range 3 {
				io.Discard.Write(append([]byte(nil), doc...))
			}
		}
	})
}

// BenchmarkGrowth shows that the time is linear in the size.
func BenchmarkGrowth(b *testing.B) {
	for _, mb := range []int{1, 4, 16, 64} {
		doc := testdoc.Large(1, mb<<20, false)
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) {
			benchmarkFork(b, doc, 3, fork.Options{Owner: "1", Remove: true})
		})
	}
}

// BenchmarkEffects shows that the time is linear in the number of operations that depend on each other, the last one first.
func BenchmarkEffects(b *testing.B) {
	for _, n := range []int{1_000, 4_000, 16_000, 64_000} {
		doc := []byte(head + `,"progress":{"next":[{"description":"d","blocked_by":["op-0"]}]},"operations":[`)
		for i := n - 1; i > 0; i-- {
			doc = append(doc, action(fmt.Sprint("op-", i-1), fmt.Sprintf(`,"depends_on":["op-%d"]`, i))+","...)
			if i == n-1 {
				doc = append(doc, action(fmt.Sprint("op-", i), "")+","...)
			}
		}
		doc = append(doc[:len(doc)-1], "]}"...)
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkFork(b, doc, 2, fork.Options{Owner: "1", Remove: true}) })
	}
}

// BenchmarkInputs shows the same for inputs that there is no place for.
func BenchmarkInputs(b *testing.B) {
	for _, n := range []int{1_000, 4_000, 16_000, 64_000} {
		doc := []byte(head + `,"derivation":{"method":"merged","inputs":[{"id":"urn:x:0"}`)
		for i := range n {
			doc = fmt.Appendf(doc, `,{"id":"urn:x:%d"}`, i+1)
		}
		doc = append(doc, "]}}"...)
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkFork(b, doc, 2, fork.Options{}) })
	}
}

func benchmarkFork(b *testing.B, doc []byte, n int, opts fork.Options) {
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		forks, _, err := fork.First(doc, n, opts)
		if err != nil {
			b.Fatal(err)
		}
		for r, err := range forks.All() {
			if err != nil {
				b.Fatal(err)
			}
			r.WriteTo(io.Discard)
		}
	}
}
