package merge

import (
	"fmt"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// The errors about a document, which the packages of this module share.
type (
	// SyntaxError is a text that is no I-JSON message (RFC 7493).
	SyntaxError = jsonspan.SyntaxError
	// InvalidError is a document that breaks a rule of level 1 or 2, with all findings.
	InvalidError = checkpoint.InvalidError
	// InternalError is a merge that failed its own check: a defect of this package. Nothing of the result is handed out.
	InternalError = checkpoint.InternalError
)

// RequestError is a wish that the documents or the rules do not allow. Nothing was made.
type RequestError struct{ Msg, Hint string }

// Error says what cannot be.
func (e *RequestError) Error() string { return e.Msg }

func refuse(format string, args ...any) *RequestError {
	return &RequestError{Msg: fmt.Sprintf(format, args...)}
}

func (e *RequestError) hint(format string, args ...any) *RequestError {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// DigestError is a document that another one names as its ancestor with the digest of other bytes.
type DigestError struct{ Ancestor, Descendant string }

// Error says which.
func (e *DigestError) Error() string {
	return fmt.Sprintf("%s is not the document that %s derives from: its digest is another one", e.Ancestor, e.Descendant)
}

// DocumentError is what is wrong with one of the documents.
type DocumentError struct {
	Role  string // "input", "base" or "ancestor"
	Index int    // among those with the role, from 0
	Err   error  // a *SyntaxError or an *InvalidError
}

// Error says which document, and what is wrong with it.
func (e *DocumentError) Error() string { return fmt.Sprintf("%s %d: %v", e.Role, e.Index+1, e.Err) }

// Unwrap returns what is wrong.
func (e *DocumentError) Unwrap() error { return e.Err }
