package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"

	"github.com/opencheckpoint/ocp/store"
)

var listVerb = verb{
	name:    "list",
	summary: "list the checkpoints that are saved",
	usage:   "list [--agent ID] [--store URL] [--format text|json]",
	about: `
Prints a line for each checkpoint, ordered by agent, those of one in the order in which they were saved: when, head,
branch or -, the bytes, the digest, the agent, the id. A branch was saved beside the head and never was the head.
--format json prints an object a line.`,
	example: "  ocp list --agent reviewer\n  ocp list --format json | jq -r 'select(.branch) | .digest'\n",
	flags: func(set *pflag.FlagSet) runner {
		var f listFlags
		f.storeFlags.define(set, "only what this agent saved, by its `ID`")
		f.defineFormat(set)
		return func(c *command, args []string) { c.list(&f, args) }
	},
}

// listFlags are the flags of verbs that list.
type listFlags struct {
	storeFlags
	format string
}

func (f *listFlags) defineFormat(set *pflag.FlagSet) {
	set.StringVar(&f.format, "format", "text", "`text` or json")
}

func (f *listFlags) check(verb string, args []string) error {
	switch {
	case len(args) > 0:
		return usageError("%s takes no file", verb)
	case f.format != "text" && f.format != "json":
		return usageError("--format %q is neither text nor json", f.format)
	}
	return nil
}

func (c *command) list(f *listFlags, args []string) {
	if err := f.check("list", args); err != nil {
		c.fail(err)
		return
	}
	c.withStore(&f.storeFlags, store.Options{}, func(ctx context.Context, s store.Store) error {
		w := bufio.NewWriter(c.streams.out)
		for entry, err := range s.List(ctx, f.agent) {
			if err != nil {
				c.flush(w)
				return err
			}
			if _, err := io.WriteString(w, f.line(entry)); err != nil {
				break
			}
		}
		c.flush(w)
		return nil
	})
}

// flush writes what is left; a pipe that was closed is told once.
func (c *command) flush(w *bufio.Writer) {
	if err := w.Flush(); err != nil {
		c.fail(&failure{status: exitIO, where: "standard output", what: plainError(err)})
	}
}

// line is an entry as a line.
func (f *listFlags) line(e store.Entry) string {
	if f.format == "json" {
		return marshal(entryReport{e.Agent, e.ID, e.Digest, e.Canonical, e.Parent, e.SavedAt, e.Size, e.Head, e.Branch}) + "\n"
	}
	state := "-"
	switch {
	case e.Head:
		state = "head"
	case e.Branch:
		state = "branch"
	}
	return fmt.Sprintf("%s  %-6s  %9d  %s  %s  %s\n", e.SavedAt.UTC().Format(time.RFC3339), state, e.Size, e.Digest, visible(e.Agent), visible(e.ID))
}

// entryReport is an entry as JSON.
type entryReport struct {
	Agent     string    `json:"agent"`
	ID        string    `json:"id"`
	Digest    string    `json:"digest"`
	Canonical string    `json:"canonical"`
	Parent    string    `json:"parent,omitempty"`
	SavedAt   time.Time `json:"saved_at"`
	Size      int64     `json:"size"`
	Head      bool      `json:"head"`
	Branch    bool      `json:"branch"`
}
