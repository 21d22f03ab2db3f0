package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/opencheckpoint/ocp/fork"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// TestMergeSameBytes: inputs merged where they are mapped, one or several to a file, give what copies of them from a pipe give.
func TestMergeSameBytes(t *testing.T) {
	forks, err := fork.Fork(testdoc.Large(1, 2*mapFrom, false), 3, fork.Options{Spread: true})
	if err != nil {
		t.Fatal(err)
	}
	var docs []string
	for _, r := range forks {
		docs = append(docs, string(r.Bytes())+"\n")
	}
	args := []string{"merge", "--quiet", "--id=urn:merged", "--now=2030-01-02T03:04:05Z"}
	piped := child{args: args, in: strings.NewReader(strings.Join(docs, ""))}.run(t)
	piped.expect(t, 0)
	files := []string{tempFile(t, docs[0]+docs[1]), tempFile(t, docs[2])}
	named := child{args: append(args, files...)}.run(t)
	differ(t, "merge from mapped files", named.outcome, piped.outcome)
}

// TestMergeCutFile: an input that is cut short after it was read, and before the merge, ends the run with one line, not with a crash. The second input is a
// pipe with a name, which the program opens when it has read the first.
func TestMergeCutFile(t *testing.T) {
	forks, err := fork.Fork(testdoc.Large(1, 3_000_000, false), 2, fork.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var docs []string
	for _, r := range forks {
		docs = append(docs, string(r.Bytes()))
	}
	first, second := tempFile(t, docs[0]), filepath.Join(t.TempDir(), "second")
	if err := syscall.Mkfifo(second, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		if w, err := os.OpenFile(second, os.O_WRONLY, 0); err == nil {
			os.Truncate(first, 4096)
			w.WriteString(docs[1])
			w.Close()
		}
	}()
	e := child{args: []string{"merge", first, second}}.run(t)
	e.expect(t, exitIO)
	if want := "ocp merge: the document changed while it was read\n"; string(e.stderr) != want || len(e.stdout) > 0 {
		t.Errorf("%d bytes, %.300q, want %q", len(e.stdout), e.stderr, want)
	}
}
