package capture

import (
	"crypto/sha256"
	"encoding"
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// ErrRestart says that a checkpoint cannot be continued from: its log has to be captured as a whole, with the checkpoint as Options.Parent.
var ErrRestart = errors.New("the log cannot be continued from that checkpoint: it has to be captured as a whole")

// Continue makes a checkpoint from the one that an earlier capture of the log made, and what was appended to the log since. head is that checkpoint, and state is what
// Result.State was then. The new checkpoint has the same objects as one that is captured from the whole log, and head as its parent; what it takes over from head is
// copied. Of the log only what is behind is read, and a few kilobytes before it.
//
// The error is ErrRestart where that cannot be: the state is of another head, log or version; the log was rewritten or cut; what was appended changes what was settled, as
// where the person left a branch; or the log is an export of OpenCode, which is one JSON value. Else the errors are those of Capture.
func Continue(head, state []byte, log io.ReadSeeker, opts Options) (*Result, error) {
	s, err := readState(state, head)
	if err != nil {
		return nil, err
	}
	src, err := s.source(log)
	if err != nil {
		return nil, err
	}
	run, err := s.goOn(head, opts)
	if err != nil {
		return nil, err
	}
	if err := run.read(src, 0); err != nil {
		return nil, err
	}
	run.finish()
	if run.ledger.reached {
		return nil, ErrRestart
	}
	return run.result(src.digest())
}

// readState reads a state that goes with a checkpoint.
func readState(text, head []byte) (*state, error) {
	s := &state{}
	if json.Unmarshal(text, s) != nil || s.Version != stateVersion || s.Head != markOf(head) || s.LastLen < 0 || s.LastLen > lastLength || s.Offset < int64(s.LastLen) {
		return nil, ErrRestart
	}
	return s, nil
}

// source reads a log from where it was left, if it is the same one.
func (s *state) source(log io.ReadSeeker) (*source, error) {
	if _, err := log.Seek(s.Offset-int64(s.LastLen), io.SeekStart); err != nil {
		return nil, &ReadError{err}
	}
	src := newSource(log)
	src.offset, src.last = s.Offset, make([]byte, s.LastLen)
	if _, err := io.ReadFull(src.in, src.last); err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, ErrRestart
	} else if err != nil {
		return nil, &ReadError{err}
	}
	sum := sha256.New()
	if hexDigest(src.last) != s.Last || sum.(encoding.BinaryUnmarshaler).UnmarshalBinary(s.Sum) != nil {
		return nil, ErrRestart
	}
	src.sum = sum
	if next, err := src.in.Peek(1); err == nil && !s.Ended && next[0] != '\n' && next[0] != '\r' {
		return nil, ErrRestart // the last line was longer
	}
	return src, nil
}

// goOn is a run that goes on where the one that left the state stopped.
func (s *state) goOn(text []byte, opts Options) (*run, error) {
	i := slices.IndexFunc(formats, func(f *format) bool { return f.name == s.Format })
	head, err := newHead(text, s.Settled)
	if i < 0 || err != nil {
		return nil, ErrRestart
	}
	if opts.Objective == "" {
		opts.Objective = s.Objective
	}
	r := newRun(formats[i], opts)
	r.head, r.goesOn, r.sources = head, true, s.Sources-1 // the log is counted again
	r.clock.note(s.Latest)
	r.ledger.resume(s.Ledger)
	r.mapper.resume(s.Mapper, head)
	r.mapper.witness.resume(r.mapper, s.Taken)
	reader, ok := r.reader.(resumable)
	if !ok || reader.resume(s.Reader) != nil {
		return nil, ErrRestart
	}
	return r, nil
}
