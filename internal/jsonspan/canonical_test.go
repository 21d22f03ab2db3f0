package jsonspan

import (
	"bytes"
	"cmp"
	"slices"
	"testing"
	"unicode/utf16"

	"github.com/gowebpki/jcs"
)

// FuzzCanonical: the canonical form is gowebpki/jcs's.
func FuzzCanonical(f *testing.F) {
	for _, text := range accepted {
		f.Add([]byte(text))
	}
	f.Add([]byte("{\"\\ud83d\\ude00\":1,\"\uffee\":2,\"z\":[{\"b\":[],\"a\":{}},3.50,-0,1e21,1E-7,\"\\u000A\\u001F\"],\"\":null}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		got, err := Canonical(src)
		if err != nil {
			return
		}
		want, oracle := jcs.Transform(src)
		if oracle != nil || !bytes.Equal(got, want) {
			t.Errorf("%q: %q, jcs %q, %v", src, got, want, oracle)
		}
	})
}

// FuzzCompareUTF16 compares with code units that were really made.
func FuzzCompareUTF16(f *testing.F) {
	f.Add("\U00010000", "\uffef")
	f.Add("a\ue000", "a\U0010fffd")
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = string([]rune(a)), string([]rune(b))
		want := slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		if got := compareUTF16([]byte(a), []byte(b)); cmp.Compare(got, 0) != want {
			t.Errorf("%q, %q: %d, want %d", a, b, got, want)
		}
	})
}
