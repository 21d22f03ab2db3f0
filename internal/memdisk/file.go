package memdisk

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"slices"
	"time"
)

// openFile is an open file of a Disk. Half of a write that fails is done.
type openFile struct {
	m    *Disk
	n    *node
	name string
}

func (f *openFile) WriteAt(b []byte, at int64) (int, error) {
	err := f.m.call()
	if err != nil {
		b = b[:len(b)/2]
	}
	if need := int(at) + len(b); need > len(f.n.data) {
		f.n.data = append(f.n.data, make([]byte, need-len(f.n.data))...)
	}
	f.n.data = slices.Clone(f.n.data)
	copy(f.n.data[at:], b)
	if err != nil {
		return len(b), &fs.PathError{Op: "write", Path: f.name, Err: err}
	}
	return len(b), nil
}

func (f *openFile) ReadAt(b []byte, at int64) (int, error) {
	if err := f.m.call(); err != nil {
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: err}
	}
	return bytes.NewReader(f.n.data).ReadAt(b, at)
}

func (f *openFile) Stat() (fs.FileInfo, error) {
	if err := f.m.call(); err != nil {
		return nil, &fs.PathError{Op: "stat", Path: f.name, Err: err}
	}
	return entry{filepath.Base(f.name), f.n}, nil
}

func (f *openFile) Truncate(size int64) error {
	if err := f.m.call(); err != nil {
		return &fs.PathError{Op: "truncate", Path: f.name, Err: err}
	}
	left := make([]byte, size)
	copy(left, f.n.data)
	f.n.data = left
	return nil
}

func (f *openFile) Sync() error {
	if err := f.m.call(); err != nil {
		return &fs.PathError{Op: "sync", Path: f.name, Err: err}
	}
	f.n.durable = slices.Clone(f.n.data)
	return nil
}

func (f *openFile) Close() error {
	if err := f.m.call(); err != nil {
		return &fs.PathError{Op: "close", Path: f.name, Err: err}
	}
	return nil
}

// entry is a node as a FileInfo.
type entry struct {
	name string
	*node
}

func (e entry) Name() string       { return e.name }
func (e entry) Size() int64        { return int64(len(e.data)) }
func (e entry) ModTime() time.Time { return time.Time{} }
func (e entry) IsDir() bool        { return e.dir }
func (e entry) Sys() any           { return nil }
func (e entry) Mode() fs.FileMode {
	if e.dir {
		return fs.ModeDir | 0o700
	}
	return 0o600
}
