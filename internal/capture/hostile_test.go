package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// piHead begins a log of pi in which a person has asked for something.
const piHead = `{"type":"session","id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/p"}
{"type":"message","timestamp":"2026-01-01T00:00:01Z","message":{"role":"user","content":[{"type":"text","text":"do it"}]}}
`

// TestLongLine captures a log with a line of 100 MB, which is not held, and the lines around it.
func TestLongLine(t *testing.T) {
	size := 100 << 20
	if testing.Short() {
		size = 32 << 20
	}
	long := io.MultiReader(strings.NewReader(`{"type":"message","message":{"role":"user","content":"`), io.LimitReader(letters{}, int64(size)), strings.NewReader("\"}}\n"))
	log := io.MultiReader(strings.NewReader(piHead), long, strings.NewReader(strings.SplitAfter(piHead, "\n")[1]))
	var r *Result
	grown := growth(func() { r = mustCapture(t, log) })
	sound(t, r)
	if v := viewOf(t, r); len(v.instructions()) != 2 || len(v.Derivation.Omissions) != 1 || v.Derivation.Omissions[0].Description != "1 record longer than 16 MiB" {
		t.Errorf("%q %v", v.instructions(), v.Derivation.Omissions)
	}
	if most := uint64(6 * maxRecord); grown > most {
		t.Errorf("%d bytes were allocated, more than %d", grown, most)
	}
}

// letters never end.
type letters struct{}

func (letters) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// growth is how many bytes f allocates in all.
func growth(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func mustCapture(t testing.TB, log io.Reader) *Result {
	t.Helper()
	r, err := Capture(log, Options{Now: testNow})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLongLog captures a log of 1 GB whose records say nothing; what is held does not grow with it.
func TestLongLog(t *testing.T) {
	size := 1 << 30
	if testing.Short() {
		size = 64 << 20
	}
	noise := []byte(`{"type":"custom","timestamp":"2026-01-01T00:00:01Z","data":"` + strings.Repeat("noise ", 20000) + `"}` + "\n")
	log := io.MultiReader(strings.NewReader(piHead), &repeated{log: noise, left: size - size%len(noise)})
	var r *Result
	grown := growth(func() { r = mustCapture(t, log) })
	sound(t, r)
	if r.Records != 2+size/len(noise) || len(r.Bytes()) > 2000 {
		t.Errorf("%+v, %d bytes", r.Counts, len(r.Bytes()))
	}
	if most := uint64(64 << 20); grown > most {
		t.Errorf("%d bytes were allocated in all, more than %d", grown, most)
	}
}

// TestHostile captures what a reader may stumble over.
func TestHostile(t *testing.T) {
	for name, make := range hostile {
		t.Run(name, func(t *testing.T) { mustCapture(t, strings.NewReader(make(500))) })
	}
}

// BenchmarkHostile shows that the time of that is linear: a repetition costs the same in a log of eight times the size.
func BenchmarkHostile(b *testing.B) {
	for name, make := range hostile {
		for _, n := range []int{4000, 32_000} {
			log := make(n)
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					mustCapture(b, strings.NewReader(log))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/repetition")
			})
		}
	}
}

// piCall is a call of bash, and dshHead begins a log in which a person has asked for something.
const (
	piCall  = `{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"%d"}}],"stopReason":"toolUse"}}` + "\n"
	dshHead = `{"type":"session","version":0,"id":"s","createdAt":1,"cwd":"/"}` + "\n" + `{"type":"user/message","seq":1,"data":{"content":"do it","source":{"kind":"user"}}}` + "\n"
)

