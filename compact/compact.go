// Package compact makes an OpenCheckpoint document fit a budget with the smallest loss, without a model (§9.2 of the
// specification).
//
// What must not be lost is protected; the rest goes step by step along a ladder that the document and the options fix and the
// budget does not: the budget only says how many of its steps are taken. Everything that goes is counted in derivation.omissions
// or derivation.transformations, and a statement whose evidence was not checked again becomes stale. The package writes no
// statement, changes no kind and no origin, and copies the bytes of what it keeps.
package compact

import (
	"io"
	"time"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/fault"
	"github.com/opencheckpoint/ocp/internal/tokens"
)

// Options says how to compact. The zero value asks for the floor: the smallest document that keeps what is protected.
type Options struct {
	Budget    Budget
	Tokenizer string // of a budget in tokens; "" is o200k_base

	Keep      []string // local ids of objects to keep whole
	KeepKinds []string // statement kinds to keep whole
	DropDone  bool     // as the last resort, give up rejected approvals and terminal actions with an effect

	// AssumeChecked is the word of the person who asks that the evidence was checked: verified statements stay verified as long as their
	// evidence is carried.
	AssumeChecked bool
	// Recheck, if not nil, returns the digest of the present bytes of a file: resource. A verified statement stays so
	// if all of its evidence is carried and has the digest that the document records.
	Recheck func(uri string) (digest.Digest, error)

	ID        string    // of the new checkpoint; "" is a new UUIDv7
	Now       time.Time // zero is the clock's
	ParentURI string    // where the input can be recovered from; "" is its id
	Lenient   bool      // accept undefined members and numbers that a double rounds, and carry them
}

// Result is a compacted checkpoint, checked against levels 1 and 2 and against its parent.
type Result struct {
	Unchanged   bool // the document fitted as it was
	Before      int  // size of the input in Unit; 0 if it was not counted to its end, bytes for one of at most so many bytes as the budget has tokens
	Size        int  // size of the output in Unit
	Unit        Unit
	ID          string
	ClockBehind string   // the created_at that was taken because the clock is behind the input, or ""
	Stale       []string // ids of the statements that became stale
	Mismatched  []string // ids of the resources whose bytes have another digest than recorded

	out    []byte
	ladder *ladder
	prefix int
}

// Bytes is the document, without a line feed behind it.
func (r *Result) Bytes() []byte { return r.out }

// WriteTo writes the document, without a line feed behind it.
func (r *Result) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(r.out)
	return int64(n), err
}

// Compact compacts src, one checkpoint with nothing but white space around it. The error is a *SyntaxError or
// *InvalidError for what is wrong with src, a *BudgetError or *UnknownIDError for a request that cannot be met, a
// *InternalError for a defect of this package.
func Compact(src []byte, opts Options) (*Result, error) {
	doc, err := checkpoint.ParseOne(src, checkpoint.Options{Lenient: opts.Lenient, Parts: true})
	if err != nil {
		return nil, err
	}
	return compact(doc, opts)
}

// First compacts the checkpoint that src begins with, and returns how many bytes of src it has.
func First(src []byte, opts Options) (*Result, int, error) {
	doc, err := checkpoint.ParseFirst(src, checkpoint.Options{Lenient: opts.Lenient, Parts: true})
	if doc == nil || err != nil {
		return nil, doc.Len(), err
	}
	r, err := compact(doc, opts)
	return r, doc.Len(), err
}

func compact(doc *checkpoint.Document, opts Options) (*Result, error) {
	meter, err := newMeter(opts)
	if err != nil {
		return nil, err
	}
	for _, id := range opts.Keep {
		if _, ok := doc.Lookup(id); !ok {
			return nil, &UnknownIDError{id}
		}
	}
	before, fits, err := meter.fits(doc.Src)
	if err != nil {
		return nil, err
	}
	if fits {
		return &Result{Unchanged: true, Before: before, Size: before, Unit: meter.Unit, ID: doc.GlobalID(), out: doc.Src}, nil
	}
	sum := fault.Start(doc.Digest) // it takes about as long as the ladder
	l, err := newLadder(doc, opts)
	if err != nil {
		sum() // it reads the document
		return nil, err
	}
	return l.descend(meter, before, sum)
}

// meter measures documents against a budget.
type meter struct {
	Budget
	counter *tokens.Counter
}

func newMeter(opts Options) (*meter, error) {
	counter, err := tokens.NewCounter(opts.Tokenizer)
	return &meter{opts.Budget, counter}, err
}

// fits measures a document as far as is needed to say whether it fits. No token is shorter than a byte, so a document with no more
// bytes than the budget has tokens fits without a count; its size is then in bytes, an upper bound. Nor is one counted that is too long for any.
func (m *meter) fits(text []byte) (size int, fits bool, err error) {
	if m.N == 0 {
		return 0, false, nil
	}
	if m.Unit == Bytes || len(text) <= m.N || len(text)/bytesPerToken > m.N {
		return len(text), len(text) <= m.N, nil
	}
	n, err := m.counter.Count(text, m.N)
	if n > m.N {
		return 0, false, err
	}
	return n, true, err
}

// size measures a document to its end.
func (m *meter) size(text []byte) (int, error) {
	if m.Unit == Bytes {
		return len(text), nil
	}
	return m.counter.Count(text, -1)
}
