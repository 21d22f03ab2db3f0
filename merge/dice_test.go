package merge_test

import "math/rand/v2"

// dice makes the choices of one seed.
type dice struct{ *rand.Rand }

func newDice(seed, stream uint64) dice { return dice{rand.New(rand.NewPCG(seed, stream))} }

// chance is true in percent of 100 cases.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// pick returns one element of a list that is not empty.
func pick[T any](d dice, list []T) T { return list[d.IntN(len(list))] }

// some returns each element with a chance of percent.
func some[T any](d dice, list []T, percent int) (out []T) {
	for _, v := range list {
		if d.chance(percent) {
			out = append(out, v)
		}
	}
	return out
}

// shuffled returns the elements in another order.
func shuffled[T any](d dice, list []T) []T {
	out := append([]T(nil), list...)
	d.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
