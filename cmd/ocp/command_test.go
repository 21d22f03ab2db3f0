package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// binDir is where the program is built, once, when a test first asks for it.
var binDir string

func TestMain(m *testing.M) {
	os.Unsetenv("SOURCE_DATE_EPOCH")
	dir, err := os.MkdirTemp("", "ocp-test")
	if err != nil {
		panic(err)
	}
	binDir = dir
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

var program = sync.OnceValue(func() string {
	path := filepath.Join(binDir, "ocp")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("go build: %v\n%s", err, out))
	}
	if err := os.Chmod(binDir, 0o755); err != nil { // for those who are not root
		panic(err)
	}
	return path
})

// child is one run of the built program.
type child struct {
	args   []string
	in     io.Reader // an *os.File is given as it is, anything else through a pipe; nil is empty
	out    *os.File  // nil: into the outcome
	env    []string  // besides the test's own
	plain  bool      // as a user who is not root
	within time.Duration
}

// ended is what it left behind.
type ended struct {
	outcome
	rss    int64 // the largest resident size, in bytes
	signal syscall.Signal
}

func (c child) run(t *testing.T) ended {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program(), c.args...)
	cmd.Env = append(append(os.Environ(), "GOGC=100"), c.env...) // the memory is that of a person's program, whatever the tests have
	cmd.Stdin = c.in
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if c.out != nil {
		cmd.Stdout = c.out
	}
	if c.plain && os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	rss := watch(cmd.Process.Pid)
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, syscall.EPIPE) {
		t.Fatal(err)
	}
	if took := time.Since(start); c.within > 0 && took > c.within {
		t.Errorf("it took %s, more than %s", took, c.within)
	}
	e := ended{outcome{cmd.ProcessState.ExitCode(), stdout.Bytes(), stderr.Bytes()}, rss(), 0}
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		e.signal = status.Signal()
	}
	return e
}

// watch looks at the largest resident size of a process, in bytes, while it runs; what it returns ends that and tells it. The usage that
// wait4 reports would not do: on Linux it begins at the size of this process, from before exec.
func watch(pid int) func() int64 {
	var largest int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			largest = max(largest, highWater(pid))
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	return func() int64 {
		close(stop)
		<-stopped
		return largest
	}
}

// highWater is a process's largest resident size so far, 0 where it is not known.
func highWater(pid int) (n int64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if _, rest, ok := strings.Cut(string(status), "VmHWM:"); ok {
		fmt.Sscan(rest, &n)
	}
	return n << 10
}

// expect fails unless the run ended with a status, and, for one that is not 0, with one line on standard error, hints aside.
func (e ended) expect(t *testing.T, exit int) {
	t.Helper()
	lines := 0
	for line := range strings.Lines(string(e.stderr)) {
		if !strings.HasPrefix(line, "hint: ") {
			lines++
		}
	}
	want := 1
	if exit == 0 {
		want = 0
	}
	if e.exit != exit || lines != want {
		t.Errorf("exit %d, want %d; %d lines on standard error, want %d:\n%.2000s", e.exit, exit, lines, want, e.stderr)
	}
}

// smallDoc is a document with two more members, and an id that ends in n.
func smallDoc(n int, members string) string {
	return fmt.Sprintf(`{"opencheckpoint":"0.1","id":"urn:x:%d","created_at":"2026-01-02T03:04:05Z","source":{},`+
		`"task":{"objective":"o","status":"active"}%s}`, n, members)
}

// extended is a document with a value in its extensions.
func extended(value string) string { return smallDoc(1, `,"extensions":{"org.example.x":`+value+`}`) }

// bulky is a document that gets smaller when it is compacted.
func bulky(n int) string {
	return smallDoc(n, `,"statements":[{"id":"h","kind":"hypothesis","text":"`+strings.Repeat("0x7f3a ", 300)+`","origin":{"type":"agent"}}]`)
}

// openDir is a directory that every user can enter; t.TempDir is closed to others.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ocp-open")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		os.Chmod(dir, 0o700)
		os.RemoveAll(dir)
	})
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

func tempFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "doc.ocp.json")
	writeFile(t, name, []byte(text))
	return name
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// onlyFiles fails unless a directory holds just those files: a temporary file is gone.
func onlyFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the directory has %q, want %q", got, want)
	}
}

