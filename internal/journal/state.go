package journal

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
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
	temporary := j.statePath() + "." + strconv.Itoa(os.Getpid())
	err := disk.WriteFile(j.disk, temporary, text)
	if err == nil {
		err = j.disk.Rename(temporary, j.statePath())
	}
	if err != nil {
		j.disk.Remove(temporary)
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
