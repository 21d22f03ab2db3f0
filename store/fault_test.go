package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/internal/memdisk"
)

// act is something that changes a store, and that a fault interrupts.
type act struct {
	name    string
	made    bool     // the store is there before
	before  [][]byte // what agent "a" has saved before, the last is the head
	text    []byte   // what is saved; nil for a prune
	opts    SaveOptions
	newHead []byte // the head once it is done; the old one may be there if it failed
}

var acts = []act{
	{name: "first save makes the store", text: numbered(0), newHead: numbered(0)},
	{name: "first save of an agent", made: true, text: numbered(0), newHead: numbered(0)},
	{name: "next save", made: true, before: [][]byte{numbered(0), numbered(1)}, text: numbered(2), newHead: numbered(2)},
	{name: "branch", made: true, before: [][]byte{numbered(0), numbered(1)}, text: document("side", "n0"), newHead: numbered(1)},
	{name: "forced back", made: true, before: [][]byte{numbered(0), numbered(1)}, text: numbered(0), opts: SaveOptions{Force: true}, newHead: numbered(0)},
	{name: "the head again", made: true, before: [][]byte{numbered(0)}, text: numbered(0), newHead: numbered(0)},
	{name: "prune", made: true, before: [][]byte{numbered(0), numbered(1), numbered(2)}, newHead: numbered(2)},
}

// stage is a store on a memory, in which an act may be interrupted.
type stage struct {
	path string
	disk *memdisk.Disk
}

// newStage has done all that comes before an act.
func newStage(t *testing.T, a act) *stage {
	t.Helper()
	s := &stage{path: filepath.Join(t.TempDir(), "store")}
	s.disk = memdisk.New(filepath.Dir(s.path))
	if a.made {
		if _, err := openDirectory(s.store(), true); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range a.before {
		save(t, s.store(), "a", text, SaveOptions{})
	}
	if a.made {
		save(t, s.store(), "other", document("other", ""), SaveOptions{})
	}
	return s
}

// store opens the store anew, as another process would.
func (s *stage) store() *directory { return &directory{path: s.path, name: s.path, disk: s.disk} }

// do does the act.
func (s *stage) do(t *testing.T, a act) error {
	var err error
	if a.text == nil {
		_, err = s.store().Prune(t.Context(), PruneOptions{Before: time.Now().Add(time.Hour), Apply: true})
	} else {
		_, err = s.store().Save(t.Context(), "a", a.text, a.opts)
	}
	return err
}

// check says what is lost, torn or not as it may be; done says that the act was acknowledged.
func (s *stage) check(t *testing.T, a act, done bool) error {
	d := s.store()
	heads := [][]byte{a.newHead}
	if !done && len(a.before) > 0 {
		heads = append(heads, a.before[len(a.before)-1])
	}
	c, err := d.Resume(t.Context(), "a")
	switch {
	case err == ErrNoCheckpoint && !done && len(a.before) == 0:
	case err != nil:
		return fmt.Errorf("resume: %w", err)
	case !bytes.Equal(c.Bytes, heads[0]) && !bytes.Equal(c.Bytes, heads[len(heads)-1]):
		return fmt.Errorf("the head is %s", c.ID)
	}
	listed := map[string]bool{}
	for e, err := range d.List(t.Context(), "") {
		if err != nil {
			return fmt.Errorf("list: %w", err)
		}
		listed[e.ID] = true
		if got, err := d.Get(t.Context(), e.Digest); err != nil || int64(len(got.Bytes)) != e.Size {
			return fmt.Errorf("get %s: %w", e.ID, err)
		}
	}
	if a.made && !listed["other"] {
		return errors.New("another agent lost its checkpoint")
	}
	return s.accounts(t, a, done, listed)
}

// accounts says what of the checkpoints of the agent is missing.
func (s *stage) accounts(t *testing.T, a act, done bool, listed map[string]bool) error {
	want := a.before
	if a.text == nil {
		want = nil // all but the head may go
	}
	if a.text != nil && done {
		want = append(want[:len(want):len(want)], a.text)
	}
	for _, text := range want {
		d, err := newDraft(text, SaveOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !listed[d.ID] {
			return fmt.Errorf("%s is lost", d.ID)
		}
	}
	return nil
}

// eachCall interrupts an act at each call, until there is none left to interrupt.
func eachCall(t *testing.T, a act, err error, dead bool, check func(t *testing.T, s *stage, at int, got error)) {
	t.Helper()
	for at := 1; ; at++ {
		s := newStage(t, a)
		s.disk.Fail(at, err, dead)
		got := s.do(t, a)
		reached := s.disk.Calls() >= at
		s.disk.Fail(0, nil, false)
		check(t, s, at, got)
		if !reached {
			if got != nil {
				t.Errorf("without a fault: %v", got)
			}
			t.Logf("%d calls", at-1)
			return
		}
		if t.Failed() {
			return
		}
		if testing.Short() && at > 40 {
			at += 20 // most are directories of a new store
		}
	}
}

// TestFaults: whichever call fails, once or for good, nothing is lost or torn, an error is told as what it is, and the act can be done again.
func TestFaults(t *testing.T) {
	for _, a := range acts {
		for _, fault := range []syscall.Errno{syscall.ENOSPC, syscall.EIO} {
			for _, dead := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%v/for good %v", a.name, fault, dead), func(t *testing.T) {
					eachCall(t, a, fault, dead, func(t *testing.T, s *stage, at int, got error) {
						if got != nil && (!errors.As(got, new(*IOError)) || !errors.Is(got, fault)) {
							t.Errorf("call %d: %v", at, got)
						}
						if err := s.check(t, a, got == nil); err != nil {
							t.Errorf("call %d failed, the act said %v: %v", at, got, err)
						}
						if err := s.do(t, a); err != nil {
							t.Errorf("call %d, done again: %v", at, err)
						}
						s.disk = s.disk.Lose(nil) // what another left without syncing it is synced by who relies on it
						if err := s.check(t, a, true); err != nil {
							t.Errorf("call %d, done again, and the power lost: %v", at, err)
						}
					})
				})
			}
		}
	}
}

