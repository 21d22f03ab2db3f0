// Package fork makes siblings of an OpenCheckpoint document, for agents that continue it in parallel (§9.3 of the specification).
//
// A pending effect, an action that is not over and may change the world, is actionable in at most one of the siblings; in the others
// a stop condition forbids it, in a form that software can read. Everything that a fork does not change has the bytes it has in
// the parent. The package adds a statement only when the caller gives one, with the caller's origin.
package fork

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/fault"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// Key is the extension key under which a fork says, for machines, whose sibling it is and what its guards are:
//
//	{"parent": id, "index": 2, "label": "B", "siblings": [ids in order],
//	 "guards": [{"operation": local id, "stop_condition": local id, "owner": id of a fork, or null}], "of": the parent's own entry}
const Key = checkpoint.ForkKey

// MaxForks is how many forks are made at once.
const MaxForks = 10_000

// Options says how to fork. The zero value guards every pending effect in every fork, so that whoever merges them acts.
type Options struct {
	Labels []string // one a fork, unique; nil labels them 1, 2, 3…
	Owner  string   // the fork, by label or number, in which all pending effects are actionable
	Spread bool     // deal the pending effects to the forks in turn
	Assign []Assignment
	Remove bool // drop a pending effect that another fork owns, where nothing protected refers to it, instead of guarding it

	Statements []Statement // to add
	Supersede  []string    // ids of active statements that the added ones of the same kind replace

	IDs       []string  // of the forks, in order, at least as many; nil are new UUIDv7s
	Now       time.Time // zero is the clock's
	ParentURI string    // where the parent can be found; "" is its id
	Lenient   bool      // accept undefined members and numbers that a double rounds, and carry them
}

// Assignment makes an operation actionable in one fork, with the operations that depend on it or on which it depends.
type Assignment struct{ Operation, Fork string }

// Statement is an instruction or a constraint for one fork, with its actual origin.
type Statement struct {
	Fork string
	Kind string // "instruction" or "constraint"
	Text string
	By   Origin
}

// Origin is who says something: a word of §6.5 and perhaps a name.
type Origin struct{ Type, Name string }

// Result is one fork, checked against levels 1 and 2 and against its parent.
type Result struct {
	ID      string
	Label   string
	Owns    []string // operations that are actionable in this fork and no other
	Guarded []string // operations that a guard of this fork forbids
	Removed []string // operations that this fork does not have
	Kept    []string // guarded ones that Remove was to drop, had nothing referred to them

	out []byte
}

// Summary says in one line what may happen in this fork.
func (r *Result) Summary() string {
	parts := []string{"owns nothing"}
	if len(r.Owns) > 0 {
		parts[0] = "owns " + checkpoint.Some(r.Owns)
	}
	if len(r.Guarded) > 0 {
		parts = append(parts, "must not run "+checkpoint.Some(r.Guarded))
	}
	if len(r.Kept) > 0 {
		parts = append(parts, "keeps "+checkpoint.Some(r.Kept)+", since something refers to it")
	}
	if len(r.Removed) > 0 {
		parts = append(parts, "does not have "+checkpoint.Some(r.Removed))
	}
	return strings.Join(parts, "; ")
}

// Bytes is the document, without a line feed behind it.
func (r *Result) Bytes() []byte { return r.out }

// WriteTo writes the document, without a line feed behind it.
func (r *Result) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(r.out)
	return int64(n), err
}

// Forks makes the forks of one document one by one, so that many need no more memory than one.
type Forks struct {
	ClockBehind string   // the created_at that was taken because the clock is behind the parent, or ""
	Notes       []string // what the person should know

	doc    *checkpoint.Document
	opts   Options
	stamp  checkpoint.Stamp
	ids    []string
	labels []string

	taken    map[string]bool // new local ids
	effects  []effect
	added    [][]addition   // by fork
	replaced map[int32]bool // statements that added ones replace
	siblings string         // a JSON array
	outer    string         // the parent's own entry under Key, a JSON text, or ""
	merging  []int32        // what an open merge's own entry names: its conflicts' terms
	oldest   []int32        // inputs that no fork has a place for
}

