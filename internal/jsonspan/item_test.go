package jsonspan

import (
	"slices"
	"testing"
)

// FuzzEachItem holds the fast walk against the strict one on accepted texts, and lets it walk over any beginning of one.
func FuzzEachItem(f *testing.F) {
	for _, s := range []string{`{}`, `[]`, `{"a":1,"b":[true,{"c":"]}"}],"d\"":"\\"}`, `[ 1 , "a,b" , null , {} ]`, ` { "a" : -1.5e3 } `, `["\\\"",[[]],{"a":{}}]`} {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, src []byte, cut int) {
		if Check(src) != nil {
			return
		}
		c := Cursor{Src: src}
		if b := c.Peek(); b != '{' && b != '[' {
			return
		}
		all := Span{c.Pos, len(src)}
		var got []Item
		EachItem(src, all, func(i Item) bool { got = append(got, i); return true })
		if want := Items(src, all); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", src, got, want)
		}
		if cut > c.Pos && cut < len(src) {
			EachItem(src[:cut:cut], Span{c.Pos, cut}, func(i Item) bool {
				if i.Value.End > cut || i.Value.Start >= i.Value.End {
					t.Fatalf("%q cut to %d: %v", src, cut, i)
				}
				return true
			})
		}
	})
}
