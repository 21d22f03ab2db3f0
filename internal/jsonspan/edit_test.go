package jsonspan

import (
	"fmt"
	"testing"
)

// TestItems drops every subset of the items of small containers, with and without an added one, and reads the result.
func TestItems(t *testing.T) {
	for _, src := range []string{`[]`, `[ ]`, `[1]`, `[1,2]`, `[ 1 , 2 , 3 ]`, "[\n  1,\n  2,\n  3\n]", `{"a":1,"b":{},"c":[]}`, "{\n\t\"a\" : 1\n}"} {
		items := Items([]byte(src), Span{0, len(src)})
		for drop := range 1 << len(items) {
			for _, added := range [][][]byte{nil, {[]byte(addition(src))}} {
				e := Edits{Src: []byte(src)}
				e.Items(Span{0, len(src)}, Spans(items), func(i int) bool { return drop>>i&1 == 1 }, added...)
				out := e.AppendTo(nil)
				if err := Check(out); err != nil {
					t.Fatalf("%q less %b plus %s: %q: %v", src, drop, added, out, err)
				}
				if got, want := keptItems(out), expected(src, items, drop, added); got != want {
					t.Errorf("%q less %b: %q has %s, want %s", src, drop, out, got, want)
				}
			}
		}
	}
}

func addition(src string) string {
	if src[0] == '{' {
		return `"z":9`
	}
	return `9`
}

func keptItems(text []byte) (s string) {
	for _, item := range Items(text, Span{0, len(text)}) {
		span := item.Span()
		s += fmt.Sprintf("%s;", text[span.Start:span.End])
	}
	return s
}

func expected(src string, items []Item, drop int, added [][]byte) (s string) {
	for i, item := range items {
		if drop>>i&1 == 0 {
			s += src[item.Span().Start:item.Span().End] + ";"
		}
	}
	for _, a := range added {
		s += string(a) + ";"
	}
	return s
}

// TestAddKeepsLines: what is added to a printed list stands on a line of its own.
func TestAddKeepsLines(t *testing.T) {
	src := []byte("[\n  1\n]")
	e := Edits{Src: src}
	e.Append(Span{0, len(src)}, []Span{{4, 5}}, []byte("2"))
	if got, want := string(e.AppendTo(nil)), "[\n  1,\n  2\n]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
