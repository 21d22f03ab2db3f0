package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/opencheckpoint/ocp/compact"
	"github.com/opencheckpoint/ocp/fork"
	"github.com/opencheckpoint/ocp/internal/capture"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/fault"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/merge"
)

// The exit statuses, the same for every verb.
const (
	exitInvalid  = 1
	exitUsage    = 2
	exitRefused  = 3
	exitIO       = 4
	exitConflict = 5
	exitAbsent   = 6
	exitInternal = 70
)

// internalHint is what there is to say of a bug.
const internalHint = "this is a bug in ocp; nothing was written"

// failure is an error as the person sees it: where, what, and a hint that says what to type.
type failure struct {
	status int
	where  string
	what   string
	hint   string
}

// Error is the message without the hint.
func (f *failure) Error() string {
	if f.where == "" {
		return f.what
	}
	return f.where + ": " + f.what
}

func usageError(format string, args ...any) *failure {
	return &failure{status: exitUsage, what: fmt.Sprintf(format, args...)}
}

func ioError(err error) *failure { return &failure{status: exitIO, what: plainError(err)} }

// plainError is an error of the operating system without the name of the call.
func plainError(err error) string {
	type pathError interface{ Unwrap() error }
	for {
		inner, ok := err.(pathError)
		if !ok || inner.Unwrap() == nil {
			return err.Error()
		}
		err = inner.Unwrap()
	}
}

// explain turns an error of the library about the document called name into a failure.
func explain(name string, err error) *failure {
	var (
		already  *failure
		syntax   *jsonspan.SyntaxError
		invalid  *checkpoint.InvalidError
		budget   *compact.BudgetError
		unknown  *compact.UnknownIDError
		internal *checkpoint.InternalError
		instant  *checkpoint.InstantError
		changed  *fault.Error
		request  *fork.RequestError
		wish     *merge.RequestError
		lineage  *merge.DigestError
		document *merge.DocumentError
		reading  *capture.ReadError
	)
	switch {
	case errors.As(err, &already):
		return already
	case errors.As(err, &document):
		return explain(cmp.Or(name, document.Role), document.Err)
	case errors.As(err, &internal):
		return &failure{exitInternal, name, internal.Error(), internalHint}
	case errors.As(err, &syntax):
		return explainSyntax(name, syntax)
	case errors.As(err, &invalid):
		return explainInvalid(name, invalid)
	case errors.As(err, &budget):
		return &failure{exitRefused, name, budget.Error() + ": " + parts(budget), "ask for more, or for --budget min"}
	case errors.As(err, &unknown):
		return &failure{exitRefused, name, unknown.Error(), "--keep takes the local id of an object of the document"}
	case errors.As(err, &instant):
		return &failure{status: exitInvalid, where: name, what: instant.Error()}
	case errors.As(err, &request):
		return &failure{status: exitRefused, where: name, what: request.Error()}
	case errors.As(err, &wish):
		return &failure{exitRefused, name, wish.Error(), wish.Hint}
	case errors.As(err, &lineage):
		return &failure{exitInvalid, name, lineage.Error(), "one of the two was changed; merge the documents that belong together"}
	case errors.As(err, &changed):
		return &failure{status: exitIO, where: name, what: changed.Error()}
	case errors.As(err, &reading):
		return &failure{status: exitIO, where: name, what: plainError(reading)}
	case errors.Is(err, capture.ErrNoObjective):
		return &failure{exitRefused, name, err.Error(), "say it with --objective TEXT"}
	case errors.Is(err, capture.ErrFormat):
		return &failure{exitInvalid, name, err.Error(), "one of " + strings.Join(capture.Formats(), ", ") + " is read; --from names the format"}
	case errors.Is(err, capture.ErrEmpty), errors.Is(err, capture.ErrNoRecord):
		return &failure{status: exitInvalid, where: name, what: err.Error()}
	case isOfStore(err):
		return explainStore(err)
	case errors.Is(err, checkpoint.ErrText):
		return &failure{exitUsage, "", "--id: " + err.Error(), "it is usually a urn:uuid: URN"}
	case errors.Is(err, checkpoint.ErrSameID):
		return &failure{exitRefused, name, err.Error(), "give --id another value, or leave it out"}
	}
	return &failure{status: exitInternal, where: name, what: err.Error()}
}

func explainSyntax(name string, e *jsonspan.SyntaxError) *failure {
	what := fmt.Sprintf("line %d, column %d: %s (OCX-J-%s%s)", e.Line, e.Column, e.Error(), e.Kind, at(e.Pointer))
	return &failure{exitInvalid, name, what, e.Hint()}
}

func explainInvalid(name string, e *checkpoint.InvalidError) *failure {
	v := e.First()
	f := &failure{exitInvalid, name, fmt.Sprintf("%s (%s%s)", v.Msg, v.Rule, at(v.Pointer)), v.Hint}
	if more := e.Findings.Count(checkpoint.Error) - 1; more > 0 {
		f.what += fmt.Sprintf(", and %d more", more)
		f.hint = "ocp validate lists them all"
	}
	return f
}

// at says where in the document; the whole document has an empty pointer.
func at(pointer string) string {
	if pointer == "" {
		return ""
	}
	return " at " + pointer
}

// parts lists what makes up the floor.
func parts(e *compact.BudgetError) string {
	var list []string
	for _, p := range e.Parts {
		list = append(list, fmt.Sprintf("%s %d", p.Name, p.Size))
	}
	return strings.Join(list, ", ")
}

// fail reports an error and raises the exit status.
func (c *command) fail(err error) {
	f := explain("", err)
	c.raise(f.status)
	c.say(f.Error())
	if f.hint != "" {
		c.print(c.streams.err, "hint: "+visible(f.hint)+"\n")
	}
}

// catch turns a panic into a failure with its exit status.
func (c *command) catch() {
	if p := recover(); p != nil {
		c.temps.removeAll()
		c.fail(&failure{exitInternal, "", fmt.Sprint("internal error: ", p), internalHint})
	}
}

func (c *command) raise(status int) { c.status = max(c.status, status) }

// note tells the person something that is no error.
func (c *command) note(format string, args ...any) {
	if !c.common.quiet {
		c.say(fmt.Sprintf(format, args...))
	}
}

// say writes one line to standard error.
func (c *command) say(line string) {
	c.notes.clear()
	prefix := "ocp"
	if c.verb != "" {
		prefix += " " + c.verb
	}
	c.print(c.streams.err, prefix+": "+visible(line)+"\n")
}

// print writes text; a failure to write to standard error has nowhere to be told, one to write to standard output is told once.
func (c *command) print(w io.Writer, text string) {
	told := c.out.err != nil
	if _, err := io.WriteString(w, text); err != nil && w == c.streams.out && !told {
		c.fail(&failure{status: exitIO, where: "standard output", what: plainError(err)})
	}
}

// visible escapes what a terminal would act on: control characters, and the marks that reorder text. A checkpoint is untrusted (§10).
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
