package fork

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
	// InternalError is a fork that failed its own check: a defect of this package. Nothing of the fork is handed out.
	InternalError = checkpoint.InternalError
)

// RequestError is a wish that the document or the rules do not allow. Nothing was made.
type RequestError struct{ Msg string }

// Error says what cannot be.
func (e *RequestError) Error() string { return e.Msg }

func refuse(format string, args ...any) error { return &RequestError{fmt.Sprintf(format, args...)} }
