package store

import (
	"slices"

	"github.com/opencheckpoint/ocp/digest"
)

// reference is what a person or a program calls a checkpoint: its id, or a digest in any form that is read.
type reference struct{ id, digest string }

func newReference(text string) reference {
	sum, _ := digest.Parse(text)
	return reference{text, sum.String()}
}

// texts are what a record contains that the reference may be about: one of the names of a checkpoint.
func (r reference) texts() []string {
	if r.digest == "" || r.digest == r.id {
		return []string{r.id}
	}
	return []string{r.id, r.digest}
}

// match is a record that a reference is about.
type match struct {
	agent  string
	record *record
}

// matches are all of them, in the order of agents and saves.
type matches struct {
	exact *match // the digest of the bytes
	other []match
}

func (m *matches) add(r reference, agent string, found *record) {
	switch {
	case found.Digest == r.digest:
		if m.exact == nil {
			m.exact = &match{agent, found}
		}
	case found.ID == r.id || found.Canonical == r.digest:
		m.other = append(m.other, match{agent, found})
	}
}

// best is the one that is meant: what has the bytes, else the first of those that say the same. Nothing is chosen among those that do not.
func (m *matches) best(r reference) (*match, error) {
	if m.exact != nil {
		return m.exact, nil
	}
	if len(m.other) == 0 {
		return nil, ErrNoCheckpoint
	}
	var contents, digests []string
	for _, one := range m.other {
		contents = append(contents, one.record.Canonical)
		digests = append(digests, one.record.Digest)
	}
	slices.Sort(contents)
	if contents = slices.Compact(contents); len(contents) == 1 {
		return &m.other[0], nil
	}
	slices.Sort(digests)
	return nil, &AmbiguousError{r.id, slices.Compact(digests)}
}
