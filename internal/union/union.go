// Package union joins numbers into sets (union-find, with path halving).
package union

// Sets holds for each number that was joined another one of its set. A number that it does not hold is a set of its own.
type Sets map[int32]int32

// Find returns the lowest number of a set, which stands for it.
func (s Sets) Find(i int32) int32 {
	for {
		up, ok := s[i]
		if !ok || up == i {
			return i
		}
		if top, ok := s[up]; ok {
			s[i] = top
		}
		i = up
	}
}

// Join makes one set of two.
func (s Sets) Join(a, b int32) {
	a, b = s.Find(a), s.Find(b)
	s[max(a, b)] = min(a, b)
}
