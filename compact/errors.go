package compact

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
	// InternalError is a result that failed its own check: a defect of this package. Nothing of the result is handed out.
	InternalError = checkpoint.InternalError
)

// Part is a share of the floor.
type Part struct {
	Name string
	Size int
}

// BudgetError is a budget that no prefix of the ladder meets.
type BudgetError struct {
	Budget, Floor int
	Unit          Unit
	Parts         []Part // what makes up the floor, the largest first
}

// Error says what the floor is.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("a budget of %s is below the floor of %s", e.Unit.count(e.Budget), e.Unit.count(e.Floor))
}

// UnknownIDError is an id to keep that the document does not have.
type UnknownIDError struct{ ID string }

// Error names the id.
func (e *UnknownIDError) Error() string { return fmt.Sprintf("no local object has the id %q", e.ID) }
