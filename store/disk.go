package store

import (
	"io"
	"io/fs"
	"os"
	"runtime"
)

// disk is what a directory store does to files. The tests have one that fails, and one that loses its power.
type disk interface {
	Stat(name string) (fs.FileInfo, error)
	ReadFile(name string) ([]byte, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	Mkdir(name string) error              // with mode 0700
	Create(name string) (file, error)     // empty and with mode 0600, whatever was there
	OpenWriter(name string) (file, error) // of a file that is there
	Rename(from, to string) error         // over what is there
	Remove(name string) error             // a file, or an empty directory
	SyncDir(name string) error            // makes the names in a directory durable
}

// file is an open file of a disk.
type file interface {
	io.WriterAt
	Sync() error
	Close() error
}

// osDisk is the disk of this machine.
type osDisk struct{}

func (osDisk) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }
func (osDisk) ReadFile(name string) ([]byte, error)       { return os.ReadFile(name) }
func (osDisk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (osDisk) Mkdir(name string) error                    { return os.Mkdir(name, 0o700) }
func (osDisk) Rename(from, to string) error               { return os.Rename(from, to) }
func (osDisk) Remove(name string) error                   { return os.Remove(name) }

func (osDisk) Create(name string) (file, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
}

func (osDisk) OpenWriter(name string) (file, error) { return os.OpenFile(name, os.O_WRONLY, 0) }

// SyncDir does nothing on Windows, where a directory cannot be synced and a rename is journaled.
func (osDisk) SyncDir(name string) error {
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

// writeFile makes a durable file; its name is durable only when its directory is synced.
func writeFile(d disk, name string, text []byte) error {
	f, err := d.Create(name)
	if err != nil {
		return err
	}
	return writeSynced(f, text, 0)
}

// writeSynced writes to an open file at an offset, syncs it and closes it.
func writeSynced(f file, text []byte, at int64) error {
	_, err := f.WriteAt(text, at)
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}
