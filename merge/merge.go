// Package merge brings checkpoints back together that were continued in parallel: three-way by local id, with what they disagree on as data in the
// result, which is the same whatever the order of the inputs. The specification has a method "merged" (§6.9) and no rules for it; §9.3 and the
// rules of §8.2 bind the result, and the rules of this package never choose silently and never lose an edit.
//
// For each field the distinct changes from the base over all inputs are taken. None leaves the base's value, one is taken, and of several a
// policy makes a value that all agree with, or a conflict. A conflict is an open question with its competing terms, which stay in the
// document, so that merging merged checkpoints loses nothing.
package merge

import (
	"cmp"
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/fault"
)

// Key is the extension key under which a merge with open conflicts says, for machines, what they are.
const Key = checkpoint.MergeKey

// Merge merges checkpoints, each with nothing but white space around it. The error is a *DocumentError for what is wrong with one of them, a
// *DigestError for a lineage that is broken, a *RequestError for a merge that cannot be, and a *InternalError for a defect of this package.
func Merge(srcs [][]byte, opts Options) (*Result, error) {
	m, err := New(opts)
	if err != nil {
		return nil, err
	}
	if len(srcs) < 2 {
		return nil, tooFew(len(srcs))
	}
	defer m.leave()
	for i, src := range srcs {
		doc, err := checkpoint.ParseOne(src, m.reading)
		if err != nil {
			return nil, &DocumentError{"input", i, err}
		}
		m.inputs = append(m.inputs, m.begin(newDocument(doc)))
	}
	return m.Merge()
}

func tooFew(n int) error {
	return refuse("%d of the two or more documents that a merge takes", n).hint("name the files, or write them one after the other to standard input")
}

// Merger collects the inputs of a merge as they are read.
type Merger struct {
	opts    Options
	reading checkpoint.Options
	result  *Result

	inputs  []*document // as they were added
	begun   []*document // those whose digests were begun
	base    *document   // the one that was asked for
	lineage *lineage
	common  map[string]bool // ids of what all tips derive from
	bases   []*document     // the nearest of them that are at hand
	tips    []*document     // the inputs that no other one contains, by id
	docs    []*document     // bases and tips
	parent  *document

	entities   []*entity                       // of all documents
	aliases    map[string]*entity              // by the local id that they have only in the result
	unnamed    map[string]*entity              // those without a local id, by key
	entityAt   [][]*entity                     // by the entries of each of docs
	within     map[string][]*entity            // contexts with a draft, by the draft's id
	drafts     map[string]bool                 // what the drafts of the result are known by
	focus      string                          // of the result, a JSON text
	extra      map[checkpoint.Type][][]byte    // entries of the result that no document has, behind the others
	order      []map[checkpoint.Type][]*entity // of each of docs, in document order
	ids        map[string]bool                 // local ids of the result that no document has
	stamp      checkpoint.Stamp
	conflicts  []*conflict
	open       map[string]bool      // paths of the conflicts
	forks      []*forkData          // that the tips record and the bases do not
	covered    map[string]bool      // ids of the tips and of all that they derive from
	citing     map[string][]*entity // statements by the resources that they cite
	depending  map[string][]*entity // operations by those on which they depend
	stopped    []map[int32]int32    // the operations that stop conditions forbid, in each of docs
	marks      []mark
	unowned    []unowned
	reused     map[string]bool      // ids of operations that mean another one in some input
	withdrawn  map[string]withdrawn // what earlier merges made of conflicts, by local id
	needed     []string             // those of them that something else refers to
	status     string               // task.status, before conflicts block it
	derived    checkpoint.Derived
	emptied    []checkpoint.Type // lists of the parent that are to go
	dropped    []string          // members at the top level that go with them
	extensions *string           // other extension data at the top level, a JSON text, nil if it is the parent's
	omissions  []omission
	changes    []string          // what the merge did, in words
	affected   []string          // and to which objects
	resources  map[string]string // ids of resources that stand for checkpoints, by the id of the checkpoint
	madeFor    []string          // those of them that this merge made
	nextStep   []byte            // the step that resolves the conflicts, nil without any
	forkEntry  string            // the fork entry of the result, a JSON text, or ""
}

// New begins a merge. It reads the base and the ancestors.
func New(opts Options) (*Merger, error) {
	m := &Merger{opts: opts, reading: checkpoint.Options{Lenient: opts.Lenient}, result: &Result{}}
	m.lineage = &lineage{lenient: opts.Lenient, at: map[string]*document{}, ancestors: map[string]map[string]bool{}}
	if opts.Base != nil {
		doc, err := checkpoint.ParseOne(opts.Base, m.reading)
		if err != nil {
			return nil, &DocumentError{"base", 0, err}
		}
		m.base = newDocument(doc)
	}
	return m, nil
}

// Add adds the checkpoint that src begins with, and returns how many bytes of src it has. The caller may use src again.
func (m *Merger) Add(src []byte) (int, error) { return m.read(src, keptDocument) }

// AddInPlace is Add without a copy: src has to stay what it is until the result was written.
func (m *Merger) AddInPlace(src []byte) (int, error) { return m.read(src, newDocument) }

func (m *Merger) read(src []byte, document func(*checkpoint.Document) *document) (int, error) {
	doc, err := checkpoint.ParseFirst(src, m.reading)
	if doc == nil || err != nil {
		return doc.Len(), err
	}
	m.inputs = append(m.inputs, m.begin(document(doc)))
	return doc.Len(), nil
}

// begin computes the digest of a document while others are read.
func (m *Merger) begin(d *document) *document {
	d.digested = fault.Start(d.given.Digest)
	m.begun = append(m.begun, d)
	return d
}

