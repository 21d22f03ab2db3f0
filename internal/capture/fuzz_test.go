package capture

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// Each reader has a target of its own; all hold what comes of any bytes against what is true of every capture.

func FuzzClaudeCode(f *testing.F) { fuzzReader(f, "claude-code") }
func FuzzCodex(f *testing.F)      { fuzzReader(f, "codex") }
func FuzzOpenCode(f *testing.F)   { fuzzReader(f, "opencode") }
func FuzzGeminiCLI(f *testing.F)  { fuzzReader(f, "gemini-cli") }
func FuzzDSH(f *testing.F)        { fuzzReader(f, "dsh") }
func FuzzPi(f *testing.F)         { fuzzReader(f, "pi") }

// addSeeds adds each record of a log with the one before it, as large seeds make the fuzzer slow.
func addSeeds(f *testing.F, log []byte) {
	if isExport(log) {
		var tight bytes.Buffer
		if json.Compact(&tight, log) == nil {
			f.Add(tight.Bytes())
		}
		return
	}
	var before []byte
	for line := range bytes.Lines(log) {
		f.Add(slices.Concat(before, line))
		before = line
	}
}

func fuzzReader(f *testing.F, format string) {
	for _, s := range goldenSamples(f) {
		if r := s.capture(f); r.Format == format {
			addSeeds(f, s.log)
		}
	}
	addSeeds(f, []byte(planted(planting[format], "x")))
	f.Fuzz(func(t *testing.T, log []byte) {
		opts := Options{From: format, Objective: "go", ID: "urn:example:captured", Now: testNow}
		r, err := Capture(bytes.NewReader(log), opts)
		if err != nil {
			var internal *checkpoint.InternalError
			if errors.As(err, &internal) || !errors.Is(err, ErrEmpty) && !errors.Is(err, ErrNoRecord) {
				t.Fatal(err)
			}
			return
		}
		sound(t, r)
		if again, err := Capture(bytes.NewReader(log), opts); err != nil || !bytes.Equal(r.Bytes(), again.Bytes()) {
			t.Fatal("the same log makes other bytes", err)
		}
		if half, err := Capture(bytes.NewReader(log[:len(log)/2]), opts); err == nil {
			next := opts
			next.ID = "urn:example:next"
			if child, err := Continue(half.Bytes(), half.State(), bytes.NewReader(log), next); err == nil {
				sound(t, child)
				follows(t, half.Bytes(), child.Bytes())
			} else if !errors.Is(err, ErrRestart) {
				t.Fatal(err)
			}
		}
		opts.From = ""
		if _, err := Capture(bytes.NewReader(log), opts); err != nil && !errors.Is(err, ErrFormat) && !errors.Is(err, ErrNoRecord) {
			t.Fatal(err)
		}
	})
}
