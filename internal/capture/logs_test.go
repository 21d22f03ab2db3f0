package capture

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/golden"
)

// sample is a log that captures without an error.
type sample struct {
	name, format string
	log          []byte
	open         bool // logs of other sessions are beside it
}

// samples are the logs of the golden cases, and the real ones where they are beside the repository.
func samples(t testing.TB) []sample { return append(goldenSamples(t), realSamples(t)...) }

func goldenSamples(t testing.TB) (list []sample) {
	t.Helper()
	cases, err := fs.Glob(golden.FS, "capture/*/session.json*")
	if err != nil || len(cases) == 0 {
		t.Fatal("no golden cases", err)
	}
	for _, name := range cases {
		exit, _ := fs.ReadFile(golden.FS, path.Dir(name)+"/exit")
		args, _ := fs.ReadFile(golden.FS, path.Dir(name)+"/args")
		if string(exit) != "0\n" || strings.Contains(string(args), "--from") || strings.Contains(string(args), "--objective") {
			continue
		}
		log, err := fs.ReadFile(golden.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, sample{name: path.Base(path.Dir(name)), log: log})
	}
	return list
}

// realSamples are the logs of real clients.
func realSamples(t testing.TB) (list []sample) {
	names, err := filepath.Glob(filepath.Join(sessions, "*", "*.json*"))
	if err != nil || len(names) == 0 {
		t.Log("no real logs are beside the repository, so none is tested")
	}
	for _, name := range names {
		log, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		format := filepath.Base(filepath.Dir(name))
		list = append(list, sample{name: format + "/" + filepath.Base(name), format: format, log: log, open: true})
	}
	return list
}

// options fix all that is not the log's.
func (s *sample) options() Options {
	return Options{ID: "urn:example:captured", Now: testNow}
}

func (s *sample) capture(t testing.TB) *Result {
	t.Helper()
	r, err := Capture(bytes.NewReader(s.log), s.options())
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return r
}
