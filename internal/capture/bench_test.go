package capture

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

var size = flag.Int("size", 32<<20, "the size of the logs of the benchmarks, in bytes")

// sessions is the folder of real logs that tests use where it is beside the repository.
const sessions = "../../../shared/sessions"

// repeated reads a log again and again until so many bytes were read.
type repeated struct {
	log  []byte
	at   int
	left int
}

func (r *repeated) Read(b []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := copy(b, r.log[r.at:])
	r.at = (r.at + n) % len(r.log)
	r.left -= n
	return n, nil
}

// BenchmarkCapture captures a log of a size; B/peak is what the run holds at its end, without the log.
func BenchmarkCapture(b *testing.B) {
	logs := map[string][]byte{"made": piLog(1000)}
	if log, err := os.ReadFile(filepath.Join(sessions, "pi", "large-session.jsonl")); err == nil {
		logs["real"] = log
	} else {
		b.Log("no real logs are beside the repository")
	}
	for name, log := range logs {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(*size))
			for range b.N {
				var in io.Reader = &repeated{log: log, left: *size - *size%len(log)}
				r, err := Capture(in, Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(r.Bytes()))/float64(*size), "out/in")
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapSys)/float64(*size), "heap/in")
		})
	}
}

// piLog is a log with n turns as pi writes it.
func piLog(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"type":"session","id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/p","provider":"x","modelId":"y"}` + "\n")
	for range n {
		b.WriteString(`{"type":"message","timestamp":"2026-01-01T00:00:01Z","message":{"role":"user","content":[{"type":"text","text":"go on with the work"}]}}` + "\n")
		b.WriteString(`{"type":"message","timestamp":"2026-01-01T00:00:02Z","message":{"role":"assistant","content":[{"type":"text","text":"I read it."},{"type":"toolCall","id":"c","name":"read","arguments":{"path":"a.go"}}],"stopReason":"toolUse"}}` + "\n")
		b.WriteString(`{"type":"message","timestamp":"2026-01-01T00:00:03Z","message":{"role":"toolResult","toolCallId":"c","toolName":"read","content":[{"type":"text","text":"`)
		b.WriteString(string(bytes.Repeat([]byte(`package a\n\nfunc f() int { return 1 }\n`), 50)))
		b.WriteString(`"}],"isError":false}}` + "\n")
	}
	return b.Bytes()
}

// BenchmarkContinue goes on after a turn of 4 kB in logs of several sizes. Beside the time, head is the size of the checkpoint and state that of the state; copy is the time of a
// copy of the checkpoint, and whole that of a capture of the log from its beginning.
func BenchmarkContinue(b *testing.B) {
	turns := piLog(1)
	turn := turns[bytes.IndexByte(turns, '\n')+1:]
	for _, size := range []int{1 << 20, 10 << 20, 100 << 20} {
		b.Run(fmt.Sprintf("%dMB", size>>20), func(b *testing.B) {
			log := uniquePiLog(size)
			start := time.Now()
			r, err := Capture(bytes.NewReader(log), Options{})
			if err != nil {
				b.Fatal(err)
			}
			whole := time.Since(start)
			longer := append(log, turn...)
			for b.Loop() {
				if _, err := Continue(r.Bytes(), r.State(), bytes.NewReader(longer), Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(r.Bytes())), "B/head")
			b.ReportMetric(float64(len(r.State())), "B/state")
			b.ReportMetric(float64(whole.Nanoseconds()), "ns/whole")
		})
	}
}

// uniquePiLog is a log of pi of about a size in which every call has an id of its own.
func uniquePiLog(size int) []byte {
	one := piLog(1)
	head := bytes.IndexByte(one, '\n') + 1
	out := bytes.Clone(one[:head])
	for i := 0; len(out) < size; i++ {
		id := fmt.Appendf(nil, `"call-%d"`, i)
		turn := bytes.ReplaceAll(one[head:], []byte(`"id":"c"`), slices.Concat([]byte(`"id":`), id))
		out = append(out, bytes.ReplaceAll(turn, []byte(`"toolCallId":"c"`), slices.Concat([]byte(`"toolCallId":`), id))...)
	}
	return out
}
