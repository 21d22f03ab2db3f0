package main

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/fault"
	"github.com/opencheckpoint/ocp/merge"
)

var mergeVerb = verb{
	name:    "merge",
	summary: "bring checkpoints back together that were continued in parallel",
	usage:   "merge [--base FILE] [--ancestors DIR] [FLAGS] [FILE...]\n  ocp merge --resolve QUESTION=N... [FLAGS] [FILE]",
	makes:   true,
	about: `
Merges all documents of the files, or of standard input, into one: three-way, by local id, against the nearest common
ancestor that is among them, or at --base or in --ancestors. What one input changed is taken; where inputs differ on
something, the result has an open question with the competing terms, the task is blocked, and the exit status is 5.
Nothing is lost and nothing is chosen silently. Guards of a fork are lifted when it is safe. The order of the inputs
changes nothing.

--resolve settles a conflict of one merged document: its question, and the number of the term that is to hold; 0 keeps
what stands.`,
	example: "  ocp merge before.ocp.json fork-A.ocp.json fork-B.ocp.json > merged.ocp.json\n" +
		"  ocp merge --resolve merge.q.1a2b3c4d=2 merged.ocp.json > resolved.ocp.json\n",
	flags: func(set *pflag.FlagSet) runner {
		var f mergeFlags
		f.define(set)
		return func(c *command, args []string) { c.merge(&f, args) }
	},
}

// mergeFlags are the flags of merge.
type mergeFlags struct {
	base, ancestors, report            string
	lift, resolve                      []string
	unrelated, failOnConflict, lenient bool
}

func (f *mergeFlags) define(set *pflag.FlagSet) {
	set.StringVar(&f.base, "base", "", "the `FILE` with the common ancestor")
	set.StringVar(&f.ancestors, "ancestors", "", "look for it among the documents in `DIR`, too")
	set.BoolVar(&f.unrelated, "unrelated", false, "merge inputs that name no common ancestor")
	set.StringArrayVar(&f.lift, "lift", nil, "lift the fork guard of operation `OP` although a fork is missing (repeatable)")
	set.BoolVar(&f.failOnConflict, "fail-on-conflict", false, "write nothing if inputs disagree; the exit status is 3")
	set.StringVar(&f.report, "report", "", "write what was done as JSON to `FILE`")
	set.StringArrayVar(&f.resolve, "resolve", nil, "settle a conflict, `QUESTION=N`, in one merged document (repeatable)")
	set.BoolVar(&f.lenient, "lenient", false, "accept undefined members and numbers that a double rounds, and carry them")
}

// check refuses flags that do not go together.
func (f *mergeFlags) check(c *command, files []string) error {
	switch {
	case len(f.resolve) > 0 && (f.base != "" || f.ancestors != "" || f.unrelated || len(f.lift) > 0):
		return usageError("--resolve settles conflicts of one merged document; --base, --ancestors, --unrelated and --lift go with a merge")
	case len(f.resolve) > 0 && len(files) > 1:
		return oneFile(files)
	case len(c.common.ids) > 1:
		return usageError("--id is given %d times and one document is made", len(c.common.ids))
	case f.report == "-" && (c.common.output == "" || c.common.output == "-"):
		return usageError("--report - would stand behind the document")
	case f.report != "" && f.report != "-":
		return apartFrom("--report", f.report, append(slices.Clone(files), c.common.output, f.base))
	case f.base == "-" && (len(files) == 0 || slices.Contains(files, "-")):
		return usageError("the base and the inputs cannot both be standard input")
	}
	return nil
}

// options turns the flags into the library's options.
func (f *mergeFlags) options(c *command) (opts merge.Options, err error) {
	opts = merge.Options{Unrelated: f.unrelated, Lift: f.lift, ParentURI: c.common.parentURI, Lenient: f.lenient}
	if len(c.common.ids) > 0 {
		opts.ID = c.common.ids[0]
	}
	if opts.Now, err = c.clock(); err != nil {
		return opts, err
	}
	if f.base != "" {
		if opts.Base, err = c.only(f.base); err != nil {
			return opts, err
		}
	}
	if f.ancestors != "" {
		opts.Ancestors, err = c.readAncestors(f)
	}
	return opts, err
}

// choices reads --resolve.
func (f *mergeFlags) choices() (list []merge.Choice, err error) {
	for _, s := range f.resolve {
		question, number, ok := strings.Cut(s, "=")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n < 0 || question == "" {
			e := usageError("--resolve %q is not QUESTION=N", s)
			e.hint = "N is the number of a term, or 0 for what stands, as in merge.q.1a2b3c4d=2"
			return nil, e
		}
		list = append(list, merge.Choice{Question: question, Term: n})
	}
	return list, nil
}

