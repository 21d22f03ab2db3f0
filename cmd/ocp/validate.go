package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/verdict"
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
	parent *verdict.Parent
	report reporter
}

// judged is the verdict on one document of a stream.
type judged struct {
	verdict.Verdict
	Document string
	File     string
	Index    int
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

func (v *validator) readParent() error {
	if v.flags.parent == "" {
		return nil
	}
	raw, err := v.only(v.flags.parent)
	if err != nil {
		return err
	}
	v.parent, err = verdict.NewParent(raw, v.opts)
	return err
}

// one checks one document. Only a failure to read on is an error here; what is wrong with the document is its verdict.
func (v *validator) one(in *input, text []byte) (int, error) {
	found, n, err := verdict.First(text, v.opts, v.parent, findSecrets(text, in.Number() == 1))
	v.lineUp(in, found.Findings)
	if !found.Valid {
		v.raise(exitInvalid)
	}
	v.report.verdict(&judged{found, in.document(), in.name, in.Number()})
	var syntax *jsonspan.SyntaxError
	if errors.As(err, &syntax) {
		return 0, errReported{syntax}
	}
	if found.Valid && v.flags.pass {
		v.print(v.streams.out, string(text[:n])+"\n")
	}
	return n, nil
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

// reporter writes verdicts in one format.
type reporter interface {
	begin()
	verdict(*judged)
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

func (r textReport) verdict(d *judged) {
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
		line("%s: %s", d.Document, d.Summary())
	}
	r.write(b.String())
}

// jsonReport is one object a document.
type jsonReport struct{ write func(string) }

func (jsonReport) begin() {}
func (jsonReport) end()   {}

func (r jsonReport) verdict(d *judged) {
	r.write(marshal(struct {
		Document string            `json:"document"`
		Index    int               `json:"index"`
		Valid    bool              `json:"valid"`
		SetAside bool              `json:"setAside,omitempty"`
		Findings []verdict.Finding `json:"findings"`
		More     int               `json:"more,omitempty"`
		Notes    []string          `json:"notes,omitempty"`
	}{d.Document, d.Index, d.Valid && !d.SetAside, d.SetAside, d.Report(), d.More, d.Notes}) + "\n")
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
