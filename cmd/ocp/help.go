package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

const tagline = "ocp makes OpenCheckpoint documents from session logs and transforms them, without a model: it makes them fit a budget,\nforks them, merges them, and checks them."

// help prints the list of verbs, or one verb's page.
func (c *command) help(args []string) int {
	switch {
	case len(args) == 0:
		f := usageError("a verb is missing")
		f.hint = "ocp help lists the verbs"
		c.fail(f)
	case len(args) == 1, args[1] == "help":
		c.print(c.streams.out, overview())
	default:
		c.helpVerb(args[1])
	}
	return c.status
}

func (c *command) helpVerb(name string) {
	for _, v := range verbs {
		if v.name == name {
			c.print(c.streams.out, v.page())
			return
		}
	}
	c.fail(unknownVerb(name))
}

func overview() string {
	var b strings.Builder
	b.WriteString(tagline + "\n\nusage: ocp VERB [FLAGS] [FILE...]\n\n")
	for _, v := range verbs {
		fmt.Fprintf(&b, "  %-10s %s\n", v.name, v.summary)
	}
	b.WriteString(`  help       print this, or the page of a verb

A verb reads a stream of documents from standard input, or from files; - names standard input too. Documents go to
standard output, everything else to standard error.

exit status: 0 done · 1 invalid input, digest mismatch · 2 usage · 3 refused · 4 reading or writing failed ·
             5 merged with open conflicts · 6 nothing saved for that agent or id · 70 a bug of ocp

  ocp compact --budget 8000 session.ocp.json | ocp validate
`)
	return b.String()
}

// page is the help of one verb.
func (v *verb) page() string {
	set, _ := v.flagSet(&command{})
	return fmt.Sprintf("usage: ocp %s\n\n%s\n\nflags:\n%s\nexample:\n%s", v.usage, strings.TrimSpace(v.about), usages(set), v.example)
}

// usages lists the flags. That a switch can be given a value need not be said.
func usages(set *pflag.FlagSet) string {
	const value = "[=true|false]"
	return strings.ReplaceAll(set.FlagUsagesWrapped(120), value, strings.Repeat(" ", len(value)))
}
