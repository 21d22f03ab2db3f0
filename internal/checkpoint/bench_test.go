package checkpoint

import (
	"flag"
	"fmt"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/opencheckpoint/ocp/internal/testdoc"
)

var size = flag.Int("size", 32<<20, "bytes of the document that benchmarks use")

// BenchmarkValidate is levels 0 to 2; gjson.Valid is a lax level 0.
func BenchmarkValidate(b *testing.B) {
	doc := testdoc.Large(1, *size, false)
	b.Run("ocp", func(b *testing.B) { benchmarkParse(b, doc) })
	b.Run("gjson.Valid", func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		for b.Loop() {
			if !gjson.ValidBytes(doc) {
				b.Fatal("refused")
			}
		}
	})
}

// BenchmarkGrowth shows that the time is linear in the size.
func BenchmarkGrowth(b *testing.B) {
	for _, mb := range []int{1, 4, 16, 64} {
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) { benchmarkParse(b, testdoc.Large(1, mb<<20, false)) })
	}
}

func benchmarkParse(b *testing.B, doc []byte) {
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if d, err := Parse(doc, Options{}); err != nil || d.Err() != nil {
			b.Fatal("refused")
		}
	}
}
