// Package memdisk is a disk in memory for tests. It knows what of it would outlast a loss of power, and fails when it is told to. It is for one
// goroutine at a time.
package memdisk

import (
	"context"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/opencheckpoint/ocp/internal/disk"
)

// Disk is a disk.Disk.
type Disk struct {
	root   *node
	calls  int
	failAt int   // the call that fails; 0 for none
	err    error // with which it fails
	dead   bool  // all later calls fail, too
}

// node is a file or a directory: what programs see of it, and what was synced.
type node struct {
	dir           bool
	names, kept   map[string]*node
	data, durable []byte
}

var _ disk.Disk = (*Disk)(nil)

// New is a disk on which a directory and those above it are there for good.
func New(dir string) *Disk {
	m := &Disk{root: newDir()}
	at := m.root
	for _, name := range strings.Split(strings.Trim(filepath.ToSlash(dir), "/"), "/") {
		child := newDir()
		at.names[name], at.kept[name] = child, child
		at = child
	}
	return m
}

func newDir() *node { return &node{dir: true, names: map[string]*node{}, kept: map[string]*node{}} }

// call counts a call, and fails if it is the one.
func (m *Disk) call() error {
	m.calls++
	if m.calls == m.failAt || m.dead && m.failAt > 0 && m.calls > m.failAt {
		return m.err
	}
	return nil
}

// Fail makes a call fail, counted from now, the first being 1, and with dead all that follow; 0 lets none fail.
func (m *Disk) Fail(at int, err error, dead bool) {
	m.calls, m.failAt, m.err, m.dead = 0, at, err, dead
}

// Calls is how many calls there were since Fail.
func (m *Disk) Calls() int { return m.calls }

// walk returns the directory that a name is in, nil if there is none, and the name there.
func (m *Disk) walk(name string) (*node, string) {
	parts := strings.Split(strings.Trim(filepath.ToSlash(name), "/"), "/")
	at := m.root
	for _, part := range parts[:len(parts)-1] {
		if at = at.names[part]; at == nil {
			break
		}
	}
	return at, parts[len(parts)-1]
}

// place counts a call and returns the directory that a name is in.
func (m *Disk) place(op, name string) (dir *node, base string, err error) {
	if err := m.call(); err != nil {
		return nil, "", &fs.PathError{Op: op, Path: name, Err: err}
	}
	if dir, base = m.walk(name); dir == nil {
		return nil, "", &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return dir, base, nil
}

// find returns what has a name.
func (m *Disk) find(op, name string) (*node, error) {
	dir, base, err := m.place(op, name)
	if err != nil {
		return nil, err
	}
	if n := dir.names[base]; n != nil {
		return n, nil
	}
	return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

func (m *Disk) Stat(name string) (fs.FileInfo, error) {
	n, err := m.find("stat", name)
	if err != nil {
		return nil, err
	}
	return entry{filepath.Base(name), n}, nil
}

func (m *Disk) ReadFile(name string) ([]byte, error) {
	n, err := m.find("open", name)
	if err != nil {
		return nil, err
	}
	return slices.Clone(n.data), nil
}

func (m *Disk) ReadDir(name string) (list []fs.DirEntry, err error) {
	n, err := m.find("open", name)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(n.names)) {
		list = append(list, fs.FileInfoToDirEntry(entry{name, n.names[name]}))
	}
	return list, nil
}

func (m *Disk) Mkdir(name string) error {
	dir, base, err := m.place("mkdir", name)
	if err != nil {
		return err
	}
	if dir.names[base] != nil {
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
	}
	dir.names[base] = newDir()
	return nil
}

func (m *Disk) Create(name string) (disk.File, error) {
	n, err := m.make(name)
	if err != nil {
		return nil, err
	}
	n.data = nil
	return &openFile{m, n, name}, nil
}

// make returns the file of a name, an empty one if there was none.
func (m *Disk) make(name string) (*node, error) {
	dir, base, err := m.place("open", name)
	if err != nil {
		return nil, err
	}
	if dir.names[base] == nil {
		dir.names[base] = &node{}
	}
	return dir.names[base], nil
}

func (m *Disk) OpenWriter(name string) (disk.File, error) {
	n, err := m.find("open", name)
	if err != nil {
		return nil, err
	}
	return &openFile{m, n, name}, nil
}

func (m *Disk) OpenOwn(name string) (disk.File, error) {
	n, err := m.make(name)
	if err != nil {
		return nil, err
	}
	return &openFile{m, n, name}, nil
}

func (m *Disk) ReadOwn(name string) ([]byte, error) { return m.ReadFile(name) }

// Lock makes the file and has nothing to wait for.
func (m *Disk) Lock(_ context.Context, name string, _ bool) (release func(), err error) {
	_, err = m.make(name)
	return func() {}, err
}

func (m *Disk) Rename(from, to string) error {
	n, err := m.find("rename", from)
	if err != nil {
		return err
	}
	toDir, toBase := m.walk(to)
	if over := toDir.names[toBase]; over != nil && over.dir {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	fromDir, fromBase := m.walk(from)
	delete(fromDir.names, fromBase)
	toDir.names[toBase] = n
	return nil
}

func (m *Disk) Remove(name string) error {
	n, err := m.find("remove", name)
	if err != nil {
		return err
	}
	if len(n.names) > 0 {
		return &fs.PathError{Op: "remove", Path: name, Err: syscall.ENOTEMPTY}
	}
	dir, base := m.walk(name)
	delete(dir.names, base)
	return nil
}

func (m *Disk) SyncDir(name string) error {
	n, err := m.find("sync", name)
	if err != nil {
		return err
	}
	n.kept = maps.Clone(n.names)
	return nil
}
