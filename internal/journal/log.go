package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// Log is what a journal says.
type Log struct {
	// Records are those that are as they were written, in their order.
	Records []Record
	// Torn says that a record was being written when its writer was killed. It was not acknowledged, and it is not in Records.
	Torn bool
	// Damaged says that something else is not as it was written, and Why what the first such thing is. Records may be missing, so that the absence of
	// one proves nothing.
	Damaged bool
	Why     string

	lines int // read so far
}

// Read reads the journal of a session. The error is ErrNone if there is none, or an *IDError, a *LimitError, a *VersionError, or an *IOError. It
// makes no file and does not wait for who is appending, unless that may be why something is torn or damaged.
func Read(dir, client, session string) (*Log, error) {
	j, err := Open(dir, client, session)
	if err != nil {
		return nil, err
	}
	return j.read()
}

func (j *Journal) read() (*Log, error) {
	log, err := j.readOnce()
	if err != nil || !log.Torn && !log.Damaged {
		return log, err
	}
	release, err := lock(context.Background(), j.disk, j.dir, j.name, true)
	if err != nil {
		return log, nil // such as one on a read-only disk, to which nobody appends
	}
	defer release()
	return j.readOnce()
}

func (j *Journal) readOnce() (*Log, error) {
	text, err := j.disk.ReadOwn(j.Path())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNone
	case err != nil:
		return nil, j.failed(err)
	}
	return j.parse(text)
}

// parse reads the content of a file.
func (j *Journal) parse(text []byte) (*Log, error) {
	log := &Log{}
	for len(text) > 0 {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		switch {
		case !ended:
			log.end(line)
		case log.lines > 0:
			log.add(line)
		case !bytes.Equal(line, bytes.TrimSuffix(j.header, []byte("\n"))):
			if later := laterVersion(line); later > 0 {
				return nil, &VersionError{j.Path(), later}
			}
			log.damage("is not the first of this session's journal")
		}
		log.lines++
		text = rest
	}
	return log, nil
}

// add takes a line behind the first.
func (l *Log) add(line []byte) {
	r, ok := decode(line)
	if !ok {
		l.damage("is not as it was written")
		return
	}
	if last := l.last(); r.Seq != last+1 {
		l.damage(fmt.Sprintf("has sequence number %d behind %d", r.Seq, last))
	}
	l.Records = append(l.Records, r)
}

// end takes what is behind the last line feed.
func (l *Log) end(tail []byte) {
	if isTorn(tail) {
		l.Torn = true
		return
	}
	l.damage("has no end, and is not the beginning of a line")
}

// last is the sequence number of the last record.
func (l *Log) last() int64 {
	if len(l.Records) == 0 {
		return 0
	}
	return l.Records[len(l.Records)-1].Seq
}

// damage notes what is wrong with the line at hand, if nothing was wrong before.
func (l *Log) damage(what string) {
	if !l.Damaged {
		l.Damaged, l.Why = true, fmt.Sprintf("line %d %s", l.lines+1, what)
	}
}