// leave waits until no digest is computed any more: whoever gave the texts may then change them, also after an error.
func (m *Merger) leave() {
	for _, d := range m.begun {
		d.digested()
	}
}

// Merge merges what was added.
func (m *Merger) Merge() (r *Result, err error) {
	defer m.leave()
	if lost := fault.Catch(func() { r, err = m.merge() }); lost != nil {
		return nil, lost
	}
	return r, err
}

func (m *Merger) merge() (*Result, error) {
	if len(m.inputs) < 2 {
		return nil, tooFew(len(m.inputs))
	}
	if err := m.relate(); err != nil {
		return nil, err
	}
	if len(m.tips) == 1 {
		return m.forward()
	}
	if err := m.prepare(); err != nil {
		return nil, err
	}
	m.settle()
	if err := m.write(); err != nil {
		return nil, err
	}
	m.sign()
	return m.result, nil
}

// relate finds out how the inputs descend from each other.
func (m *Merger) relate() error {
	inputs, err := m.known(m.inputs)
	if err != nil {
		return err
	}
	m.inputs = inputs
	slices.SortFunc(m.inputs, func(a, b *document) int { return cmp.Compare(a.id, b.id) })
	others := make([]*document, 0, len(m.opts.Ancestors)+1)
	for i, src := range m.opts.Ancestors {
		doc, err := checkpoint.ParseOne(src, m.reading)
		if err != nil {
			return &DocumentError{"ancestor", i, err}
		}
		others = append(others, m.begin(newDocument(doc)))
	}
	if m.base != nil {
		others = append(others, m.begin(m.base))
	}
	if others, err = m.known(others); err != nil {
		return err
	}
	if m.base != nil {
		m.base = m.lineage.at[m.base.id]
	}
	if err := m.lineage.verify(slices.Concat(m.inputs, others)); err != nil {
		return err
	}
	m.result.Notes = append(m.result.Notes, m.lineage.notes...)
	var contained []*document
	m.tips, contained = m.lineage.split(m.inputs)
	for _, d := range m.inputs {
		m.result.Inputs = append(m.result.Inputs, Input{ID: d.id, Contained: slices.Contains(contained, d)})
	}
	return nil
}

// known takes documents into the lineage and returns those that were not there.
func (m *Merger) known(docs []*document) (fresh []*document, err error) {
	for _, d := range docs {
		known, err := m.lineage.add(d)
		if err != nil {
			return nil, err
		}
		if !known {
			fresh = append(fresh, d)
		}
	}
	return fresh, nil
}

// forward hands out the one input that contains all others.
func (m *Merger) forward() (*Result, error) {
	d := m.tips[0]
	m.result.ID, m.result.Unchanged, m.result.Parent, m.result.out = d.id, true, d.id, d.given.Src
	m.result.ParentWhy = "it contains all other inputs"
	if entry := readEntry(d.given); entry != nil {
		entry.keepOpen(d.given)
		m.result.Conflicts = entry.list()
	}
	m.sign()
	return m.result, nil
}

// sign adds the digests of the inputs to the result. They are the last thing that a merge waits for, since they take the longest.
func (m *Merger) sign() {
	for i, d := range m.inputs {
		m.result.Inputs[i].Digest = d.digest().String()
	}
}

// prepare finds the base and the parent and makes all documents ready to be compared.
func (m *Merger) prepare() error {
	if err := m.findBase(); err != nil {
		return err
	}
	for _, d := range m.bases {
		m.result.Base = append(m.result.Base, d.id)
	}
	m.chooseParent()
	m.docs = slices.Concat(m.bases, m.tips)
	for _, d := range m.tips {
		m.lineage.markForgetful(d, m.bases)
	}
	m.withdrawn = map[string]withdrawn{}
	for _, d := range m.docs {
		if err := m.withdraw(d); err != nil {
			return err
		}
	}
	for _, d := range m.tips {
		if err := m.recollect(d); err != nil {
			return err
		}
	}
	if err := m.separate(); err != nil {
		return err
	}
	var others []*checkpoint.Document
	for _, d := range m.tips {
		if d != m.parent {
			others = append(others, d.given)
		}
	}
	stamp, err := m.parent.given.NewStamp("merged", m.opts.ID, m.opts.Now, others...)
	if err != nil {
		return err
	}
	m.stamp = stamp
	m.result.ID = stamp.ID
	if stamp.ClockBehind {
		m.result.ClockBehind = stamp.CreatedAt
	}
	return nil
}

// chooseParent takes, among the inputs in which a pending effect is actionable, else among all, the one that was created last, then the one with
// the lowest id.
func (m *Merger) chooseParent() {
	var owners []*document
	for _, d := range m.tips {
		if d.actsOn() {
			owners = append(owners, d)
		}
	}
	m.result.ParentWhy = "a pending effect is actionable in it"
	if owners == nil {
		owners, m.result.ParentWhy = m.tips, "it was created last"
	}
	m.parent = slices.MinFunc(owners, func(a, b *document) int {
		x, _ := checkpoint.ParseInstant(a.given.Created())
		y, _ := checkpoint.ParseInstant(b.given.Created())
		switch {
		case x.After(y):
			return -1
		case y.After(x):
			return 1
		}
		return cmp.Compare(a.id, b.id)
	})
	m.result.Parent = m.parent.id
}

// actsOn says whether a pending effect is actionable in the document: no unconditional stop condition forbids it.
func (d *document) actsOn() bool {
	forbidden := d.given.Forbidden()
	for i := range d.given.Objects {
		if _, stopped := forbidden[int32(i)]; !stopped && d.given.Objects[i].PendingEffect() {
			return true
		}
	}
	return false
}
