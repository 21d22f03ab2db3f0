// Package store keeps the checkpoints of agents: one saves, dies, and the next one resumes, or learns for certain that there is none. A store is
// a directory, or schema "ocp" of a PostgreSQL database, for many machines; both behave alike.
//
// Saved means durable: Save returns nil only after the checkpoint and the agent's head are synced. At any instant before, a crash leaves the
// state from before the save or the one after it. What cannot be read back as it was saved is reported as a *CorruptError; it is never
// returned, and it is never called absent: ErrNoCheckpoint alone says that.
//
// A checkpoint is untrusted (§10 of the specification), whoever saved it. Save checks levels 1 and 2 of §8.1 and nothing else.
package store

import (
	"context"
	"iter"
	"time"
)

// The limits, in bytes. What exceeds one is a *LimitError.
const (
	MaxSize  = 64 << 20 // of a checkpoint
	MaxAgent = 1024     // of an agent id
)

// NoHead as SaveOptions.Expect says that the agent is expected to have no checkpoint.
const NoHead = "none"

// Store keeps checkpoints by agent. All methods may be called at the same time, by many goroutines and processes. Besides those named below, an
// error may be an *AgentError or a *LimitError for an agent id, a *MissingStoreError, a *CorruptError, a *VersionError, or an *IOError.
type Store interface {
	// Save checks src, one checkpoint, and keeps it: the document to the byte, without white space around it. It becomes the agent's head if
	// there is none, if its parent is the head, or as SaveOptions say; otherwise it is saved beside the head, as a branch. What is saved
	// already is not saved again, and that is no error.
	//
	// The error may be a *checkpoint.InvalidError or *digest.SyntaxError of the document, a *ConflictError, or an *ExpectError.
	Save(ctx context.Context, agent string, src []byte, opts SaveOptions) (*Saved, error)
	// Resume returns the agent's head. The error is ErrNoCheckpoint if nothing was ever saved for the agent.
	Resume(ctx context.Context, agent string) (*Checkpoint, error)
	// Get returns the checkpoint with an id, or with a digest, of its bytes or of its canonical form. The error is ErrNoCheckpoint if none has it,
	// and an *AmbiguousError if checkpoints of different content have the id.
	Get(ctx context.Context, ref string) (*Checkpoint, error)
	// List yields what is saved for the agent, for all agents if it is "", ordered by agent, those of one in the order in which they were saved. It
	// ends with the first error. That nothing is saved is none.
	List(ctx context.Context, agent string) iter.Seq2[Entry, error]
	// Prune removes what is older or more than the options let stay, and returns that. A head always stays, and so does what a checkpoint that stays
	// names as the place from which something can be recovered (§6.9 of the specification).
	Prune(ctx context.Context, opts PruneOptions) ([]Entry, error)
	Close() error
}

// Options says how to open a store.
type Options struct {
	// Create makes a store at a place that has none. The default directory needs no wish, and Save makes the schema of a database.
	Create bool
}

// SaveOptions says what a save may do to the head.
type SaveOptions struct {
	// Expect is a digest that the head must have, of its bytes or of its canonical form, or NoHead; otherwise the save fails with a *ConflictError.
	// A checkpoint without a parent follows the head that was expected. "" expects nothing.
	Expect string
	// Force makes the checkpoint the head whatever its parent is.
	Force bool
	// Lenient accepts undefined members and numbers that a double rounds.
	Lenient bool
}

// Saved says what a save did.
type Saved struct {
	Agent     string
	ID        string // of the checkpoint
	Digest    string // of its bytes, by which it is kept
	Canonical string // digest of its canonical form
	Head      bool   // it is the head; false: it was saved beside it, as a branch
	Current   string // digest of the head's bytes after the save
	Known     bool   // it had been saved before
	SavedAt   time.Time
	Size      int64
}

// Checkpoint is one that was read. Its bytes have the digest.
type Checkpoint struct {
	ID, Agent, Digest string
	SavedAt           time.Time
	Bytes             []byte
}

// Entry is a checkpoint in a list.
type Entry struct {
	Agent, ID         string
	Digest, Canonical string
	Parent            string // id of its parent, "" without one
	SavedAt           time.Time
	Size              int64
	Head              bool // of the agent
	Branch            bool // it was saved beside the head and never was the head
}

// PruneOptions says what may go: what every limit that is set gives up.
type PruneOptions struct {
	Agent  string    // whose checkpoints; "" is every agent's
	Before time.Time // gives up what was saved before; the zero time sets no limit
	Keep   int       // gives up all but the last so many of each agent; 0 sets no limit
	Apply  bool      // remove it; without, nothing is changed
}
