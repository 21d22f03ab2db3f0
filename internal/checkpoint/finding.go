package checkpoint

import (
	"fmt"
	"slices"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// Severity says whether a finding makes a document invalid.
type Severity uint8

// The severities (§8.2).
const (
	Error Severity = iota
	Warning
)

// String returns "error" or "warning".
func (s Severity) String() string { return [...]string{"error", "warning"}[s] }

// Violation is one finding. Rule is a code of §8.2, or one of ours:
//
//	OCX-J-…  level 0: not an I-JSON message; the rest is jsonspan.Kind
//	OCX-V    another version of the specification (§5.1)
//	OCX-L-…  level 1: required, type, enum, pattern, length, empty, undefined, rule
//	OCX-I    level 1, resting on a shape, requirement or enumeration that the specification only implies
//	OCX-F    a timestamp that names no instant
//	OCX-D    a parent digest that does not match, or proves nothing
//	OCX-S    text that looks like a credential (§10.5)
//	OCX-C…   a breach of §9.2 between a parent and its compacted child
type Violation struct {
	Rule     string
	Level    int // of §8.1; 0 is I-JSON
	Severity Severity
	Offset   int    // bytes from the start of the document
	Line     int    // from 1
	Column   int    // in characters, from 1
	Pointer  string // RFC 6901
	Msg      string
	Hint     string
}

// Error is the finding as one line without its location.
func (v *Violation) Error() string { return v.Msg + " (" + v.Rule + ")" }

// The rules that Options.Lenient is about.
const (
	ruleUndefined = "OCX-L-undefined"
	rulePrecision = "OCX-J-number-precision"
)

// maxFindings bounds the memory that a hostile document can claim; what comes after is only counted. It is a bound for errors and one for
// warnings, so that no flood of warnings hides the error that makes a document invalid.
const maxFindings = 10_000

// Findings are the findings of one document, in document order.
type Findings struct {
	List []Violation
	More [2]int // found of each severity beyond the first 10,000

	kept  [2]int // how many of each severity add has listed
	aside bool   // Lenient made a warning of an error
}

// Add adds a finding, or only counts it if there are many.
func (f *Findings) Add(v Violation) {
	if v.Severity == Warning && (v.Rule == ruleUndefined || v.Rule == rulePrecision) {
		f.aside = true
	}
	if f.kept[v.Severity] == maxFindings {
		f.More[v.Severity]++
		return
	}
	f.kept[v.Severity]++
	f.List = append(f.List, v)
}

// Located puts findings about a document in order, locates them, and returns them.
func (f *Findings) Located(d *Document) []Violation {
	f.sort()
	f.locate(d.Src)
	return f.List
}

// merge adds the findings of another part of the document.
func (f *Findings) merge(other Findings) {
	for _, v := range other.List {
		f.Add(v)
	}
	for s := range f.More {
		f.More[s] += other.More[s]
	}
}

// Count returns how many findings there are of a severity, listed or not.
func (f *Findings) Count(s Severity) int {
	n := f.More[s]
	for i := range f.List {
		if f.List[i].Severity == s {
			n++
		}
	}
	return n
}

// sort puts the list in document order.
func (f *Findings) sort() {
	slices.SortStableFunc(f.List, func(a, b Violation) int { return a.Offset - b.Offset })
}

// locate fills in lines, columns and pointers; the list is in document order.
func (f *Findings) locate(src []byte) {
	if len(f.List) == 0 {
		return
	}
	l := jsonspan.NewLocator(src)
	for i := range f.List {
		v := &f.List[i]
		p := l.At(v.Offset)
		v.Line, v.Column, v.Pointer = p.Line, p.Column, p.Pointer
	}
}

// InvalidError is a document that has errors. It holds all findings, warnings too.
type InvalidError struct{ Findings Findings }

// Error says what the first error is, and how many more there are.
func (e *InvalidError) Error() string {
	v := e.First()
	more := e.Findings.Count(Error) - 1
	if more == 0 {
		return v.Error()
	}
	return fmt.Sprintf("%s; %d more", v.Error(), more)
}

// First is the first error.
func (e *InvalidError) First() *Violation {
	for i := range e.Findings.List {
		if v := &e.Findings.List[i]; v.Severity == Error {
			return v
		}
	}
	return &e.Findings.List[0]
}

// InternalError is a derived document that failed its own check. It is a defect of this program; nothing of the document is handed out.
type InternalError struct{ Err error }

// Error says what the check found.
func (e *InternalError) Error() string {
	return "internal error: the result is wrong: " + e.Err.Error()
}

// Unwrap returns what the check found.
func (e *InternalError) Unwrap() error { return e.Err }
