// Package verdict says what levels 1 and 2 of the specification (§8.1, §8.2), its rules for a parent and its child, and the laws of
// compaction (§9.2) find in a document, in one account that the command and the server both give.
package verdict

import (
	"errors"
	"slices"

	"github.com/opencheckpoint/ocp/compact"
	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/secret"
)

// Verdict is what is found in one document.
type Verdict struct {
	Valid    bool
	SetAside bool                   // it passed only because Lenient set findings aside
	Findings []checkpoint.Violation // in document order, warnings too
	More     int                    // findings that are counted and not listed
	Notes    []string
}

// Parent is the document that others are held against.
type Parent struct {
	doc *checkpoint.Document
	raw []byte
}

// NewParent reads a parent, one document with nothing but white space around it. The error is a *jsonspan.SyntaxError or a *checkpoint.InvalidError.
func NewParent(raw []byte, opts checkpoint.Options) (*Parent, error) {
	doc, err := checkpoint.ParseOne(raw, checkpoint.Options{Lenient: opts.Lenient})
	if err != nil {
		return nil, err
	}
	return &Parent{doc, raw}, nil
}

// First judges the document that text begins with, of which secrets finds the secrets, and returns how many bytes of text it has. Of a text that is
// no I-JSON message the verdict has the one finding, and the error is its *jsonspan.SyntaxError.
func First(text []byte, opts checkpoint.Options, parent *Parent, secrets func(length int) []secret.Match) (Verdict, int, error) {
	doc, err := checkpoint.Parse(text, opts)
	var syntax *jsonspan.SyntaxError
	if errors.As(err, &syntax) {
		secrets(0) // nobody reads the text any more
		syntax.Locate(text)
		return Verdict{Findings: []checkpoint.Violation{checkpoint.SyntaxViolation(syntax)}}, 0, syntax
	}
	doc.WarnSecrets(secrets(len(doc.Src)))
	doc.Locate()
	v := Verdict{
		Valid:    doc.Findings.Count(checkpoint.Error) == 0,
		SetAside: opts.Lenient && doc.SetAside(),
		Findings: doc.Findings.List,
		More:     doc.Findings.More[checkpoint.Error] + doc.Findings.More[checkpoint.Warning],
	}
	if v.Valid && parent != nil {
		parent.judge(doc, opts, &v)
	}
	return v, len(doc.Src), nil
}

// judge adds what the parent shows: T001 and T002, the digest, and, for a compacted child, §9.2.
func (p *Parent) judge(doc *checkpoint.Document, opts checkpoint.Options, v *Verdict) {
	found := append(checkpoint.CheckPair(p.doc, doc), p.compaction(doc, opts)...)
	if recorded, ok := doc.ParentDigest(); ok {
		if violation, note := p.checkDigest(doc, opts, recorded); violation != nil {
			found = append(found, *violation)
		} else {
			v.Notes = append(v.Notes, note)
		}
	}
	for _, violation := range found {
		if violation.Severity == checkpoint.Error {
			v.Valid = false
		}
	}
	v.Findings = append(v.Findings, found...)
	slices.SortStableFunc(v.Findings, func(a, b checkpoint.Violation) int { return a.Offset - b.Offset })
}

// compaction is what §9.2 says of the pair: warnings, unless Strict asks for more.
func (p *Parent) compaction(doc *checkpoint.Document, opts checkpoint.Options) []checkpoint.Violation {
	found := compact.CheckPair(p.doc, doc)
	for i := range found {
		if opts.Strict {
			found[i].Severity = checkpoint.Error
		}
	}
	return found
}

// checkDigest says which form of the parent the child's parent.digest belongs to. One of another algorithm is a warning: it proves nothing.
func (p *Parent) checkDigest(doc *checkpoint.Document, opts checkpoint.Options, at jsonspan.Item) (*checkpoint.Violation, string) {
	found := doc.Violation("OCX-D", at.Value.Start)
	recorded, err := doc.RecordedDigest(at)
	if err != nil {
		found.Severity, found.Msg = checkpoint.Warning, "the parent's digest proves nothing: "+err.Error()
		return &found, ""
	}
	verify := recorded.Verify
	if opts.Lenient {
		verify = recorded.VerifyLenient
	}
	match, err := verify(p.raw)
	if err != nil || match == digest.None {
		found.Msg = "the parent's digest is that of another document"
		return &found, ""
	}
	return nil, "the parent's digest matches " + match.String()
}

// Summary is the verdict in a few words. No message says more of a document than what was checked (§8.1).
func (v *Verdict) Summary() string {
	switch {
	case !v.Valid:
		return "invalid"
	case v.SetAside:
		return "accepted with --lenient, which set errors aside"
	}
	return "valid (levels 1 and 2)"
}

// Finding is a finding in a report for machines. Lines and columns count from 1, offsets are bytes.
type Finding struct {
	Rule     string `json:"rule"`
	Level    int    `json:"level"`
	Severity string `json:"severity"`
	Pointer  string `json:"pointer"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Offset   int    `json:"offset"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
}

// Report is the findings for machines, never nil.
func (v *Verdict) Report() []Finding {
	list := make([]Finding, 0, len(v.Findings))
	for _, f := range v.Findings {
		list = append(list, Finding{f.Rule, f.Level, f.Severity.String(), f.Pointer, f.Line, f.Column, f.Offset, f.Msg, f.Hint})
	}
	return list
}
