package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// pending is a document with two side effects that are not done.
func pending(n int) string {
	return smallDoc(n, `,"operations":[{"id":"order","kind":"action","status":"planned","description":"d"},`+
		`{"id":"mail","kind":"action","status":"uncertain","resume":"ask","description":"d"}]`)
}

// fixed are the flags that fix what a run would make up for so many forks.
func fixed(n int) []string {
	args := []string{"--now=2026-01-03T00:00:00Z"}
	for i := range n {
		args = append(args, fmt.Sprintf("--id=%d", i))
	}
	return args
}

// TestForkFiles: -o with a placeholder writes all files or none, and leaves no other.
func TestForkFiles(t *testing.T) {
	const old = "what was there\n"
	for _, test := range []struct {
		name, in string
		there    []string // files that exist
		flags    []string
		exit     int
		files    []string // that exist at the end; nil: those that were there, as they were
	}{
		{"new", pending(1), nil, nil, 0, []string{"fork-A.ocp.json", "fork-B.ocp.json", "fork-C.ocp.json"}},
		{"others", pending(1), []string{"fork-D.ocp.json"}, nil, 0, []string{"fork-A.ocp.json", "fork-B.ocp.json", "fork-C.ocp.json", "fork-D.ocp.json"}},
		{"the first exists", pending(1), []string{"fork-A.ocp.json"}, nil, exitRefused, nil},
		{"the last exists", pending(1), []string{"fork-C.ocp.json"}, nil, exitRefused, nil},
		{"forced", pending(1), []string{"fork-C.ocp.json"}, []string{"--force"}, 0, []string{"fork-A.ocp.json", "fork-B.ocp.json", "fork-C.ocp.json"}},
		{"a directory is there", pending(1), []string{"fork-B.ocp.json/"}, []string{"--force"}, exitIO, nil},
		{"a link to nothing is there", pending(1), []string{"fork-B.ocp.json -> none"}, nil, exitRefused, nil},
		{"invalid", smallDoc(1, `,"zebra":1`), nil, nil, exitInvalid, nil},
		{"syntax", "{", nil, nil, exitInvalid, nil},
		{"nothing", "", nil, nil, exitInvalid, nil},
		{"split group", pending(1), nil, []string{"--assign=order=A", "--assign=order=B"}, exitRefused, nil},
		{"two documents", pending(1) + pending(2), nil, nil, exitRefused, nil},
		{"two documents, forced", pending(1) + pending(2), []string{"fork-A.ocp.json"}, []string{"--force", "--keep-going"}, exitRefused, nil},
		{"invalid behind a good one", pending(1) + "\n" + smallDoc(2, `,"zebra":1`), nil, []string{"--keep-going"}, exitInvalid, nil},
		{"usage", pending(1), nil, []string{"--owner=D"}, exitUsage, nil},
		{"with the parent", pending(1), nil, []string{"--with-parent"}, exitUsage, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range test.there {
				place(t, dir, name, old)
			}
			args := slices.Concat([]string{"fork", "-n3", "--label=A,B,C", "--quiet", "-o", filepath.Join(dir, "fork-{label}.ocp.json")}, fixed(3), test.flags)
			e := child{args: args, in: strings.NewReader(test.in)}.run(t)
			e.expect(t, test.exit)
			if len(e.stdout) > 0 {
				t.Errorf("standard output has %.300q", e.stdout)
			}
			if test.files != nil {
				onlyFiles(t, dir, test.files...)
				checkForkFiles(t, dir)
				return
			}
			var names []string
			for _, name := range test.there {
				name, _, _ = strings.Cut(strings.TrimSuffix(name, "/"), " ")
				names = append(names, name)
				if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && readFile(t, filepath.Join(dir, name)) != old {
					t.Errorf("%s was changed", name)
				}
			}
			onlyFiles(t, dir, names...)
		})
	}
}

