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
	in  *bufio.Reader
	sum hash.Hash // of all bytes read
	buf []byte    // of the record at hand
}

func newSource(r io.Reader) *source {
	s := &source{sum: sha256.New()}
	s.in = bufio.NewReaderSize(io.TeeReader(r, s.sum), window)
	return s
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
func (s *source) digest() string { return "sha-256:" + hex.EncodeToString(s.sum.Sum(nil)) }

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
	tooLong := false
	for {
		part, err := s.in.ReadSlice('\n')
		switch {
		case tooLong:
		case len(s.buf)+len(part) > maxRecord:
			tooLong, s.buf = true, nil
		case err == nil && len(s.buf) == 0:
			return line{part, true}, nil
		default:
			s.buf = append(s.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && (tooLong || len(s.buf) > 0), err == nil:
			return line{s.lineText(tooLong), err == nil}, nil
		}
		return line{}, err
	}
}

func (s *source) lineText(tooLong bool) []byte {
	if tooLong {
		return nil
	}
	return s.buf
}
