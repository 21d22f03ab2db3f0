package capture

import (
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"time"
)

// stateVersion is that of the form of a state. One of another version is of no use.
const stateVersion = 1

// mostState is how large a state may be, in bytes. What is open, and the files and approvals of a session, are in it; a log for which that is more is captured as
// a whole each time.
const mostState = 4 << 20

// state is what a capture leaves for the next one: where the log goes on, and what can still change. It does not hold what is settled: that is in the checkpoint.
type state struct {
	Version int
	Format  string
	Head    string // the mark of the checkpoint
	Offset  int64  // where the log goes on
	Last    string // digest of what is before that, and how many bytes of it
	LastLen int
	Ended   bool   // a line ends there
	Sum     []byte // the state of the digest of the log up to there
	Sources int

	Objective string // the option
	Latest    time.Time
	Settled   counts // the objects of the checkpoint that stay, list by list
	Ledger    ledgerState
	Mapper    mapperState
	Reader    json.RawMessage
	Taken     []string // calls of the journal without an id that the log has
}

// resumable is a reader that can go on where another one stopped.
type resumable interface {
	// settle passes on the events that are held back until the end, as far as the next records are not expected to change them. Where one does all the same,
	// run.restart is called.
	settle()
	// keep returns what the reader has to know of what it read, and the records that it may give another fate. It returns nil for what is not bounded.
	keep() (state any, records []int)
	// resume takes that over.
	resume(state json.RawMessage) error
}

// restart says that a record changes what is settled.
func (r *run) restart() { r.ledger.reached = true }

// cut takes down the state of the run in front of what follows: the end of the log, or a last line that is torn.
func (r *run) cut() {
	src := r.src
	reader, ok := r.reader.(resumable)
	if !ok || r.state != nil {
		return
	}
	reader.settle()
	kept, records := reader.keep()
	if kept == nil {
		return
	}
	m := r.mapper
	s := &state{Version: stateVersion, Format: r.format.name, Offset: src.offset, Last: hexDigest(src.last), LastLen: len(src.last), Ended: len(src.last) == 0 || src.last[len(src.last)-1] == '\n',
		Sources: r.sources, Objective: r.opts.Objective, Latest: r.clock.latest, Mapper: m.keep(),
		Settled: counts{m.statements.count, m.resources.count, m.steps.count, m.operations.count}}
	s.Sum, _ = src.sum.(encoding.BinaryMarshaler).MarshalBinary()
	s.Taken = m.witness.known()
	s.Ledger = r.ledger.keep(slices.Concat(records, m.records()))
	s.Reader, _ = json.Marshal(kept)
	r.state = s
}

// markOf tells checkpoints from each other: those of one session have ids of their own, and so it need not hold against one who makes a checkpoint on purpose. Whether what
// is stored is what was saved the store says.
func markOf(head []byte) string {
	return fmt.Sprintf("%d %08x", len(head), crc32.Checksum(head, crc32.MakeTable(crc32.Castagnoli)))
}

// hexDigest is the digest of some bytes.
func hexDigest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// encode writes the state that goes with a checkpoint; nil if there is none.
func (s *state) encode(head []byte) []byte {
	if s == nil {
		return nil
	}
	s.Head = markOf(head)
	text, err := json.Marshal(s)
	if err != nil || len(text) > mostState {
		return nil
	}
	return text
}

// ledgerState is the ledger without the records that are settled.
type ledgerState struct {
	Records, Parts [numFates]int
	Before         int
	Kept           map[int]fate
	KeptParts      [][2]int // record and fate
	Notes          [][2]string
	MoreNotes      int
	Flawed, Cut    int
	Kinds          map[string]int
}

// keep settles all records but some.
func (l *ledger) keep(records []int) ledgerState {
	s := ledgerState{Before: l.number(), Kept: map[int]fate{}, Flawed: l.flawed, Cut: l.cut, Kinds: maps.Clone(l.kinds), MoreNotes: l.more}
	_, s.Records = l.counts()
	s.Parts = l.settled.parts
	for _, rec := range records {
		if _, twice := s.Kept[rec]; rec > 0 && !twice {
			s.Kept[rec] = l.fate(rec)
			s.Records[l.fate(rec)]--
		}
	}
	for _, p := range l.parts {
		if _, kept := s.Kept[int(p.rec)]; kept {
			s.KeptParts = append(s.KeptParts, [2]int{int(p.rec), int(p.fate)})
		} else if l.fate(int(p.rec)) == mapped {
			s.Parts[p.fate]++
		}
	}
	for _, n := range l.notes {
		s.Notes = append(s.Notes, [2]string{n.text, n.reason})
	}
	return s
}

// resume takes over what keep left.
func (l *ledger) resume(s ledgerState) {
	*l = ledger{settled: tallies{s.Records, s.Parts}, before: s.Before, kept: s.Kept, flawed: s.Flawed, cut: s.Cut, kinds: s.Kinds, more: s.MoreNotes}
	if l.kept == nil {
		l.kept = map[int]fate{}
	}
	for _, p := range s.KeptParts {
		l.parts = append(l.parts, part{int32(p[0]), fate(p[1])})
	}
	for _, n := range s.Notes {
		l.notes = append(l.notes, note{n[0], n[1]})
	}
}
