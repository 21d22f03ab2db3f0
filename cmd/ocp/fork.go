package main

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/opencheckpoint/ocp/fork"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

var forkVerb = verb{
	name:    "fork",
	summary: "make siblings in which a pending side effect is actionable at most once",
	usage:   "fork -n N [FLAGS] [FILE]",
	makes:   true,
	about: `
Makes N siblings of each document, for agents that go on in parallel. An action that is not over and may change the
world is actionable in no fork, unless --owner, --spread or --assign gives it one; in all others a stop condition
forbids it. Operations that depend on each other have one owner. What was forbidden in the parent stays so. Everything
that a fork does not change has the parent's bytes.

The forks go to standard output, one after the other, or to one file each with -o and a name that holds {label} or {n};
then all appear or none.`,
	example: "  ocp fork -n 3 --label A,B,C --assign op-pay=B -o 'fork-{label}.ocp.json' session.ocp.json\n",
	flags: func(set *pflag.FlagSet) runner {
		var f forkFlags
		f.define(set)
		return func(c *command, args []string) { c.fork(&f, args) }
	},
}

// forkFlags are the flags of fork.
type forkFlags struct {
	n                                      int
	labels                                 []string
	owner, by                              string
	assign, instruct, constrain, supersede []string
	spread, remove, withParent, lenient    bool
}

func (f *forkFlags) define(set *pflag.FlagSet) {
	set.IntVarP(&f.n, "number", "n", 0, "how many forks to make, `N`")
	set.StringSliceVar(&f.labels, "label", nil, "their `LABELS`, separated by commas (default: 1, 2, 3...)")
	set.StringVar(&f.owner, "owner", "", "all pending actions are actionable in fork `K`, a label or a number")
	set.BoolVar(&f.spread, "spread", false, "deal the pending actions to the forks in turn")
	set.StringArrayVar(&f.assign, "assign", nil, "make an operation actionable in one fork, `OP=K` (repeatable)")
	set.BoolVar(&f.remove, "remove", false, "drop what another fork owns, where nothing refers to it, instead of forbidding it")
	set.BoolVar(&f.withParent, "with-parent", false, "put the parent first, so that a later merge has its base")
	set.StringArrayVar(&f.instruct, "instruct", nil, "add an instruction to one fork, `K=TEXT` (repeatable)")
	set.StringArrayVar(&f.constrain, "constrain", nil, "add a constraint to one fork, `K=TEXT` (repeatable)")
	set.StringArrayVar(&f.supersede, "supersede", nil, "the statement `ID` is superseded by the one that is added (repeatable)")
	set.StringVar(&f.by, "by", "", "whose words the added statements are, `TYPE[:NAME]`; user or system for an instruction")
	set.BoolVar(&f.lenient, "lenient", false, "accept undefined members and numbers that a double rounds, and carry them")
}

// options turns the flags into the library's options, as far as they make sense without a document.
func (f *forkFlags) options(c *command) (opts fork.Options, err error) {
	if f.n < 1 || f.n > fork.MaxForks {
		e := usageError("-n %d: from 1 to %d forks can be made", f.n, fork.MaxForks)
		if f.n == 0 {
			e = usageError("-n is missing or 0: from 1 to %d forks can be made", fork.MaxForks)
		}
		e.hint = "for example ocp fork -n 3"
		return opts, e
	}
	if f.owner != "" && f.spread {
		return opts, usageError("--owner and --spread exclude each other")
	}
	if err := f.checkLabels(); err != nil {
		return opts, err
	}
	opts = fork.Options{Labels: f.labels, Owner: f.owner, Spread: f.spread, Remove: f.remove, Supersede: f.supersede,
		ParentURI: c.common.parentURI, Lenient: f.lenient}
	if opts.Now, err = c.clock(); err != nil {
		return opts, err
	}
	if f.owner != "" {
		if err := f.checkFork("--owner", f.owner); err != nil {
			return opts, err
		}
	}
	for _, a := range f.assign {
		operation, k, ok := strings.Cut(a, "=")
		if !ok {
			return opts, usageError("--assign %q is not OP=K", a)
		}
		if err := f.checkFork("--assign", k); err != nil {
			return opts, err
		}
		opts.Assign = append(opts.Assign, fork.Assignment{Operation: operation, Fork: k})
	}
	opts.Statements, err = f.statements()
	return opts, err
}

func (f *forkFlags) checkLabels() error {
	if len(f.labels) > 0 && len(f.labels) != f.n {
		return usageError("--label names %d forks and -n makes %d", len(f.labels), f.n)
	}
	for i, label := range f.labels {
		switch {
		case !fork.IsLabel(label):
			return usageError("--label %q: a label has letters, digits, '.', '_' and '-', and no '.' first", label)
		case slices.Contains(f.labels[:i], label):
			return usageError("--label %q is given twice", label)
		}
	}
	return nil
}

// names are the labels, given or by number.
func (f *forkFlags) names() []string {
	if len(f.labels) > 0 {
		return f.labels
	}
	names := make([]string, f.n)
	for i := range names {
		names[i] = strconv.Itoa(i + 1)
	}
	return names
}

func (f *forkFlags) checkFork(flag, k string) error {
	if _, ok := fork.Find(f.names(), k); ok {
		return nil
	}
	e := usageError("%s: there is no fork %q", flag, k)
	e.hint = "name a label, or a number from 1 to " + strconv.Itoa(f.n)
	return e
}

