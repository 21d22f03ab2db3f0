package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/disk"
)

// directory is a store in a directory:
//
//	format             "ocp store 1", made last: where it is, the store is complete
//	objects/H/HEX      a checkpoint, by the SHA-256 of its bytes; never changed
//	agents/HEX/head    what holds for the agent whose id has this SHA-256: its head, and how much of which log
//	agents/HEX/log.N   a line for each save; what is behind the size that the head states was never acknowledged
//	locks/HH           held by who saves for an agent whose SHA-256 begins so
//	locks/store        shared by all who save, held by who prunes
//	tmp/               what has no name yet
//
// The head is the only file that is replaced, and replacing it is what saves: all before that is invisible.
type directory struct {
	path  string // absolute
	name  string // in messages
	named bool   // not the default one
	disk  disk.Disk
}

// format is the content of the file of that name.
const format = "ocp store 1\n"

const formatWord = "ocp store "

var subdirectories = []string{"objects", "agents", "locks", "tmp"}

// shortLived are those that hold nothing of what was saved. They are made after the shards are durable, so that where they are, the shards are.
var shortLived = subdirectories[2:]

// openDirectory opens the store at a path, or makes one with create.
func openDirectory(d *directory, create bool) (Store, error) {
	found, err := d.present()
	switch {
	case err != nil:
		return nil, err
	case found || !d.named && !create:
		return d, nil
	case !create:
		return nil, &MissingStoreError{d.name}
	}
	if err := d.create(); err != nil {
		return nil, err
	}
	return d, nil
}

// defaultDirectory is where checkpoints are kept when nobody says where.
func defaultDirectory() (string, error) {
	path, err := disk.StateDir("ocp")
	if err != nil {
		return "", &AddressError{"", "there is no home directory, so no default: " + err.Error()}
	}
	return path, nil
}

func (d *directory) at(names ...string) string {
	return filepath.Join(d.path, filepath.Join(names...))
}

// failed is an error of the file system as the store shows it: the file within the store, and what is wrong.
func (d *directory) failed(err error) error {
	if err == nil {
		return nil
	}
	path, cause := d.blamed(err)
	switch {
	case path == "":
		return &IOError{d.name, cause}
	case errors.Is(cause, fs.ErrNotExist):
		return d.corrupt(OtherPart, d.missing(path), "it is missing")
	}
	return &IOError{d.name, fmt.Errorf("%s: %w", path, cause)}
}

// blamed is the file within the store that an error is about, "" if it is about none, and what is wrong with it.
func (d *directory) blamed(err error) (path string, cause error) {
	var one *fs.PathError
	var two *os.LinkError
	switch {
	case errors.As(err, &one):
		path, cause = one.Path, one.Err
	case errors.As(err, &two): // what is renamed was made just before, so it is there
		path, cause = two.New, two.Err
	default:
		return "", err
	}
	path, outside := filepath.Rel(d.path, path)
	if outside != nil || path == "." || strings.HasPrefix(path, "..") {
		return "", cause
	}
	return path, cause
}

// missing is the outermost directory that a file within the store would be in and that is not there, or else the file.
func (d *directory) missing(path string) string {
	if dir := filepath.Dir(path); dir != "." {
		if above := d.missing(dir); above != dir {
			return above
		}
		if _, err := d.disk.Stat(d.at(dir)); errors.Is(err, fs.ErrNotExist) {
			return dir
		}
	}
	return path
}

func (d *directory) corrupt(kind PartKind, part, why string) error {
	return &CorruptError{kind, d.name, part, why}
}

