package journal

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/internal/memdisk"
)

// scene is a journal to which a record is appended while something fails.
type scene struct {
	name    string
	records int    // acknowledged before
	behind  string // what a killed writer left behind them
	damaged bool   // which it could not have
	next    Record
}

var scenes = []scene{
	{name: "first", next: Record{Event: "active"}},
	{name: "first, a killed one before", behind: "0123456", next: Record{Event: "active"}},
	{name: "next", records: 2, next: Record{Event: "request"}},
	{name: "large", records: 2, next: Record{Tool: strings.Repeat("x", MaxRecord/2)}},
	{name: "behind a torn one", records: 2, behind: `01234567 {"seq":3,"tool":"` + strings.Repeat("y", 3*glance), next: Record{Event: "result"}},
	{name: "behind a damaged one", records: 2, behind: "\x00", damaged: true, next: Record{Event: "result"}},
}

// stage is a journal on a disk in memory.
type stage struct {
	*Journal
	disk *memdisk.Disk
}

func newStage(t *testing.T, s scene) *stage {
	t.Helper()
	j := filled(t, inMemory(t), s.records)
	if s.behind != "" {
		var text []byte
		if s.records > 0 {
			text = content(t, j)
		}
		put(t, j, append(text, s.behind...))
	}
	return &stage{j, j.disk.(*memdisk.Disk)}
}

// lose takes the power away.
func (s *stage) lose(dice *rand.Rand) {
	s.disk = s.disk.Lose(dice)
	s.Journal.disk = s.disk
}

// check says what is lost, or there that was never appended. Of what was not acknowledged, one record may be there, as the last.
func (s *stage) check(acknowledged []Record, appended Record, mayBeDamaged bool) error {
	log, err := s.read()
	if err == ErrNone && len(acknowledged) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if log.Damaged && !mayBeDamaged {
		return errors.New("damaged: " + log.Why)
	}
	for i, want := range acknowledged {
		if i >= len(log.Records) || !reflect.DeepEqual(log.Records[i], want) {
			return fmt.Errorf("record %d is lost", i+1)
		}
	}
	more := log.Records[len(acknowledged):]
	if len(more) > 1 || len(more) == 1 && more[0].Event+more[0].Tool != appended.Event+appended.Tool {
		return fmt.Errorf("%d more records are there", len(more))
	}
	return nil
}

// again appends once more, loses the power, and says what is lost then.
func (s *stage) again(t *testing.T, acknowledged []Record, mayBeDamaged bool) error {
	log, err := s.read()
	if err != nil && err != ErrNone {
		return err
	}
	if log != nil {
		acknowledged = log.Records // one that is there by chance is followed by an acknowledged one, and so stays
	}
	seq, err := s.Append(t.Context(), Record{Event: "again"})
	if err != nil {
		return err
	}
	s.lose(nil)
	return s.check(append(acknowledged[:len(acknowledged):len(acknowledged)], Record{Seq: seq, Event: "again"}), Record{}, mayBeDamaged)
}

// eachCall appends with a fault at each call, until there is none left.
func eachCall(t *testing.T, sc scene, fault error, dead bool, check func(s *stage, at int, acknowledged []Record, got error)) {
	t.Helper()
	for at := 1; ; at++ {
		s := newStage(t, sc)
		s.disk.Fail(at, fault, dead)
		seq, got := s.Append(t.Context(), sc.next)
		reached := s.disk.Calls() >= at
		s.disk.Fail(0, nil, false)
		acknowledged := numbered(sc.records)
		if got == nil {
			r := sc.next
			r.Seq = seq
			acknowledged = append(acknowledged, r)
		}
		check(s, at, acknowledged, got)
		if !reached {
			if got != nil {
				t.Errorf("without a fault: %v", got)
			}
			t.Logf("%d calls", at-1)
			return
		}
	}
}

// TestFaults: whichever call fails, once or for good, the error says so, what was acknowledged is there, and appending can go on. What is appended then outlasts
// a loss of power, names of directories that a killed process made included.
func TestFaults(t *testing.T) {
	for _, sc := range scenes {
		for _, fault := range []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EROFS} {
			for _, dead := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%v/for good %v", sc.name, fault, dead), func(t *testing.T) {
					eachCall(t, sc, fault, dead, func(s *stage, at int, acknowledged []Record, got error) {
						if got != nil && (!errors.As(got, new(*IOError)) || !errors.Is(got, fault) || strings.Contains(got.Error(), "\n")) {
							t.Errorf("call %d: %v", at, got)
						}
						if err := s.check(acknowledged, sc.next, sc.damaged); err != nil {
							t.Errorf("call %d failed, Append said %v: %v", at, got, err)
						}
						if err := s.again(t, acknowledged, sc.damaged); err != nil {
							t.Errorf("call %d failed, Append said %v, appended again: %v", at, got, err)
						}
					})
				})
			}
		}
	}
}

