// Package nearest finds what a misspelt name was meant to be.
package nearest

import "slices"

// Name returns the name that is closest to a misspelt one, if it is close: two letters off, and fewer than it has.
func Name(name string, names []string) string {
	best, distance := "", min(3, len(name))
	for _, n := range names {
		if d := editDistance(name, n); d < distance {
			best, distance = n, d
		}
	}
	return best
}

// editDistance counts the letters to add, drop or change (Levenshtein); names of very different length are far.
func editDistance(a, b string) int {
	if len(a) > len(b)+3 || len(b) > len(a)+3 {
		return len(a) + len(b)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		previous := slices.Clone(row)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, previous[j+1]+1, previous[j]+cost)
		}
	}
	return row[len(b)]
}
