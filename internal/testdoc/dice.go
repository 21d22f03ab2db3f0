package testdoc

import (
	"math/bits"
	"math/rand/v2"
)

// dice makes every choice of a document. It scales PCG output itself, because math/rand/v2 takes other steps for small
// ranges on 32-bit platforms.
type dice struct {
	source *rand.PCG
}

// newDice returns the dice of a seed; stream keeps the generators of this package apart.
func newDice(seed, stream uint64) *dice {
	return &dice{source: rand.NewPCG(seed, stream)}
}

// below returns a number in [0, n).
func (d *dice) below(n int) int {
	high, _ := bits.Mul64(d.source.Uint64(), uint64(n))
	return int(high)
}

// between returns a number in [low, high].
func (d *dice) between(low, high int) int {
	return low + d.below(high-low+1)
}

// chance is true in percent of 100 cases.
func (d *dice) chance(percent int) bool {
	return d.below(100) < percent
}

// hex returns n lower-case hexadecimal digits.
func (d *dice) hex(n int) string {
	return d.letters("0123456789abcdef", n)
}

// letters returns n bytes of an ASCII alphabet.
func (d *dice) letters(alphabet string, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = alphabet[d.below(len(alphabet))]
	}
	return string(out)
}

// pick returns one element of a list that is not empty.
func pick[T any](d *dice, list []T) T {
	return list[d.below(len(list))]
}

// shuffle reorders a list in place.
func shuffle[T any](d *dice, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := d.below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}

// sample returns n different elements of a list, or all of them in some order if it has fewer.
func sample[T any](d *dice, list []T, n int) []T {
	rest := append([]T(nil), list...)
	shuffle(d, rest)
	return rest[:min(n, len(rest))]
}
