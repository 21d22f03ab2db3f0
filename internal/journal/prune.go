package journal

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/opencheckpoint/ocp/internal/disk"
)

// Remove removes the journal of a session that is over, durably. What a hook appends later begins a new one, which proves nothing of what was before.
// The error is ErrNone if there is no journal, or an *IDError, a *LimitError, or an *IOError.
func Remove(ctx context.Context, dir, client, session string) error {
	j, err := Open(dir, client, session)
	if err != nil {
		return err
	}
	return j.forget(ctx)
}

// forget removes the journal, durably.
func (j *Journal) forget(ctx context.Context) error {
	removed := j.remove(ctx, func(fs.FileInfo) bool { return true })
	if removed != nil && removed != ErrNone {
		return removed
	}
	if err := syncRemoval(j.disk, j.dir); err != nil {
		return err
	}
	return removed
}

// syncRemoval makes durable what was removed from a directory, by whoever it was: that one may have been killed.
func syncRemoval(d disk.Disk, dir string) error {
	if err := d.SyncDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &IOError{dir, err}
	}
	return nil
}

// Prune removes the journals to which nothing was appended since a time, and says how many. Nothing else in the directory is touched. It ends with the first
// error, an *IOError; that there is no such directory is none.
func Prune(ctx context.Context, dir string, before time.Time) (removed int, err error) {
	return prune(ctx, disk.OS{}, dir, before)
}

func prune(ctx context.Context, d disk.Disk, dir string, before time.Time) (removed int, err error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return 0, &IOError{dir, err}
	}
	entries, err := d.ReadDir(absolute)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, &IOError{absolute, err}
	}
	for _, entry := range entries {
		if !isName(entry.Name()) {
			continue
		}
		j := Journal{disk: d, dir: absolute, name: entry.Name()}
		switch err := j.remove(ctx, func(info fs.FileInfo) bool { return info.ModTime().Before(before) }); err {
		case nil:
			removed++
		case ErrNone:
		default:
			return removed, err
		}
	}
	return removed, syncRemoval(d, absolute)
}

// isName says whether a file is called like a journal.
func isName(name string) bool {
	sum, ok := strings.CutSuffix(name, suffix)
	return ok && len(sum) == 64 && strings.Trim(sum, "0123456789abcdef") == ""
}

// remove removes the journal if it is to go, while nobody appends, and does not sync. The error is ErrNone if it stays or is not there.
func (j *Journal) remove(ctx context.Context, goes func(fs.FileInfo) bool) error {
	release, err := lock(ctx, j.disk, j.dir, j.name, false)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNone
	}
	if err != nil {
		return j.failed(err)
	}
	defer release()
	info, err := j.disk.Stat(j.Path())
	if errors.Is(err, fs.ErrNotExist) || err == nil && !goes(info) {
		return ErrNone
	}
	if err == nil {
		err = j.disk.Remove(j.Path())
	}
	if err == nil {
		err = j.forgetState()
	}
	if err != nil {
		return j.failed(err)
	}
	return nil
}
