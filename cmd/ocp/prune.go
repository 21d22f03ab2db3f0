package main

import (
	"bufio"
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/opencheckpoint/ocp/store"
)

var pruneVerb = verb{
	name:    "prune",
	summary: "remove old checkpoints from the store",
	usage:   "prune [--older-than AGE] [--keep N] [--agent ID] [--apply] [--store URL] [--format text|json]",
	about: `
Lists the checkpoints that every limit given gives up, and with --apply removes them. An agent's head always stays, and
so does what a checkpoint that stays names as the place from which something can be recovered, whoever saved it.`,
	example: "  ocp prune --older-than 30d --keep 10\n  ocp prune --older-than 30d --keep 10 --apply\n",
	flags: func(set *pflag.FlagSet) runner {
		var f pruneFlags
		f.define(set)
		return func(c *command, args []string) { c.prune(&f, args) }
	},
}

// pruneFlags are the flags of prune.
type pruneFlags struct {
	listFlags
	olderThan string
	keep      int
	apply     bool
}

func (f *pruneFlags) define(set *pflag.FlagSet) {
	set.StringVar(&f.olderThan, "older-than", "", "give up what was saved longer ago than `AGE`, such as 12h, 30d or 8w")
	set.IntVar(&f.keep, "keep", 0, "give up all but the last `N` of each agent")
	set.BoolVar(&f.apply, "apply", false, "remove them; without, nothing is changed")
	f.storeFlags.define(set, "only what this agent saved, by its `ID`")
	f.defineFormat(set)
}

// options turns the flags into the library's options.
func (f *pruneFlags) options(args []string) (opts store.PruneOptions, err error) {
	opts = store.PruneOptions{Agent: f.agent, Keep: f.keep, Apply: f.apply}
	if err := f.check("prune", args); err != nil {
		return opts, err
	}
	if f.keep < 0 {
		return opts, usageError("--keep %d is less than nothing", f.keep)
	}
	if f.olderThan == "" && f.keep == 0 {
		e := usageError("neither --older-than nor --keep is given")
		e.hint = "for example ocp prune --older-than 30d"
		return opts, e
	}
	if f.olderThan != "" {
		age, ok := parseAge(f.olderThan)
		if !ok {
			e := usageError("--older-than %q is no age", f.olderThan)
			e.hint = "for example 12h, 30d or 8w"
			return opts, e
		}
		opts.Before = time.Now().Add(-age)
	}
	return opts, nil
}

// parseAge reads a duration, also in days and weeks of 24 hours a day.
func parseAge(s string) (time.Duration, bool) {
	for unit, hours := range map[string]float64{"d": 24, "w": 7 * 24} {
		if number, ok := strings.CutSuffix(s, unit); ok {
			n, err := strconv.ParseFloat(number, 64)
			length := n * hours * float64(time.Hour)
			return time.Duration(length), err == nil && 0 <= length && length < math.MaxInt64
		}
	}
	age, err := time.ParseDuration(s)
	return age, err == nil && age >= 0
}

func (c *command) prune(f *pruneFlags, args []string) {
	opts, err := f.options(args)
	if err != nil {
		c.fail(err)
		return
	}
	c.withStore(&f.storeFlags, store.Options{}, func(ctx context.Context, s store.Store) error {
		entries, err := s.Prune(ctx, opts)
		if err != nil {
			return err
		}
		w := bufio.NewWriter(c.streams.out)
		for _, entry := range entries {
			w.WriteString(f.line(entry)) // an error comes back from Flush
		}
		c.flush(w)
		if !f.apply && len(entries) > 0 {
			c.note("nothing is removed yet; --apply removes these %d", len(entries))
		}
		return nil
	})
}
