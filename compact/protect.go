package compact

import (
	"bytes"
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// Kinds lists the statement kinds, for Options.KeepKinds.
func Kinds() []string { return checkpoint.StatementKinds() }

// protection says what must stay.
type protection struct {
	doc        *checkpoint.Document
	protected  []bool // is not dropped
	needed     []bool // for its own sake, not only for what lies in it
	whole      []bool // and loses no member either: the person asked to keep it
	referenced []bool // something refers to it that cannot simply lose the reference
	keys       map[string]bool
}

// newProtection finds what §9.2 and the options protect, and what that needs in order to resolve.
func newProtection(doc *checkpoint.Document, opts Options) *protection {
	n := len(doc.Objects)
	p := &protection{doc: doc, protected: make([]bool, n), needed: make([]bool, n), whole: make([]bool, n), referenced: make([]bool, n),
		keys: map[string]bool{}}
	for _, r := range doc.Refs {
		p.referenced[r.To] = p.referenced[r.To] || r.Field != checkpoint.AffectedField
	}
	for i := range doc.Objects {
		entry := int32(i)
		if p.isRoot(entry) {
			p.protect(entry)
		}
		p.requiredKey(entry)
	}
	for _, id := range opts.Keep {
		if entry, ok := doc.Lookup(id); ok {
			p.keep(entry)
		}
	}
	kinds := checkpoint.StatementKinds()
	for i := range doc.Objects {
		o := &doc.Objects[i]
		if kind := o.Fact(checkpoint.Kind); o.Type == checkpoint.Statement && slices.Contains(opts.KeepKinds, kinds[kind-1]) {
			p.keep(int32(i))
		}
	}
	for _, term := range doc.MergeTerms() {
		p.keep(term) // with its evidence, which leads to the inputs of the merge
	}
	return p
}

// isRoot says whether §9.2 protects an entry for its own sake. Records that are not ours are carried on too.
func (p *protection) isRoot(i int32) bool {
	o := &p.doc.Objects[i]
	switch o.Type {
	case checkpoint.Statement:
		kind := o.Fact(checkpoint.Kind)
		return o.Live() && (kind <= checkpoint.Decision || kind == checkpoint.Question)
	case checkpoint.Operation:
		return !checkpoint.Terminal(o.Fact(checkpoint.Status))
	case checkpoint.Omission, checkpoint.Transformation:
		return !p.isFoldable(i)
	case checkpoint.Task, checkpoint.Criterion, checkpoint.Focus, checkpoint.NextStep, checkpoint.Requirement, checkpoint.Precondition, checkpoint.StopCondition,
		checkpoint.Incompatibility:
		return true
	}
	return false
}

// protect marks an entry, what it lies in, what an application context entry holds, and, transitively, what it refers to, except as mere evidence.
func (p *protection) protect(entry int32) {
	open := []int32{entry}
	for len(open) > 0 {
		i := open[len(open)-1]
		open = open[:len(open)-1]
		if p.needed[i] {
			continue
		}
		p.needed[i] = true
		for outer := i; outer >= 0; outer = p.doc.Objects[outer].Parent {
			p.protected[outer] = true
		}
		if p.doc.Objects[i].Type == checkpoint.Context {
			for inner, end := i+1, p.doc.Inside(i); inner < end; inner++ {
				open = append(open, inner)
			}
		}
		from, to := p.doc.RefsWithin(p.own(i))
		for _, r := range p.doc.Refs[from:to] {
			if r.To >= 0 && r.From == i && r.Field != checkpoint.AffectedField && (r.Field != checkpoint.EvidenceField || p.whole[i]) {
				open = append(open, r.To)
			}
		}
	}
}

// own is the span in which an entry's own references stand. That of an entry that exists once is left out: what it holds are entries.
func (p *protection) own(i int32) jsonspan.Span {
	if o := &p.doc.Objects[i]; o.Parent < 0 || o.Type == checkpoint.Progress || o.Type == checkpoint.Continuation || o.Type == checkpoint.Derivation {
		return jsonspan.Span{}
	}
	return p.doc.Objects[i].Span()
}

// keep protects an entry whole, with the entries inside it and its evidence.
func (p *protection) keep(entry int32) {
	for i, end := entry, p.doc.Inside(entry); i < end; i++ {
		p.whole[i], p.needed[i] = true, false
	}
	for i, end := entry, p.doc.Inside(entry); i < end; i++ {
		p.protect(i)
	}
}

// requiredKey notes the extension key that a requirement of kind extension names (§7).
func (p *protection) requiredKey(entry int32) {
	o := &p.doc.Objects[entry]
	if o.Type == checkpoint.Requirement && o.Fact(checkpoint.Kind) == checkpoint.RequiresExtension {
		p.keys[string(p.doc.StringField(entry, "name"))] = true
	}
}

// keepsKey says whether extension data of a key stays.
func (p *protection) keepsKey(key []byte) bool {
	return p.keys[string(key)] || bytes.HasPrefix(key, []byte(checkpoint.KeyPrefix))
}

func hasPrefix(id []byte, prefix string) bool { return bytes.HasPrefix(id, []byte(prefix)) }

// isFoldable says whether an entry is a record of an earlier compaction that a new one takes over: an omission or a transformation of
// ours, by its id and its text. One with reason sensitive stays, and so does one that something refers to.
func (p *protection) isFoldable(i int32) bool {
	if p.referenced[i] {
		return false
	}
	switch p.doc.Objects[i].Type {
	case checkpoint.Omission:
		_, _, ok := ourOmission(p.doc, i)
		return ok
	case checkpoint.Transformation:
		_, ok := condensedStep(p.doc, i)
		return ok
	}
	return false
}

func ourOmission(doc *checkpoint.Document, i int32) (tally, reason, bool) {
	r := reason(doc.Objects[i].Fact(checkpoint.Kind)) - 1
	if r >= sensitive || !hasPrefix(doc.ID(i), omissionID+reasonWords[r]) {
		return tally{}, 0, false
	}
	t, ok := parseTally(string(doc.StringField(i, "description")))
	return t, r, ok
}

// condensedStep returns the completed step that a transformation of ours says other steps were condensed into.
func condensedStep(doc *checkpoint.Document, transformation int32) (step int32, ok bool) {
	if !hasPrefix(doc.ID(transformation), transformationID) {
		return 0, false
	}
	count, rest, ok := parseCount(string(doc.StringField(transformation, "description")), condensedText)
	from, to := doc.RefsWithin(doc.Objects[transformation].Span())
	if !ok || rest != "" || to != from+1 {
		return 0, false
	}
	step = doc.Refs[from].To
	if doc.Objects[step].Type != checkpoint.Step {
		return 0, false
	}
	steps, _, ours := ourStep(doc, step, string(doc.StringField(step, "description")))
	return step, ours && steps == count
}

// ourStep reads a completed step that stands for steps condensed earlier.
func ourStep(doc *checkpoint.Document, i int32, description string) (count int, names string, ok bool) {
	if !hasPrefix(doc.ID(i), stepID) {
		return 0, "", false
	}
	return parseCount(description, done)
}
