package store

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoCheckpoint is the one answer that means absence: the store was read, and it has no such checkpoint.
var ErrNoCheckpoint = errors.New("no checkpoint saved")

// MissingStoreError is a store that was named and is not there, such as a disk that is not mounted. Nothing is known of what it holds.
type MissingStoreError struct{ Store string }

// Error names the store.
func (e *MissingStoreError) Error() string { return "store " + e.Store + ": there is no store" }

// CorruptError is a part of a store that is not as it was written.
type CorruptError struct {
	Kind             PartKind
	Store, Part, Why string
}

// PartKind is a kind of part of a store, by what can mend it.
type PartKind uint8

// The kinds of parts.
const (
	OtherPart  PartKind = iota // nothing here mends it
	ObjectPart                 // the bytes of a checkpoint: saving them again does
	HeadPart                   // what holds for an agent
	LogPart                    // what an agent saved; its head can be resumed
	FormatPart                 // the file that every directory has alike
)

// Error names the part and says what is wrong with it.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("store %s: %s is corrupt: %s", e.Store, e.Part, e.Why)
}

// ConflictError is a head that is not the one that a save expected. Nothing was saved.
type ConflictError struct {
	Agent          string
	Expected, Head string // digests; Head is "" if the agent has none
}

// Error names both.
func (e *ConflictError) Error() string {
	head := e.Head
	if head == "" {
		head = NoHead
	}
	return fmt.Sprintf("the head of agent %q is %s, not %s; nothing was saved", e.Agent, head, e.Expected)
}

// ExpectError is a SaveOptions.Expect that is no digest.
type ExpectError struct {
	Text string
	Err  error // of digest.Parse
}

// Error says what is wrong with it.
func (e *ExpectError) Error() string { return fmt.Sprintf("expected head %q: %v", e.Text, e.Err) }

// Unwrap returns the error of digest.Parse.
func (e *ExpectError) Unwrap() error { return e.Err }

// AgentError is a text that is no agent id.
type AgentError struct{ Agent, Why string }

// Error says why. The id itself may be anything, so it is quoted.
func (e *AgentError) Error() string { return fmt.Sprintf("agent id %q %s", e.Agent, e.Why) }

// LimitError is something larger than a store takes.
type LimitError struct {
	What        string
	Size, Limit int64 // in bytes
}

// Error says how large it is and may be.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s has %d bytes; a store takes %d at most", e.What, e.Size, e.Limit)
}

// AmbiguousError is an id that checkpoints of different content have, against §4.1 of the specification.
type AmbiguousError struct {
	ID      string
	Digests []string // of their bytes
}

// Error lists them.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d checkpoints of different content have the id %q: %s", len(e.Digests), e.ID, strings.Join(e.Digests, ", "))
}

// AddressError is a text that names no store.
type AddressError struct{ Address, Why string }

// Error says why.
func (e *AddressError) Error() string { return fmt.Sprintf("store %q: %s", e.Address, e.Why) }

// VersionError is a store that a later version of this program made.
type VersionError struct {
	Store string
	Found string
}

// Error says which.
func (e *VersionError) Error() string {
	return fmt.Sprintf("store %s: its format is %s, which this version does not know", e.Store, e.Found)
}

// IOError is a store that could not be read or written: no permission, no space, no connection.
type IOError struct {
	Store string
	Err   error
}

// Error says what failed.
func (e *IOError) Error() string { return fmt.Sprintf("store %s: %v", e.Store, e.Err) }

// Unwrap returns the cause.
func (e *IOError) Unwrap() error { return e.Err }
