package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/opencheckpoint/ocp/compact"
	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/tokens"
)

var compactVerb = verb{
	name:    "compact",
	summary: "make a checkpoint fit a budget with the smallest loss",
	usage:   "compact --budget N[tok|B|kB|KiB|MB|MiB]|min [FLAGS] [FILE]",
	makes:   true,
	about: `
Makes each document fit the budget. A document that fits already leaves as it came. Never lost: the task, active
instructions, constraints and decisions, open questions, operations that are not over, stop conditions, what a
destination must check, the focus and the next steps, and what these refer to. The rest goes step by step, the least
valuable first, and is counted in derivation.omissions or derivation.transformations. Statements that were verified
become stale, unless their evidence is checked again. Below the floor nothing is written and the exit status is 3.`,
	example: "  ocp compact --budget 8000 --explain session.ocp.json > small.ocp.json\n",
	flags: func(set *pflag.FlagSet) runner {
		var f compactFlags
		f.define(set)
		return func(c *command, args []string) { c.compact(&f, args) }
	},
}

// compactFlags are the flags of compact.
type compactFlags struct {
	budget, tokenizer, recheck, report                string
	keep, keepKinds                                   []string
	dropDone, assumeChecked, explain, dryRun, lenient bool
}

func (f *compactFlags) define(set *pflag.FlagSet) {
	set.StringVar(&f.budget, "budget", "", "the size that the document may have: `N` tokens, or bytes with a unit, or min")
	set.StringVar(&f.tokenizer, "tokenizer", tokens.Default, "what counts tokens, by `NAME`: "+strings.Join(tokens.Names(), ", "))
	set.StringArrayVar(&f.keep, "keep", nil, "keep the object with this local `ID` whole (repeatable)")
	set.StringArrayVar(&f.keepKinds, "keep-kind", nil, "keep statements of this `KIND` whole (repeatable)")
	set.BoolVar(&f.dropDone, "drop-done", false, "as the last resort give up rejected approvals and actions that are over")
	set.StringVar(&f.recheck, "recheck", "", "check the recorded digests of file: resources under `DIR`")
	set.BoolVar(&f.assumeChecked, "assume-checked", false, "the evidence was checked: verified statements stay verified")
	set.BoolVar(&f.explain, "explain", false, "print a table of what went, what stayed, and why")
	set.StringVar(&f.report, "report", "", "write the same as JSON to `FILE`")
	set.BoolVar(&f.dryRun, "dry-run", false, "do all but write the document")
	set.BoolVar(&f.lenient, "lenient", false, "accept undefined members and numbers that a double rounds, and carry them")
}

// options turns the flags into the library's options.
func (f *compactFlags) options(c *command) (opts compact.Options, err error) {
	if f.budget == "" {
		e := usageError("--budget is missing")
		e.hint = "for example ocp compact --budget 8000"
		return opts, e
	}
	budget, err := compact.ParseBudget(f.budget)
	if err != nil {
		e := usageError("%v", err)
		e.hint = "for example 8000 (tokens), 32KiB, or min"
		return opts, e
	}
	if _, err := tokens.NewCounter(f.tokenizer); err != nil {
		return opts, usageError("%v", err)
	}
	for _, kind := range f.keepKinds {
		if !slices.Contains(compact.Kinds(), kind) {
			return opts, usageError("--keep-kind %q is no statement kind; one of %s is meant", kind, strings.Join(compact.Kinds(), ", "))
		}
	}
	if f.assumeChecked && f.recheck != "" {
		return opts, usageError("--recheck and --assume-checked exclude each other")
	}
	now, err := c.clock()
	opts = compact.Options{Budget: budget, Tokenizer: f.tokenizer, Keep: f.keep, KeepKinds: f.keepKinds, DropDone: f.dropDone,
		AssumeChecked: f.assumeChecked, Now: now, ParentURI: c.common.parentURI, Lenient: f.lenient}
	if f.recheck != "" {
		opts.Recheck, err = rechecker(f.recheck)
	}
	return opts, err
}

