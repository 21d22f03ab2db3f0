package checkpoint

import "slices"

// The words of the enumerations that rules and transforms ask for, as facts: 1 plus the place in the enumeration.
const Absent = 0

// Task statuses (§6.2).
const (
	TaskActive = 1 + iota
	TaskBlocked
	TaskAwaitingInput
	TaskPaused
	TaskCompleted
	TaskAbandoned
)

// Statement kinds (§6.5).
const (
	Instruction = 1 + iota
	Constraint
	Decision
	Observation
	Hypothesis
	Question
	External
)

// Origin types (§6.5).
const (
	FromUser = 1 + iota
	FromSystem
	FromAgent
	FromTool
	FromApplication
	FromExternal
)

// Statement statuses (§6.5); Absent equals Active (§4.4).
const (
	Active = 1 + iota
	Superseded
	Retracted
	Resolved
)

// Verification states (§6.5).
const (
	Verified = 1 + iota
	Unverified
	Disputed
	Stale
)

// Operation kinds (§6.6).
const (
	Approval = 1 + iota
	InputRequest
	Action
	Wait
)

// Operation statuses (§6.6).
const (
	Planned = 1 + iota
	Awaiting
	Uncertain
	Failed
	Approved
	Rejected
	Completed
	Cancelled
)

// Effects (§6.6); Absent and EffectUnknown are treated as NonIdempotent.
const (
	NoEffect = 1 + iota
	Idempotent
	NonIdempotent
	EffectUnknown
)

// Requirement kinds (§6.8).
const (
	RequiresTool = 1 + iota
	RequiresCapability
	RequiresAccess
	RequiresExtension
)

// Derivation methods (§6.9).
const (
	MethodCaptured = 1 + iota
	MethodCompacted
	MethodMerged
	MethodConverted
	MethodAuthored
	MethodForked
)

// Terminal says whether an operation status is final (§6.6).
func Terminal(status uint8) bool {
	return status == Completed || status == Cancelled || status == Rejected
}

// TaskStatuses lists the words of task.status (§6.2).
func TaskStatuses() []string { return slices.Clone(taskStatuses) }

// StatementKinds lists the words of kind (§6.5).
func StatementKinds() []string { return slices.Clone(statementKinds) }

// OriginTypes lists the words of origin.type (§6.5).
func OriginTypes() []string { return slices.Clone(originTypes) }
