package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/spf13/pflag"

	"github.com/opencheckpoint/ocp/internal/client"
	"github.com/opencheckpoint/ocp/internal/hook"
	"github.com/opencheckpoint/ocp/internal/journal"
	"github.com/opencheckpoint/ocp/store"
)

// journalVariable names the directory of the journals.
const journalVariable = "OCP_JOURNAL"

var hookVerb = verb{
	name:    "hook",
	summary: "record what an agent is about to do, before it does, and save its work",
	usage:   "hook install CLIENT [--project] [--remove] | hook status [CLIENT] [--project] | hook CLIENT EVENT",
	about: `
install puts ocp into the hooks of an agent's client: claude-code, codex, gemini-cli or opencode. From then on what a tool
is about to do is on disk before it runs, in a journal ($OCP_JOURNAL, else $XDG_STATE_HOME/ocp-journal or
~/.local/state/ocp-journal), and a call that cannot be recorded does not run. When a turn is over the session is captured
into the store ($OCP_STORE), and the next session begins with a short account of it. install changes nothing else in the
client's settings; --remove takes back what it did; --project is about this directory's settings, not yours.

status says whether the hook is installed, and what keeps it from working. The client calls hook CLIENT EVENT, with the event on
standard input. Before a tool or a prompt each failure of that is exit status 2, which stops the client; else it is 0.`,
	example: "  ocp hook install claude-code\n  ocp hook status\n  ocp hook install claude-code --remove\n",
	flags: func(set *pflag.FlagSet) runner {
		var f hookFlags
		set.BoolVar(&f.project, "project", false, "the settings of this directory, not yours")
		set.BoolVar(&f.remove, "remove", false, "take the hook out of the settings")
		return func(c *command, args []string) { c.hook(&f, args) }
	},
}

type hookFlags struct{ project, remove bool }

func (c *command) hook(f *hookFlags, args []string) {
	var err error
	switch {
	case len(args) == 2 && args[0] == "install":
		err = c.hookInstall(f, args[1])
	case len(args) > 0 && args[0] == "status" && len(args) <= 2:
		err = c.hookStatus(f, args[1:])
	case len(args) == 2:
		c.hookEvent(args[0], args[1])
	default:
		e := usageError("install CLIENT, status or CLIENT EVENT is missing")
		e.hint = "for example ocp hook install claude-code"
		err = e
	}
	if err != nil {
		c.fail(err)
	}
}

// place is the settings that the flags name.
func (f *hookFlags) place(of *client.Client) (client.Place, error) {
	if !f.project {
		return of.UserPlace(os.Getenv)
	}
	dir, err := os.Getwd()
	if err != nil {
		return client.Place{}, err
	}
	return of.ProjectPlace(dir, os.Getenv)
}

func (c *command) hookInstall(f *hookFlags, name string) error {
	of, place, err := f.find(name)
	if err != nil {
		return err
	}
	change, done := c.install, "installed in"
	if f.remove {
		change, done = removeHook, "removed from"
	}
	changed, err := change(of, place)
	if err != nil {
		return hookError(err)
	}
	if !changed {
		done = "nothing to do in"
	}
	c.note("%s: %s %s", of.Name, done, place.File)
	if !f.remove {
		return c.showStatus(of, place)
	}
	return nil
}

func (c *command) install(of *client.Client, place client.Place) (bool, error) {
	if runtime.GOOS == "windows" {
		return false, errors.New("what the hook runs in is /bin/sh, which Windows does not have")
	}
	program, err := os.Executable()
	if err != nil {
		return false, err
	}
	return of.Install(place, program)
}

func removeHook(of *client.Client, place client.Place) (bool, error) { return of.Remove(place) }

// hookStatus prints a line for each client, and one for each problem.
func (c *command) hookStatus(f *hookFlags, names []string) error {
	if len(names) == 0 {
		names = client.Names()
	}
	for _, name := range names {
		of, place, err := f.find(name)
		if err != nil {
			return err
		}
		if err := c.showStatus(of, place); err != nil {
			return err
		}
	}
	return nil
}

func (c *command) showStatus(of *client.Client, place client.Place) error {
	status, err := of.Status(place)
	if err != nil {
		return hookError(err)
	}
	c.print(c.streams.out, fmt.Sprintf("%-12s %s  %s\n", of.Name, status.State, visible(place.File)))
	for _, problem := range status.Problems {
		c.print(c.streams.out, fmt.Sprintf("%-12s %s\n", "", visible(problem)))
	}
	return nil
}

// find is a client by its name, and its settings.
func (f *hookFlags) find(name string) (*client.Client, client.Place, error) {
	of, err := client.Named(name)
	if err != nil {
		return nil, client.Place{}, hookError(err)
	}
	place, err := f.place(of)
	if err != nil {
		return nil, place, ioError(err)
	}
	return of, place, nil
}

// hookError is an error of package client as a failure.
func hookError(err error) error {
	f := ioError(err)
	f.what = err.Error()
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		f.hint = hinted.Hint()
	}
	if isError[*client.UnknownError](err) {
		f.status = exitUsage
	}
	return f
}

// hookEvent answers an event of a client. Its exit status is the client's business, not that of other verbs.
func (c *command) hookEvent(name, word string) {
	of, err := client.Named(name)
	if err != nil {
		c.fail(hookError(err)) // a line of the settings that names no client is broken: this status stops what it guards
		return
	}
	answer := c.answer(of, word)
	c.print(c.streams.out, string(answer.Stdout))
	c.print(c.streams.err, string(answer.Stderr))
	c.status = max(c.status, answer.Status)
}

// answer reads the event and answers it. A panic is a failure, too.
func (c *command) answer(of *client.Client, word string) (answer client.Answer) {
	h := &hook.Hook{Client: of, Places: places(of), Process: hook.Process(), Now: time.Now, Store: func(ctx context.Context) (store.Store, error) {
		return store.Open(ctx, os.Getenv(storeVariable), store.Options{})
	}}
	defer func() {
		if p := recover(); p != nil {
			answer = h.Fail(word, fmt.Errorf("internal error: %v", p))
		}
	}()
	input, err := io.ReadAll(io.LimitReader(c.streams.in, client.MaxInput+1))
	if err == nil {
		h.Journals, err = journals()
	}
	if err != nil {
		return h.Fail(word, err)
	}
	return h.Answer(context.Background(), word, input)
}

// journals is the directory of the journals.
func journals() (string, error) {
	if dir := os.Getenv(journalVariable); dir != "" {
		return dir, nil
	}
	return journal.Dir()
}

// places are the settings in which the hook may stand for a session in this directory.
func places(of *client.Client) (list []client.Place) {
	for _, f := range []hookFlags{{project: true}, {}} {
		if place, err := f.place(of); err == nil {
			list = append(list, place)
		}
	}
	return list
}
