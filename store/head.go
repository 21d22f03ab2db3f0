package store

import "github.com/opencheckpoint/ocp/digest"

// step is what one save is about: the head that was found, nil without one, and how to read it.
type step struct {
	agent string
	head  *record
	load  func() ([]byte, error) // the head's bytes
}

// advances decides whether a draft becomes the head. The error is a *ConflictError or an *ExpectError.
func (s *step) advances(d *draft, opts SaveOptions) (bool, error) {
	if s.head != nil && s.head.Digest == d.Digest {
		return true, nil // a save that is made again, whatever came of it the first time
	}
	if err := s.expect(opts.Expect); err != nil {
		return false, err
	}
	follows := s.head == nil || opts.Force || d.Parent == "" && opts.Expect != ""
	if follows || d.Parent != s.head.ID {
		return follows, nil
	}
	parent, err := digest.Parse(d.ParentDigest)
	if err != nil {
		return true, nil // none that proves anything, so the id has to do
	}
	return s.isHead(parent)
}

// expect fails unless the head is the one that a save expects.
func (s *step) expect(want string) error {
	if want == "" || want == NoHead && s.head == nil {
		return nil
	}
	conflict := &ConflictError{Agent: s.agent, Expected: want}
	if s.head != nil {
		conflict.Head = s.head.Digest
	}
	if want == NoHead {
		return conflict
	}
	expected, err := digest.Parse(want)
	if err != nil {
		return &ExpectError{want, err}
	}
	if s.head == nil {
		return conflict
	}
	if same, err := s.isHead(expected); err != nil || same {
		return err
	}
	return conflict
}

// isHead says whether a digest is one of the head in any form that digest.Verify knows.
func (s *step) isHead(d digest.Digest) (bool, error) {
	if text := d.String(); text == s.head.Digest || text == s.head.Canonical {
		return true, nil
	}
	text, err := s.load()
	if err != nil {
		return false, err
	}
	match, err := d.VerifyLenient(text)
	return match != digest.None, err
}
