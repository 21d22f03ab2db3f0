package client

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/opencheckpoint/ocp/internal/disk"
)

// file is a text on disk that an edit replaces as a whole, or a place for one.
type file struct {
	path string // behind links
	text []byte
	mode fs.FileMode
	none bool // there is no file
}

// maxFile is the most bytes of settings that are read.
const maxFile = 16 << 20

// openFile reads a file. A link is followed, so that an edit changes what it names and not the link.
func openFile(path string) (*file, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &file{path: linked(path), none: true}, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(real)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", path)
	}
	if err == nil && info.Size() > maxFile {
		err = fmt.Errorf("%s has more than %d bytes", path, maxFile)
	}
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(real)
	return &file{path: real, text: text, mode: info.Mode().Perm()}, err
}

// linked is where a link leads that leads to nothing yet, or the path itself.
func linked(path string) string {
	target, err := os.Readlink(path)
	if err != nil {
		return path
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(path), target)
	}
	return target
}

// replace puts text in the file's place; nil removes it. The old text or the new is there at any time, and nothing is done when another program has changed the
// file since it was read.
func (f *file) replace(text []byte) error {
	if err := f.unchanged(); err != nil {
		return err
	}
	if text == nil {
		if f.none {
			return nil
		}
		return os.Remove(f.path)
	}
	dir := filepath.Dir(f.path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp, err := f.beside(dir, text)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, f.path); err != nil {
		os.Remove(temp)
		return err
	}
	return disk.OS{}.SyncDir(dir)
}

// unchanged fails when the file is no longer what was read.
func (f *file) unchanged() error {
	text, err := os.ReadFile(f.path)
	if f.none && errors.Is(err, fs.ErrNotExist) || !f.none && err == nil && bytes.Equal(text, f.text) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("%s was changed by another program just now", f.path)
	}
	return err
}

// beside writes a durable file next to the one it will replace, with its mode.
func (f *file) beside(dir string, text []byte) (name string, err error) {
	temp, err := os.CreateTemp(dir, ".ocp-*")
	if err != nil {
		return "", err
	}
	if _, err = temp.Write(text); err == nil && !f.none {
		err = temp.Chmod(f.mode)
	}
	if err == nil {
		err = temp.Sync()
	}
	if closing := temp.Close(); err == nil {
		err = closing
	}
	if err != nil {
		os.Remove(temp.Name())
		return "", err
	}
	return temp.Name(), nil
}
