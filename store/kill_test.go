package store

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/digest"
)

var kills = flag.Int("kills", 60, "how many processes the kill test kills for each kind of store")

// The environment of a child that saves until it is killed.
const (
	childStore = "OCP_TEST_CHILD_STORE"
	childFirst = "OCP_TEST_CHILD_FIRST"
)

// saveUntilKilled saves a line of checkpoints, each the child of the one before, and says so once each is saved.
func saveUntilKilled() {
	s, err := Open(context.Background(), os.Getenv(childStore), Options{})
	if err != nil {
		panic(err)
	}
	var n int
	fmt.Sscan(os.Getenv(childFirst), &n)
	for ; ; n++ {
		saved, err := s.Save(context.Background(), "a", numbered(n), SaveOptions{})
		if err != nil || !saved.Head {
			panic(fmt.Sprint(saved, err))
		}
		fmt.Println(n)
	}
}

// numbered is checkpoint n of the line; some are large enough for a write to take a while.
func numbered(n int) []byte {
	parent := ""
	if n > 0 {
		parent = fmt.Sprint("n", n-1)
	}
	filling := strings.Repeat("x", n%7*n%7*3000)
	return documentWith(fmt.Sprint("n", n), parent, `,"extensions":{"org.example.x":"`+filling+`"}`)
}

// TestKill: a process is killed while it saves, at random instants. What it said it had saved is there to the byte, and the head is the last of that or the
// one after, which it had not come to say.
func TestKill(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		address := k.place(t)
		s := open(t, address)
		next, rounds := 0, *kills
		if testing.Short() {
			rounds = 8
		}
		acknowledged := 0
		for range rounds {
			last := killOne(t, address, next)
			acknowledged += last - next + 1
			next = checkAfterKill(t, s, next, last)
		}
		for i := range next {
			checkSaved(t, s, numbered(i))
		}
		if entries := list(t, s, "a"); len(entries) != next {
			t.Errorf("%d are listed, %d were saved", len(entries), next)
		}
		t.Logf("%d processes killed, %d saves acknowledged, %d more were done", rounds, acknowledged, next-acknowledged)
	})
}

// killOne starts a child that saves from a number on, kills it, and returns the last number that it acknowledged.
func killOne(t *testing.T, address string, first int) (last int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childStore+"="+address, childFirst+"="+fmt.Sprint(first))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	last = first - 1
	if rand.IntN(4) > 0 && lines.Scan() { // else it may be killed in its first save, too
		fmt.Sscan(lines.Text(), &last)
	}
	time.AfterFunc(time.Duration(rand.Int64N(int64(60*time.Millisecond))), func() { cmd.Process.Kill() })
	for lines.Scan() {
		fmt.Sscan(lines.Text(), &last)
	}
	cmd.Wait()
	if stderr.Len() > 0 {
		t.Fatalf("%s", stderr.Bytes())
	}
	return last
}

// checkAfterKill returns how many checkpoints are saved, those that nobody heard of included.
func checkAfterKill(t *testing.T, s Store, first, last int) int {
	t.Helper()
	for i := first; i <= last; i++ {
		checkSaved(t, s, numbered(i))
	}
	c, err := s.Resume(t.Context(), "a")
	if err == ErrNoCheckpoint && last < 0 {
		return 0
	}
	if err != nil {
		t.Fatalf("after %d: %v", last, err)
	}
	for _, n := range []int{last, last + 1} {
		if c.ID == fmt.Sprint("n", n) && bytes.Equal(c.Bytes, numbered(n)) {
			return n + 1
		}
	}
	t.Fatalf("the head is %s, the last that was acknowledged is n%d", c.ID, last)
	return 0
}

func checkSaved(t *testing.T, s Store, text []byte) {
	t.Helper()
	c, err := s.Get(t.Context(), digest.OfBytes(text).String())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(c.Bytes, text) {
		t.Fatalf("%s has other bytes", c.ID)
	}
}
