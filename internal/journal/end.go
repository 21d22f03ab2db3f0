package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/opencheckpoint/ocp/internal/disk"
	"github.com/opencheckpoint/ocp/internal/sumline"
)

// end is what Append has to know of a file.
type end struct {
	at      int64 // where the next line goes
	last    int64 // the sequence number of the last record
	first   bool  // there is no record
	torn    bool  // behind at is the beginning of a line
	unended bool  // before at is damage without a line feed
}

// glance is how much of the end of a file is read first, in bytes; more is read where a line is longer, or damaged.
const glance = 4 << 10

// end looks at the end of a file, and at its first line. The error may be a *VersionError.
func (j *Journal) end(f disk.File) (end, error) {
	info, err := f.Stat()
	if err != nil {
		return end{}, err
	}
	size := info.Size()
	if err := j.checkVersion(f, size); err != nil {
		return end{}, err
	}
	for window := int64(glance); ; window *= 8 {
		start := max(size-window, 0)
		text, err := readAt(f, start, size)
		if err != nil {
			return end{}, err
		}
		if e, ok := j.endOf(text, start == 0); ok {
			e.at += start
			return e, nil
		}
	}
}

// checkVersion fails if the first line is of a later version.
func (j *Journal) checkVersion(f disk.File, size int64) error {
	text, err := readAt(f, 0, min(size, int64(len(j.header))))
	if err != nil || bytes.Equal(text, j.header) {
		return err
	}
	if text, err = readAt(f, 0, min(size, int64(maxLine))); err != nil {
		return err
	}
	line, _, ended := bytes.Cut(text, []byte("\n"))
	if later := laterVersion(line); ended && later > 0 {
		return &VersionError{j.Path(), later}
	}
	return nil
}

// endOf finds the end in the last part of a file, or in the whole; !ok says that more of it is needed. Damaged lines behind the last record that
// can be read had sequence numbers too.
func (j *Journal) endOf(text []byte, whole bool) (e end, ok bool) {
	lines := text[:bytes.LastIndexByte(text, '\n')+1]
	e = endBehind(lines, text[len(lines):])
	for len(lines) > 0 {
		start := bytes.LastIndexByte(lines[:len(lines)-1], '\n') + 1
		if start == 0 && !whole {
			return e, false
		}
		if r, ok := decode(lines[start:]); ok {
			e.last += r.Seq
			return e, true
		}
		if start > 0 || !bytes.Equal(lines, j.header) {
			e.last++
		}
		lines = lines[:start]
	}
	e.first = true
	return e, whole
}

// endBehind is where the next line goes: in the place of what is behind the last line feed if that is torn, else behind it.
func endBehind(lines, tail []byte) end {
	switch {
	case len(tail) == 0:
		return end{at: int64(len(lines))}
	case isTorn(tail):
		return end{at: int64(len(lines)), torn: true}
	}
	return end{at: int64(len(lines) + len(tail)), unended: true}
}

// isTorn says whether a text without a line feed is the beginning of a line, as a killed writer leaves it. If it is not, it may be a line that
// was acknowledged, whose end was damaged.
func isTorn(tail []byte) bool {
	sum, text, spaced := bytes.Cut(tail, []byte(" "))
	if len(tail) > maxLine || len(sum) > 8 || len(bytes.Trim(sum, "0123456789abcdef")) > 0 || spaced && len(sum) < 8 {
		return false
	}
	if len(text) == 0 {
		return true
	}
	var object json.RawMessage
	err := json.NewDecoder(bytes.NewReader(text)).Decode(&object)
	if err == nil {
		_, ok := sumline.Decode(tail)
		return ok
	}
	return errors.Is(err, io.ErrUnexpectedEOF) && strings.HasPrefix(string(text), "{")
}

// readAt reads a part of a file.
func readAt(f disk.File, from, to int64) ([]byte, error) {
	text := make([]byte, to-from)
	n, err := f.ReadAt(text, from)
	if n == len(text) {
		err = nil
	}
	return text, err
}
