// Package journal keeps, for one session of one client, what was about to happen and what came of it: an append-only file. It makes
// what it is given durable and chooses nothing: which events are recorded, and what they prove, is for others to say.
//
// A record that Append acknowledged is synced, name and all: no crash and no full disk loses it. One that Append did not acknowledge
// is absent, torn, or, if what failed is the sync or what follows it, possibly there. Whoever records an intent blocks what it did not get
// acknowledged, so that a reader who finds such a record all the same and calls the outcome unknown is on the safe side.
//
// # The file
//
//	SUM {"journal":1,"client":"…","session":"…"}
//	SUM {"seq":1,"at":"…","event":"active",…}
//	SUM {"seq":2,…}
//
// A line is one JSON object behind its CRC-32C (package sumline). Sequence numbers count from 1 without a gap. A later version of the format keeps
// the form of the first line and raises its number; this version refuses it, to read and to append.
//
// What is behind the last line feed was never acknowledged. If it is the beginning of a line, a writer was killed: a reader passes over it and
// says so (Log.Torn), and the next Append removes it. Anything else that is not as it was written is damage, also zeros at the end, such as some
// file systems leave after a loss of power: then the journal proves nothing any more (Log.Damaged), although appending goes on. What another takes
// away from the end, whole lines or to the middle of one, cannot be noticed.
//
// What is recorded is untrusted (§10 of the specification), and the files are for their user only.
package journal

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/opencheckpoint/ocp/internal/disk"
)

// patience is how long a lock is waited for by those whose context is more patient.
const patience = 10 * time.Second

// Journal is where the records of one session go. All methods may be called at the same time, by many goroutines and processes.
type Journal struct {
	disk   disk.Disk
	dir    string // absolute
	name   string // of the file in dir
	header []byte // the first line
}

// Dir is the directory of the journals when nobody names one: $XDG_STATE_HOME/ocp-journal, else ~/.local/state/ocp-journal. The error says that
// there is no home directory.
func Dir() (string, error) { return disk.StateDir("ocp-journal") }

// Open names the journal of a session. It touches no file: the first Append makes directory and file. Client and session are any text that is not
// empty, and no path is made of them. The error is an *IDError or a *LimitError.
func Open(dir, client, session string) (*Journal, error) {
	return open(disk.OS{}, dir, client, session)
}

func open(d disk.Disk, dir, client, session string) (*Journal, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, &IOError{dir, err}
	}
	header, err := encodeHeader(client, session)
	if err != nil {
		return nil, err
	}
	return &Journal{d, absolute, nameOf(client, session), header}, nil
}

// suffix is how the names of journals end.
const suffix = ".journal"

// nameOf is the file of a session: the SHA-256 of both ids, which the length of the first keeps apart.
func nameOf(client, session string) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%d %s%s", len(client), client, session))) + suffix
}

// Path is the file of the journal, which may not be there.
func (j *Journal) Path() string { return filepath.Join(j.dir, j.name) }

// Close has nothing to do: nothing stays open between two appends.
func (j *Journal) Close() error { return nil }

// Append makes a record durable and returns its sequence number, which the record gets: one more than the last. It does not take longer in a long
// journal. When ctx ends before the record is written, nothing is.
//
// The error may be a *RecordError or a *LimitError of the record, a *VersionError, or an *IOError: no permission, no space, another process that
// holds the lock, a file of another user, something that is no regular file.
func (j *Journal) Append(ctx context.Context, r Record) (seq int64, err error) {
	if _, err := r.encode(); err != nil {
		return 0, err
	}
	release, err := j.lock(ctx)
	if err != nil {
		return 0, j.failed(err)
	}
	defer release()
	if err := ctx.Err(); err != nil {
		return 0, j.failed(err)
	}
	f, err := j.disk.OpenOwn(j.Path())
	if err != nil {
		return 0, j.failed(err)
	}
	seq, err = j.append(f, r)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return 0, j.failed(err)
	}
	return seq, nil
}

// append writes a record behind the last while nobody else does.
func (j *Journal) append(f disk.File, r Record) (int64, error) {
	e, err := j.end(f)
	if err != nil {
		return 0, err
	}
	r.Seq = e.last + 1
	line, err := r.encode()
	if err != nil {
		return 0, err
	}
	if e.first {
		if err := j.settle(); err != nil {
			return 0, err
		}
	}
	if e.torn {
		if err := f.Truncate(e.at); err != nil {
			return 0, err
		}
	}
	return r.Seq, write(f, append(j.before(e), line...), e.at)
}

// settle makes the name of the file durable before its first record is written: whoever made it may have been killed.
func (j *Journal) settle() error {
	if err := disk.MakePath(j.disk, j.dir); err != nil {
		return err
	}
	return j.disk.SyncDir(j.dir)
}

// before is what goes before a new line: the header of a file without one, and the line feed that a damaged end lacks.
func (j *Journal) before(e end) []byte {
	switch {
	case e.at == 0:
		return j.header[:len(j.header):len(j.header)]
	case e.unended:
		return []byte("\n")
	}
	return nil
}

// write writes and syncs. What could not be synced is taken back as far as possible: a later sync says nothing of it.
func write(f disk.File, text []byte, at int64) error {
	_, err := f.WriteAt(text, at)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		f.Truncate(at)
	}
	return err
}

// lock lets one process at a time append. It makes the directory, in which the lock is.
func (j *Journal) lock(ctx context.Context) (release func(), err error) {
	release, err = lock(ctx, j.disk, j.dir, j.name, false)
	if !errors.Is(err, fs.ErrNotExist) {
		return release, err
	}
	if err := disk.MakePath(j.disk, j.dir); err != nil {
		return nil, err
	}
	return lock(ctx, j.disk, j.dir, j.name, false)
}

// lock waits for the lock of a file. Files whose names begin alike share one, so that there are 256 at most, and none has to be removed while another
// waits for it.
func lock(ctx context.Context, d disk.Disk, dir, name string, shared bool) (release func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	release, err = d.Lock(waiting, filepath.Join(dir, "lock."+name[:2]), shared)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("lock.%s was held by another process for %v", name[:2], patience)
	}
	return release, err
}
