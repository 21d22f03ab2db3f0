package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/mcp"
	"github.com/opencheckpoint/ocp/store"
)

var mcpVerb = verb{
	name:    "mcp",
	summary: "serve agents over the Model Context Protocol",
	usage:   "mcp [--store URL]",
	about: `
Answers an agent's client on standard input and output until it closes them. The tools are checkpoint_save,
checkpoint_resume, checkpoint_list, checkpoint_validate, checkpoint_compact, checkpoint_fork, checkpoint_merge and
checkpoint_digest; saved checkpoints are resources, ocp://checkpoints/{id}. A tool that fails returns the line that the
command prints. The store is opened when a tool first needs it.`,
	example: `  {"mcpServers": {"ocp": {"command": "ocp", "args": ["mcp"]}}}` + "\n",
	flags: func(set *pflag.FlagSet) runner {
		var f storeFlags
		f.defineAddress(set)
		return func(c *command, args []string) { c.serve(&f, args) }
	},
}

// serve answers one client.
func (c *command) serve(f *storeFlags, args []string) {
	if len(args) > 0 {
		c.fail(usageError("no file is taken: documents come in the calls"))
		return
	}
	err := mcp.Serve(context.Background(), c.streams.in, c.streams.out, mcp.Options{
		Version: checkpoint.ProducerVersion,
		Open:    func(ctx context.Context) (store.Store, error) { return f.open(ctx, store.Options{}) },
		Explain: func(name string, err error) string { return visible(explain(name, err).Error()) },
	})
	switch {
	case c.out.err != nil:
		c.fail(&failure{status: exitIO, where: "standard output", what: plainError(c.out.err)})
	case err != nil:
		c.fail(&failure{status: exitIO, where: stdinName, what: plainError(err)})
	}
}