// present says whether there is a store. Something that was one, or is another format, is an error.
func (d *directory) present() (bool, error) {
	text, err := d.disk.ReadFile(d.at("format"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, d.checkRemains()
	case err != nil:
		return false, d.failed(err)
	case string(text) == format:
		return true, nil
	case strings.HasPrefix(string(text), formatWord):
		return false, &VersionError{d.name, fmt.Sprintf("%.40q", text)}
	}
	return false, d.corrupt(FormatPart, "format", "it does not say what the store is")
}

// checkRemains fails if a directory without format has checkpoints.
func (d *directory) checkRemains() error {
	agents, err := d.disk.ReadDir(d.at("agents"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return d.failed(err)
	}
	if len(agents) > 0 {
		return d.corrupt(FormatPart, "format", "it is missing, and there are agents")
	}
	return nil
}

// create makes the store; several may do so at the same time. A directory that is full of other things is left alone.
func (d *directory) create() error {
	if err := disk.MakePath(d.disk, d.path); err != nil {
		return d.failed(err)
	}
	entries, err := d.disk.ReadDir(d.path)
	if err != nil {
		return d.failed(err)
	}
	for _, entry := range entries {
		if name := entry.Name(); name != "format" && name != "lost+found" && !slices.Contains(subdirectories, name) {
			return &AddressError{d.name, fmt.Sprintf("the directory has %q, which is of no store; an empty one can become a store", name)}
		}
	}
	return d.failed(d.fill())
}

// fill makes what a store consists of, and its format last.
func (d *directory) fill() error {
	for _, name := range []string{"objects", "agents"} {
		if err := disk.MakeDir(d.disk, d.at(name)); err != nil {
			return err
		}
	}
	if err := d.fillEmpty(); err != nil {
		return err
	}
	if err := d.disk.SyncDir(d.at("")); err != nil {
		return err
	}
	return d.place([]byte(format), d.at("format"))
}

// fillEmpty makes the directories that may be empty.
func (d *directory) fillEmpty() error {
	for _, shard := range shards {
		if err := disk.MakeDir(d.disk, d.at("objects", string(shard))); err != nil {
			return err
		}
	}
	if err := d.disk.SyncDir(d.at("objects")); err != nil {
		return err
	}
	for _, name := range shortLived {
		if err := disk.MakeDir(d.disk, d.at(name)); err != nil {
			return err
		}
	}
	return nil
}

// refill makes the directories that may be empty if they are missing: many a tool copies none that are. One that may not be is corrupt.
func (d *directory) refill() error {
	for _, name := range shortLived {
		_, err := d.disk.Stat(d.at(name))
		if errors.Is(err, fs.ErrNotExist) {
			err = d.fillEmpty()
		}
		if err != nil {
			return d.failed(err)
		}
	}
	return nil
}

// place makes a durable file under a durable name.
func (d *directory) place(text []byte, name string) error {
	temp := d.temp()
	err := disk.WriteFile(d.disk, temp, text)
	if err == nil {
		err = d.disk.Rename(temp, name)
	}
	if err != nil {
		d.disk.Remove(temp)
		return err
	}
	return d.disk.SyncDir(filepath.Dir(name))
}

// temp is a new name for what is not yet there.
func (d *directory) temp() string { return d.at("tmp", fmt.Sprintf("%016x", rand.Uint64())) }

// ensure makes sure that there is a store to save to.
func (d *directory) ensure() error {
	found, err := d.present()
	switch {
	case err != nil:
		return err
	case found:
		return d.refill()
	case d.named:
		return &MissingStoreError{d.name}
	}
	return d.create()
}

// absent is what it means that something is not there: ErrNoCheckpoint, unless the store itself is gone.
func (d *directory) absent() error {
	found, err := d.present()
	switch {
	case err != nil:
		return err
	case found:
		return d.checkAgents()
	case d.named:
		return &MissingStoreError{d.name}
	}
	return ErrNoCheckpoint
}

// checkAgents is ErrNoCheckpoint if the directory of the agents can be read.
func (d *directory) checkAgents() error {
	_, err := d.disk.Stat(d.at("agents"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d.corrupt(OtherPart, "agents", "it is missing")
	case err != nil:
		return d.failed(err)
	}
	return ErrNoCheckpoint
}

// Close has nothing to do.
func (d *directory) Close() error { return nil }

var _ Store = (*directory)(nil)

// stopped says whether a context has ended, as an error of the store.
func (d *directory) stopped(ctx context.Context) error { return d.failed(ctx.Err()) }
