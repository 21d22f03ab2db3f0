package digest_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"testing"

	"github.com/gowebpki/jcs"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

var size = flag.Int("size", 32<<20, "bytes of the document that benchmarks use")

// BenchmarkOf compares the digest with the library that is its oracle, and with what it cannot do without.
func BenchmarkOf(b *testing.B) {
	doc := testdoc.Large(1, *size, false)
	for _, peer := range []struct {
		name string
		work func([]byte)
	}{
		{"ocp", func(b []byte) { digest.Of(b) }},
		{"gowebpki-jcs+sha256", func(b []byte) { canonical, _ := jcs.Transform(b); sha256.Sum256(canonical) }},
		{"check+sha256", func(b []byte) { jsonspan.Check(b); sha256.Sum256(b) }},
	} {
		b.Run(peer.name, func(b *testing.B) { benchmark(b, doc, peer.work) })
	}
}

// BenchmarkGrowth shows that the time is linear in the size.
func BenchmarkGrowth(b *testing.B) {
	for _, mb := range []int{1, 4, 16, 64} {
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) {
			benchmark(b, testdoc.Large(1, mb<<20, false), func(b []byte) { digest.Of(b) })
		})
	}
}

func benchmark(b *testing.B, doc []byte, work func([]byte)) {
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		work(doc)
	}
}
