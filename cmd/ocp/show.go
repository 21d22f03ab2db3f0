package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/opencheckpoint/ocp/store"
)

var showVerb = verb{
	name:    "show",
	summary: "print one checkpoint that is saved",
	usage:   "show ID|DIGEST [--store URL]",
	about: `
Prints the checkpoint with that id, or with that digest of its bytes or of its canonical form, to the byte, whoever saved
it: a branch, say, that is to be merged. If none is saved, the exit status is 6.`,
	example: "  ocp list --agent reviewer --format json | jq -r 'select(.branch) | .digest'\n" +
		"  ocp show sha-256:2e27287a8428abfd17a504b6b9ebbbc330a9fec57412bc1c63c18e0d8451358e > branch.ocp.json\n",
	flags: func(set *pflag.FlagSet) runner {
		var f storeFlags
		f.defineAddress(set)
		return func(c *command, args []string) { c.show(&f, args) }
	},
}

func (c *command) show(f *storeFlags, args []string) {
	if len(args) != 1 {
		e := usageError("show takes one id or digest, not %d", len(args))
		e.hint = "ocp list shows what is saved"
		c.fail(e)
		return
	}
	c.withStore(f, store.Options{}, func(ctx context.Context, s store.Store) error {
		found, err := s.Get(ctx, args[0])
		switch {
		case err == nil:
			c.print(c.streams.out, string(found.Bytes)+"\n")
		case errors.Is(err, store.ErrNoCheckpoint):
			return &failure{exitAbsent, "", fmt.Sprintf("no checkpoint with the id or digest %q is saved", args[0]), "ocp list shows what is saved"}
		}
		return err
	})
}
