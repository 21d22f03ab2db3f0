// Package capture makes a checkpoint from the log of an agent's session, as a producer does by §9.1 of the specification, with
// derivation.method "converted", or "captured" where the session's hook asks for it. It can go on from the checkpoint of an earlier part of the log, and it
// takes the word of a journal for what the log cannot tell of a call.
//
// A reader for each format turns records into events; one mapper turns events into objects. Two things are never guessed: whose words a
// text is, and what is known of a call. Only what a person typed becomes an instruction of the user (§6.5); a call without a conclusive
// result is uncertain, unless the log proves that it was never dispatched (§6.6).
//
// A log is hostile: it is read record by record, its JSON is not trusted, and its texts are never interpreted. What cannot be read, and what is
// no part of the work, is counted in derivation.omissions. The memory of a run is that of what it maps, and of one record. The package
// opens no file, and it takes no hidden reasoning.
package capture

import (
	"errors"
	"io"
	"time"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// Options say how to capture. The zero value recognises the format, and takes the objective from the log.
type Options struct {
	// From is the name of the log's format, one of Formats; "" recognises it.
	From string
	// Objective is task.objective; "" takes it from the log.
	Objective string
	// ID is the checkpoint's id, "" a new urn:uuid:.
	ID string
	// Now is created_at unless the log has a later time; zero is the time of day.
	Now time.Time
	// URI says where the log can be recovered from; "" leaves it to the session's id.
	URI string
	// Parent is the checkpoint that the new one has as its parent, nil for none. What it holds and the log does not show is not lost: its active directives and open
	// questions, its completed steps, its operations that the log does not show to be over, and what these refer to, stay as they are; the rest is in an omission.
	Parent []byte
	// Live says that the session goes on, and its hook captures it: derivation.method is "captured" then, and "converted" else.
	Live bool
	// Open opens the log of another session of the same client, from which this one was forked. It may be nil, and may return an error for one that is not
	// at hand.
	Open func(session string) (io.ReadCloser, error)
	// Witness says what a journal proves of a call whose conclusive result the log lacks, and which is not in Journaled. It may be nil. A conclusive result in the log is
	// never overruled.
	Witness func(Call) Proof
	// Journaled are the calls of the session that a journal holds, in its order. Those that the log lacks become operations, too.
	Journaled []Journaled
	// Progress is called now and then with how many more records were read. It may be nil.
	Progress func(more int)
}

// Result is a checkpoint, checked at levels 1 and 2, and facts about it.
type Result struct {
	doc    []byte
	state  []byte
	Format string // one of Formats
	Counts
	Uncertain   int  // actions whose outcome is not known
	Credentials int  // replaced by markers
	ClockBehind bool // the clock was behind the log, so created_at is the log's latest time
}

// WriteTo writes the checkpoint.
func (r *Result) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(r.doc)
	return int64(n), err
}

// Bytes is the checkpoint.
func (r *Result) Bytes() []byte { return r.doc }

// State is what Continue needs beside the checkpoint to make one from what the log has more: a JSON text that is to be kept as it is, and that holds texts of the log
// as the checkpoint does. It is nil where there can be none.
func (r *Result) State() []byte { return r.state }

// The errors of a log from which no checkpoint can be made.
var (
	ErrEmpty       = errors.New("the log is empty")
	ErrFormat      = errors.New("no session log of a known format")
	ErrNoRecord    = errors.New("the log has no record of the format that it is said to have")
	ErrNoObjective = errors.New("the log records no objective: no person's message that is more than a command")
)

// ReadError is a log that could not be read to its end.
type ReadError struct{ Err error }

// Error is that of the reader.
func (e *ReadError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the reader.
func (e *ReadError) Unwrap() error { return e.Err }

// Capture makes a checkpoint from a log. The error is one of the above, a *ReadError, checkpoint.ErrText for the id, a *checkpoint.InternalError, or, where there is
// a parent, that of checkpoint.ParseOne for it or of Document.NewStamp.
func Capture(r io.Reader, opts Options) (*Result, error) {
	src := newSource(r)
	f, err := src.format(opts.From)
	if err != nil {
		return nil, err
	}
	run := newRun(f, opts)
	if opts.Parent != nil {
		if run.head, err = newHead(opts.Parent, counts{}); err != nil {
			return nil, err
		}
		run.mapper.parentGoal = run.head.objective()
	}
	if err := run.read(src, 0); err != nil {
		return nil, err
	}
	run.finish()
	return run.result(src.digest())
}

// run is one run of Capture or Continue.
type run struct {
	format  *format
	opts    Options
	ledger  *ledger
	clock   *clock
	clean   cleaner
	mapper  *mapper
	reader  reader
	sources int     // how many logs were read
	src     *source // the one that is read
	nested  int     // how many logs are being read because another one was forked from them
	head    *head   // the parent, nil without one
	goesOn  bool    // from the parent, whose settled objects are taken over
	sum     string  // the digest of the parent
	state   *state  // before the log ended, nil if it cannot be continued from
}

func newRun(f *format, opts Options) *run {
	l := &ledger{}
	r := &run{format: f, opts: opts, ledger: l, clock: &clock{}, clean: cleaner{l}, mapper: newMapper(f.system, l)}
	r.mapper.witness = newWitness(&opts, f, r.clock)
	r.reader = f.reader(r)
	return r
}

// emit hands an event to the mapper.
func (r *run) emit(e event) { r.mapper.take(e) }

// reader reads the records of one format.
type reader interface {
	// record reads a record. It sets its fate where no event does.
	record(rec int, r record)
	// end is called once, behind the last record.
	end()
}

// progressEvery is how many records are read between two reports.
const progressEvery = 1 << 10

// read reads the records of a source that come before an ordinal; 0 is no limit.
func (r *run) read(src *source, before int64) error {
	r.sources++
	r.src = src
	next := r.format.records(src)
	for {
		l, err := next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return &ReadError{err}
		}
		if !r.one(l, before) {
			return nil
		}
	}
}

