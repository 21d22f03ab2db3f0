package compact

import (
	"os"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// TestPairOfOurs: what this package makes never breaches its own laws, at any prefix, made of entries with ids and without.
func TestPairOfOurs(t *testing.T) {
	docs := [][]byte{sample(t)}
	seeds := uint64(40)
	if testing.Short() {
		seeds = 5
	}
	for seed := range seeds {
		docs = append(docs, testdoc.Random(seed))
	}
	for n, src := range docs {
		parent, err := checkpoint.ParseOne(src, checkpoint.Options{Parts: true})
		if err != nil {
			t.Fatal(err)
		}
		l, err := newLadder(parent, Options{DropDone: n%2 == 0, Now: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		for k := range len(l.steps) + 1 {
			child, err := checkpoint.ParseOne(l.write(k), checkpoint.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if found := CheckPair(parent, child); len(found) > 0 {
				t.Errorf("document %d, prefix %d: %s at %s", n, k, found[0].Error(), found[0].Pointer)
				break
			}
		}
	}
}

func sample(t *testing.T) []byte {
	b, err := os.ReadFile("../golden/sample.ocp.json")
	if err != nil {
		t.Fatal(err)
	}
	return b
}