// place makes a file, with a slash behind its name a directory, and with an arrow a link.
func place(t *testing.T, dir, name, text string) {
	t.Helper()
	var err error
	if from, to, ok := strings.Cut(name, " -> "); ok {
		err = os.Symlink(to, filepath.Join(dir, from))
	} else if strings.HasSuffix(name, "/") {
		err = os.Mkdir(filepath.Join(dir, name), 0o777)
	} else {
		writeFile(t, filepath.Join(dir, name), []byte(text))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// checkForkFiles: the files have what standard output would have.
func checkForkFiles(t *testing.T, dir string) {
	t.Helper()
	e := child{args: append([]string{"fork", "-n3", "--label=A,B,C"}, fixed(3)...), in: strings.NewReader(pending(1))}.run(t)
	got := ""
	for _, label := range []string{"A", "B", "C"} {
		got += readFile(t, filepath.Join(dir, "fork-"+label+".ocp.json"))
	}
	if got != string(e.stdout) {
		t.Errorf("the files have\n%s\nstandard output has\n%s", got, e.stdout)
	}
}

// TestForkFilesRefused: where no file can be made, none is.
func TestForkFilesRefused(t *testing.T) {
	dir := openDir(t)
	if err := os.Mkdir(filepath.Join(dir, "closed"), 0o555); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		pattern, n string
		flags      []string
		exit       int
	}{
		{filepath.Join(dir, "closed", "{n}"), "3", nil, exitIO},
		{filepath.Join(dir, "closed", "{n}"), "3", []string{"--force"}, exitIO},
		{filepath.Join(dir, "missing", "{n}"), "3", nil, exitIO},
		{filepath.Join(dir, "{n}", "x"), "3", nil, exitIO},
		{filepath.Join(dir, "one"), "3", nil, exitUsage},
		{os.DevNull, "1", nil, exitRefused},
		{os.DevNull, "1", []string{"--force"}, 0},
		{"/dev/full", "1", []string{"--force"}, exitIO},
	} {
		args := slices.Concat([]string{"fork", "--quiet", "-n", test.n, "-o", test.pattern}, test.flags)
		e := child{args: args, in: strings.NewReader(pending(1)), plain: true}.run(t)
		t.Run(test.pattern, func(t *testing.T) { e.expect(t, test.exit) })
		if len(e.stdout) > 0 {
			t.Errorf("%s: standard output has %q", test.pattern, e.stdout)
		}
	}
	onlyFiles(t, dir, "closed")
	onlyFiles(t, filepath.Join(dir, "closed"))
}

// TestForkFileNotes: a line for each file says what may happen in the fork; a file that is replaced keeps its mode, and may be the input.
func TestForkFileNotes(t *testing.T) {
	dir := t.TempDir()
	e := child{args: []string{"fork", "-n2", "--owner=2", "-o", filepath.Join(dir, "{n}-{label}-{n}")}, in: strings.NewReader(pending(1))}.run(t)
	want := fmt.Sprintf("ocp fork: %s/1-1-1: owns nothing; must not run order, mail\nocp fork: %s/2-2-2: owns order, mail\n", dir, dir)
	if e.exit != 0 || string(e.stderr) != want {
		t.Errorf("exit %d: %q, want %q", e.exit, e.stderr, want)
	}
	onlyFiles(t, dir, "1-1-1", "2-2-2")
	for _, size := range []int{20_000, 2 * mapFrom} {
		file := tempFile(t, string(testdoc.Large(3, size, true)))
		if err := os.Chmod(file, 0o640); err != nil {
			t.Fatal(err)
		}
		child{args: []string{"fork", "-n1", "-q", "--force", "-o", file, file}}.run(t).expect(t, 0)
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o640 || !strings.Contains(readFile(t, file), `"forked as 1, 1 of 1`) {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		onlyFiles(t, filepath.Dir(file), filepath.Base(file))
	}
}

// TestForkPipeline: fork | compact | validate, with the guards in force to the end.
func TestForkPipeline(t *testing.T) {
	doc := smallDoc(1, `,"statements":[{"id":"h","kind":"hypothesis","text":"`+strings.Repeat("0x7f3a ", 3000)+`","origin":{"type":"agent"}}]`+
		`,"operations":[{"id":"order","kind":"action","status":"planned","description":"d"}]`)
	for _, budget := range []string{"3kB", "8000", "min"} {
		forked := child{args: []string{"fork", "-n3", "--owner=2", "--with-parent"}, in: strings.NewReader(doc)}.run(t)
		forked.expect(t, 0)
		compacted := child{args: []string{"compact", "--quiet", "--budget", budget}, in: bytes.NewReader(forked.stdout)}.run(t)
		compacted.expect(t, 0)
		valid := child{args: []string{"validate"}, in: bytes.NewReader(compacted.stdout)}.run(t)
		if valid.exit != 0 || bytes.Count(valid.stdout, []byte("valid (levels 1 and 2)")) != 4 {
			t.Errorf("%s: exit %d\n%s%s", budget, valid.exit, valid.stdout, valid.stderr)
		}
		var acts []int
		for i, f := range decodeStream(t, compacted.stdout) {
			if len(f.actionable()) > 0 {
				acts = append(acts, i)
			}
		}
		if !slices.Equal(acts, []int{0, 2}) {
			t.Errorf("%s: the order can be made in %v, which is not the parent and fork 2", budget, acts)
		}
	}
}

// TestForkStream: each document of a stream has its own forks, in order.
func TestForkStream(t *testing.T) {
	e := child{args: []string{"fork", "-n2", "--with-parent"}, in: strings.NewReader(pending(1) + "\n\x1e" + pending(2))}.run(t)
	e.expect(t, 0)
	var got []string
	ids := map[string]bool{}
	for _, f := range decodeStream(t, e.stdout) {
		got = append(got, f.Parent.ID)
		ids[f.ID] = true
	}
	if want := []string{"", "urn:x:1", "urn:x:1", "", "urn:x:2", "urn:x:2"}; !slices.Equal(got, want) || len(ids) != len(want) {
		t.Errorf("the parents are %q, want %q; %d ids", got, want, len(ids))
	}
}

// TestForkSameBytes: the forks are the same from a file, from a pipe, and from standard input that is a file; large ones are mapped.
func TestForkSameBytes(t *testing.T) {
	for name, doc := range map[string]string{
		"small":     pending(1),
		"generated": string(testdoc.Large(1, 3_000_000, false)),
		"printed":   string(testdoc.Large(2, 1_000_000, true)),
		"stream":    pending(1) + strings.Repeat(" ", 2*mapFrom) + pending(2) + "\n",
		"invalid":   pending(1) + smallDoc(2, `,"zebra":1`),
		"cut":       extended(`"` + strings.Repeat("é", 1_200_000)),
	} {
		t.Run(name, func(t *testing.T) {
			file := tempFile(t, doc)
			args := append([]string{"fork", "-n3", "--spread", "--remove", "--with-parent"}, fixed(6)...)
			standard := child{args: args, in: openFile(t, file)}.run(t)
			piped := child{args: args, in: strings.NewReader(doc)}.run(t)
			named := child{args: append(args, file)}.run(t)
			named.stderr = bytes.ReplaceAll(named.stderr, []byte(file), []byte(stdinName))
			differ(t, "from a pipe", piped.outcome, standard.outcome)
			differ(t, "from a named file", named.outcome, standard.outcome)
		})
	}
}

// TestManyForks: thousands of forks are written one by one; memory does not grow with them.
func TestManyForks(t *testing.T) {
	n := 4_000
	if testing.Short() {
		n = 1000
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	lines := make(chan int)
	go func() { lines <- countLines(r) }()
	e := child{args: append([]string{"fork", fmt.Sprint("-n", n)}, fixed(n)...), in: strings.NewReader(pending(1)), out: w, within: 60 * time.Second}.run(t)
	w.Close()
	if got := <-lines; got != n {
		t.Errorf("%d lines, want %d", got, n)
	}
	e.expect(t, 0)
	e.limit(t, 200<<20)
}

func countLines(r io.Reader) (n int) {
	for b := make([]byte, 1<<20); ; {
		k, err := r.Read(b)
		n += bytes.Count(b[:k], []byte("\n"))
		if err != nil {
			return n
		}
	}
}

// TestForkClosedPipe: a reader that has enough ends a run of many forks without a word, and soon; without --id the ids are random.
func TestForkClosedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	first := make(chan string)
	go func() {
		line, _ := bufio.NewReader(r).ReadString('\n')
		r.Close()
		first <- line
	}()
	e := child{args: []string{"fork", "-n10000"}, in: strings.NewReader(pending(1)), out: w, within: 10 * time.Second}.run(t)
	w.Close()
	if len(e.stderr) > 0 || e.exit != 0 && e.signal == 0 {
		t.Errorf("exit %d, signal %v: %.300s", e.exit, e.signal, e.stderr)
	}
	if line := <-first; !json.Valid([]byte(line)) {
		t.Errorf("the first line is %.300q", line)
	}
}

// TestForkCutFile: a file that is cut short while its forks are made ends the run with one line, not with a crash.
func TestForkCutFile(t *testing.T) {
	file := tempFile(t, string(testdoc.Large(1, 3_000_000, false)))
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan int)
	go func() {
		io.CopyN(io.Discard, r, 1_000_000)
		os.Truncate(file, 4096)
		done <- countLines(r)
	}()
	e := child{args: []string{"fork", "-n1000", file}, out: w, within: 30 * time.Second}.run(t)
	w.Close()
	lines := <-done
	e.expect(t, exitIO)
	if want := fmt.Sprintf("ocp fork: %s: the document changed while it was read\n", file); string(e.stderr) != want || lines > 20 {
		t.Errorf("%d forks, %.300q, want %q", lines, e.stderr, want)
	}
}