// TestTakenBack: a record that could not be written or synced is not there afterwards, as long as the disk works otherwise. Only closing the file comes too late for
// that.
func TestTakenBack(t *testing.T) {
	for _, sc := range scenes {
		var left []int
		last := 0
		eachCall(t, sc, syscall.EIO, false, func(s *stage, at int, acknowledged []Record, got error) {
			if log, err := s.read(); got != nil && err == nil && len(log.Records) > len(acknowledged) {
				left = append(left, at)
			}
			last = at
		})
		if len(left) != 1 || left[0] != last-1 {
			t.Errorf("%s: of %d calls, those leave a record: %v", sc.name, last-1, left)
		}
	}
}

// TestPowerLoss: the power goes at each call, and after the last. What was acknowledged has been synced, so it is there, whatever of the rest the disk
// kept. Only a record that was being written may look damaged.
func TestPowerLoss(t *testing.T) {
	for _, sc := range scenes {
		t.Run(sc.name, func(t *testing.T) {
			eachCall(t, sc, errors.New("no power"), true, func(s *stage, at int, acknowledged []Record, got error) {
				before := s.disk
				for seed := range uint64(40) {
					dice := rand.New(rand.NewPCG(seed, uint64(at)))
					if seed == 0 {
						dice = nil
					}
					s.disk = before
					s.lose(dice)
					mayBeDamaged := sc.damaged || got != nil
					if err := s.check(acknowledged, sc.next, mayBeDamaged); err != nil {
						t.Fatalf("the power went at call %d, Append said %v, seed %d: %v", at, got, seed, err)
					}
					if err := s.again(t, acknowledged, mayBeDamaged); err != nil {
						t.Fatalf("call %d, seed %d, appended again: %v", at, seed, err)
					}
				}
			})
		})
	}
}

// TestReadFaults: what cannot be read is an error, and never the absence of a journal.
func TestReadFaults(t *testing.T) {
	for _, sc := range scenes[2:] {
		s := newStage(t, sc)
		for at := 1; ; at++ {
			s.disk.Fail(at, syscall.EIO, false)
			log, err := s.read()
			if s.disk.Calls() < at {
				break
			}
			if !errors.As(err, new(*IOError)) && (log == nil || len(log.Records) != sc.records || log.Damaged != sc.damaged) {
				t.Errorf("%s, call %d: %v, %v", sc.name, at, log, err)
			}
		}
	}
}

// TestRemoveFaults: what cannot be removed is an error, and once it could be removed again, no loss of power brings it back.
func TestRemoveFaults(t *testing.T) {
	for name, remove := range map[string]func(s *stage) error{
		"prune":  func(s *stage) error { _, err := prune(t.Context(), s.disk, s.dir, time.Now()); return err },
		"remove": func(s *stage) error { return s.forget(t.Context()) },
	} {
		for at, reached := 1, true; reached; at++ {
			s := newStage(t, scenes[2])
			s.disk.Fail(at, syscall.EIO, false)
			err := remove(s)
			if reached = s.disk.Calls() >= at; errors.As(err, new(*IOError)) != reached {
				t.Errorf("%s, call %d: %v", name, at, err)
			}
			s.disk.Fail(0, nil, false)
			if err := remove(s); err != nil && err != ErrNone {
				t.Errorf("%s, call %d, again: %v", name, at, err)
			}
			s.lose(nil)
			if _, err := s.read(); err != ErrNone {
				t.Errorf("%s, call %d, again, and the power lost: %v", name, at, err)
			}
		}
	}
}

// TestNoPermission: a process that may not write is told so in one line. It is another process, since the superuser may write anywhere.
func TestNoPermission(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes")
	}
	dir := filepath.Join(t.TempDir(), "j")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for path := dir; path != filepath.Dir(os.TempDir()) && path != filepath.Dir(path); path = filepath.Dir(path) {
		if strings.HasPrefix(path, os.TempDir()+string(filepath.Separator)) && os.Chmod(path, 0o555) == nil {
			t.Cleanup(func() { os.Chmod(path, 0o700) })
		}
	}
	out, err := unprivileged(t, dir)
	if !strings.Contains(out, "permission denied") || strings.Count(out, "\n") != 1 || err == nil {
		t.Errorf("%q, %v", out, err)
	}
	if entries, err := os.ReadDir(dir); len(entries) > 0 || err != nil {
		t.Errorf("%v, %v", entries, err)
	}
}