func (c *command) merge(f *mergeFlags, files []string) {
	err := f.check(c, files)
	var choices []merge.Choice
	if err == nil {
		choices, err = f.choices()
	}
	var opts merge.Options
	if err == nil {
		opts, err = f.options(c)
	}
	if err != nil {
		c.fail(err)
		return
	}
	open := false
	defer c.release()
	c.withOutputs([]string{c.common.output, f.report}, func(o []*output) {
		var name string
		var err error
		lost := fault.Catch(func() {
			var r *merge.Result
			if r, name, err = c.mergeFiles(f, opts, choices, files); err == nil && r != nil {
				open = len(r.Conflicts) > 0
				err = c.writeMerged(f, r, name, o)
			}
		})
		if err = cmp.Or(lost, err); err != nil {
			c.fail(explain(name, err))
		}
	})
	if open && c.status == 0 {
		c.raise(exitConflict)
	}
}

// mergeFiles reads all inputs and merges them. Without a result and an error, the error was reported.
func (c *command) mergeFiles(f *mergeFlags, opts merge.Options, choices []merge.Choice, files []string) (r *merge.Result, name string, err error) {
	if len(choices) > 0 {
		return c.resolveFile(opts, choices, files)
	}
	m, err := merge.New(opts)
	if err != nil {
		return nil, f.base, err
	}
	c.counts = true
	c.each(files, false, func(in *input, text []byte) (int, error) {
		if c.keep(in) {
			return m.AddInPlace(text)
		}
		return m.Add(text)
	})
	if c.status != 0 {
		return nil, "", nil
	}
	r, err = m.Merge()
	return r, "", err
}

// resolveFile settles conflicts of the one document there is.
func (c *command) resolveFile(opts merge.Options, choices []merge.Choice, files []string) (r *merge.Result, name string, err error) {
	c.each(files, false, func(in *input, text []byte) (n int, err error) {
		if r != nil {
			return 0, &failure{exitRefused, in.document(), "--resolve takes one document", "resolve one document at a time"}
		}
		name = in.document()
		r, n, err = merge.ResolveFirst(text, choices, opts)
		return n, err
	})
	if c.status != 0 {
		r = nil
	}
	return r, name, nil
}

// writeMerged writes the result and its report, and says what the person should know.
func (c *command) writeMerged(f *mergeFlags, r *merge.Result, name string, o []*output) error {
	if r.ClockBehind != "" {
		c.note("the clock is behind the inputs; created_at is %s", r.ClockBehind)
	}
	if r.Unchanged {
		c.tellSpare(c.common.ids)
	}
	for _, note := range r.Notes {
		c.note("%s", note)
	}
	c.tellConflicts(f, r)
	if f.report != "" {
		if err := o[1].write([]byte(marshal(r.Report()) + "\n")); err != nil {
			return err
		}
	}
	if f.failOnConflict && len(r.Conflicts) > 0 {
		return &failure{exitRefused, name, "the inputs disagree, and nothing is written", "without --fail-on-conflict the conflicts become questions of the result"}
	}
	return o[0].writeDocument(r)
}

// tellConflicts lists the open conflicts, and how to settle one.
func (c *command) tellConflicts(f *mergeFlags, r *merge.Result) {
	for _, conflict := range r.Conflicts {
		c.note("%s: %s", conflict.Question, conflict.Asks())
		for _, option := range conflict.Options() {
			c.note("  %s", option)
		}
	}
	if len(r.Conflicts) > 0 && !c.common.quiet && !f.failOnConflict {
		c.print(c.streams.err, "hint: ocp merge --resolve "+visible(r.Conflicts[0].Question)+"=N settles one, with the number of what is to hold\n")
	}
}

// ancestorEndings are those of the files in which --ancestors looks for documents.
var ancestorEndings = []string{".json", ".jsonl", ".ndjson"}

// readAncestors reads the documents in a directory. What is no valid checkpoint there is no ancestor.
func (c *command) readAncestors(f *mergeFlags) (docs [][]byte, err error) {
	entries, err := os.ReadDir(f.ancestors)
	if err != nil {
		return nil, &failure{status: exitIO, where: f.ancestors, what: plainError(err)}
	}
	for _, entry := range entries {
		if !slices.Contains(ancestorEndings, filepath.Ext(entry.Name())) || entry.IsDir() {
			continue
		}
		more, err := c.readStream(filepath.Join(f.ancestors, entry.Name()), checkpoint.Options{Lenient: f.lenient})
		if err != nil {
			return nil, err
		}
		docs = append(docs, more...)
	}
	return docs, nil
}

// readStream reads the documents of a file, up to the first that is none.
func (c *command) readStream(path string, opts checkpoint.Options) (docs [][]byte, err error) {
	in, err := c.open(path)
	if err != nil {
		return nil, err
	}
	defer in.close()
	for {
		text, err := in.Next()
		if err == io.EOF {
			return docs, nil
		}
		if err != nil {
			return nil, in.failed(err)
		}
		doc, err := checkpoint.ParseFirst(text, opts)
		if err != nil {
			c.note("%s: no valid checkpoint, so no ancestor", in.place())
			return docs, nil
		}
		docs = append(docs, bytes.Clone(doc.Src))
		in.Advance(doc.Len())
	}
}
