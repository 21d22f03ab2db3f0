package merge

import (
	"io"
	"time"
)

// Options says how to merge.
type Options struct {
	Base      []byte   // the common ancestor; nil looks for it among the inputs and Ancestors
	Ancestors [][]byte // other documents of the lineage
	Unrelated bool     // merge inputs that name no common ancestor
	Lift      []string // operations whose fork guard is lifted whatever is missing

	ID        string    // of the new checkpoint; "" is a new UUIDv7
	Now       time.Time // zero is the clock's
	ParentURI string    // where the parent can be found; "" is its id
	Lenient   bool      // accept undefined members and numbers that a double rounds, and carry them
}

// Choice settles a conflict: its question, and the number of the term that is to hold, from 1; 0 is the value that stands.
type Choice struct {
	Question string
	Term     int
}

// Result is a merged checkpoint, checked against levels 1 and 2, its parent and its inputs.
type Result struct {
	ID          string
	Unchanged   bool       // all inputs but one are contained in it, and it comes out as it was
	ClockBehind string     // the created_at that was taken because the clock is behind an input, or ""
	Base        []string   // ids of the nearest common ancestors that were at hand
	Found       string     // how the base was found: see the constants
	Inputs      []Input    // in the order of their ids
	Parent      string     // id of the input that is the parent
	ParentWhy   string     // why it is
	Conflicts   []Conflict // open ones, by path
	Renames     []Rename
	Deleted     []Deletion // objects of the base that the result lacks
	Restored    []Deletion // objects of the base that an input lacked and that may not be deleted
	Lifted      []Guard
	Kept        []Guard
	Notes       []string // what the person should know

	out []byte
}

// How the base was found.
const (
	BaseGiven     = "given"
	BaseInput     = "input"     // among the inputs
	BaseAncestor  = "ancestor"  // among the other documents of the lineage
	BaseAbsent    = "absent"    // a common ancestor is named and not at hand
	BaseUnrelated = "unrelated" // none is named
)

// Input is one of the documents that were merged.
type Input struct {
	ID        string `json:"id"`
	Digest    string `json:"digest"`
	Contained bool   `json:"contained"` // in another input, whose ancestor or equal it is
}

// Conflict is what inputs disagree on.
type Conflict struct {
	Question string `json:"question"` // id of the open question
	Path     string `json:"path"`     // such as /statements/c-1/text, with local ids for places in lists
	Kind     string `json:"kind"`
	Stands   string `json:"stands"` // JSON text of the value that the result has until it is resolved; "" for none
	Terms    []Term `json:"terms"`
}

// Term is one of the competing values of a conflict.
type Term struct {
	Inputs []string `json:"inputs"` // ids of the checkpoints that have it
	Value  string   `json:"value"`  // JSON text; "" for none: the member is absent, the object deleted
	Made   []string `json:"made"`   // local ids of the objects of the result that show it
}

// Rename is a local id that two inputs gave to different objects.
type Rename struct {
	Input string `json:"input"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// Deletion is an object of the base that some inputs lack.
type Deletion struct {
	Object string   `json:"object"`         // its path
	Says   string   `json:"says,omitempty"` // the beginning of its description, if it has no local id
	Inputs []string `json:"inputs"`
}

// Guard is a stop condition that a fork added.
type Guard struct {
	Operation     string `json:"operation"`
	StopCondition string `json:"stop_condition"`
	Why           string `json:"why"` // it was lifted, or kept
}

// Bytes is the document, without a line feed behind it.
func (r *Result) Bytes() []byte { return r.out }

// WriteTo writes the document, without a line feed behind it.
func (r *Result) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(r.out)
	return int64(n), err
}
