package jsonspan

import (
	"strings"
	"testing"
)

func TestLocator(t *testing.T) {
	src := "{\"a\": [1,\n  {\"b/~\": \"é\", \"c\": []}],\n \"d\\u0065\": {\"\": 2}}"
	for _, c := range []struct {
		at, pointer  string
		line, column int
	}{
		{`{"a"`, "", 1, 1},
		{`"a"`, "/a", 1, 2},
		{`1,`, "/a/0", 1, 8},
		{`{"b`, "/a/1", 2, 3},
		{`"b/`, "/a/1/b~1~0", 2, 4},
		{`"é`, "/a/1/b~1~0", 2, 11},
		{`"c"`, "/a/1/c", 2, 16},
		{`[]`, "/a/1/c", 2, 21},
		{`"d\`, "/de", 3, 2},
		{`2}`, "/de/", 3, 18},
	} {
		got := NewLocator([]byte(src)).At(strings.Index(src, c.at))
		if want := (Position{c.line, c.column, c.pointer}); got != want {
			t.Errorf("at %s: %+v, want %+v", c.at, got, want)
		}
	}
}

// TestLocatorAscending asks one locator for every offset and compares with a fresh one for each.
func TestLocatorAscending(t *testing.T) {
	src := []byte("{\"a\":[[\"\\\"]\",{\"x\":1}],\n\n2 ,\t{\"y\":\"ü\"}],\"b\":nu")
	shared := NewLocator(src)
	for i := range len(src) + 1 {
		if got, want := shared.At(i), NewLocator(src).At(i); got.Line != want.Line || got.Column != want.Column {
			t.Errorf("at %d: %+v, want %+v", i, got, want)
		}
	}
}
