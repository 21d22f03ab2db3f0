package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/store"
)

var saveVerb = verb{
	name:    "save",
	summary: "keep a checkpoint for an agent, durably",
	usage:   "save --agent ID [--store URL] [--init] [--expect DIGEST] [--force] [FILE]",
	about: `
Checks each document and keeps it for the agent. When the digest of its bytes is printed, the document is synced. It
becomes the agent's head, which resume returns, if it is the first, or if its parent is the head; otherwise it is saved
beside the head, as a branch. --expect refuses, with exit status 3, when the head is not the one that you saw; it may be
given as a digest of the bytes or of the canonical form, or as none. A document without a parent follows the head that
was expected. What is saved already is not saved twice.`,
	example: "  ocp save --agent reviewer session.ocp.json\n  ocp save --agent reviewer --expect sha-256:2c26... next.ocp.json\n",
	flags: func(set *pflag.FlagSet) runner {
		var f saveFlags
		f.define(set)
		return func(c *command, args []string) { c.save(&f, args) }
	},
}

// saveFlags are the flags of save.
type saveFlags struct {
	storeFlags
	init bool
	opts store.SaveOptions
}

func (f *saveFlags) define(set *pflag.FlagSet) {
	f.storeFlags.define(set, "the agent that saves, by any `ID`; required")
	set.BoolVar(&f.init, "init", false, "make the store if it is not there")
	set.StringVar(&f.opts.Expect, "expect", "", "save only if the head has this `DIGEST`, or if there is none")
	set.BoolVar(&f.opts.Force, "force", false, "make it the head, whatever its parent is")
	set.BoolVar(&f.opts.Lenient, "lenient", false, "accept undefined members and numbers that a double rounds")
}

func (c *command) save(f *saveFlags, files []string) {
	err := f.needAgent("save")
	if err == nil {
		err = oneFile(files)
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.withStore(&f.storeFlags, store.Options{Create: f.init}, func(ctx context.Context, s store.Store) error {
		c.each(files, false, func(in *input, text []byte) (int, error) { return c.saveOne(ctx, s, f, in, text) })
		return nil
	})
}

// saveOne saves one document and says what became of it.
func (c *command) saveOne(ctx context.Context, s store.Store, f *saveFlags, in *input, text []byte) (int, error) {
	doc, err := checkpoint.ParseFirst(text, checkpoint.Options{Lenient: f.opts.Lenient})
	if err != nil {
		return doc.Len(), err
	}
	saved, err := s.Save(ctx, f.agent, doc.Src, f.opts)
	if err != nil {
		return doc.Len(), err
	}
	c.print(c.streams.out, saved.Digest+"\n")
	if !saved.Head && !c.common.quiet {
		c.beside(in, saved)
	}
	return doc.Len(), nil
}

// beside says that a checkpoint is not the head: one that was saved just now, as a branch, or one that had been saved, whatever it was then.
func (c *command) beside(in *input, saved *store.Saved) {
	what, hint := "saved as a branch: its parent is not the head, ", "--force makes it the head; "+bringTogether(saved.Current)
	if saved.Known {
		what, hint = "it was saved before, and the head is another, ", "--force makes it the head"
	}
	c.note("%s: %s%s", in.document(), what, saved.Current)
	c.print(c.streams.err, "hint: "+hint+"\n")
}
