package checkpoint

// Type is the type of an entry: an object of the document that the table below gives a name. Entries that may carry an id are
// the local objects of §4.1.
type Type uint8

// The entry types, in the order of document.md's members.
const (
	NoType Type = iota
	Top
	Parent
	Source
	Task
	Criterion
	Progress
	Step
	Focus
	NextStep
	Statement
	Resource
	Context
	Selection
	Draft
	Operation
	Continuation
	Requirement
	Precondition
	StopCondition
	RecoveryStep
	Incompatibility
	Derivation
	Input
	Omission
	Transformation
	numTypes
)

// typeNames are what messages call one entry of each type.
var typeNames = [numTypes]string{"", "checkpoint", "parent", "source", "task", "success criterion", "progress", "completed step", "focus", "next step",
	"statement", "resource", "application context entry", "selection", "draft", "operation", "continuation", "requirement", "precondition",
	"stop condition", "recovery step", "incompatibility", "derivation", "derivation input", "omission", "transformation"}

// String returns the name of one entry of the type.
func (t Type) String() string { return typeNames[t] }

// types is a set of Types.
type types uint32

func typesOf(list ...Type) (set types) {
	for _, t := range list {
		set |= 1 << t
	}
	return set
}

// anyType are the types of the local objects that refs and affected may name (§4.1).
const anyType types = 1<<numTypes - 1

func (set types) has(t Type) bool { return set>>t&1 == 1 }

// shape is what a value must look like.
type shape uint8

const (
	anything  shape = iota // opaque: never searched for ids, references or timestamps
	text                   // a string
	localID                // a string that declares a local id
	reference              // a string that names a local object
	instant                // a timestamp (§4.2)
	uri                    // a string that OCP-S008 is about
	word                   // one of an enumeration
	object
	list
	extensionMap
)

// value says what one value must look like. Findings that rest on an inferred shape or enumeration are warnings.
type value struct {
	shape    shape
	words    []string // of word
	max      int      // of text, in code points; 0 is unlimited
	targets  types    // of reference
	field    Field    // of reference
	object   *objectType
	items    *value // of list
	nonEmpty bool   // of list
	inferred bool
	orText   bool // a string will do as well
}

// member is one member of a core object.
type member struct {
	name string
	value
	required         bool
	requiredInferred bool
	past             bool // records a past event (§4.2)
	part             bool // a transform may drop or change it by itself
	fact             Fact // where an entry keeps which word the value is
}

// objectType is one row of document.md's table.
type objectType struct {
	name    string
	entry   Type // NoType for an object that belongs to the entry around it
	members []member
	rules   []rule
}

// Field says which member a reference stands in, as far as a rule or a transform treats it in a way of its own.
type Field uint8

// The reference fields.
const (
	OtherField Field = iota
	EvidenceField
	SupersededByField
	BlockedByField
	DependsOnField
	RefsField
	AppliesToField
	UntilField
	UntilOutcomeField // until's operation when its status is approved or rejected (OCP-S009)
	AffectedField
	RecoverableFromField
)

// Fact is a place in an entry that keeps the number of the word a member had: 0 for absent, else 1 plus its place in the
// enumeration, or Unknown.
type Fact uint8

// The facts that rules and transforms ask for.
const (
	noFact Fact = iota
	Kind
	Status
	Third  // a statement's origin.type, an operation's effect
	Fourth // a statement's verification.state, an operation's resume
	numFacts

	OriginType   = Third
	Effect       = Third
	Verification = Fourth
	Resume       = Fourth
)

// Unknown is the fact of a member whose value is none of its words.
const Unknown = 255

// The enumerations, in the order in which the specification names them. A constant of facts.go is 1 plus a place here.
var (
	taskStatuses      = []string{"active", "blocked", "awaiting_input", "paused", "completed", "abandoned"}
	criterionStatuses = []string{"met", "unmet", "unknown"}
	statementKinds    = []string{"instruction", "constraint", "decision", "observation", "hypothesis", "question", "external"}
	originTypes       = []string{"user", "system", "agent", "tool", "application", "external"}
	statementStatuses = []string{"active", "superseded", "retracted", "resolved"}
	verifications     = []string{"verified", "unverified", "disputed", "stale"}
	revalidations     = []string{"before_use", "before_action", "never"}
	availabilities    = []string{"available", "unavailable", "unknown"}
	roles             = []string{"focused", "selected", "open", "pinned"}
	draftStatuses     = []string{"unsaved", "saved", "submitted"}
	operationKinds    = []string{"approval", "input", "action", "wait"}
	operationStatuses = []string{"planned", "awaiting", "uncertain", "failed", "approved", "rejected", "completed", "cancelled"}
	effects           = []string{"none", "idempotent", "non_idempotent", "unknown"}
	resumes           = []string{"retry", "verify_first", "ask", "do_not_resume"}
	requirementKinds  = []string{"tool", "capability", "access", "extension"}
	necessities       = []string{"required", "recommended", "optional"}
	failureActions    = []string{"halt", "ask", "degrade"}
	methods           = []string{"captured", "compacted", "merged", "converted", "authored", "forked"}
	omissionReasons   = []string{"size", "irrelevant", "superseded", "sensitive", "unavailable"}
)

// The patterns that level 1 enforces (§4.1, §4.2, §7), in the syntax that JSON Schema and Go share.
const (
	idPattern        = `^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`
	instantPattern   = `^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$`
	extensionPattern = `^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+(/[^/]+)*$`
)

// Version is the specification version that this package implements (§5.1).
const Version = "0.1"

// The limits of §6.4 and §6.7, in code points.
const (
	maxExcerpt = 4096
	maxContent = 16384
)
