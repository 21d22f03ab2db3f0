package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/nearest"
)

// streams are where a run reads and writes.
type streams struct {
	in       *os.File
	out, err io.Writer
}

// verb is one thing that ocp does.
type verb struct {
	name    string
	summary string // one line for the list of verbs
	usage   string // what follows "ocp"
	about   string // the page of help, above the flags
	example string // below the flags
	makes   bool   // documents
	flags   func(*pflag.FlagSet) runner
}

// runner does a verb's work once the flags are parsed.
type runner func(c *command, args []string)

// verbs in the order of the help.
var verbs = []*verb{&captureVerb, &compactVerb, &forkVerb, &mergeVerb, &validateVerb, &digestVerb, &schemaVerb,
	&saveVerb, &resumeVerb, &listVerb, &showVerb, &pruneVerb, &mcpVerb, &hookVerb}

// command is one run of one verb.
type command struct {
	verb    string
	streams streams
	out     *sink // streams.out
	common  commonFlags
	status  int // the largest so far
	notes   *progress
	temps   tempFiles
	counts  bool     // the verb says itself when there are too few documents
	kept    [][]byte // mapped files that are needed behind their streams
}

// commonFlags are those that every verb has, or every verb that makes documents.
type commonFlags struct {
	quiet, keepGoing, force bool
	output                  string
	ids                     []string
	now                     string
	parentURI               string
}

func (f *commonFlags) everyVerb(set *pflag.FlagSet) {
	set.BoolVar(&f.keepGoing, "keep-going", false, "go on with the next document after one that fails")
	set.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but documents, reports and errors")
}

func (f *commonFlags) makers(set *pflag.FlagSet) {
	set.StringVarP(&f.output, "output", "o", "", "write to `FILE`, which appears only when all went well")
	set.StringArrayVar(&f.ids, "id", nil, "the `ID` of the new checkpoint; give it once for each output")
	set.StringVar(&f.now, "now", "", "created_at of the new checkpoint, an RFC 3339 `TIME`")
	set.StringVar(&f.parentURI, "parent-uri", "", "where the input can be recovered from, a `URI` (default: its id)")
	set.BoolVar(&f.force, "force", false, "write over what is in the way: a target of fork, an output that is no regular file")
}

// run does what the arguments ask for and returns the exit status.
func run(args []string, s streams) int {
	out := &sink{w: s.out}
	s.out = out
	c := &command{streams: s, out: out}
	switch first := firstArg(args); first {
	case "", "help", "-h", "--help":
		return c.help(args)
	case "--version":
		c.print(s.out, "ocp "+checkpoint.ProducerVersion+"\n")
		return c.status
	default:
		for _, v := range verbs {
			if v.name == first {
				c.verb = v.name
				c.runVerb(v, args[1:])
				return c.status
			}
		}
		c.fail(unknownVerb(first))
	}
	return c.status
}

func firstArg(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func unknownVerb(name string) error {
	f := usageError("unknown verb %q", name)
	if strings.HasPrefix(name, "-") {
		f = usageError("unknown flag %s before the verb", name)
	}
	var names []string
	for _, v := range verbs {
		names = append(names, v.name)
	}
	f.hint = "ocp help lists the verbs"
	if near := nearest.Name(name, append(names, "help", "--version")); near != "" {
		f.hint = "did you mean ocp " + near + "?"
	}
	return f
}

func (c *command) runVerb(v *verb, args []string) {
	set, work := v.flagSet(c)
	err := set.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		c.print(c.streams.out, v.page())
		return
	}
	if err != nil {
		err = flagError(v, set, err)
	} else if name := emptyFlag(set); name != "" {
		err = usageError("--%s is empty", name)
	} else {
		err = c.common.check()
	}
	if err != nil {
		c.fail(err)
		return
	}
	defer c.catch()
	work(c, set.Args())
}

// oneFile refuses more than one file.
func oneFile(files []string) error {
	if len(files) > 1 {
		return usageError("one file is taken, not %d", len(files))
	}
	return nil
}

// tellClock notes that a time was taken from the document, if one was.
func (c *command) tellClock(in *input, createdAt string) {
	if createdAt != "" {
		c.note("%s: the clock is behind the document; created_at is %s", in.document(), createdAt)
	}
}

// tellSpare notes that an --id is left when all went well.
func (c *command) tellSpare(ids []string) {
	if len(ids) > 0 && c.status == 0 {
		c.note("--id %s was not needed", ids[0])
	}
}

// check refuses a place of recovery that no resource may name.
func (f *commonFlags) check() error {
	for i, id := range f.ids {
		if slices.Contains(f.ids[:i], id) {
			return usageError("--id %s is given twice", id)
		}
	}
	switch {
	case !jsonspan.IsText(f.parentURI):
		return usageError("--parent-uri is no Unicode text that JSON can hold")
	case checkpoint.HasUserinfo(f.parentURI):
		e := usageError("--parent-uri contains userinfo")
		e.hint = "leave out what stands before the '@'"
		return e
	}
	return nil
}

// emptyFlag returns the name of a flag that was given an empty text, "" without one. A variable that is not set must not turn a
// check off that the person asked for.
func emptyFlag(set *pflag.FlagSet) (name string) {
	set.Visit(func(f *pflag.Flag) {
		list, isList := f.Value.(pflag.SliceValue)
		if isList && slices.Contains(list.GetSlice(), "") || !isList && f.Value.String() == "" {
			name = f.Name
		}
	})
	return name
}

// flagSet has all flags of the verb.
func (v *verb) flagSet(c *command) (*pflag.FlagSet, runner) {
	set := pflag.NewFlagSet(v.name, pflag.ContinueOnError)
	set.SortFlags = false
	set.Usage = func() {}
	work := v.flags(set)
	if v.makes {
		c.common.makers(set)
	}
	c.common.everyVerb(set)
	return set, work
}

// flagError says which flag is wrong, and which is near.
func flagError(v *verb, set *pflag.FlagSet, err error) error {
	f := usageError("%s", strings.ReplaceAll(err.Error(), "\n", " "))
	f.hint = "ocp help " + v.name + " lists the flags"
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		name := "--" + unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" {
			name = "-" + unknown.GetSpecifiedName()
		}
		f = usageError("unknown flag %s", name)
		f.hint = "ocp help " + v.name + " lists the flags"
		var names []string
		set.VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
		if near := nearest.Name(unknown.GetSpecifiedName(), names); near != "" {
			f.hint = "did you mean --" + near + "?"
		}
	}
	return f
}

// hasTimestamp says whether a time has a timestamp in UTC, whose years have four digits (RFC 3339 §1).
func hasTimestamp(t time.Time) bool { return 0 <= t.UTC().Year() && t.UTC().Year() <= 9999 }

// clock is the time that --now or SOURCE_DATE_EPOCH fixes, zero without either.
func (c *command) clock() (time.Time, error) {
	if c.common.now != "" {
		t, err := time.Parse(time.RFC3339Nano, c.common.now)
		if err != nil || !hasTimestamp(t) {
			f := usageError("--now %q is not a time", c.common.now)
			f.hint = "write it as 2026-11-28T16:40:00Z"
			return t, f
		}
		return t, nil
	}
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		return time.Time{}, nil
	}
	var seconds int64
	if _, err := fmt.Sscanf(epoch, "%d", &seconds); err != nil || fmt.Sprint(seconds) != epoch || !hasTimestamp(time.Unix(seconds, 0)) {
		return time.Time{}, usageError("SOURCE_DATE_EPOCH %q is no number of seconds that makes a timestamp", epoch)
	}
	return time.Unix(seconds, 0), nil
}
