package store

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/sumline"
)

// record is what a store knows of a checkpoint without reading it. Digests are spelled as digest.Digest spells them.
type record struct {
	ID           string    `json:"id"`
	Digest       string    `json:"digest"`
	Canonical    string    `json:"canonical"`
	Parent       string    `json:"parent,omitempty"`
	ParentDigest string    `json:"parent_digest,omitempty"` // "" if it proves nothing
	Needs        []string  `json:"needs,omitempty"`         // what it names as places of recovery, each a reference
	SavedAt      time.Time `json:"saved_at"`
	Size         int64     `json:"size"`
	Head         bool      `json:"head"` // it became the head when it was recorded
}

// draft is a checkpoint that was checked and is not saved yet.
type draft struct {
	record
	text []byte
}

// newDraft checks a document and the sizes, and finds out what there is to record.
func newDraft(src []byte, opts SaveOptions) (*draft, error) {
	if len(src) > MaxSize {
		return nil, &LimitError{"the checkpoint", int64(len(src)), MaxSize}
	}
	doc, err := checkpoint.ParseOne(src, checkpoint.Options{Lenient: opts.Lenient})
	if err != nil {
		return nil, err
	}
	canonical, err := doc.Digest()
	if err != nil {
		return nil, err
	}
	d := &draft{text: doc.Src}
	d.record = record{
		ID:        doc.GlobalID(),
		Digest:    digest.OfBytes(doc.Src).String(),
		Canonical: canonical.String(),
		Parent:    parentID(doc),
		Needs:     placesOfRecovery(doc),
		SavedAt:   time.Now().UTC().Truncate(time.Microsecond), // what a database keeps
		Size:      int64(len(doc.Src)),
	}
	if member, ok := doc.ParentDigest(); ok {
		recorded, _ := doc.RecordedDigest(member)
		d.ParentDigest = recorded.String()
	}
	return d, nil
}

func parentID(doc *checkpoint.Document) string {
	parent := doc.Only(checkpoint.Parent)
	if parent < 0 {
		return ""
	}
	return string(doc.StringField(parent, "id"))
}

// placesOfRecovery are the URIs and digests of the resources from which omitted things can be recovered (§6.9), as they are spelled.
func placesOfRecovery(doc *checkpoint.Document) (places []string) {
	for _, ref := range doc.Refs {
		if ref.Field != checkpoint.RecoverableFromField || ref.To < 0 {
			continue
		}
		uri := string(doc.StringField(ref.To, "uri"))
		places = append(places, uri, idOf(uri))
		if member, ok := doc.Field(ref.To, "digest"); ok {
			recorded, _ := doc.RecordedDigest(member)
			places = append(places, recorded.String())
		}
	}
	places = slices.DeleteFunc(places, func(s string) bool { return s == "" })
	slices.Sort(places)
	return slices.Compact(places)
}

// resourcePrefix begins the URI by which the server of this project names a checkpoint.
const resourcePrefix = "ocp://checkpoints/"

// idOf is what a URI of that server, or else the URI itself, calls a checkpoint; another URI is none of a checkpoint and does no harm.
func idOf(uri string) string {
	name, ok := strings.CutPrefix(uri, resourcePrefix)
	if !ok {
		return uri
	}
	if id, err := url.PathUnescape(name); err == nil {
		return id
	}
	return name
}

// names are what other checkpoints may call this one.
func (r *record) names() [3]string { return [...]string{r.ID, r.Digest, r.Canonical} }

// entry is the record as a list shows it.
func (r *record) entry(agent string) Entry {
	return Entry{Agent: agent, ID: r.ID, Digest: r.Digest, Canonical: r.Canonical, Parent: r.Parent, SavedAt: r.SavedAt, Size: r.Size}
}

// encodeLine writes a value as JSON on a line that begins with its sum.
func encodeLine(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings, numbers and times only
	}
	return sumline.Encode(text)
}

// errLine is a line that is not as encodeLine wrote it.
var errLine = errors.New("a line is not as it was written")

// decodeLine reads a line of encodeLine; a final line feed may be there.
func decodeLine(line []byte, into any) error {
	text, ok := sumline.Decode(line)
	if !ok || json.Unmarshal(text, into) != nil {
		return errLine
	}
	return nil
}

// quoted is how a text stands in a line of encodeLine.
func quoted(s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string
	}
	return text
}

// checkAgent refuses a text that is no agent id. Any other text is one: no file is ever named by it.
func checkAgent(agent string) error {
	switch {
	case len(agent) > MaxAgent:
		return &LimitError{"the agent id", int64(len(agent)), MaxAgent}
	case agent == "":
		return &AgentError{agent, "is empty"}
	case strings.ToValidUTF8(agent, "") != agent:
		return &AgentError{agent, "is no Unicode text"}
	case strings.ContainsFunc(agent, func(r rune) bool { return r < ' ' || 0x7f <= r && r <= 0x9f }):
		return &AgentError{agent, "contains a control character"}
	}
	return nil
}
