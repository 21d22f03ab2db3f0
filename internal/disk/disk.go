// Package disk is what the durable parts of this program do to files, as an interface, and the rules of durability that they share. It
// decides nothing about what a file holds. Tests put package memdisk in the place of OS.
package disk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// Disk is what is done to files. Names are absolute. Errors are those of package os, so that a *fs.PathError names the file.
type Disk interface {
	Stat(name string) (fs.FileInfo, error)
	ReadFile(name string) ([]byte, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	Mkdir(name string) error              // with mode 0700
	Create(name string) (File, error)     // empty and with mode 0600, whatever was there
	OpenWriter(name string) (File, error) // of a file that is there
	Rename(from, to string) error         // over what is there
	Remove(name string) error             // a file, or an empty directory
	SyncDir(name string) error            // makes the names in a directory durable

	// OpenOwn opens a file for reading and writing, and makes an empty one with mode 0600 where there is none. It refuses what is no
	// regular file, a symbolic link, and a file of another user.
	OpenOwn(name string) (File, error)
	// ReadOwn reads the whole of a file, and refuses what OpenOwn refuses.
	ReadOwn(name string) ([]byte, error)
	// Lock waits for the lock that a file stands for, shared or alone, until ctx ends. The file is made if it is not there, and stays. A
	// process that dies has given its locks back.
	Lock(ctx context.Context, name string, shared bool) (release func(), err error)
}

// File is an open file of a Disk.
type File interface {
	io.ReaderAt
	io.WriterAt
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// WriteFile makes a durable file; its name is durable only when its directory is synced.
func WriteFile(d Disk, name string, text []byte) error {
	f, err := d.Create(name)
	if err != nil {
		return err
	}
	return WriteSynced(f, text, 0)
}

// WriteSynced writes to an open file at an offset, syncs it and closes it.
func WriteSynced(f File, text []byte, at int64) error {
	_, err := f.WriteAt(text, at)
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

// MakeDir makes a directory if it is not there.
func MakeDir(d Disk, name string) error {
	if err := d.Mkdir(name); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// MakePath makes a directory and those above it, durably. Another process may make them too, and be killed at any time.
func MakePath(d Disk, name string) error {
	parent := filepath.Dir(name)
	if parent == name {
		return nil
	}
	durable, err := isDurable(d, parent)
	if err == nil && !durable {
		err = MakePath(d, parent)
	}
	if err == nil {
		err = MakeDir(d, name)
	}
	if err != nil {
		return err
	}
	if err := d.SyncDir(parent); err != nil && !errors.Is(err, fs.ErrPermission) { // of another, who has made it durable
		return err
	}
	return nil
}

// isDurable says whether a directory is there for good. Nothing is made in one before its own name is durable, so that only an empty one may be what a
// process left that was killed.
func isDurable(d Disk, name string) (bool, error) {
	entries, err := d.ReadDir(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, fs.ErrPermission): // of another
		return true, nil
	}
	return len(entries) > 0, err
}

// Replace writes a file beside one and puts it in its place: a crash leaves the one or the other, or none where there was none. The name is not durable until
// its directory is synced.
func Replace(d Disk, name string, text []byte) error {
	temporary := name + "." + strconv.Itoa(os.Getpid())
	err := WriteFile(d, temporary, text)
	if err == nil {
		err = d.Rename(temporary, name)
	}
	if err != nil {
		d.Remove(temporary)
	}
	return err
}
