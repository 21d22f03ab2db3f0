package disk_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/internal/disk"
	"github.com/opencheckpoint/ocp/internal/memdisk"
)

// TestOpenOwn: a file is made, kept, and refused where it is not a regular one of this user. Nothing is made behind a link.
func TestOpenOwn(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	for _, text := range []string{"one", "two"} {
		f, err := disk.OS{}.OpenOwn(name)
		if err == nil {
			err = disk.WriteSynced(f, []byte(text), 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := (disk.OS{}).ReadOwn(name); string(got) != text || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "target"), link); err != nil {
		t.Fatal(err)
	}
	refused(t, link, "symbolic link")
	refused(t, dir, "not a regular file")
	if _, err := os.Lstat(filepath.Join(dir, "target")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := (disk.OS{}).ReadOwn(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func refused(t *testing.T, name, why string) {
	t.Helper()
	_, opened := disk.OS{}.OpenOwn(name)
	_, read := disk.OS{}.ReadOwn(name)
	for _, err := range []error{opened, read} {
		var path *fs.PathError
		if !errors.As(err, &path) || path.Path != name || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestForeign: a file of another user is refused.
func TestForeign(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no owner that a program can compare")
	}
	name := "/etc/hosts" // the superuser's
	if os.Geteuid() == 0 {
		name = filepath.Join(t.TempDir(), "file")
		err := os.WriteFile(name, nil, 0o666)
		if err == nil {
			err = os.Chown(name, 1, -1)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := (disk.OS{}).ReadOwn(name); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("%v", err)
	}
}

// TestLockLink: no file is made behind a link in the place of a lock.
func TestLockLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "target"), filepath.Join(dir, "lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := (disk.OS{}).Lock(context.Background(), filepath.Join(dir, "lock"), false); err == nil && runtime.GOOS != "windows" {
		t.Error("it was locked")
	}
}

// TestLockTurns: among many that lock again and again, each gets its turn.
func TestLockTurns(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	const turns = 3
	var all sync.WaitGroup
	var waiting atomic.Int64
	for range 64 {
		waiting.Add(1)
		all.Go(func() {
			for turn := 1; waiting.Load() > 0; turn++ {
				release, err := disk.OS{}.Lock(ctx, name, false)
				if err != nil {
					t.Errorf("turn %d: %v", turn, err)
					return
				}
				if turn == turns {
					waiting.Add(-1)
				}
				time.Sleep(time.Millisecond)
				release()
			}
		})
	}
	all.Wait()
}

// TestLockLeft: who waits no more has not got the lock, and does not keep it from others.
func TestLockLeft(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	for _, shared := range []bool{false, true} {
		release, err := disk.OS{}.Lock(t.Context(), name, false)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := (disk.OS{}).Lock(ctx, name, shared); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		cancel()
		release()
		if release, err = (disk.OS{}).Lock(t.Context(), name, false); err != nil {
			t.Fatal(err)
		}
		release()
	}
}

// TestMakePath: whatever call fails, and whether the process goes on, a path that was made later outlasts a loss of power.
func TestMakePath(t *testing.T) {
	home, err := filepath.Abs("home")
	if err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(home, "a", "b", "c", "d")
	for _, dead := range []bool{false, true} {
		for at, reached := 1, true; reached; at++ {
			d := memdisk.New(home)
			d.Fail(at, syscall.EIO, dead)
			err := disk.MakePath(d, deep)
			reached = d.Calls() >= at
			if (err != nil) != reached {
				t.Errorf("call %d: %v", at, err)
			}
			d.Fail(0, nil, false)
			if err := disk.MakePath(d, deep); err != nil {
				t.Errorf("call %d, made again: %v", at, err)
			}
			if _, err := d.Lose(nil).Stat(deep); err != nil {
				t.Errorf("call %d, made again, and the power lost: %v", at, err)
			}
		}
	}
}
