package store

import (
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// memory is a disk that knows what of it would outlast a loss of power, and fails when it is told to.
type memory struct {
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

func newMemory(dir string) *memory {
	m := &memory{root: newDir()}
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
func (m *memory) call() error {
	m.calls++
	if m.calls == m.failAt || m.dead && m.failAt > 0 && m.calls > m.failAt {
		return m.err
	}
	return nil
}

// fail makes a call fail, counted from now.
func (m *memory) fail(at int, err error, dead bool) {
	m.calls, m.failAt, m.err, m.dead = 0, at, err, dead
}

// walk returns the directory that a name is in, and the name there.
func (m *memory) walk(name string) (*node, string) {
	parts := strings.Split(strings.Trim(filepath.ToSlash(name), "/"), "/")
	at := m.root
	for _, part := range parts[:len(parts)-1] {
		if at = at.names[part]; at == nil {
			return newDir(), part
		}
	}
	return at, parts[len(parts)-1]
}

// find returns what has a name.
func (m *memory) find(op, name string) (*node, error) {
	if err := m.call(); err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	dir, base := m.walk(name)
	if n := dir.names[base]; n != nil {
		return n, nil
	}
	return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

func (m *memory) Stat(name string) (fs.FileInfo, error) {
	n, err := m.find("stat", name)
	if err != nil {
		return nil, err
	}
	return entry{filepath.Base(name), n}, nil
}

func (m *memory) ReadFile(name string) ([]byte, error) {
	n, err := m.find("open", name)
	if err != nil {
		return nil, err
	}
	return slices.Clone(n.data), nil
}

func (m *memory) ReadDir(name string) (list []fs.DirEntry, err error) {
	n, err := m.find("open", name)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(n.names)) {
		list = append(list, fs.FileInfoToDirEntry(entry{name, n.names[name]}))
	}
	return list, nil
}

func (m *memory) Mkdir(name string) error {
	if err := m.call(); err != nil {
		return &fs.PathError{Op: "mkdir", Path: name, Err: err}
	}
	dir, base := m.walk(name)
	if dir.names[base] != nil {
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
	}
	dir.names[base] = newDir()
	return nil
}

func (m *memory) Create(name string) (file, error) {
	if err := m.call(); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	dir, base := m.walk(name)
	if dir.names[base] == nil {
		dir.names[base] = &node{}
	}
	dir.names[base].data = nil
	return &openFile{m, dir.names[base], name}, nil
}

func (m *memory) OpenWriter(name string) (file, error) {
	n, err := m.find("open", name)
	if err != nil {
		return nil, err
	}
	return &openFile{m, n, name}, nil
}

func (m *memory) Rename(from, to string) error {
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

func (m *memory) Remove(name string) error {
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

func (m *memory) SyncDir(name string) error {
	n, err := m.find("sync", name)
	if err != nil {
		return err
	}
	n.kept = maps.Clone(n.names)
	return nil
}

// openFile is an open file of a memory. Half of a write that fails is done.
type openFile struct {
	m    *memory
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

// lose returns what is there after a loss of power: of what was not synced, what dice leave, or nothing without dice.
func (m *memory) lose(dice *rand.Rand) *memory {
	return &memory{root: m.root.lose(dice, map[*node]*node{})}
}

func (n *node) lose(dice *rand.Rand, done map[*node]*node) *node {
	if done[n] != nil {
		return done[n]
	}
	left := &node{dir: n.dir}
	done[n] = left
	if !n.dir {
		left.data = n.loseData(dice)
		left.durable = slices.Clone(left.data)
		return left
	}
	left.names = map[string]*node{}
	for name := range allNames(n) {
		child := n.kept[name]
		if dice != nil && dice.IntN(2) == 0 {
			child = n.names[name]
		}
		if child != nil {
			left.names[name] = child.lose(dice, done)
		}
	}
	left.kept = maps.Clone(left.names)
	return left
}

func allNames(n *node) map[string]*node {
	all := maps.Clone(n.kept)
	maps.Copy(all, n.names)
	return all
}

// loseData is what is left of a file: what was synced, or what was written since, or that cut short, or with zeros in it.
func (n *node) loseData(dice *rand.Rand) []byte {
	if dice == nil {
		return slices.Clone(n.durable)
	}
	data := slices.Clone(n.data)
	switch same := commonPrefix(n.durable, n.data); dice.IntN(4) {
	case 0:
		return slices.Clone(n.durable)
	case 1:
		return data[:same+dice.IntN(len(data)-same+1)]
	case 2:
		clear(data[same+dice.IntN(len(data)-same+1):])
	}
	return data
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
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
