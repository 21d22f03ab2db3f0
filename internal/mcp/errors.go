package mcp

import (
	"errors"
	"fmt"

	"github.com/opencheckpoint/ocp/store"
)

// argumentError is an argument that a tool cannot take.
type argumentError struct{ name, why string }

// Error names the argument first.
func (e *argumentError) Error() string {
	if e.name == "" {
		return e.why
	}
	return e.name + ": " + e.why
}

func wrong(name, format string, args ...any) error {
	return &argumentError{name, fmt.Sprintf(format, args...)}
}

// defectError is a defect of this program.
type defectError struct{ what string }

// Error says so.
func (e *defectError) Error() string { return "internal error, a bug of ocp: " + e.what }

// unsavedError is an id or a digest under which nothing is saved.
type unsavedError struct{ ref string }

// Error says what the command says.
func (e *unsavedError) Error() string {
	return fmt.Sprintf("no checkpoint with the id or digest %q is saved", e.ref)
}

// Unwrap returns the store's error.
func (e *unsavedError) Unwrap() error { return store.ErrNoCheckpoint }

// namedError is an error of the library about something that has a name.
type namedError struct {
	name string
	err  error
}

// Error puts the name first.
func (e *namedError) Error() string { return e.name + ": " + e.err.Error() }

// Unwrap returns the library's error.
func (e *namedError) Unwrap() error { return e.err }

// about says what an error of the library is about.
func about(name string, err error) error {
	if err == nil {
		return nil
	}
	return &namedError{name, err}
}

// line is the one line about an error, as the command prints it.
func (s *server) line(err error) string {
	var (
		argument *argumentError
		defect   *defectError
		named    *namedError
	)
	switch {
	case errors.As(err, &argument):
		return s.opts.Explain("", argument)
	case errors.As(err, &defect):
		return s.opts.Explain("", defect)
	case errors.As(err, &named):
		return s.opts.Explain(named.name, named.err)
	}
	return s.opts.Explain("", err)
}
