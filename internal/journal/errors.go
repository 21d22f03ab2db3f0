package journal

import (
	"errors"
	"fmt"
	"io/fs"
)

// ErrNone says that a session has no journal. That proves nothing of the session.
var ErrNone = errors.New("no journal")

// VersionError is a journal that a later version of this program made.
type VersionError struct {
	Path    string
	Version int
}

// Error says which, and what to do.
func (e *VersionError) Error() string {
	return fmt.Sprintf("journal %s: its format is %d and this ocp knows %d; use the version of ocp that made it, or a later one", e.Path, e.Version, version)
}

// IDError is an id that is empty.
type IDError struct{ What string }

// Error says which.
func (e *IDError) Error() string { return "the " + e.What + " id is empty" }

// RecordError is a record that has no JSON form: arguments that are no JSON text or are nested too deep, a time without a year of four digits.
type RecordError struct{ Err error }

// Error says why.
func (e *RecordError) Error() string { return fmt.Sprintf("the record: %v", e.Err) }

// Unwrap returns the error of package json.
func (e *RecordError) Unwrap() error { return e.Err }

// LimitError is something larger than a journal takes.
type LimitError struct {
	What        string
	Size, Limit int // in bytes
}

// Error says how large it is and may be.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s has %d bytes; a journal takes %d at most", e.What, e.Size, e.Limit)
}

// IOError is a journal that could not be read or written.
type IOError struct {
	Path string
	Err  error
}

// Error says what failed, and names the file or directory for which it did.
func (e *IOError) Error() string {
	var path *fs.PathError
	if errors.As(e.Err, &path) {
		return fmt.Sprintf("journal %s: %s: %v", path.Path, path.Op, path.Err)
	}
	return fmt.Sprintf("journal %s: %v", e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *IOError) Unwrap() error { return e.Err }

// failed is an error as the journal returns it.
func (j *Journal) failed(err error) error {
	switch err.(type) {
	case *VersionError, *RecordError, *LimitError:
		return err
	}
	return &IOError{j.Path(), err}
}