// statements reads --instruct and --constrain with --by.
func (f *forkFlags) statements() (list []fork.Statement, err error) {
	kind, name, _ := strings.Cut(f.by, ":")
	by := fork.Origin{Type: kind, Name: name}
	for _, group := range []struct {
		flag, kind string
		texts      []string
		origins    []string
	}{{"--instruct", "instruction", f.instruct, []string{"user", "system"}}, {"--constrain", "constraint", f.constrain, checkpoint.OriginTypes()}} {
		for _, s := range group.texts {
			k, text, ok := strings.Cut(s, "=")
			if !ok || text == "" {
				return nil, usageError("%s %q is not K=TEXT", group.flag, s)
			}
			if err := f.checkFork(group.flag, k); err != nil {
				return nil, err
			}
			if !slices.Contains(group.origins, by.Type) {
				e := usageError("%s needs --by, which says whose words they are, not %q", group.flag, f.by)
				if f.by == "" {
					e = usageError("%s needs --by, which says whose words they are", group.flag)
				}
				e.hint = "one of " + strings.Join(group.origins, ", ") + ", perhaps with :NAME behind it"
				return nil, e
			}
			list = append(list, fork.Statement{Fork: k, Kind: group.kind, Text: text, By: by})
		}
	}
	if len(list) == 0 && (f.by != "" || len(f.supersede) > 0) {
		return nil, usageError("--by and --supersede go with --instruct or --constrain")
	}
	return list, nil
}

func (c *command) fork(f *forkFlags, files []string) {
	opts, err := f.options(c)
	if err == nil {
		err = oneFile(files)
	}
	if err == nil {
		err = f.checkPattern(c.common.output)
	}
	if err != nil {
		c.fail(err)
		return
	}
	ids := slices.Clone(c.common.ids)
	var written []*output
	c.each(files, false, func(in *input, text []byte) (int, error) {
		return c.forkOne(f, opts, &ids, &written, in, text)
	})
	c.place(written)
	c.tellSpare(ids)
}

// forkOne makes the forks of one document.
func (c *command) forkOne(f *forkFlags, opts fork.Options, ids *[]string, written *[]*output, in *input, text []byte) (int, error) {
	opts.IDs = *ids
	forks, n, err := fork.First(text, f.n, opts)
	if err != nil {
		return n, err
	}
	if opts.IDs != nil {
		*ids = opts.IDs[f.n:]
	}
	c.tellClock(in, forks.ClockBehind)
	for _, note := range forks.Notes {
		c.note("%s: %s", in.document(), note)
	}
	if c.common.output != "" && c.common.output != "-" {
		return n, c.forkFiles(in, forks, written)
	}
	return n, c.forkStream(f, in, forks)
}

// forkStream writes the forks to standard output, each as soon as it is made.
func (c *command) forkStream(f *forkFlags, in *input, forks *fork.Forks) error {
	out, err := c.create("")
	if err != nil {
		return err
	}
	parent := f.withParent
	for r, err := range forks.All() {
		if err != nil {
			return err
		}
		if parent { // not before there is a fork
			if err := out.write(append(slices.Clone(forks.Parent()), '\n')); err != nil {
				return err
			}
			parent = false
		}
		if err := out.writeDocument(r); err != nil {
			return err
		}
		if len(r.Kept) > 0 {
			c.note("%s: fork %s %s", in.document(), r.Label, r.Summary())
		}
	}
	return nil
}

// forkFiles writes the forks beside where they will appear.
func (c *command) forkFiles(in *input, forks *fork.Forks, written *[]*output) error {
	i := -1
	for r, err := range forks.All() {
		if err != nil {
			return err
		}
		i++
		path := forkPath(c.common.output, r.Label, i)
		if slices.ContainsFunc(*written, func(o *output) bool { return o.name == path }) {
			return &failure{exitRefused, path, "it would hold the forks of two documents", "fork one document at a time"}
		}
		if _, err := os.Lstat(path); err == nil && !c.common.force {
			return &failure{exitRefused, path, "it exists", "--force replaces it"}
		}
		out, err := c.create(path)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(*written, func(o *output) bool { return o.target == out.target && o.target != "" }) {
			out.abandon()
			return &failure{exitRefused, path, "another fork has the same file", "put {label} or {n} into the name of the file"}
		}
		*written = append(*written, out)
		if err := out.writeDocument(r); err != nil {
			return err
		}
		if err := out.finish(); err != nil {
			return err
		}
		out.summary = r.Summary()
	}
	return nil
}

// forkPath is the name of a fork's file.
func forkPath(pattern, label string, i int) string {
	return strings.NewReplacer("{label}", label, "{n}", strconv.Itoa(i+1)).Replace(pattern)
}

// checkPattern refuses an output that two forks would share, and a file for the parent.
func (f *forkFlags) checkPattern(pattern string) error {
	if pattern == "" || pattern == "-" {
		return nil
	}
	if f.withParent {
		return usageError("--with-parent goes with standard output: the parent has a file already")
	}
	seen := map[string]bool{}
	for i, label := range f.names() {
		path := forkPath(pattern, label, i)
		if seen[path] {
			e := usageError("-o %s names one file for several forks", pattern)
			e.hint = "put {label} or {n} into the name"
			return e
		}
		seen[path] = true
	}
	return nil
}

// place puts all files in their places, or none.
func (c *command) place(files []*output) {
	if c.status != 0 {
		abandon(files)
		return
	}
	for i, o := range files {
		existed := o.exists()
		if err := o.place(); err != nil {
			c.fail(err)
			abandon(files[i+1:])
			for _, done := range files[:i] {
				if done.fresh {
					os.Remove(done.target)
				}
			}
			return
		}
		o.fresh = !existed
	}
	for _, o := range files {
		c.note("%s: %s", o.name, o.summary)
	}
}
