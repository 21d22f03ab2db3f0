package compact

import (
	"fmt"
	"slices"
	"sort"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// unchanged is the result for a document of n units that its floor would not make smaller.
func (l *ladder) unchanged(m *meter, n int) (*Result, error) {
	return &Result{Unchanged: true, Before: n, Size: n, Unit: m.Unit, ID: l.doc.GlobalID(), out: l.doc.Src}, nil
}

// result checks a document that was made and reports on it. The state is that of the prefix.
func (l *ladder) result(m *meter, before, prefix int, out []byte) (*Result, error) {
	if _, err := checkpoint.Recheck(l.doc, out, l.runs, checkpoint.Options{Lenient: l.opts.Lenient}, nil); err != nil {
		return nil, &InternalError{Err: err}
	}
	size, err := m.size(out)
	if err != nil {
		return nil, err
	}
	if m.N > 0 && size > m.N || len(out) != l.sizeOf(prefix) {
		return nil, &InternalError{Err: fmt.Errorf("it has %d %s and %d bytes where %d were counted", size, m.Unit, len(out), l.sizeOf(prefix))}
	}
	r := &Result{Before: before, Size: size, Unit: m.Unit, ID: l.stamp.ID, Mismatched: l.mismatched, out: out, ladder: l, prefix: prefix}
	if l.stamp.ClockBehind {
		r.ClockBehind = l.stamp.CreatedAt
	}
	for i := range l.doc.Objects {
		if entry := int32(i); l.marked[entry] && !l.gone[entry] {
			r.Stale = append(r.Stale, string(l.doc.ID(entry)))
		}
	}
	return r, nil
}

// belowFloor says what the floor is and what makes it up. A small document may be smaller as it is.
func (l *ladder) belowFloor(m *meter, out []byte) error {
	n, err := m.size(out)
	if err != nil {
		return err
	}
	if asIs, err := m.size(l.doc.Src); err != nil || asIs <= n {
		out, n = l.doc.Src, asIs
	}
	parts, err := l.parts(m, out)
	if err != nil {
		return err
	}
	return &BudgetError{Budget: m.N, Floor: n, Unit: m.Unit, Parts: parts}
}

// parts measures what the document at the floor consists of.
func (l *ladder) parts(m *meter, out []byte) ([]Part, error) {
	doc, err := checkpoint.ParseOne(out, checkpoint.Options{Lenient: l.opts.Lenient})
	if err != nil {
		return nil, &InternalError{Err: err}
	}
	sums := map[string]int{}
	for i := range doc.Objects {
		if name := l.partName(doc, int32(i)); name != "" {
			s := doc.Objects[i].Span()
			n, err := m.size(out[s.Start:s.End])
			if err != nil {
				return nil, err
			}
			sums[name] += n
		}
	}
	all, err := m.size(out)
	if err != nil {
		return nil, err
	}
	for _, n := range sums {
		all -= n
	}
	if all > 0 {
		sums["the rest"] = all
	}
	var parts []Part
	for name, n := range sums {
		parts = append(parts, Part{name, n})
	}
	sort.Slice(parts, func(i, j int) bool {
		return parts[i].Size > parts[j].Size || parts[i].Size == parts[j].Size && parts[i].Name < parts[j].Name
	})
	return parts, nil
}

// partName says which part of the floor an entry belongs to, "" for one inside another.
func (l *ladder) partName(doc *checkpoint.Document, i int32) string {
	o := &doc.Objects[i]
	switch o.Type {
	case checkpoint.Statement:
		return nouns[o.Fact(checkpoint.Kind)-1][1]
	case checkpoint.Operation:
		return "operations"
	case checkpoint.StopCondition:
		return "stop conditions"
	case checkpoint.Task, checkpoint.Source:
		return o.Type.String()
	case checkpoint.Derivation:
		return "records"
	case checkpoint.Resource:
		if _, carried := l.doc.Lookup(string(doc.ID(i))); !carried {
			return "records"
		}
		return "resources"
	case checkpoint.Step:
		return "completed steps"
	case checkpoint.NextStep, checkpoint.Focus:
		return "focus and next steps"
	case checkpoint.Requirement, checkpoint.Precondition, checkpoint.RecoveryStep, checkpoint.Incompatibility:
		return "the rest of continuation"
	case checkpoint.Context:
		return "application context"
	}
	return ""
}

// Step is one change that was made to an object.
type Step struct {
	Rung   int    `json:"rung"`             // of the ladder; 0 loses nothing
	Action string `json:"action"`           // "rewritten", "folded", "condensed" or "omitted"
	Noun   string `json:"what"`             // what it was done to, such as "observation" or "excerpt"
	Object string `json:"object,omitempty"` // the local id of the object, or its JSON Pointer in the input, "" for the whole document
	Reason string `json:"reason,omitempty"` // of an omission: size, irrelevant, superseded or sensitive
	Saved  int    `json:"saved"`            // bytes by which the step that the change belongs to made the document smaller; records may make that negative
}

// Steps lists what was done, in the order in which it was done.
func (r *Result) Steps() (list []Step) {
	l := r.ladder
	if l == nil {
		return nil
	}
	pointers := l.pointers(r.prefix)
	from := 0
	for k, step := range l.steps[:r.prefix] {
		for _, a := range l.actions[from:step.until] {
			if a.act == dropEmpty || (a.act == tighten || a.act == unescape) && l.sizeOf(k) == step.size {
				continue
			}
			s := l.explain(a, pointers)
			s.Rung, s.Saved = rungs[step.class], l.sizeOf(k)-step.size
			list = append(list, s)
		}
		from = step.until
	}
	return list
}

func (l *ladder) explain(a action, pointers map[int32]string) Step {
	switch a.act {
	case tighten:
		return Step{Action: "rewritten", Noun: "white space"}
	case unescape:
		return Step{Action: "rewritten", Noun: "string escapes"}
	}
	s := Step{Action: "omitted", Noun: nouns[a.noun][0], Object: pointers[a.entry], Reason: reasonWords[a.reason]}
	switch a.act {
	case fold:
		s.Action, s.Noun, s.Reason = "folded", l.doc.Objects[a.entry].Type.String(), ""
	case condense:
		s.Action, s.Noun, s.Reason = "condensed", "completed step", ""
	}
	return s
}

// pointers names the entries that the actions of a prefix are about.
func (l *ladder) pointers(prefix int) map[int32]string {
	names := map[int32]string{}
	if prefix == 0 {
		return names
	}
	var unnamed []int32
	for _, a := range l.actions[:l.steps[prefix-1].until] {
		if a.act == tighten || a.act == unescape {
			continue
		}
		if id := l.doc.ID(a.entry); id != nil {
			names[a.entry] = string(id)
		} else {
			unnamed = append(unnamed, a.entry)
		}
	}
	slices.Sort(unnamed)
	locator := jsonspan.NewLocator(l.doc.Src)
	for _, i := range slices.Compact(unnamed) {
		names[i] = locator.At(int(l.doc.Objects[i].Start)).Pointer
	}
	return names
}

// Kept counts objects of one sort that are in the result, and says why.
type Kept struct {
	Noun  string `json:"what"` // such as "constraint"
	Why   string `json:"why"`
	Count int    `json:"count"`
	Bytes int    `json:"bytes"`
}

// Kept lists what the result kept, in the order of the document's types.
func (r *Result) Kept() (list []Kept) {
	l := r.ladder
	if l == nil {
		return nil
	}
	l.replay(r.prefix)
	for i := range l.doc.Objects {
		entry := int32(i)
		o := &l.doc.Objects[i]
		switch o.Type {
		case checkpoint.Top, checkpoint.Parent, checkpoint.Source, checkpoint.Progress, checkpoint.Continuation, checkpoint.Derivation:
			continue // they hold the others
		}
		if l.gone[i] {
			continue
		}
		k := Kept{Noun: l.keptNoun(entry), Why: l.why(entry)}
		n := slices.IndexFunc(list, func(other Kept) bool { return other.Noun == k.Noun && other.Why == k.Why })
		if n < 0 {
			n = len(list)
			list = append(list, k)
		}
		list[n].Count++
		list[n].Bytes += int(l.length[i])
	}
	return list
}

func (l *ladder) keptNoun(i int32) string {
	if o := &l.doc.Objects[i]; o.Type == checkpoint.Statement {
		return nouns[o.Fact(checkpoint.Kind)-1][0]
	}
	return l.doc.Objects[i].Type.String()
}

// why says why an entry is in the result.
func (l *ladder) why(i int32) string {
	switch {
	case l.whole[i]:
		return "asked for"
	case l.isRoot(i):
		return "protected"
	case l.protected[i]:
		return "needed by what is protected"
	case l.class[i] == doneOperations:
		return "work done is not done again"
	case l.hard[i] > 0:
		return "referenced"
	}
	return "it fits"
}