// TestPowerLoss: the power goes at each call, and after the last. What was acknowledged has been synced, so it is there, whatever of the rest the
// disk kept.
func TestPowerLoss(t *testing.T) {
	for _, a := range acts {
		t.Run(a.name, func(t *testing.T) {
			eachCall(t, a, errors.New("no power"), true, func(t *testing.T, s *stage, at int, got error) {
				before := s.disk
				for seed := range uint64(12) {
					dice := rand.New(rand.NewPCG(seed, uint64(at)))
					if seed == 0 {
						dice = nil
					}
					s.disk = before.Lose(dice)
					if err := s.check(t, a, got == nil); err != nil {
						t.Fatalf("the power went at call %d, the act said %v, seed %d: %v", at, got, seed, err)
					}
					if err := s.do(t, a); err != nil {
						t.Fatalf("call %d, seed %d, done again: %v", at, seed, err)
					}
					s.disk = s.disk.Lose(nil)
					if err := s.check(t, a, true); err != nil {
						t.Fatalf("call %d, seed %d, done again: %v", at, seed, err)
					}
				}
			})
		})
	}
}

// TestReadFaults: what cannot be read is an error, and never an absence.
func TestReadFaults(t *testing.T) {
	a := act{made: true, before: [][]byte{numbered(0), numbered(1)}}
	reads := map[string]func(d *directory) error{
		"resume": func(d *directory) error { _, err := d.Resume(t.Context(), "a"); return err },
		"get":    func(d *directory) error { _, err := d.Get(t.Context(), "n0"); return err },
		"none":   func(d *directory) error { _, err := d.Resume(t.Context(), "nobody"); return err },
		"prune":  func(d *directory) error { _, err := d.Prune(t.Context(), PruneOptions{Keep: 1}); return err },
		"list": func(d *directory) error {
			for _, err := range d.List(t.Context(), "") {
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	for name, read := range reads {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, a)
			for at := 1; ; at++ {
				s.disk.Fail(at, syscall.EIO, false)
				err := read(s.store())
				if s.disk.Calls() < at {
					return
				}
				if !errors.As(err, new(*IOError)) {
					t.Errorf("call %d: %v", at, err)
				}
			}
		})
	}
}
