package disk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"github.com/gofrs/flock"
)

// OS is the disk of this machine.
type OS struct{}

var _ Disk = OS{}

func (OS) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }
func (OS) ReadFile(name string) ([]byte, error)       { return os.ReadFile(name) }
func (OS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (OS) Mkdir(name string) error                    { return os.Mkdir(name, 0o700) }
func (OS) Rename(from, to string) error               { return os.Rename(from, to) }
func (OS) Remove(name string) error                   { return os.Remove(name) }

func (OS) Create(name string) (File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
}

func (OS) OpenWriter(name string) (File, error) { return os.OpenFile(name, os.O_WRONLY, 0) }

func (OS) OpenOwn(name string) (File, error) { return openOwn(name, os.O_RDWR|os.O_CREATE) }

func (OS) ReadOwn(name string) ([]byte, error) {
	f, err := openOwn(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// SyncDir does nothing on Windows, where a directory cannot be synced and a rename is journaled.
func (OS) SyncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

func (OS) Lock(ctx context.Context, name string, shared bool) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow), flock.SetPermissions(0o600))
	try, wait := l.TryLock, l.Lock
	if shared {
		try, wait = l.TryRLock, l.RLock
	}
	held, err := try()
	if err == nil && !held {
		err = await(ctx, l, wait)
	}
	if err != nil {
		return nil, err
	}
	return func() { l.Close() }, nil
}

// await lets the system wait for a lock: it wakes who waits when the lock is free, where who asks again and again comes too late while others are busy.
// A wait cannot be called off, so when ctx ends it is left alone, and gives back what it gets.
func await(ctx context.Context, l *flock.Flock, wait func() error) error {
	done := make(chan error)
	go func() {
		err := wait()
		for errors.Is(err, syscall.EINTR) {
			err = wait()
		}
		select {
		case done <- err:
		case <-ctx.Done():
			l.Close()
		}
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// openOwn looks before it opens, since opening some files that are not regular waits or has effects, and after, at what it has opened.
func openOwn(name string, flag int) (*os.File, error) {
	if info, err := os.Lstat(name); err == nil {
		if err := checkOwn(name, info); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(name, flag|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = checkOwn(name, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// What checkOwn refuses.
var (
	errNotRegular = errors.New("it is not a regular file")
	errLink       = errors.New("it is a symbolic link")
	errForeign    = errors.New("it belongs to another user")
)

// checkOwn fails unless a file is a regular one of this user.
func checkOwn(name string, info fs.FileInfo) error {
	var err error
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		err = errLink
	case !info.Mode().IsRegular():
		err = errNotRegular
	case foreign(info):
		err = errForeign
	default:
		return nil
	}
	return &fs.PathError{Op: "open", Path: name, Err: err}
}