// hostile are logs with n of what a reader may stumble over.
var hostile = map[string]func(n int) string{
	"calls with one id": func(n int) string {
		var b strings.Builder
		b.WriteString(piHead)
		for i := range n {
			fmt.Fprintf(&b, piCall, i)
		}
		return b.String()
	},
	"calls that began": func(n int) string {
		var b strings.Builder
		b.WriteString(dshHead)
		for i := range n {
			fmt.Fprintf(&b, `{"type":"assistant/message","seq":1,"data":{"message":{"content":[{"type":"tool-call","id":"c","name":"bash","arguments":"{\"a\":%d}"}]}}}`+"\n", i)
			b.WriteString(`{"type":"tool/call","seq":2,"data":{"callId":"c","name":"bash","arguments":"{}"}}` + "\n")
		}
		return b.String()
	},
	"approvals": func(n int) string {
		var b strings.Builder
		b.WriteString(dshHead)
		for i := range n {
			fmt.Fprintf(&b, `{"type":"approval/asked","seq":1,"data":{"id":"%d","callId":"c"}}`+"\n", i)
		}
		for i := range n {
			fmt.Fprintf(&b, `{"type":"approval/decided","seq":1,"time":1768035600000,"data":{"id":"%d","outcome":"rejected"}}`+"\n", i)
		}
		return b.String()
	},
	"calls that did not begin": func(n int) string {
		var b strings.Builder
		b.WriteString(dshHead)
		for i := range n {
			fmt.Fprintf(&b, `{"type":"assistant/message","seq":1,"data":{"message":{"content":[{"type":"tool-call","id":"c%d","name":"bash","arguments":"{}"}]}}}`+"\n", i)
		}
		return b.String()
	},
	"messages": func(n int) string {
		var b strings.Builder
		b.WriteString(`{"sessionId":"s","projectHash":"x"}` + "\n")
		for i := range n {
			fmt.Fprintf(&b, `{"id":"%d","type":"user","content":"do it"}`+"\n", i)
		}
		return b.String()
	},
	"branches": func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"type":"user","uuid":"u%d","parentUuid":"u%d","sessionId":"s","message":{"role":"user","content":"do it"}}`+"\n", i, i/2)
		}
		return b.String()
	},
	"turns taken back": func(n int) string {
		var b strings.Builder
		b.WriteString(`{"type":"session_meta","payload":{"id":"s"}}` + "\n")
		for range n {
			b.WriteString(`{"type":"event_msg","payload":{"type":"user_message","message":"do it"}}` + "\n")
		}
		for range n - 1 {
			b.WriteString(`{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}` + "\n")
		}
		return b.String()
	},
	"names that occur twice, one in the other": func(n int) string {
		depth := 900
		return piHead + strings.Repeat(`{"a":1,"a":2,"b":`, depth) + `"` + strings.Repeat("x", n*100) + `\ud800"` + strings.Repeat("}", depth) + "\n"
	},
	"flaws": func(n int) string {
		return piHead + `{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"bash","arguments":{` +
			strings.TrimSuffix(strings.Repeat(`"a":"\ud800",`, n), ",") + `}}],"stopReason":"toolUse"}}` + "\n"
	},
	"elements that do not close": func(n int) string {
		return `{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"do it` + strings.Repeat("<system-reminder>", n) + `"}}` + "\n"
	},
}

// TestReadError tells a log that cannot be read from one that ends.
func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	for _, after := range []string{"", piHead, `{"info":{"id":"s"},"messages":[`} {
		_, err := Capture(io.MultiReader(strings.NewReader(after), iotest.ErrReader(broken)), Options{Objective: "x"})
		var read *ReadError
		if !errors.As(err, &read) || !errors.Is(err, broken) {
			t.Errorf("%q: %v", after, err)
		}
	}
}

// TestSlowReader captures what comes byte by byte as what comes at once.
func TestSlowReader(t *testing.T) {
	for _, s := range samples(t) {
		if len(s.log) > 50<<10 {
			continue
		}
		r, err := Capture(iotest.OneByteReader(bytes.NewReader(s.log)), s.options())
		if err != nil || !bytes.Equal(r.Bytes(), s.capture(t).Bytes()) {
			t.Errorf("%s: %v", s.name, err)
		}
	}
}

// TestCutAnywhere captures every log cut off at many places: no call that was open becomes anything but open by that, and none is lost.
func TestCutAnywhere(t *testing.T) {
	for _, s := range samples(t) {
		step := max(len(s.log)/testdoc.Few(40), 1)
		for end := step; end < len(s.log); end += step {
			r, err := Capture(bytes.NewReader(s.log[:end]), Options{Now: testNow, Objective: "x", ID: "urn:example:cut"})
			if err != nil {
				if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrNoRecord) {
					t.Errorf("%s cut at %d: %v", s.name, end, err)
				}
				continue
			}
			sound(t, r)
		}
	}
}

// TestLongFirstLine recognises a log whose first line is longer than what is looked at for it.
func TestLongFirstLine(t *testing.T) {
	log := `{"parentUuid":null,"sessionId":"s","type":"user","uuid":"u","message":{"role":"user","content":"` + strings.Repeat("do it ", window/5) + `"}}` + "\n"
	if r := mustCapture(t, strings.NewReader(log)); r.Format != "claude-code" || r.Mapped != 1 {
		t.Errorf("%s %+v", r.Format, r.Counts)
	}
}

// TestBrokenExport captures exports that are no JSON as far as they go.
func TestBrokenExport(t *testing.T) {
	for _, log := range []string{
		`{"info":{"id":"s"},"messages":[{"info":{"role":"user"},"parts":[{"type":"text","text":"do it"},}`,
		`{"info":{"id":"s"},"messages":[{"info":{"role":"user"},"parts":[{"type":"text","text":"do it"}]]`,
		`{"info":{"id":"s"},"messages":[{"info":{"role":"user"},"parts":[{"type":"text","text":"do it"}]}],"x":]}`,
		`{"info":{"id":"s"},"messages":[{"info":{"role":"user"},"parts":[{"type":"text","text":"do it"}]}]} trailing`,
		`{"info":{"id":"s"},"messages":[{"parts":[],"info":{"role":"user"},"parts":[{"type":"text","text":"do it"}]}],3`,
		`{"messages":[{"info":{"role":"user"},"parts":[{"type":"text","text":"do it"},`,
	} {
		r := mustCapture(t, strings.NewReader(log))
		sound(t, r)
		if v := viewOf(t, r); len(v.instructions()) != 1 {
			t.Errorf("%s: %q", log, v.instructions())
		}
	}
}