// one reads a record; it returns false for one that does not come before an ordinal.
func (r *run) one(l line, before int64) bool {
	rec, ok := readRecord(l.text)
	if before > 0 && ok {
		if n, numbered := rec.get("ordinal").number(); numbered && n >= before {
			return false
		}
	}
	if !l.ended {
		r.lastLine(l, ok)
	}
	number := r.ledger.begin()
	if number%progressEvery == 0 && r.opts.Progress != nil {
		r.opts.Progress(progressEvery)
	}
	switch {
	case l.text == nil:
		r.ledger.set(number, tooLong)
	case !ok && !l.ended:
		r.ledger.set(number, torn)
	case !ok:
		r.ledger.set(number, malformed)
	default:
		if len(rec.flaws) > 0 {
			r.ledger.flawed++
		}
		r.reader.record(number, rec)
	}
	return true
}

// lastLine takes a last line that is not ended. One that is no record was torn, and is read again when there is more of it.
func (r *run) lastLine(l line, isRecord bool) {
	if isRecord {
		r.src.accept(l.text)
	} else if r.nested == 0 {
		r.cut()
	}
}

// finish maps what the end of the log leaves open.
func (r *run) finish() {
	r.cut()
	r.reader.end()
	r.mapper.end()
}

// base reads the log of a session from which this one was forked, up to an ordinal. It returns false if that is not at hand.
func (r *run) base(session string, before int64) bool {
	const mostSources = 16
	if r.opts.Open == nil || r.sources >= mostSources {
		return false
	}
	in, err := r.opts.Open(session)
	if err != nil {
		return false
	}
	defer in.Close()
	own := r.src
	r.nested++
	defer func() { r.src, r.nested = own, r.nested-1 }()
	return r.read(newSource(in), before) == nil
}

// result makes the checkpoint and checks it: nothing leaves that is not valid, or does not agree with its parent.
func (r *run) result(digest string) (*Result, error) {
	doc, err := r.document(digest)
	if err == nil && r.head != nil && !r.goesOn {
		err = r.inherit(doc)
	}
	if err != nil {
		return nil, err
	}
	checked, err := r.check(doc)
	if err != nil {
		return nil, err
	}
	counts, _ := r.ledger.counts()
	res := &Result{doc: doc.text, Format: r.format.name, Counts: counts, Uncertain: uncertainActions(checked), ClockBehind: doc.clockBehind}
	if !doc.swept {
		res.state = r.state.encode(doc.text)
	}
	for _, n := range r.ledger.kinds {
		res.Credentials += n
	}
	return res, nil
}

// check holds a document against levels 1 and 2, and its parent.
func (r *run) check(doc *document) (checked *checkpoint.Document, err error) {
	opts := checkpoint.Options{Strict: true}
	if r.head == nil {
		checked, err = checkpoint.ParseOne(doc.text, opts)
	} else {
		checked, err = checkpoint.Recheck(r.head.doc, doc.text, doc.runs, opts, nil)
	}
	var broken *checkpoint.Violation
	switch {
	case r.goesOn && errors.As(err, &broken) && broken.Rule == "OCP-T001", r.goesOn && err == nil && r.loses(checked):
		return nil, ErrRestart
	case err != nil:
		return nil, &checkpoint.InternalError{Err: err}
	}
	return checked, nil
}

// uncertainActions counts the actions whose outcome is not known.
func uncertainActions(d *checkpoint.Document) (n int) {
	for i := range d.Objects {
		if o := &d.Objects[i]; o.Type == checkpoint.Operation && o.Fact(checkpoint.Kind) == checkpoint.Action && o.Fact(checkpoint.Status) == checkpoint.Uncertain {
			n++
		}
	}
	return n
}
