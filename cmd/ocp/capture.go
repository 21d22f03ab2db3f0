package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/opencheckpoint/ocp/internal/capture"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/nearest"
)

var captureVerb = verb{
	name:    "capture",
	summary: "make a checkpoint from the log of an agent's session",
	usage:   "capture [--from FORMAT] [--objective TEXT] [FLAGS] [SESSION]",
	makes:   true,
	about: `
Makes one checkpoint from a session's log, and recognises whose log it is. What a person typed is an instruction of the
user, and nothing else is. What the agent wrote, and what tools answered, is recorded as that. A call without a
conclusive result is an uncertain operation, unless the log proves that it was never dispatched. Credentials are
replaced by markers. What is not in the checkpoint is counted in derivation.omissions. Of OpenCode the output of
opencode export is read, of the others the file that the client writes.`,
	example: "  ocp capture session.jsonl | ocp compact --budget 20000 | ocp fork -n 3\n",
	flags: func(set *pflag.FlagSet) runner {
		var f captureFlags
		f.define(set)
		return func(c *command, args []string) { c.capture(&f, args) }
	},
}

// captureFlags are the flags of capture.
type captureFlags struct{ from, objective string }

// recognise is the value of --from that leaves the format to the content.
const recognise = "auto"

func (f *captureFlags) define(set *pflag.FlagSet) {
	set.StringVar(&f.from, "from", recognise, "the log's `FORMAT`: "+recognise+", "+strings.Join(capture.Formats(), ", "))
	set.StringVar(&f.objective, "objective", "", "what the work is to accomplish, `TEXT` (default: what the log says)")
}

// options turns the flags into the library's options.
func (f *captureFlags) options(c *command) (opts capture.Options, err error) {
	opts = capture.Options{Objective: f.objective, URI: c.common.parentURI, Progress: func(n int) { c.notes.done(n) }}
	if f.from != recognise {
		if !slices.Contains(capture.Formats(), f.from) {
			e := usageError("--from %q is no format; one of %s, %s is meant", f.from, recognise, strings.Join(capture.Formats(), ", "))
			if near := nearest.Name(f.from, append(capture.Formats(), recognise)); near != "" {
				e.hint = "did you mean --from " + near + "?"
			}
			return opts, e
		}
		opts.From = f.from
	}
	if !jsonspan.IsText(f.objective) {
		return opts, usageError("--objective is no Unicode text that JSON can hold")
	}
	if len(c.common.ids) > 0 {
		opts.ID = c.common.ids[0]
	}
	opts.Now, err = c.clock()
	return opts, err
}

func (c *command) capture(f *captureFlags, files []string) {
	opts, err := f.options(c)
	if err == nil {
		err = oneFile(files)
	}
	if err == nil && len(c.common.ids) > 1 {
		err = usageError("one checkpoint is made, and --id is given %d times", len(c.common.ids))
	}
	if err != nil {
		c.fail(err)
		return
	}
	path := append(files, "-")[0]
	c.withOutputs([]string{c.common.output}, func(o []*output) {
		if err := c.captureOne(path, opts, o[0]); err != nil {
			c.fail(err)
		}
	})
}

// captureOne captures one log and writes the checkpoint.
func (c *command) captureOne(path string, opts capture.Options, o *output) error {
	in, err := c.openFile(path)
	if err != nil {
		return err
	}
	defer in.close()
	if in.name != stdinName {
		opts.Open = func(session string) (io.ReadCloser, error) { return openBeside(path, session) }
	}
	c.startProgress("records")
	result, err := capture.Capture(in.file, opts)
	c.notes.end()
	if err != nil {
		return explain(in.name, err)
	}
	if result.ClockBehind {
		c.note("%s: the clock is behind the log; created_at is its latest time", in.name)
	}
	c.note("%s: %s: %d records, %d mapped, %d copies or chunks of mapped ones, %d in the omissions", in.name, result.Format, result.Records, result.Mapped,
		result.Copied, result.Omitted)
	if result.Uncertain > 0 {
		c.note("%s: actions whose outcome is not known: %d", in.name, result.Uncertain)
	}
	if result.Credentials > 0 {
		c.note("%s: replaced text that looks like a credential: %d", in.name, result.Credentials)
	}
	return o.writeDocument(result)
}

// mostBeside is how many logs beside one are looked into for another session.
const mostBeside = 256

// openBeside opens the log of a session that is beside another log: the file that has the session's id in its name, as the clients name them,
// else the first one whose first record says that it is it.
func openBeside(path, session string) (io.ReadCloser, error) {
	beside, err := filepath.Glob(filepath.Join(globQuoted(filepath.Dir(path)), "*.jsonl"))
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(beside, func(a, b string) int { return named(b, session) - named(a, session) })
	for _, name := range beside[:min(len(beside), mostBeside)] {
		file, err := os.Open(name)
		if err != nil {
			continue
		}
		if capture.IsSession(file, session) {
			if _, err := file.Seek(0, io.SeekStart); err == nil {
				return file, nil
			}
		}
		file.Close()
	}
	return nil, errors.New("no log of that session is beside this one")
}

// named is 1 for a file with the id of a session in its name, else 0.
func named(name, session string) int {
	if strings.Contains(filepath.Base(name), session) {
		return 1
	}
	return 0
}

// globQuoted is a directory as a pattern that matches it alone.
func globQuoted(dir string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}