// TestOutputFile: -o replaces its target as a whole, or leaves it.
func TestOutputFile(t *testing.T) {
	const old = "what was there\n"
	good, bad := smallDoc(1, "")+"\n", smallDoc(2, `,"zebra":1`)+"\n"
	for _, test := range []struct {
		name, in string
		flags    []string
		exit     int
		want     string
	}{
		{"good", good, nil, 0, good},
		{"stream", good + good, nil, 0, good + good},
		{"dry run", good, []string{"--dry-run"}, 0, ""},
		{"invalid", bad, nil, exitInvalid, old},
		{"invalid after a good one", good + bad, nil, exitInvalid, old},
		{"invalid between good ones", good + bad + good, []string{"--keep-going"}, exitInvalid, good + good},
		{"syntax", good + "{", nil, exitInvalid, old},
		{"below the floor", bulky(1), []string{"--budget=10B"}, exitRefused, old},
		{"usage", good, []string{"--tokenizer=none"}, exitUsage, old},
		{"nothing", "", nil, exitInvalid, old},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			target := filepath.Join(dir, "target")
			writeFile(t, target, []byte(old))
			if err := os.Chmod(target, 0o640); err != nil {
				t.Fatal(err)
			}
			args := append([]string{"compact", "--budget=9kB", "-o", target}, test.flags...)
			e := child{args: args, in: strings.NewReader(test.in)}.run(t)
			e.expect(t, test.exit)
			if got := readFile(t, target); got != test.want || len(e.stdout) > 0 {
				t.Errorf("the file has %q, want %q; standard output has %q", got, test.want, e.stdout)
			}
			info, err := os.Stat(target)
			if err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			onlyFiles(t, dir, "target")
		})
	}
}

func TestOutputNewFile(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "new")
	child{args: []string{"compact", "--budget=9kB", "-o", target}, in: strings.NewReader(smallDoc(1, ""))}.run(t).expect(t, 0)
	writeFile(t, filepath.Join(dir, "other"), nil)
	got, err1 := os.Stat(target)
	want, err2 := os.Stat(filepath.Join(dir, "other"))
	if err1 != nil || err2 != nil || got.Mode() != want.Mode() {
		t.Errorf("mode %v, want %v; %v, %v", got.Mode(), want.Mode(), err1, err2)
	}
	bad := filepath.Join(dir, "bad")
	child{args: []string{"compact", "--budget=9kB", "-o", bad}, in: strings.NewReader("{")}.run(t).expect(t, exitInvalid)
	onlyFiles(t, dir, "new", "other")
}

// TestOutputInput: a document may be replaced by its compacted form, whether it was read or mapped.
func TestOutputInput(t *testing.T) {
	for _, size := range []int{20_000, 2 * mapFrom} {
		file := tempFile(t, string(testdoc.Large(3, size, true)))
		child{args: []string{"compact", "--budget=min", "-o", file, file}}.run(t).expect(t, 0)
		if got := readFile(t, file); len(got) > size/2 || !strings.HasSuffix(got, "}\n") {
			t.Errorf("the file has %d bytes", len(got))
		}
	}
}

func TestOutputSymlink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "sub", "target"), []byte("old"))
	if err := os.Symlink(filepath.Join("sub", "target"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	child{args: []string{"compact", "--budget=9kB", "-o", filepath.Join(dir, "link")}, in: strings.NewReader(smallDoc(1, ""))}.run(t).expect(t, 0)
	if to, err := os.Readlink(filepath.Join(dir, "link")); err != nil || to != "sub/target" {
		t.Errorf("the link points to %q, %v", to, err)
	}
	if got := readFile(t, filepath.Join(dir, "sub", "target")); got != smallDoc(1, "")+"\n" {
		t.Errorf("the target has %q", got)
	}
	onlyFiles(t, dir, "link", "sub")
}

// TestOutputRefused: what cannot be written to is found before anything is read.
func TestOutputRefused(t *testing.T) {
	dir := openDir(t)
	if err := os.Mkdir(filepath.Join(dir, "closed"), 0o555); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		target string
		flags  []string
		exit   int
	}{
		{dir, nil, exitIO},
		{filepath.Join(dir, "closed", "new"), nil, exitIO},
		{filepath.Join(dir, "missing", "new"), nil, exitIO},
		{filepath.Join(dir, "new") + "/", nil, exitIO},
		{os.DevNull, nil, exitRefused},
		{os.DevNull, []string{"--force"}, 0},
		{"/dev/full", []string{"--force"}, exitIO},
		{filepath.Join(dir, "new"), []string{"--report", filepath.Join(dir, "closed", "report")}, exitIO},
	} {
		args := append([]string{"compact", "--budget=9kB", "-o", test.target}, test.flags...)
		e := child{args: args, in: strings.NewReader(smallDoc(1, "")), plain: true}.run(t)
		t.Run(test.target, func(t *testing.T) { e.expect(t, test.exit) })
		if len(e.stdout) > 0 {
			t.Errorf("%s: standard output has %q", test.target, e.stdout)
		}
	}
	onlyFiles(t, dir, "closed")
}