// Fork makes n forks of src, one checkpoint with nothing but white space around it. The error is a *SyntaxError or
// *InvalidError for what is wrong with src, a *RequestError for a wish that cannot be met, and a
// *InternalError for a defect of this package.
func Fork(src []byte, n int, opts Options) ([]*Result, error) {
	sum := startDigest(src, opts.Lenient)
	defer sum()
	doc, err := checkpoint.ParseOne(src, checkpoint.Options{Lenient: opts.Lenient})
	if err != nil {
		return nil, err
	}
	f, err := newForks(doc, n, opts, sum)
	if err != nil {
		return nil, err
	}
	var list []*Result
	for r, err := range f.All() {
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// First plans n forks of the checkpoint that src begins with, and returns how many bytes of src it has.
func First(src []byte, n int, opts Options) (*Forks, int, error) {
	sum := startDigest(src, opts.Lenient)
	defer sum() // it reads src
	doc, err := checkpoint.ParseFirst(src, checkpoint.Options{Lenient: opts.Lenient})
	if doc == nil || err != nil {
		return nil, doc.Len(), err
	}
	f, err := newForks(doc, n, opts, sum)
	return f, doc.Len(), err
}

// startDigest computes the digest of the checkpoint that src begins with while it is read, and returns a function that waits for it.
func startDigest(src []byte, lenient bool) func() (digest.Digest, error) {
	of := digest.First
	if lenient {
		of = digest.FirstLenient
	}
	return fault.Start(func() (digest.Digest, error) {
		sum, _, err := of(src)
		return sum, err
	})
}

// Len is the number of forks.
func (f *Forks) Len() int { return len(f.ids) }

// Label is the label of fork i, from 0.
func (f *Forks) Label(i int) string { return f.labels[i] }

// Parent is the document that is forked.
func (f *Forks) Parent() []byte { return f.doc.Src }

func newForks(doc *checkpoint.Document, n int, opts Options, digested func() (digest.Digest, error)) (*Forks, error) {
	f := &Forks{doc: doc, opts: opts, taken: map[string]bool{}}
	if n < 1 || n > MaxForks {
		return nil, refuse("%d forks are wished for; 1 to %d can be made", n, MaxForks)
	}
	if err := f.name(n); err != nil {
		return nil, err
	}
	sum, err := digested()
	if err != nil {
		return nil, err
	}
	f.stamp.Digest = sum.String()
	if err := f.findEffects(); err != nil {
		return nil, err
	}
	doc.Lists() // known before forks are made at the same time
	if entry, ok := doc.Extension(Key); ok {
		f.outer = string(doc.Src[entry.Start:entry.End])
	}
	f.merging, f.oldest = doc.MergeTerms(), doc.OldestInputs()
	return f, f.addStatements()
}

// name gives the forks their ids, their labels and their common time.
func (f *Forks) name(n int) error {
	if len(f.opts.Labels) > 0 && len(f.opts.Labels) != n {
		return refuse("%d labels are given for %d forks", len(f.opts.Labels), n)
	}
	if f.opts.IDs != nil && len(f.opts.IDs) < n {
		return refuse("%d forks need as many ids; %d are left", n, len(f.opts.IDs))
	}
	seen := map[string]bool{}
	for i := range n {
		id, label := "", fmt.Sprint(i+1)
		if f.opts.IDs != nil {
			id = f.opts.IDs[i]
		}
		if len(f.opts.Labels) > 0 {
			label = f.opts.Labels[i]
		}
		stamp, err := f.doc.NewStamp("forked", id, f.opts.Now)
		if err != nil {
			return err
		}
		switch {
		case !IsLabel(label):
			return refuse("%q is no label: letters, digits, '.', '_' and '-', and no '.' first", label)
		case seen["label "+label]:
			return refuse("label %q is given twice", label)
		case seen["id "+stamp.ID]:
			return refuse("id %q is given twice", stamp.ID)
		}
		seen["label "+label], seen["id "+stamp.ID] = true, true
		f.ids, f.labels, f.stamp = append(f.ids, stamp.ID), append(f.labels, label), stamp
	}
	if f.stamp.ClockBehind {
		f.ClockBehind = f.stamp.CreatedAt
	}
	f.siblings = jsonspan.Strings(f.ids)
	return nil
}

// IsLabel says whether a fork can be labelled so: letters, digits, '.', '_' and '-', and no '.' first.
func IsLabel(s string) bool {
	return s != "" && s[0] != '.' && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}

// freeID returns a local id that neither the parent nor another new object has.
func (f *Forks) freeID(wish string) string {
	id := f.doc.FreeID(wish)
	for n := 2; f.taken[id]; n++ {
		id = f.doc.FreeID(fmt.Sprintf("%s.%d", wish, n))
	}
	f.taken[id] = true
	return id
}

// Find returns the place, from 0, of the fork that a name means: its label, or else its number from 1.
func Find(labels []string, name string) (int, bool) {
	if i := slices.Index(labels, name); i >= 0 {
		return i, true
	}
	number, err := strconv.Atoi(name)
	return number - 1, err == nil && strconv.Itoa(number) == name && 1 <= number && number <= len(labels)
}

func (f *Forks) find(name string) (int, error) {
	i, ok := Find(f.labels, name)
	if !ok {
		return 0, refuse("there is no fork %q among %d", name, len(f.labels))
	}
	return i, nil
}
