package main

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/spf13/pflag"

	"github.com/opencheckpoint/ocp/store"
)

// storeVariable names the store where --store does not.
const storeVariable = "OCP_STORE"

// storeFlags are those of every verb of the store.
type storeFlags struct{ agent, address string }

func (f *storeFlags) define(set *pflag.FlagSet, whose string) {
	set.StringVar(&f.agent, "agent", "", whose)
	f.defineAddress(set)
}

func (f *storeFlags) defineAddress(set *pflag.FlagSet) {
	set.StringVar(&f.address, "store", "", "the store, a directory or a postgres: `URL` (default: $OCP_STORE, else $XDG_STATE_HOME/ocp or ~/.local/state/ocp)")
}

// open opens the store that --store or else the environment names.
func (f *storeFlags) open(ctx context.Context, opts store.Options) (store.Store, error) {
	return store.Open(ctx, cmp.Or(f.address, os.Getenv(storeVariable)), opts)
}

// withStore opens the store and does the work.
func (c *command) withStore(f *storeFlags, opts store.Options, work func(context.Context, store.Store) error) {
	ctx := context.Background()
	s, err := f.open(ctx, opts)
	if err == nil {
		err = work(ctx, s)
		s.Close()
	}
	if err != nil {
		c.fail(err)
	}
}

// needAgent refuses to go on without an agent.
func (f *storeFlags) needAgent(verb string) error {
	if f.agent != "" {
		return nil
	}
	e := usageError("--agent is missing")
	e.hint = "for example ocp " + verb + " --agent reviewer"
	return e
}

// storeStatus is the exit status and the hint of each kind of error that a store has.
var storeStatus = []struct {
	is     func(error) bool
	status int
	hint   string
}{
	{isError[*store.MissingStoreError], exitIO, "if it is on a disk, mount that; ocp save --init makes a new store"},
	{isError[*store.CorruptError], exitIO, ""},
	{isError[*store.ConflictError], exitRefused, ""},
	{isError[*store.ExpectError], exitUsage, "write it as sha-256: and 64 hexadecimal digits, or none"},
	{isError[*store.AgentError], exitUsage, ""},
	{isError[*store.LimitError], exitRefused, ""},
	{isError[*store.AmbiguousError], exitRefused, "name one by its digest"},
	{isError[*store.AddressError], exitUsage, "a store is a directory or a postgres: URL"},
	{isError[*store.VersionError], exitIO, "use the version of ocp that made it, or a later one"},
	{isError[*store.IOError], exitIO, ""},
}

func isError[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// anew is what is left where the log of an agent is lost. Moving its directory away leaves the objects, until a prune.
const anew = "put the agent's directory back from a backup, or move it out of the store and, before a prune, save its checkpoints again: each is a file in objects"

// mends says what mends a part of a store.
var mends = map[store.PartKind]string{
	store.OtherPart:  "only a backup brings it back",
	store.ObjectPart: "saving the same document again mends it",
	store.HeadPart:   anew,
	store.LogPart:    "ocp resume still returns the head; " + anew,
	store.FormatPart: "copy the file from a backup, or from any store of this version: it is the same in each",
}

// ownHint is a hint that depends on what the error says.
func ownHint(err error) string {
	var corrupt *store.CorruptError
	var conflict *store.ConflictError
	switch {
	case errors.As(err, &corrupt):
		return "nothing of it was used; " + mends[corrupt.Kind]
	case errors.As(err, &conflict) && conflict.Head == "":
		return "it has nothing saved, so look at --agent and --store; --expect none saves the first"
	case errors.As(err, &conflict):
		return "ocp resume prints what was saved meanwhile; " + bringTogether(conflict.Head)
	}
	return ""
}

// bringTogether says how two checkpoints become the head together. The parent of a merged one need not be the head, so it has to be forced, and what is
// forced is forced over what was merged only.
func bringTogether(head string) string {
	return "ocp merge brings the two together, and ocp save --expect " + head + " --force makes that the head"
}

// isOfStore says whether an error is one of a store's.
func isOfStore(err error) bool { return explainStore(err) != nil }

// explainStore turns an error of a store, which says which store it is, into a failure.
func explainStore(err error) *failure {
	for _, kind := range storeStatus {
		if kind.is(err) {
			return &failure{status: kind.status, what: err.Error(), hint: cmp.Or(kind.hint, ownHint(err))}
		}
	}
	return nil
}
