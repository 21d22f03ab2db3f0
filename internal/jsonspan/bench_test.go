package jsonspan

import (
	"encoding/json"
	"flag"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/opencheckpoint/ocp/internal/testdoc"
)

var size = flag.Int("size", 32<<20, "bytes of the document that benchmarks use")

// BenchmarkCheck compares the strict check with checks that let duplicates, surrogates and imprecise numbers pass.
func BenchmarkCheck(b *testing.B) {
	doc := testdoc.Large(1, *size, false)
	for _, peer := range []struct {
		name  string
		valid func([]byte) bool
	}{
		{"jsonspan", func(b []byte) bool { return Check(b) == nil }},
		{"gjson.Valid", gjson.ValidBytes},
		{"json.Valid", json.Valid},
	} {
		b.Run(peer.name, func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				if !peer.valid(doc) {
					b.Fatal("refused")
				}
			}
		})
	}
}
