package disk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

// retry is how long to wait before a lock is tried again.
const retry = 2 * time.Millisecond

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
	l := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow), flock.SetPermissions(0o600))
	try := l.TryLockContext
	if shared {
		try = l.TryRLockContext
	}
	if _, err := try(ctx, retry); err != nil {
		l.Close()
		return nil, err
	}
	return func() { l.Close() }, nil
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
