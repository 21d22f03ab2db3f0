package journal

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/opencheckpoint/ocp/internal/disk"
)

// statePath is the file beside the journal with what Keep was given.
func (j *Journal) statePath() string { return strings.TrimSuffix(j.Path(), suffix) + ".state" }

// Keep keeps a text beside the journal, in the place of the one before, and as long as the journal. A crash leaves one of the two, or neither: what is kept
// saves work, and proves nothing. The error is an *IOError.
func (j *Journal) Keep(text []byte) error {
	if err := disk.MakePath(j.disk, j.dir); err != nil {
		return j.failed(err)
	}
	if err := disk.Replace(j.disk, j.statePath(), text); err != nil {
		return j.failed(err)
	}
	return nil
}

// Kept is what Keep was given last, nil if there is nothing. The error is an *IOError.
func (j *Journal) Kept() ([]byte, error) {
	text, err := j.disk.ReadOwn(j.statePath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, j.failed(err)
	}
	return text, nil
}

// forgetState removes what was kept.
func (j *Journal) forgetState() error {
	err := j.disk.Remove(j.statePath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
