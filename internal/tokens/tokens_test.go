package tokens

import (
	"bytes"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// TestCutsAddUp: counting in pieces gives the count of the whole, for every tokenizer.
func TestCutsAddUp(t *testing.T) {
	for _, name := range Names() {
		c, err := NewCounter(name)
		if err != nil {
			t.Fatal(err)
		}
		codec, err := tokenizer.Get(tokenizer.Encoding(name))
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(testdoc.Few(30)) {
			doc := testdoc.Random(seed)
			got, err := c.Count(doc, -1)
			want, _ := codec.Count(string(doc))
			want += bytes.Count(doc, []byte{0x7f}) // which the library passes over
			if err != nil || got != want {
				t.Errorf("%s, seed %d: %d tokens in pieces, %d as a whole, %v", name, seed, got, want, err)
			}
		}
	}
}

// TestLimit: a count beyond the limit stops early and says so; one within it is exact.
func TestLimit(t *testing.T) {
	c, _ := NewCounter("")
	doc := testdoc.Large(1, 200_000, true)
	all, _ := c.Count(doc, -1)
	if n, _ := c.Count(doc, 1000); n <= 1000 || n > 3000 {
		t.Errorf("limit 1000: %d", n)
	}
	for _, limit := range []int{all, all + 1} {
		if n, _ := c.Count(doc, limit); n != all {
			t.Errorf("limit %d: %d, want %d", limit, n, all)
		}
	}
	if n, _ := c.Count(doc, all-1); n <= all-1 {
		t.Errorf("limit %d: %d", all-1, n)
	}
}

func TestUnknown(t *testing.T) {
	if _, err := NewCounter("gpt"); err == nil {
		t.Error("an unknown tokenizer is taken")
	}
}

// TestEveryCharacter: no character counts for nothing, so that no text is taken for shorter than it is.
func TestEveryCharacter(t *testing.T) {
	for _, name := range Names() {
		c, err := NewCounter(name)
		if err != nil {
			t.Fatal(err)
		}
		for r := rune(0); r <= 0x1ffff; r++ {
			if r >= 0xd800 && r < 0xe000 {
				continue
			}
			if n, err := c.Count([]byte(string(r)), -1); err != nil || n == 0 {
				t.Errorf("%s: %U has %d tokens, %v", name, r, n, err)
			}
		}
	}
}
