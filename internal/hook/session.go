package hook

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/opencheckpoint/ocp/internal/capture"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/journal"
)

// session is one session of the client.
type session struct {
	id, dir  string
	log      string // the file that the client keeps
	text     []byte // the log, where the client keeps no file
	evidence evidence
}

// session is what the journal of a session says of it; dir is where it works if the journal does not.
func (h *Hook) session(id, dir string) (*session, error) {
	s := &session{id: id, evidence: evidence{covered: h.covers() == everyTool}}
	log, err := journal.Read(h.Journals, h.Client.Name, id)
	switch {
	case err == nil:
		s.evidence.log = log
		for i := range log.Records {
			r := &log.Records[i]
			s.dir, s.log = cmp.Or(s.dir, r.Dir), cmp.Or(r.Log, s.log) // an agent may go to other directories on the way
		}
	case !errors.Is(err, journal.ErrNone):
		return nil, err
	}
	s.dir = cmp.Or(s.dir, dir)
	return s, nil
}

// isUnsaved says whether the journal has anything for which no saved checkpoint accounts. A call may be recorded while a checkpoint is made, and so before it
// is saved.
func (s *session) isUnsaved() bool {
	var happened, through int64
	for i := range s.records() {
		switch r := &s.records()[i]; r.Event {
		case active, prompt, request, dispatch, result:
			happened = r.Seq
		case saved:
			through = max(through, r.Through)
		}
	}
	return happened > through
}

// records are those of the journal, none without one.
func (s *session) records() []journal.Record {
	if s.evidence.log == nil {
		return nil
	}
	return s.evidence.log.Records
}

// last is the sequence number of the last of them.
func (s *session) last() int64 {
	if list := s.records(); len(list) > 0 {
		return list[len(list)-1].Seq
	}
	return 0
}

// inMemory is a log that is at hand.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }

// open opens the log.
func (s *session) open() (io.ReadSeekCloser, error) {
	if s.text != nil {
		return inMemory{bytes.NewReader(s.text)}, nil
	}
	return os.Open(s.log)
}

// ifAnything is no error where there is nothing to save yet: the log says nothing, and the journal holds no call.
func (s *session) ifAnything(err error) error {
	for _, nothing := range []error{fs.ErrNotExist, capture.ErrEmpty, capture.ErrNoRecord, capture.ErrNoObjective} {
		if !errors.Is(err, nothing) {
			continue
		}
		calls := journaled(s.records())
		if len(calls) == 0 {
			return nil
		}
		return &lostError{err, len(calls)}
	}
	return err
}

// lostError says that the log of a session is gone, or says nothing, and that its journal has calls.
type lostError struct {
	err   error
	calls int
}

func (e *lostError) Error() string {
	return fmt.Sprintf("%v, and the journal has %s whose outcome should be checked", e.err, checkpoint.Count(e.calls, "call"))
}

func (e *lostError) Unwrap() error { return e.err }

// damage is a note about a journal that is damaged.
func (s *session) damage() []error {
	if s.evidence.log == nil || !s.evidence.log.Damaged {
		return nil
	}
	return []error{fmt.Errorf("the journal of session %s is damaged: %s; calls that it recorded may be missing from the checkpoint", s.id, s.evidence.log.Why)}
}

// isOver says whether nothing more will come from a session: it said so, or its client is dead.
func (s *session) isOver() bool {
	list := s.records()
	return len(list) == 0 || list[len(list)-1].Event == ended || isDead(list)
}
