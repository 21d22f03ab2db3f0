package jsonspan

import (
	"fmt"
	"testing"
)

// TestItems drops every subset of the items of small containers, with and without added ones, and reads the result.
func TestItems(t *testing.T) {
	for _, src := range []string{`[]`, `[ ]`, `[1]`, `[1,2]`, `[ 1 , 2 , 3 ]`, "[\n  1,\n  2,\n  3\n]", `{"a":1,"b":{},"c":[]}`, "{\n\t\"a\" : 1\n}"} {
		for drop := range 1 << len(Items([]byte(src), Span{0, len(src)})) {
			for added := range 4 {
				for _, style := range []Style{Verbatim, Tight, Plainest} {
					checkItems(t, src, drop, added, style)
				}
			}
		}
	}
}

func checkItems(t *testing.T, src string, drop, added int, style Style) {
	t.Helper()
	whole := Span{0, len(src)}
	items := Items([]byte(src), whole)
	change := Change{Dropped: func(i int) bool { return drop>>i&1 == 1 }}
	want := ""
	if added&1 == 1 {
		change.First = [][]byte{[]byte(addition(src, "x")), []byte(addition(src, "y"))}
		want = addition(src, "x") + ";" + addition(src, "y") + ";"
	}
	for i, item := range items {
		if drop>>i&1 == 0 {
			span := item.Span()
			want += string(AppendStyled(nil, []byte(src)[span.Start:span.End], style)) + ";"
		}
	}
	if added&2 == 2 {
		change.Last = [][]byte{[]byte(addition(src, "z"))}
		want += addition(src, "z") + ";"
	}
	e := Edits{Src: []byte(src), Style: style}
	e.Items(whole, Spans(items), change)
	c := Cursor{Src: []byte(src)}
	c.Skip()
	size := e.Len(c.White, c.Waste)
	out := e.AppendTo(nil)
	if err := Check(out); err != nil {
		t.Fatalf("%q less %b plus %d: %q: %v", src, drop, added, out, err)
	}
	if got := keptItems(out); got != want || len(out) != size {
		t.Errorf("%q less %b plus %d: %q has %s, want %s; %d bytes, Len %d", src, drop, added, out, got, want, len(out), size)
	}
}

func addition(src, name string) string {
	if src[0] == '{' {
		return `"` + name + `":9`
	}
	return `"` + name + `"`
}

func keptItems(text []byte) (s string) {
	for _, item := range Items(text, Span{0, len(text)}) {
		span := item.Span()
		s += fmt.Sprintf("%s;", text[span.Start:span.End])
	}
	return s
}

// TestAddKeepsLines: what is added to a printed list stands on a line of its own.
func TestAddKeepsLines(t *testing.T) {
	src := []byte("[\n  1\n]")
	e := Edits{Src: src}
	e.Items(Span{0, len(src)}, []Span{{4, 5}}, Change{Last: [][]byte{[]byte("2")}})
	if got, want := string(e.AppendTo(nil)), "[\n  1,\n  2\n]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
