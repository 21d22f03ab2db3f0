package journal

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var kills = flag.Int("kills", 120, "how many processes the kill test kills")

// The environment of a child that appends.
const (
	childDir   = "OCP_TEST_CHILD_DIR"
	childName  = "OCP_TEST_CHILD_NAME"
	childCount = "OCP_TEST_CHILD_COUNT"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		appendMany(dir)
	}
	os.Exit(m.Run())
}

// appendMany appends records and prints the number of each once it is acknowledged.
func appendMany(dir string) {
	var count int
	fmt.Sscan(os.Getenv(childCount), &count)
	j, err := Open(dir, "c", "s")
	for n := 0; n < count && err == nil; n++ {
		var seq int64
		seq, err = j.Append(context.Background(), childRecord(os.Getenv(childName), n))
		if err == nil {
			fmt.Println(seq, n)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// childRecord is record n of a child; some are so large that a kill may find them half written.
func childRecord(name string, n int) Record {
	return Record{Event: "dispatch", Call: fmt.Sprint(name, ".", n), Tool: strings.Repeat("x", n%5*n%5*4000)}
}

// child is a process that appends.
type child struct {
	name string
	*exec.Cmd
	out    io.ReadCloser
	stderr bytes.Buffer
	acks   map[int64]int // number of the record, by sequence number
}

// start starts a child that appends so many records.
func start(t *testing.T, dir, name string, count int) *child {
	t.Helper()
	c := &child{name: name, Cmd: exec.Command(os.Args[0]), acks: map[int64]int{}}
	c.Env = append(os.Environ(), childDir+"="+dir, childName+"="+name, childCount+"="+fmt.Sprint(count))
	c.Stderr = &c.stderr
	var err error
	if c.out, err = c.StdoutPipe(); err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// listen notes what is acknowledged until the child is gone; first is called once something was.
func (c *child) listen(first func()) {
	lines := bufio.NewScanner(c.out)
	for lines.Scan() {
		if len(c.acks) == 0 {
			first()
		}
		var seq int64
		var n int
		fmt.Sscan(lines.Text(), &seq, &n)
		c.acks[seq] = n
	}
	c.Wait()
}

// TestKill: processes are killed while they append to one journal, four at a time, at random instants. What they said they had appended is there, in the order in which they did, without a gap
// and once; and so is at most one more record of each.
func TestKill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "j")
	total := *kills
	if testing.Short() {
		total = 24
	}
	const together = 4
	var children []*child
	for len(children) < total {
		var group sync.WaitGroup
		for range together {
			c := start(t, dir, fmt.Sprint("p", len(children)), 1_000_000)
			children = append(children, c)
			kill := func() {
				time.AfterFunc(time.Duration(rand.Int64N(int64(15*time.Millisecond))), func() { c.Process.Kill() })
			}
			once := sync.OnceFunc(kill)
			if rand.IntN(4) == 0 {
				once() // it may be killed in its first append, too
			}
			group.Go(func() { c.listen(once) })
		}
		group.Wait()
	}
	for _, c := range children {
		if c.stderr.Len() > 0 {
			t.Errorf("%s", c.stderr.Bytes())
		}
	}
	log, err := Read(dir, "c", "s")
	if err != nil {
		t.Fatal(err)
	}
	more := account(t, log, children)
	t.Logf("%d processes killed, %d records, %d of them not acknowledged, torn at the end: %v", len(children), len(log.Records), more, log.Torn)
}

// account fails unless a log holds what children were acknowledged, each in order and once, and returns how many records more there are.
func account(t *testing.T, log *Log, children []*child) (more int) {
	t.Helper()
	if log.Damaged {
		t.Errorf("damaged: %s", log.Why)
	}
	bySeq := map[int64]Record{}
	next := map[string]int{}
	for _, r := range log.Records {
		name, number, _ := strings.Cut(r.Call, ".")
		if number != fmt.Sprint(next[name]) {
			t.Errorf("%s is behind number %d", r.Call, next[name]-1)
		}
		next[name]++
		bySeq[r.Seq] = r
	}
	for _, c := range children {
		for seq, n := range c.acks {
			want := childRecord(c.name, n)
			if got := bySeq[seq]; got.Call != want.Call || got.Tool != want.Tool {
				t.Errorf("%d was acknowledged to %s, and is %q", seq, want.Call, got.Call)
			}
		}
		if unheard := next[c.name] - len(c.acks); unheard < 0 || unheard > 1 {
			t.Errorf("%s: %d records, %d acknowledged", c.name, next[c.name], len(c.acks))
		} else {
			more += unheard
		}
	}
	return more
}

// TestConcurrent: 32 appenders, 28 processes and four goroutines of this one, never get the same sequence number, and none of their records is lost.
func TestConcurrent(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "j")
	const each = 5
	var children []*child
	var group sync.WaitGroup
	for i := range 28 {
		c := start(t, dir, fmt.Sprint("p", i), each)
		children = append(children, c)
		group.Go(func() { c.listen(func() {}) })
	}
	own := make([]*child, 4) // in this process, on one Journal
	j := openedIn(t, dir, "c", "s")
	for i := range own {
		c := &child{name: fmt.Sprint("g", i), acks: map[int64]int{}}
		own[i] = c
		group.Go(func() {
			for n := range each {
				seq, err := j.Append(t.Context(), childRecord(c.name, n))
				if err != nil {
					t.Error(err)
				}
				c.acks[seq] = n
			}
		})
	}
	group.Wait()
	log := logOf(t, j)
	if log.Torn || len(log.Records) != 32*each {
		t.Errorf("%d records; torn: %v", len(log.Records), log.Torn)
	}
	if more := account(t, log, slices.Concat(children, own)); more > 0 {
		t.Errorf("%d records are there that nobody heard of", more)
	}
}

// unprivileged appends one record in another process, which is not the superuser, and returns what it says.
func unprivileged(t *testing.T, dir string) (stderr string, err error) {
	t.Helper()
	program := os.Args[0]
	if os.Geteuid() == 0 {
		program = copied(t, program)
	}
	c := exec.Command(program)
	c.Dir = filepath.Dir(program)
	c.Env = append(os.Environ(), childDir+"="+dir, childCount+"=1")
	var out bytes.Buffer
	c.Stderr = &out
	dropPrivileges(c)
	err = c.Run()
	return out.String(), err
}

// copied is a program where anybody can run it.
func copied(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "program")
	text, err := os.ReadFile(program)
	if err == nil {
		err = os.WriteFile(name, text, 0o755)
	}
	for _, path := range []string{dir, filepath.Dir(dir)} {
		if err == nil {
			err = os.Chmod(path, 0o755)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}
