package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/opencheckpoint/ocp/compact"
	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

var validateVerb = verb{
	name:    "validate",
	summary: "check documents at levels 1 and 2, and against their parent",
	usage:   "validate [--parent FILE] [--strict|--lenient] [--pass] [--format text|json|sarif] [FILE...]",
	about: `
Checks that each document is an I-JSON message, that it has the form of OpenCheckpoint 0.1 (level 1) and that it is
consistent (level 2), and reports everything it finds, warnings too. With --parent it also checks the rules between a
parent and its child, the parent's digest, and for a compacted child what compaction must not lose (OCX-C). A document
that passes is well-formed and consistent; that says nothing about what a destination may do with it.`,
	example: "  ocp validate *.ocp.json\n  ocp validate --parent before.ocp.json after.ocp.json\n",
	flags: func(set *pflag.FlagSet) runner {
		var f validateFlags
		set.StringVar(&f.parent, "parent", "", "the `FILE` with the parent of each document")
		set.BoolVar(&f.strict, "strict", false, "what rests on an inference, or breaks a law of compaction, is an error")
		set.BoolVar(&f.lenient, "lenient", false, "undefined members and numbers that a double rounds are warnings")
		set.BoolVar(&f.pass, "pass", false, "copy the valid documents to standard output and report on standard error")
		set.StringVar(&f.format, "format", "text", "the `FORMAT` of the report: text, json (one object a document) or sarif")
		return func(c *command, args []string) { c.validate(&f, args) }
	},
}

// validateFlags are the flags of validate.
type validateFlags struct {
	parent, format        string
	strict, lenient, pass bool
}

func (f *validateFlags) check() error {
	if f.strict && f.lenient {
		return usageError("--strict and --lenient exclude each other")
	}
	if !slices.Contains([]string{"text", "json", "sarif"}, f.format) {
		e := usageError("unknown format %q", f.format)
		e.hint = "text, json or sarif"
		return e
	}
	return nil
}

// validator is one run of validate.
type validator struct {
	*command
	flags  *validateFlags
	opts   checkpoint.Options
	parent *checkpoint.Document
	raw    []byte // the parent's bytes
	report reporter
}

// verdict is what validate says of one document.
type verdict struct {
	Document string
	File     string
	Index    int
	Valid    bool
	SetAside bool // it passed only because --lenient set findings aside
	Findings []checkpoint.Violation
	More     int
	Notes    []string
}

func (c *command) validate(f *validateFlags, files []string) {
	if err := f.check(); err != nil {
		c.fail(err)
		return
	}
	v := &validator{command: c, flags: f, opts: checkpoint.Options{Strict: f.strict, Lenient: f.lenient}}
	if err := v.readParent(); err != nil {
		c.fail(explain(f.parent, err))
		return
	}
	v.report = v.newReporter()
	v.report.begin()
	c.each(files, true, v.one)
	v.report.end()
}

func (v *validator) readParent() (err error) {
	if v.flags.parent == "" {
		return nil
	}
	if v.raw, err = v.only(v.flags.parent); err != nil {
		return err
	}
	v.parent, err = checkpoint.ParseOne(v.raw, checkpoint.Options{Lenient: v.flags.lenient})
	return err
}

// one checks one document. Only a failure to read on is an error here; what is wrong with the document is its verdict.
func (v *validator) one(in *input, text []byte) (int, error) {
	result := verdict{Document: in.document(), File: in.name, Index: in.Number()}
	secrets := findSecrets(text, in.Number() == 1)
	doc, err := checkpoint.Parse(text, v.opts)
	var syntax *jsonspan.SyntaxError
	if errors.As(err, &syntax) {
		secrets(0) // nobody reads the text any more
		syntax.Locate(text)
		result.Findings = []checkpoint.Violation{checkpoint.SyntaxViolation(syntax)}
		v.lineUp(in, result.Findings)
		v.raise(exitInvalid)
		v.report.verdict(&result)
		return 0, errReported{syntax}
	}
	doc.WarnSecrets(secrets(len(doc.Src)))
	doc.Locate()
	v.lineUp(in, doc.Findings.List)
	result.Valid = doc.Findings.Count(checkpoint.Error) == 0
	result.Findings, result.More = doc.Findings.List, doc.Findings.More[checkpoint.Error]+doc.Findings.More[checkpoint.Warning]
	result.SetAside = v.opts.Lenient && doc.SetAside()
	if result.Valid && v.parent != nil {
		v.againstParent(doc, &result)
	}
	if !result.Valid {
		v.raise(exitInvalid)
	}
	v.report.verdict(&result)
	if result.Valid && v.flags.pass {
		v.print(v.streams.out, string(doc.Src)+"\n")
	}
	return len(doc.Src), nil
}

// lineUp counts the lines of the first document of a stream, and for SARIF of every one, from the start of the stream.
func (v *validator) lineUp(in *input, findings []checkpoint.Violation) {
	if in.Number() > 1 && v.flags.format != "sarif" {
		return
	}
	for i := range findings {
		in.fromStart(&findings[i].Line, &findings[i].Column)
	}
}

// errReported is a syntax error that the report has told already.
type errReported struct{ *jsonspan.SyntaxError }

