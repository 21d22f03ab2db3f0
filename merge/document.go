package merge

import (
	"bytes"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// document is one checkpoint at hand.
type document struct {
	*checkpoint.Document                      // without what an earlier merge made of its conflicts, and with the local ids that it has in the result
	given                *checkpoint.Document // as it came
	id                   string
	digested             func() (digest.Digest, error)
	names                []name              // what it derives from
	spellings            [][]byte            // the same document in other bytes
	forgetful            bool                // it was compacted since the base: what it lacks says nothing
	deleted              map[string]bool     // paths of what an earlier merge deleted on purpose
	removed              map[string]bool     // operations that a fork left to others since the base
	held                 map[string]*held    // conflicts that are open in it, by path
	heldOn               map[string]bool     // the objects that they are about, by path
	heldIn               map[string][]string // the members in which inputs differ, by the path of their object
	renamed              map[string]string   // its local ids that have others in the result
	guards               map[string]bool     // local ids, in the result, of its stop conditions that a fork wrote
	aliased              bool                // renamed says so, and the text does not: nothing refers to them
}

// name is a checkpoint that a document names as one that it derives from.
type name struct {
	id     string
	digest jsonspan.Item
	signed bool // digest is there
}

// keptDocument is newDocument for one that was read from a text that the caller will use again.
func keptDocument(doc *checkpoint.Document) *document {
	doc.Src = bytes.Clone(doc.Src)
	return newDocument(doc)
}

func newDocument(doc *checkpoint.Document) *document {
	d := &document{Document: doc, given: doc, id: doc.GlobalID()}
	d.readNames()
	return d
}

// digest is that of the document as it came; it is waited for. Of a document that was read it can only fail if its memory was taken away, which is an
// *fault.Error that Merge catches.
func (d *document) digest() digest.Digest {
	sum, err := d.digested()
	if err != nil {
		panic(err)
	}
	return sum
}

// readNames lists the parent and the inputs, once each.
func (d *document) readNames() {
	seen := map[string]bool{}
	add := func(entry int32) {
		n := name{id: string(d.given.StringField(entry, "id"))}
		n.digest, n.signed = d.given.Field(entry, "digest")
		if !seen[n.id] || n.signed {
			seen[n.id] = true
			d.names = append(d.names, n)
		}
	}
	if parent := d.given.Only(checkpoint.Parent); parent >= 0 {
		add(parent)
	}
	for i := range d.given.Objects {
		if d.given.IsCheckpointInput(int32(i)) {
			add(int32(i))
		}
	}
}

// method says how the document was derived.
func (d *document) method() uint8 {
	if i := d.given.Only(checkpoint.Derivation); i >= 0 {
		return d.given.Objects[i].Fact(checkpoint.Kind)
	}
	return checkpoint.Absent
}

// replace gives the document another text, which is one of our making. It need not be valid: what refers to an object that this input forgot does
// not in the result.
func (d *document) replace(text []byte, opts checkpoint.Options) error {
	doc, err := checkpoint.Parse(text, opts)
	if err != nil {
		return &InternalError{Err: err}
	}
	d.Document = doc
	return nil
}
