package jsonspan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestArrange holds Arrange against a list of values: any choice of the items in any order, with new ones between, in any style.
func TestArrange(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		n := dice.IntN(6)
		src := listText(dice, n)
		pieces, want := randomPieces(dice, n)
		items := Items(src, Span{End: len(src)})
		e := Edits{Src: src, Style: Style(dice.IntN(3))}
		e.Arrange(Span{End: len(src)}, Spans(items), pieces)
		var got []int
		if err := json.Unmarshal(e.AppendTo(nil), &got); err != nil {
			t.Fatalf("%s arranged as %v: %s: %v", src, pieces, e.AppendTo(nil), err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s arranged as %v: %v, not %v", src, pieces, got, want)
		}
		if isIdentity(pieces, n) && e.Style == Verbatim && !bytes.Equal(e.AppendTo(nil), src) {
			t.Fatalf("%s changed although all items stay: %s", src, e.AppendTo(nil))
		}
	}
}

// listText is the array of the numbers below n, with some white space.
func listText(dice *rand.Rand, n int) []byte {
	white := []string{"", " ", "\n  "}[dice.IntN(3)]
	src := []byte("[")
	for i := range n {
		if i > 0 {
			src = append(src, ',')
		}
		src = fmt.Appendf(src, "%s%d%s", white, i, []string{"", " "}[dice.IntN(2)])
	}
	return append(src, ']')
}

// randomPieces chooses some of n items, mostly in order, with new ones from 100 on between them.
func randomPieces(dice *rand.Rand, n int) (pieces []Piece, values []int) {
	order := dice.Perm(n)
	if dice.IntN(3) > 0 {
		slices.Sort(order)
	}
	add := func(p Piece, value int) { pieces, values = append(pieces, p), append(values, value) }
	for _, i := range order {
		for dice.IntN(3) == 0 {
			add(Piece{-1, fmt.Append(nil, 100+len(pieces))}, 100+len(pieces))
		}
		if dice.IntN(4) > 0 {
			add(Piece{Item: i}, i)
		}
	}
	if dice.IntN(3) == 0 {
		add(Piece{-1, fmt.Append(nil, 100+len(pieces))}, 100+len(pieces))
	}
	return pieces, values
}

func isIdentity(pieces []Piece, n int) bool {
	for i, p := range pieces {
		if p.Item != i {
			return false
		}
	}
	return len(pieces) == n
}