// Unwrap lets the stream recover from it.
func (e errReported) Unwrap() error { return e.SyntaxError }

// againstParent adds what the parent shows: T001 and T002, the digest, and, for a compacted child, §9.2.
func (v *validator) againstParent(doc *checkpoint.Document, result *verdict) {
	found := append(checkpoint.CheckPair(v.parent, doc), v.compaction(doc)...)
	if digest, ok := doc.ParentDigest(); ok {
		if violation, note := v.checkDigest(doc, digest); violation != nil {
			found = append(found, *violation)
		} else {
			result.Notes = append(result.Notes, note)
		}
	}
	for _, violation := range found {
		if violation.Severity == checkpoint.Error {
			result.Valid = false
		}
	}
	result.Findings = append(result.Findings, found...)
	slices.SortStableFunc(result.Findings, func(a, b checkpoint.Violation) int { return a.Offset - b.Offset })
}

// compaction is what §9.2 says of the pair: warnings, unless --strict asks for more.
func (v *validator) compaction(doc *checkpoint.Document) []checkpoint.Violation {
	found := compact.CheckPair(v.parent, doc)
	for i := range found {
		if v.flags.strict {
			found[i].Severity = checkpoint.Error
		}
	}
	return found
}

// checkDigest says which form of the parent the child's parent.digest belongs to. One of another algorithm is a warning: it proves nothing.
func (v *validator) checkDigest(doc *checkpoint.Document, at jsonspan.Item) (*checkpoint.Violation, string) {
	found := doc.Violation("OCX-D", at.Value.Start)
	recorded, err := doc.RecordedDigest(at)
	if err != nil {
		found.Severity, found.Msg = checkpoint.Warning, "the parent's digest proves nothing: "+err.Error()
		return &found, ""
	}
	verify := recorded.Verify
	if v.flags.lenient {
		verify = recorded.VerifyLenient
	}
	match, err := verify(v.raw)
	if err != nil || match == digest.None {
		found.Msg = "the parent's digest is that of another document"
		return &found, ""
	}
	return nil, "the parent's digest matches " + match.String()
}

// reporter writes verdicts in one format.
type reporter interface {
	begin()
	verdict(*verdict)
	end()
}

func (v *validator) newReporter() reporter {
	out := v.streams.out
	if v.flags.pass {
		out = v.streams.err
	}
	write := func(text string) { v.print(out, text) }
	switch v.flags.format {
	case "json":
		return jsonReport{write}
	case "sarif":
		return &sarifReport{write: write}
	}
	return textReport{write, v.common.quiet}
}

// textReport is for people: one line a finding, one a document.
type textReport struct {
	write func(string)
	quiet bool
}

func (textReport) begin() {}
func (textReport) end()   {}

func (r textReport) verdict(d *verdict) {
	var b strings.Builder
	line := func(format string, args ...any) { b.WriteString(visible(fmt.Sprintf(format, args...)) + "\n") }
	for i := range d.Findings {
		f := &d.Findings[i]
		if r.quiet && f.Severity == checkpoint.Warning {
			continue
		}
		line("%s:%d:%d: %s: %s (%s%s)", d.Document, f.Line, f.Column, f.Severity, f.Msg, f.Rule, at(f.Pointer))
		if f.Hint != "" {
			line("hint: %s", f.Hint)
		}
	}
	if d.More > 0 {
		line("%s: %d more findings", d.Document, d.More)
	}
	if !r.quiet {
		for _, note := range d.Notes {
			line("%s: %s", d.Document, note)
		}
		line("%s: %s", d.Document, d.summary())
	}
	r.write(b.String())
}

// summary is the verdict in a few words. No message says more of a document than what was checked (§8.1).
func (d *verdict) summary() string {
	switch {
	case !d.Valid:
		return "invalid"
	case d.SetAside:
		return "accepted with --lenient, which set errors aside"
	}
	return "valid (levels 1 and 2)"
}

// jsonReport is one object a document.
type jsonReport struct{ write func(string) }

func (jsonReport) begin() {}
func (jsonReport) end()   {}

// jsonFinding is a finding in a report for machines.
type jsonFinding struct {
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

func (r jsonReport) verdict(d *verdict) {
	findings := []jsonFinding{}
	for _, f := range d.Findings {
		findings = append(findings, jsonFinding{f.Rule, f.Level, f.Severity.String(), f.Pointer, f.Line, f.Column, f.Offset, f.Msg, f.Hint})
	}
	r.write(marshal(struct {
		Document string        `json:"document"`
		Index    int           `json:"index"`
		Valid    bool          `json:"valid"`
		SetAside bool          `json:"setAside,omitempty"`
		Findings []jsonFinding `json:"findings"`
		More     int           `json:"more,omitempty"`
		Notes    []string      `json:"notes,omitempty"`
	}{d.Document, d.Index, d.Valid && !d.SetAside, d.SetAside, findings, d.More, d.Notes}) + "\n")
}

// marshal is the JSON of a report, which consists of strings and numbers and always has one. What a terminal would act on is escaped,
// as JSON escapes it.
func marshal(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return visible(strings.TrimSuffix(b.String(), "\n"))
}