// TestFullDisk: a device that is full fails the run, in one line.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil && runtime.GOOS == "linux" {
		t.Fatal(err)
	} else if err != nil {
		t.Skip("only Linux has a device that is always full")
	}
	defer full.Close()
	docs := smallDoc(1, "") + "\n" + smallDoc(2, "") + "\n" + smallDoc(3, "") + "\n"
	for _, args := range [][]string{{"compact", "--budget=9kB"}, {"fork", "-n3"}, {"fork", "-n3", "--keep-going"}, {"digest"}, {"digest", "--keep-going"}, {"validate"}, {"validate", "--format=json"},
		{"validate", "--format=sarif"}, {"validate", "--pass", "--quiet"}, {"schema"}, {"help"}, {"--version"}, {"digest", "--help"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			child{args: args, in: strings.NewReader(docs), out: full}.run(t).expect(t, exitIO)
		})
	}
}

// endless gives one document after the other until nobody reads any more.
type endless struct{ rest []byte }

func (s *endless) Read(b []byte) (int, error) {
	if len(s.rest) == 0 {
		s.rest = []byte(strings.Repeat(smallDoc(1, "")+"\n", 100))
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// TestClosedPipe: a reader that has enough, such as head, ends the run without a word.
func TestClosedPipe(t *testing.T) {
	for _, args := range [][]string{{"compact", "--budget=9kB"}, {"fork", "-n3"}, {"digest"}, {"validate"}, {"validate", "--pass", "--quiet"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			r.Read(make([]byte, 1))
			r.Close()
		}()
		e := child{args: args, in: &endless{}, out: w, within: 20 * time.Second}.run(t)
		w.Close()
		if len(e.stderr) > 0 && args[0] != "validate" || e.exit != 0 && e.signal != syscall.SIGPIPE {
			t.Errorf("%s: exit %d, signal %v: %.300s", args, e.exit, e.signal, e.stderr)
		}
	}
}

// TestSameBytes: a document is the same from a file, from a pipe, and as standard input that is a file; large ones are mapped.
func TestSameBytes(t *testing.T) {
	for name, doc := range map[string]string{
		"small":      smallDoc(1, ""),
		"generated":  string(testdoc.Large(1, 3_000_000, false)),
		"printed":    string(testdoc.Large(2, 3_000_000, true)),
		"two bytes":  extended(`"` + strings.Repeat("é", 1_200_000) + `"`),
		"four bytes": extended(`"` + strings.Repeat("😀", 600_000) + `"`),
		"escapes":    extended(`"` + strings.Repeat(`\u00e9`, 400_000) + `"`),
		"pairs":      extended(`"` + strings.Repeat(`\ud83d\ude00`, 200_000) + `"`),
		"literals":   extended("[" + strings.Repeat("true,false,null,", 150_000) + "1]"),
		"numbers":    extended("[" + strings.Repeat("-1.5e+10,", 250_000) + "1]"),
		"stream":     strings.Repeat(smallDoc(1, "")+"\n", 10_000),
		"cut":        extended(`"` + strings.Repeat("é", 1_200_000)),
	} {
		t.Run(name, func(t *testing.T) {
			file := tempFile(t, doc)
			for _, args := range [][]string{{"digest"}, {"validate", "--format=json"}, {"compact", "--budget=4MB"}} {
				standard := child{args: args, in: openFile(t, file)}.run(t)
				piped := child{args: args, in: strings.NewReader(doc)}.run(t)
				named := child{args: append(args, file)}.run(t)
				differ(t, args[0]+" from a pipe", piped.outcome, standard.outcome)
				for _, stream := range []*[]byte{&named.stdout, &named.stderr} {
					*stream = bytes.ReplaceAll(*stream, []byte(file), []byte(stdinName))
				}
				differ(t, args[0]+" from a named file", named.outcome, standard.outcome)
			}
		})
	}
}

// TestStandardInputOffset: what another program has read of standard input is not read again.
func TestStandardInputOffset(t *testing.T) {
	first, second := smallDoc(1, ""), smallDoc(2, "")
	for _, between := range []string{"\n", strings.Repeat(" ", 2*mapFrom)} {
		file := openFile(t, tempFile(t, first+"\n"+second+between))
		if _, err := file.Seek(int64(len(first)), io.SeekStart); err != nil {
			t.Fatal(err)
		}
		e := child{args: []string{"digest"}, in: file}.run(t)
		e.expect(t, 0)
		if want := digestLine(t, second, stdinName); string(e.stdout) != want {
			t.Errorf("%s, want %s", e.stdout, want)
		}
	}
}

func digestLine(t *testing.T, doc, name string) string {
	t.Helper()
	d, err := digest.Of([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s  %s\n", d, name)
}

// TestMappedStream reads many documents from a file that is mapped, and gives its memory back on the way:
// it never has half of the file at a time, which leaves room for what the program itself takes.
func TestMappedStream(t *testing.T) {
	const count = 900
	doc := string(testdoc.Large(5, 100_000, false))
	stream := strings.Repeat(doc+"\n", count)
	e := child{args: []string{"digest", tempFile(t, stream)}}.run(t)
	e.expect(t, 0)
	if n := strings.Count(string(e.stdout), "\n"); n != count || !strings.HasSuffix(string(e.stdout), fmt.Sprintf("#%d\n", count)) {
		t.Errorf("%d lines", n)
	}
	e.limit(t, int64(len(stream))/2)
}

// limit fails if the run took more memory.
func (e ended) limit(t *testing.T, bytes int64) {
	t.Helper()
	if e.rss > bytes {
		t.Errorf("it took %d MiB, more than %d", e.rss>>20, bytes>>20)
	}
}

// TestManyDocuments: memory does not grow with a stream.
func TestManyDocuments(t *testing.T) {
	for _, args := range [][]string{{"digest"}, {"validate"}, {"compact", "--budget=2kB"}} {
		line := []byte(bulky(1) + "\n")
		e := child{args: args, in: io.LimitReader(&repeat{line: line}, int64(10_000*len(line))), within: 30 * time.Second}.run(t)
		e.expect(t, 0)
		if n := bytes.Count(e.stdout, []byte("\n")); n != 10_000 {
			t.Errorf("%s: %d lines", args, n)
		}
		e.limit(t, 64<<20)
	}
}

// repeat gives the same bytes again and again.
type repeat struct {
	line []byte
	at   int
}

func (r *repeat) Read(b []byte) (n int, err error) {
	for n < len(b) {
		k := copy(b[n:], r.line[r.at:])
		n += k
		r.at = (r.at + k) % len(r.line)
	}
	return n, nil
}

// TestUnreadable: what cannot be read is one line that names it.
func TestUnreadable(t *testing.T) {
	dir := openDir(t)
	secret := filepath.Join(dir, "secret.ocp.json")
	writeFile(t, secret, []byte(smallDoc(1, "")))
	if err := os.Chmod(secret, 0); err != nil {
		t.Fatal(err)
	}
	for file, why := range map[string]string{secret: "permission denied", dir: "it is a directory", filepath.Join(dir, "none"): "no such file or directory",
		secret + "/x": "not a directory"} {
		for _, args := range [][]string{{"digest"}, {"validate"}, {"compact", "--budget=9kB"}, {"fork", "-n2"}} {
			e := child{args: append(args, file), plain: true}.run(t)
			e.expect(t, exitIO)
			if want := fmt.Sprintf("ocp %s: %s: %s\n", args[0], file, why); string(e.stderr) != want || len(e.stdout) > 0 {
				t.Errorf("%q, want %q; standard output has %q", e.stderr, want, e.stdout)
			}
		}
	}
}

// TestStandardInputDirectory: so is a directory as standard input.
func TestStandardInputDirectory(t *testing.T) {
	e := child{args: []string{"digest"}, in: openFile(t, t.TempDir())}.run(t)
	e.expect(t, exitIO)
	if want := "ocp digest: standard input: it is a directory\n"; string(e.stderr) != want {
		t.Errorf("%q", e.stderr)
	}
}

// TestStatus: what the process ends with, and that usage errors write nothing, read nothing and touch no file.
func TestStatus(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	for _, test := range []struct {
		args []string
		exit int
	}{
		{[]string{"--version"}, 0}, {[]string{"help"}, 0}, {[]string{"help", "compact"}, 0}, {[]string{"validate", "-h"}, 0}, {[]string{"schema"}, 0},
		{nil, exitUsage}, {[]string{"compct"}, exitUsage}, {[]string{"--quiet", "compact"}, exitUsage},
		{[]string{"compact", "-o", target, "--budget", "0"}, exitUsage}, {[]string{"compact", "-o", target, "--budget", "-5"}, exitUsage},
		{[]string{"compact", "-o", target, "--budget", "1e9"}, exitUsage}, {[]string{"compact", "-o", target, "--budget", "99999999999999999999"}, exitUsage},
		{[]string{"compact", "-o", target, "--budget", "8KB"}, exitUsage}, {[]string{"compact", "-o", target}, exitUsage},
		{[]string{"compact", "-o", target, "--budget", "8000", "--now", "noon"}, exitUsage},
		{[]string{"compact", "-o", target, "--budget", "8000", "--keep-kind", "x"}, exitUsage},
		{[]string{"compact", "-o", target, "--budget", "8000", "a", "b"}, exitUsage},
		{[]string{"help", "fork"}, 0}, {[]string{"fork", "-o", target}, exitUsage}, {[]string{"fork", "-o", target, "-n", "2"}, exitUsage},
		{[]string{"fork", "-o", target, "-n", "10001"}, exitUsage}, {[]string{"fork", "-o", target, "-n", "1", "--label", "a/b"}, exitUsage},
		{[]string{"fork", "-o", target, "-n", "1", "--instruct", "1=t"}, exitUsage}, {[]string{"fork", "-o", target, "-n", "1", "--owner", "2"}, exitUsage},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			e := child{args: test.args, in: &endless{}, within: 10 * time.Second}.run(t)
			e.expect(t, test.exit)
			if (len(e.stdout) > 0) != (test.exit == 0) {
				t.Errorf("standard output has %.200q", e.stdout)
			}
		})
	}
	onlyFiles(t, dir)
}

// TestQuiet: --quiet leaves errors and documents.
func TestQuiet(t *testing.T) {
	loud := []string{"compact", "--budget=min", "--now=2000-01-01T00:00:00Z", "--id=urn:x:8", "--id=urn:x:9"}
	e := child{args: loud, in: strings.NewReader(bulky(1))}.run(t)
	if n := bytes.Count(e.stderr, []byte("\n")); n != 2 {
		t.Errorf("%d notes: %s", n, e.stderr)
	}
	quiet := child{args: append(loud, "--quiet"), in: strings.NewReader(bulky(1))}.run(t)
	quiet.expect(t, 0)
	if !bytes.Equal(quiet.stdout, e.stdout) {
		t.Errorf("--quiet changes the document: %s", quiet.stdout)
	}
	child{args: append(loud, "-q"), in: strings.NewReader("{")}.run(t).expect(t, exitInvalid)
}

// TestClock: created_at is fixed by --now, else by SOURCE_DATE_EPOCH, else it is now.
func TestClock(t *testing.T) {
	for _, test := range []struct {
		env, now string
		exit     int
		want     string // "" is the present
	}{
		{"1800000000", "", 0, "2027-01-15T08:00:00Z"},
		{"1800000000", "2027-06-01T12:00:00+02:00", 0, "2027-06-01T10:00:00Z"},
		{"", "2027-06-01T12:00:00.123456Z", 0, "2027-06-01T12:00:00.123Z"},
		{"", "", 0, ""},
		{"tomorrow", "", exitUsage, ""}, {"1.5", "", exitUsage, ""}, {" 1", "", exitUsage, ""}, {"0x10", "", exitUsage, ""},
		{"99999999999999999999", "", exitUsage, ""}, {"999999999999999", "", exitUsage, ""},
		{"", "2027-06-01", exitUsage, ""}, {"", "2027-02-30T00:00:00Z", exitUsage, ""},
	} {
		t.Run(test.env+" "+test.now, func(t *testing.T) {
			args := []string{"compact", "--budget=min"}
			if test.now != "" {
				args = append(args, "--now", test.now)
			}
			start := time.Now().Truncate(time.Millisecond)
			e := child{args: args, in: strings.NewReader(bulky(1)), env: []string{"SOURCE_DATE_EPOCH=" + test.env}}.run(t)
			e.expect(t, test.exit)
			if test.exit == 0 {
				checkCreated(t, e.stdout, test.want, start)
			}
		})
	}
}

func checkCreated(t *testing.T, out []byte, want string, start time.Time) {
	t.Helper()
	var doc struct {
		ID        string
		CreatedAt string `json:"created_at"`
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, doc.CreatedAt)
	if want != "" && doc.CreatedAt != want || want == "" && (at.Before(start) || at.After(time.Now())) || err != nil || !strings.HasSuffix(doc.CreatedAt, "Z") {
		t.Errorf("created_at is %s, want %s; %v", doc.CreatedAt, want, err)
	}
	if !strings.HasPrefix(doc.ID, "urn:uuid:") || len(doc.ID) != 45 || doc.ID[23] != '7' {
		t.Errorf("the id is %s, no UUIDv7", doc.ID)
	}
}

// TestControlCharacters: nothing that a terminal would act on, from a document or a file's name, reaches it.
func TestControlCharacters(t *testing.T) {
	const hostile = `\u001b[2J\u0007\u009b\u202e\r`
	file := filepath.Join(t.TempDir(), "a\x1b[2J\u202e\n.ocp.json")
	writeFile(t, file, []byte(smallDoc(1, `,"zebra\u001b[2J":1`)))
	for _, test := range []struct{ args, in string }{
		{"compact --budget=min", smallDoc(1, `,"`+hostile+`":1`)},
		{"compact --budget=min", smallDoc(1, `,"operations":[{"id":"`+hostile+`"}]`)},
		{"compact --budget=min --explain", hostileExplain(hostile)},
		{"validate", smallDoc(1, `,"extensions":{"`+hostile+`":1}`)},
		{"validate", smallDoc(1, `,"statements":[{"id":"a","kind":"`+hostile+`","text":"t","origin":{"type":"agent"}}]`)},
		{"validate --format=json", smallDoc(1, `,"`+hostile+`":1`)},
		{"validate --format=sarif", smallDoc(1, `,"`+hostile+`":1`)},
		{"digest", `{"opencheckpoint":"` + hostile + `"}`},
		{"digest", `{"` + hostile + `":1,,}`},
		{"validate FILE", ""}, {"digest FILE", ""}, {"compact --budget=min FILE", ""}, {"validate --parent FILE", smallDoc(1, "")},
		{"validate --format=sarif FILE", ""}, {"digest FILE FILE/none", ""}, {"compact --budget=min -o FILE", "{"}, {"FILE", ""}, {"compact --FILE", ""},
		{"compact --budget FILE", ""}, {"digest --verify FILE", ""},
		{"fork -n1", smallDoc(1, `,"`+hostile+`":1`)}, {"fork -n1 FILE", ""}, {"fork -n1 --label FILE", ""}, {"fork -n1 --owner FILE", ""},
		{"fork -n1 --assign FILE=1", pending(1)}, {"fork -n1 --assign order=FILE", pending(1)}, {"fork -n1 --instruct FILE", ""}, {"fork -n1 -o FILE", pending(1)},
		{"fork -n1 --constrain 1=t --by FILE", ""}, {"fork -n1 --constrain 1=t --by user --supersede FILE", pending(1)}, {"fork -n2 -o FILE", ""},
	} {
		t.Run(test.args, func(t *testing.T) {
			var args []string
			for _, arg := range strings.Fields(test.args) {
				args = append(args, strings.ReplaceAll(arg, "FILE", file))
			}
			e := child{args: args, in: strings.NewReader(test.in)}.run(t)
			for _, out := range [][]byte{e.stdout, e.stderr} {
				if i := bytes.IndexFunc(out, isHostile); i >= 0 && args[0] != "compact" && args[0] != "fork" || i >= 0 && bytes.Equal(out, e.stderr) {
					t.Errorf("%.300q", out)
				}
			}
		})
	}
}

func isHostile(r rune) bool {
	return r < 0x20 && r != '\n' || 0x7f <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
}

// hostileExplain is a document whose extension keys are hostile as far as level 1 allows: behind a slash.
func hostileExplain(key string) string {
	return smallDoc(1, `,"extensions":{"org.example.x/`+key+`":"`+strings.Repeat("x", 3000)+`"}`)
}

// stretch is a text whose middle is repeated to a size, which need not fit into memory.
func stretch(before, middle, after string, size int) io.Reader {
	size -= size % len(middle)
	return io.MultiReader(strings.NewReader(before), io.LimitReader(&repeat{line: []byte(middle)}, int64(size)), strings.NewReader(after))
}

// TestHostile: documents that are made to cost time or memory.
func TestHostile(t *testing.T) {
	members := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"m%d":0`, i)
		}
		return b.String()
	}
	var keys strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&keys, `,"org.example.k%d/v":{"a":[%d]}`, i, i)
	}
	bracket := extended("1")[:len(extended("1"))-len("1}}")]
	for _, test := range []struct {
		name string
		in   func() io.Reader
		exit int
		says string
	}{
		{"two million brackets", func() io.Reader { return stretch("", "[", "", 2_000_000) }, exitInvalid, "OCX-J-depth"},
		{"two million brackets inside", func() io.Reader { return stretch(bracket, "[", "", 2_000_000) }, exitInvalid, "OCX-J-depth"},
		{"two million braces", func() io.Reader { return stretch(bracket, `{"a":`, "", 2_000_000) }, exitInvalid, "OCX-J-depth"},
		{"two million closers", func() io.Reader { return stretch("", "]", "", 2_000_000) }, exitInvalid, "OCX-J-grammar"},
		{"members in one object", func() io.Reader { return strings.NewReader(extended(`{"m":0` + members(400_000) + "}")) }, 0, ""},
		{"the same member at the end", func() io.Reader { return strings.NewReader(extended(`{"m":0` + members(400_000) + `,"m7":1}`)) }, exitInvalid, "OCX-J-duplicate-name"},
		{"undefined members", func() io.Reader { return strings.NewReader(smallDoc(1, members(100_000))) }, exitInvalid, "OCX-L-undefined"},
		{"a thousand extensions", func() io.Reader {
			return strings.NewReader(smallDoc(1, `,"extensions":{"org.example.x":1`+keys.String()+"}"))
		}, 0, ""},
		{"a long string", func() io.Reader { return stretch(bracket+`"`, "0123456789", `"}}`, 20_000_000) }, 0, ""},
		{"a long name", func() io.Reader { return stretch(bracket+`{"`, "0123456789", `":1}}}`, 20_000_000) }, 0, ""},
		{"a long number", func() io.Reader { return stretch(bracket, "9", "}}", 5_000_000) }, exitInvalid, "OCX-J-number"},
		{"a long string of backslashes", func() io.Reader { return stretch(bracket+`"`, `\\`, `"}}`, 20_000_000) }, 0, ""},
		{"a string without end", func() io.Reader { return stretch(bracket+`"`, "0123456789", "", 20_000_000) }, exitInvalid, "OCX-J-truncated"},
		{"white space", func() io.Reader { return stretch("", " \n", smallDoc(1, ""), 20_000_000) }, 0, ""},
		{"a million references", func() io.Reader {
			return stretch(smallDoc(1, "")[:len(smallDoc(1, ""))-1]+`,"progress":{"focus":{"description":"d","refs":["none"`, `,"none"`, `]}}}`, 7_000_000)
		}, exitInvalid, "OCP-S002"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := child{args: []string{"validate"}, in: test.in(), within: 15 * time.Second}.run(t)
			if e.exit != test.exit || !strings.Contains(string(e.stdout), test.says) {
				t.Errorf("exit %d, want %d: %.400s%.400s", e.exit, test.exit, e.stdout, e.stderr)
			}
			e.limit(t, 512<<20)
		})
	}
}

