package capture

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
)

// maxRecord is the size of the largest record that is looked at, in bytes. A longer one is passed over block by block and counted, so
// that a run holds no more than this of a log.
const maxRecord = 16 << 20

// window is how much of a log its format is recognised from.
const window = 1 << 20

// source reads a log from its beginning to its end, once.
type source struct {
	in     *bufio.Reader
	sum    hash.Hash // of all bytes read but those of a last line that is not ended
	buf    []byte    // of the record at hand
	offset int64     // behind the lines that are ended
	last   []byte    // the end of what is before the offset, no more than lastLength
	rest   hash.Hash // of all bytes, once a last line that is not ended was read
}

// lastLength is how much of a log tells that it is the one that was read before, in bytes.
const lastLength = 4 << 10

func newSource(r io.Reader) *source {
	return &source{sum: sha256.New(), in: bufio.NewReaderSize(r, window)}
}

// head is the beginning of the log.
func (s *source) head() ([]byte, error) {
	head, err := s.in.Peek(window)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return head, nil
}

// digest is the digest of everything that was read, in the form of digest.Digest.
func (s *source) digest() string {
	sum := s.sum
	if s.rest != nil {
		sum = s.rest
	}
	return "sha-256:" + hex.EncodeToString(sum.Sum(nil))
}

// pass counts a line, or a part of one, as read. What is read of a last line that is not ended yet is not counted.
func (s *source) pass(text []byte) {
	s.sum.Write(text)
	s.offset += int64(len(text))
	if len(text) >= lastLength {
		s.last = append(s.last[:0], text[len(text)-lastLength:]...)
		return
	}
	s.last = append(s.last, text...)
	s.last = append(s.last[:0], s.last[max(len(s.last)-lastLength, 0):]...)
}

// A line is one line of a log.
type line struct {
	text  []byte // until the next line is read; nil for one that is too long
	ended bool   // it ends in a line feed: a killed client leaves a last line without one
}

// next returns the next line that is not blank, or io.EOF.
func (s *source) next() (line, error) {
	for {
		l, err := s.line()
		if err != nil || l.text == nil || len(bytes.TrimSpace(l.text)) > 0 {
			return l, err
		}
	}
}

func (s *source) line() (line, error) {
	s.buf = s.buf[:0]
	var before *source // what was read before a line that is too long
	for {
		part, err := s.in.ReadSlice('\n')
		switch {
		case before != nil:
			s.pass(part)
		case len(s.buf)+len(part) > maxRecord:
			before = s.copy()
			s.pass(s.buf)
			s.pass(part)
			s.buf = nil
		case err == nil && len(s.buf) == 0:
			s.pass(part)
			return line{part, true}, nil
		default:
			s.buf = append(s.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && (before != nil || len(s.buf) > 0):
			s.unended(before)
			return line{s.lineText(before != nil), false}, nil
		case err != nil:
			return line{}, err
		case before == nil:
			s.pass(s.buf)
		}
		return line{s.lineText(before != nil), true}, nil
	}
}

// copy is a copy of what is known of what was read.
func (s *source) copy() *source {
	return &source{sum: cloned(s.sum), offset: s.offset, last: bytes.Clone(s.last)}
}

func cloned(h hash.Hash) hash.Hash {
	c, err := h.(hash.Cloner).Clone()
	if err != nil {
		panic("capture: " + err.Error()) // SHA-256 can be cloned
	}
	return c
}

// unended goes back before a last line that is not ended. Of one that is too long before is what was known there, and it was passed already.
func (s *source) unended(before *source) {
	s.rest = cloned(s.sum)
	if before == nil {
		s.rest.Write(s.buf)
		return
	}
	s.sum, s.offset, s.last = before.sum, before.offset, before.last
}

// accept counts a last line that is not ended as read.
func (s *source) accept(text []byte) {
	s.rest = nil
	s.pass(text)
}

func (s *source) lineText(tooLong bool) []byte {
	if tooLong {
		return nil
	}
	return s.buf
}
