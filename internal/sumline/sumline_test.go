package sumline

import (
	"bytes"
	"testing"
)

// TestLine: a line is read as it was written, with its line feed or without, and the sum is that of CRC-32C's check value.
func TestLine(t *testing.T) {
	if got := string(Encode([]byte("123456789"))); got != "e3069283 123456789\n" {
		t.Errorf("%q", got)
	}
	for _, text := range []string{"", " ", "a b", "\x00"} {
		line := Encode([]byte(text))
		if len(line) != len(text)+Overhead {
			t.Errorf("%q has %d bytes", line, len(line))
		}
		for _, line := range [][]byte{line, bytes.TrimSuffix(line, []byte("\n"))} {
			if got, ok := Decode(line); !ok || string(got) != text {
				t.Errorf("%q: %q, %v", line, got, ok)
			}
		}
	}
}

// TestChange: a line in which any bit changed, and any shorter one, is none.
func TestChange(t *testing.T) {
	line := Encode([]byte(`{"a":1}`))
	line = line[:len(line)-1]
	for i := range line {
		if _, ok := Decode(line[:i]); ok {
			t.Errorf("%d bytes are a line", i)
		}
		for bit := range 8 {
			changed := bytes.Clone(line)
			changed[i] ^= 1 << bit
			if _, ok := Decode(changed); ok {
				t.Errorf("%q is a line", changed)
			}
		}
	}
}
