package journal

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// typical is a record as a hook appends it before a call.
var typical = Record{
	At: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Event: "dispatch", Turn: "turn-17", Call: "toolu_01ABCDEFGHIJKLMNOPQRSTUV", Tool: "Bash",
	Arguments: json.RawMessage(`{"command":"go test ./...","description":"Run the tests"}`),
}

// long is a journal of many records, made without waiting for a disk for each.
func long(b *testing.B, n int) *Journal {
	b.Helper()
	j := opened(b)
	text := j.header
	for i := range n {
		r := typical
		r.Seq = int64(i + 1)
		line, err := r.encode()
		if err != nil {
			b.Fatal(err)
		}
		text = append(text, line...)
	}
	put(b, j, text)
	return j
}

// BenchmarkAppend is one synced record in a journal that has some already.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			j := long(b, n)
			for b.Loop() {
				add(b, j, typical)
			}
		})
	}
}

// BenchmarkRead is the whole of a journal.
func BenchmarkRead(b *testing.B) {
	for _, n := range []int{1, 1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			j := long(b, n)
			for b.Loop() {
				logOf(b, j)
			}
		})
	}
}
