package compact

import (
	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// Prefixes is the sequence of steps of a document, for the laws that speak of it: 10, and that every prefix is a checkpoint.
type Prefixes struct{ ladder *ladder }

// NewPrefixes plays the ladder of a document.
func NewPrefixes(src []byte, opts Options) (*Prefixes, error) {
	doc, err := checkpoint.ParseOne(src, checkpoint.Options{Lenient: opts.Lenient, Parts: true})
	if err != nil {
		return nil, err
	}
	l, err := newLadder(doc, opts)
	if err != nil {
		return nil, err
	}
	sum, err := digest.Of(doc.Src)
	l.stamp.Digest = sum.String()
	return &Prefixes{l}, err
}

// Len is the number of prefixes, the empty one included.
func (p *Prefixes) Len() int { return len(p.ladder.steps) + 1 }

// Size is the size in bytes that was counted for a prefix.
func (p *Prefixes) Size(prefix int) int { return p.ladder.sizeOf(prefix) }

// Write is the document of a prefix.
func (p *Prefixes) Write(prefix int) []byte { return p.ladder.write(prefix) }

// Taken is the prefix that a result took, and whether it took any.
func (r *Result) Taken() (prefix int, ok bool) { return r.prefix, r.ladder != nil }