// TestHugeString is a document of 200 MB that is one string, through a pipe. With -short it has 50 MB.
func TestHugeString(t *testing.T) {
	size := 200_000_000
	if testing.Short() {
		size /= 4
	}
	start, end := extended(`"`)[:len(extended(`"`))-len("}}")], `"}}`
	e := child{args: []string{"digest"}, in: stretch(start, "0123456789", end, size), within: 60 * time.Second}.run(t)
	e.expect(t, 0)
	if len(e.stdout) != len(digestLine(t, extended("1"), stdinName)) {
		t.Errorf("%s", e.stdout)
	}
	e.limit(t, 3*int64(size))
}

// TestRecheck: --recheck reads file: resources below its directory, and no others.
func TestRecheck(t *testing.T) {
	dir := t.TempDir()
	inside, outside := filepath.Join(dir, "in"), t.TempDir()
	if err := os.Mkdir(inside, 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(inside, "a b.txt"), []byte("evidence"))
	writeFile(t, filepath.Join(outside, "a.txt"), []byte("evidence"))
	if err := os.Symlink(filepath.Join(outside, "a.txt"), filepath.Join(inside, "link")); err != nil {
		t.Fatal(err)
	}
	right, wrong := digest.OfBytes([]byte("evidence")).String(), digest.OfBytes([]byte("other")).String()
	for _, test := range []struct {
		path, digest, state string
		notes               int
	}{
		{filepath.Join(inside, "a b.txt"), right, "verified", 0},
		{filepath.Join(inside, "a b.txt"), wrong, "stale", 1},
		{filepath.Join(inside, "a b.txt"), "md5:00", "stale", 0},
		{filepath.Join(inside, "none"), right, "stale", 0},
		{filepath.Join(inside, "link"), right, "stale", 0},
		{filepath.Join(outside, "a.txt"), right, "stale", 0},
		{inside + "/../../" + filepath.Base(outside) + "/a.txt", right, "stale", 0},
		{inside, right, "stale", 0},
	} {
		uri := (&url.URL{Scheme: "file", Path: test.path}).String()
		doc := smallDoc(1, `,"statements":[{"id":"s","kind":"constraint","text":"t","origin":{"type":"user"},"evidence":["r"],"verification":{"state":"verified"}},`+
			`{"id":"h","kind":"hypothesis","text":"`+strings.Repeat("x", 2000)+`","origin":{"type":"agent"}}],`+
			`"resources":[{"id":"r","uri":"`+uri+`","digest":"`+test.digest+`"}]`)
		e := child{args: []string{"compact", "--budget=1800B", "--recheck", inside}, in: strings.NewReader(doc)}.run(t)
		if got := bytes.Count(e.stderr, []byte("\n")); got != test.notes {
			t.Errorf("%s: %d notes, want %d: %s", test.path, got, test.notes, e.stderr)
		}
		if want := `"state":"` + test.state + `"`; e.exit != 0 || !strings.Contains(string(e.stdout), want) {
			t.Errorf("%s: exit %d, want %s: %.900s", test.path, e.exit, want, e.stdout)
		}
	}
	child{args: []string{"compact", "--budget=min", "--recheck", filepath.Join(dir, "none")}, in: &endless{}}.run(t).expect(t, exitIO)
}

// TestReport: --report is JSON, a line a document, and appears with the documents or not at all.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	report := filepath.Join(dir, "report")
	args := []string{"compact", "--budget=min", "--report", report}
	child{args: args, in: strings.NewReader(smallDoc(1, "") + bulky(2))}.run(t).expect(t, 0)
	var verdicts []map[string]any
	for line := range strings.Lines(readFile(t, report)) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		verdicts = append(verdicts, v)
	}
	if len(verdicts) != 2 || verdicts[0]["unchanged"] != true || verdicts[1]["unchanged"] != false {
		t.Errorf("%v", verdicts)
	}
	before := readFile(t, report)
	child{args: args, in: strings.NewReader(bulky(2) + "{")}.run(t).expect(t, exitInvalid)
	if readFile(t, report) != before {
		t.Error("a run that failed replaced the report")
	}
	onlyFiles(t, dir, "report")
}
