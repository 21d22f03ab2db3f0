package capture

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
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
