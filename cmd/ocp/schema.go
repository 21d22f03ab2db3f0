package main

import (
	"github.com/spf13/pflag"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

var schemaVerb = verb{
	name:    "schema",
	summary: "print level 1 of the checks as a JSON Schema",
	usage:   "schema",
	about: `
Prints the objects, members, types, enumerations and schema-level rules of OpenCheckpoint 0.1 as a JSON Schema
(Draft 2020-12), for editors and other languages. Duplicate names, references and the rules between objects are beyond
a schema; ocp validate checks them too.`,
	example: "  ocp schema > checkpoint.schema.json\n",
	flags: func(*pflag.FlagSet) runner {
		return func(c *command, args []string) {
			if len(args) > 0 {
				c.fail(usageError("schema takes no file"))
				return
			}
			c.print(c.streams.out, string(checkpoint.JSONSchema()))
		}
	},
}
