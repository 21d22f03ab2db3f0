package compact

import (
	"fmt"
	"strconv"
	"strings"
)

// Unit is what a budget counts.
type Unit uint8

// The units.
const (
	Tokens Unit = iota
	Bytes
)

// String returns "tokens" or "bytes".
func (u Unit) String() string { return [...]string{"tokens", "bytes"}[u] }

// count puts a number before the unit.
func (u Unit) count(n int) string {
	if n == 1 {
		return "1 " + strings.TrimSuffix(u.String(), "s")
	}
	return fmt.Sprintf("%d %s", n, u)
}

// Budget is the size that a document may have, without a line feed behind it. An N of 0 asks for the floor.
type Budget struct {
	N    int
	Unit Unit
}

// maxBudget keeps sums of sizes within an int everywhere.
const maxBudget = 1 << 40

// units are the suffixes of a budget.
var units = map[string]struct {
	unit   Unit
	factor int
}{
	"": {Tokens, 1}, "tok": {Tokens, 1}, "B": {Bytes, 1}, "kB": {Bytes, 1000}, "KiB": {Bytes, 1 << 10}, "MB": {Bytes, 1_000_000}, "MiB": {Bytes, 1 << 20},
}

// ParseBudget reads a budget as people write it: 8000 or 8000tok in tokens; 9000B, 16kB, 32KiB, 1MB or 1MiB in bytes; min for the floor.
func ParseBudget(s string) (Budget, error) {
	if s == "min" {
		return Budget{}, nil
	}
	end := len(s) - len(strings.TrimLeft(s, "0123456789"))
	number, suffix := s[:end], s[end:]
	unit, known := units[suffix]
	switch {
	case number == "":
		return Budget{}, fmt.Errorf("budget %q does not begin with a number", s)
	case !known:
		return Budget{}, fmt.Errorf("budget %q has an unknown unit; tok, B, kB, KiB, MB or MiB is meant", s)
	}
	n, err := strconv.Atoi(number)
	switch {
	case err != nil || n > maxBudget/unit.factor:
		return Budget{}, fmt.Errorf("budget %q is too large", s)
	case n == 0:
		return Budget{}, fmt.Errorf("a budget of 0 keeps nothing; the smallest result is asked for with min")
	}
	return Budget{N: n * unit.factor, Unit: unit.unit}, nil
}
