package union

import (
	"math/rand/v2"
	"testing"
)

// TestSets joins at random and compares with labels that are all rewritten at each join.
func TestSets(t *testing.T) {
	const n = 40
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		sets := Sets{}
		var label [n]int32
		for i := range label {
			label[i] = int32(i)
		}
		for range random.IntN(2 * n) {
			a, b := random.Int32N(n), random.Int32N(n)
			sets.Join(a, b)
			low, high := min(label[a], label[b]), max(label[a], label[b])
			for i := range label {
				if label[i] == high {
					label[i] = low
				}
			}
		}
		for i, want := range label {
			if got := sets.Find(int32(i)); got != want {
				t.Fatalf("seed %d: %d is in the set of %d, not of %d", seed, i, got, want)
			}
		}
	}
}