func (c *command) compact(f *compactFlags, files []string) {
	opts, err := f.options(c)
	if err == nil {
		err = oneFile(files)
	}
	if err == nil && f.report == "-" && !f.dryRun && (c.common.output == "" || c.common.output == "-") {
		err = usageError("--report - would stand between the documents")
	}
	if err == nil && f.report != "" && f.report != "-" {
		err = apartFrom("--report", f.report, append(files, c.common.output))
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.withOutputs([]string{c.common.output, f.report}, func(o []*output) {
		ids := slices.Clone(c.common.ids)
		c.each(files, false, func(in *input, text []byte) (int, error) {
			return c.compactOne(f, opts, &ids, in, text, o)
		})
		c.tellSpare(ids)
	})
}

// compactOne compacts one document and writes it and its report.
func (c *command) compactOne(f *compactFlags, opts compact.Options, ids *[]string, in *input, text []byte, o []*output) (int, error) {
	if len(*ids) > 0 {
		opts.ID = (*ids)[0]
	} else if len(c.common.ids) > 0 {
		opts.ID = noID
	}
	r, n, err := compact.First(text, opts)
	if err != nil {
		return n, err
	}
	if !r.Unchanged && opts.ID == noID {
		return n, &failure{exitRefused, in.document(), "there are more documents than --id flags", "repeat --id for each output"}
	}
	if !r.Unchanged && len(*ids) > 0 {
		*ids = (*ids)[1:]
	}
	c.tell(in, r)
	if f.explain {
		c.print(c.streams.err, visibleLines(explanation(in.document(), r)))
	}
	if f.report != "" {
		if err := o[1].write(append(report(in.document(), r), '\n')); err != nil {
			return n, err
		}
	}
	if f.dryRun {
		return n, nil
	}
	return n, o[0].writeDocument(r)
}

// noID stands for the id that a document would need when the person gave too few.
const noID = "urn:ocp:no-id-left"

// tell notes what the person should know although all went well.
func (c *command) tell(in *input, r *compact.Result) {
	c.tellClock(in, r.ClockBehind)
	for _, id := range r.Mismatched {
		c.note("%s: resource %s has another digest than recorded; what rests on it is stale", in.document(), id)
	}
}

// rechecker returns the digests of files under dir, and of no others.
func rechecker(dir string) (func(uri string) (digest.Digest, error), error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &failure{status: exitIO, where: dir, what: plainError(err)}
	}
	base, err := filepath.Abs(dir)
	if err != nil {
		return nil, ioError(err)
	}
	return func(uri string) (digest.Digest, error) {
		path, err := filePath(uri)
		if err != nil {
			return digest.Digest{}, err
		}
		relative, err := filepath.Rel(base, path)
		if err != nil {
			return digest.Digest{}, err
		}
		return fileDigest(root, relative)
	}, nil
}

// fileDigest is the digest of a regular file; what is none may never end.
func fileDigest(root *os.Root, name string) (digest.Digest, error) {
	info, err := root.Stat(name)
	if err != nil {
		return digest.Digest{}, err
	}
	if !info.Mode().IsRegular() {
		return digest.Digest{}, errors.New("it is no regular file")
	}
	file, err := root.Open(name)
	if err != nil {
		return digest.Digest{}, err
	}
	defer file.Close()
	return digest.OfReader(file)
}

// explanation is the table of --explain.
func explanation(name string, r *compact.Result) string {
	var b strings.Builder
	if r.Unchanged {
		return name + ": unchanged, it fits\n"
	}
	fmt.Fprintf(&b, "%s: now %d %s\n\n", name, r.Size, r.Unit)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "rung\tdone\twhat\tobject\treason\tbytes saved")
	for _, s := range r.Steps() {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%d\n", s.Rung, s.Action, s.Noun, s.Object, s.Reason, s.Saved)
	}
	fmt.Fprintln(w, "\nkept\twhat\twhy\tbytes")
	for _, k := range r.Kept() {
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\n", k.Count, k.Noun, k.Why, k.Bytes)
	}
	w.Flush()
	if len(r.Stale) > 0 {
		fmt.Fprintf(&b, "\nnow stale: %s\n", strings.Join(r.Stale, ", "))
	}
	return b.String()
}

// visibleLines makes several lines visible.
func visibleLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = visible(lines[i])
	}
	return strings.Join(lines, "\n")
}

// report is the same as JSON.
func report(name string, r *compact.Result) []byte {
	return []byte(marshal(struct {
		Document   string         `json:"document"`
		ID         string         `json:"id"`
		Unchanged  bool           `json:"unchanged"`
		Size       int            `json:"size"`
		Unit       string         `json:"unit"`
		Steps      []compact.Step `json:"steps"`
		Kept       []compact.Kept `json:"kept"`
		Stale      []string       `json:"stale"`
		Mismatched []string       `json:"mismatched"`
	}{name, r.ID, r.Unchanged, r.Size, r.Unit.String(), list(r.Steps()), list(r.Kept()), list(r.Stale), list(r.Mismatched)}))
}

// list is never null in JSON.
func list[T any](items []T) []T { return append([]T{}, items...) }
