package checkpoint

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// ProducerVersion is the version of this program, which derived checkpoints carry in source.producer.
const ProducerVersion = "0.1.0"

// producer is source.producer of every checkpoint that this program derives.
var producer = []byte(`{"name":"ocp","version":"` + ProducerVersion + `"}`)

// MediaType is the media type of checkpoints (§3).
const MediaType = "application/vnd.opencheckpoint+json"

// Stamp is the identity of a derived checkpoint: its own, and its parent's.
type Stamp struct {
	ID          string
	CreatedAt   string
	ClockBehind bool // the clock was behind the parent, so CreatedAt is the parent's latest timestamp as it is spelled
	Method      string
	Digest      string // of the parent
}

// ErrSameID is a wish for an id that the parent has (OCP-S004), or a checkpoint that the parent derives from.
var ErrSameID = errors.New("the new checkpoint's id is that of a checkpoint from which it derives")

func (d *Document) isInLineage(id string) bool {
	if id == d.GlobalID() || d.Only(Parent) >= 0 && id == string(d.StringField(d.Only(Parent), "id")) {
		return true
	}
	for i := range d.Objects {
		if d.IsCheckpointInput(int32(i)) && id == string(d.StringField(int32(i), "id")) {
			return true
		}
	}
	return false
}

// ErrText is a wish for an id that no JSON string can hold.
var ErrText = errors.New("the new checkpoint's id is no Unicode text that JSON can hold")

// InstantError is a created_at that names no instant, so that nothing can be derived from its document.
type InstantError struct{ CreatedAt string }

// Error says what created_at is.
func (e *InstantError) Error() string {
	return "created_at " + e.CreatedAt + " names no instant, so nothing can be derived from the document"
}

// NewStamp makes the identity of a checkpoint derived from d, and from others. An empty id stands for a new UUIDv7, a zero time for now.
func (d *Document) NewStamp(method, id string, now time.Time, others ...*Document) (Stamp, error) {
	id, err := NewID(id)
	if err != nil {
		return Stamp{}, err
	}
	s := Stamp{ID: id, Method: method}
	sources := append([]*Document{d}, others...)
	for _, source := range sources {
		if source.isInLineage(s.ID) {
			return Stamp{}, ErrSameID
		}
	}
	if now.IsZero() {
		now = time.Now()
	}
	s.CreatedAt = Timestamp(now)
	for _, source := range sources {
		latest, ok := ParseInstant(source.Latest())
		if !ok {
			return Stamp{}, &InstantError{source.Created()}
		}
		if at, _ := ParseInstant(s.CreatedAt); latest.After(at) {
			s.CreatedAt, s.ClockBehind = source.Latest(), true
		}
	}
	return s, nil
}

// NewID is the id of a new checkpoint: the wish, or a new UUIDv7 for an empty one. The error is ErrText for a wish that JSON cannot hold.
func NewID(wish string) (string, error) {
	if wish == "" {
		u, err := uuid.NewV7()
		return u.URN(), err
	}
	if !jsonspan.IsText(wish) {
		return "", ErrText
	}
	return wish, nil
}

// Timestamp is a time as this program spells it in created_at.
func Timestamp(t time.Time) string {
	return t.UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano)
}

// Producer is source.producer of every checkpoint that this program makes.
func Producer() []byte { return producer }

// InputResource is the text of a resource that stands for the parent, from which what is omitted can be recovered. uri "" is the
// parent's id.
func (d *Document) InputResource(s *Stamp, id, uri string) []byte {
	return InputResourceText(id, cmp.Or(uri, d.GlobalID()), s.Digest, s.CreatedAt)
}

// InputResourceText is the text of a resource that stands for a checkpoint; its digest may be unknown, "".
func InputResourceText(id, uri, digest, observedAt string) []byte {
	b := jsonspan.AppendQuoted([]byte(`{"id":`), id)
	uri = strings.ToValidUTF8(uri, "\uFFFD")
	if hasUserinfo([]byte(uri)) { // an id may be any text, a resource's uri may not (OCP-S008)
		b = append(jsonspan.AppendQuoted(append(b, `,"locator":{"system":"opencheckpoint","key":`...), uri), '}')
	} else {
		b = jsonspan.AppendQuoted(append(b, `,"uri":`...), uri)
	}
	b = jsonspan.AppendQuoted(append(b, `,"media_type":`...), MediaType)
	if digest != "" {
		b = jsonspan.AppendQuoted(append(b, `,"digest":`...), digest)
	}
	b = jsonspan.AppendQuoted(append(b, `,"observed_at":`...), observedAt)
	return append(b, '}')
}

// OmissionText is an entry of derivation.omissions (§6.9). recoverableFrom "" names no resource.
func OmissionText(id, description, reason, recoverableFrom string) []byte {
	b := jsonspan.AppendQuoted([]byte(`{"id":`), id)
	b = jsonspan.AppendQuoted(append(b, `,"description":`...), description)
	b = jsonspan.AppendQuoted(append(b, `,"reason":`...), reason)
	if recoverableFrom != "" {
		b = jsonspan.AppendQuoted(append(b, `,"recoverable_from":`...), recoverableFrom)
	}
	return append(b, '}')
}

// TransformationText is an entry of derivation.transformations (§6.9). Without affected objects it has no list of them.
func TransformationText(id, description string, affected ...string) []byte {
	b := jsonspan.AppendQuoted([]byte(`{"id":`), id)
	b = jsonspan.AppendQuoted(append(b, `,"description":`...), description)
	for i, object := range affected {
		before := `,"affected":[`
		if i > 0 {
			before = `,`
		}
		b = jsonspan.AppendQuoted(append(b, before...), object)
	}
	if len(affected) > 0 {
		b = append(b, ']')
	}
	return append(b, '}')
}

// FreeID returns a local id that the document does not have: the wish itself, or with .2, .3 and so on behind it. A wish of more than 109
// characters is cut to 100, with 8 hexadecimal digits of its digest behind them.
func (d *Document) FreeID(wish string) string {
	return Freely(wish, func(id string) bool {
		_, taken := d.Lookup(id)
		return taken
	})
}

// Freely is FreeID for ids that are taken elsewhere.
func Freely(wish string, taken func(id string) bool) string {
	if len(wish) > maxWish {
		sum := sha256.Sum256([]byte(wish))
		wish = wish[:cutWish] + "." + fmt.Sprintf("%x", sum[:4])
	}
	id := wish
	for n := 2; taken(id); n++ {
		id = wish + "." + strconv.Itoa(n)
	}
	return id
}

// IsCut says whether a text is what is left of a longer wish for an id.
func IsCut(text, wish string) bool { return len(text) == cutWish && strings.HasPrefix(wish, text) }

// cutWish is how much of a wish that is too long is kept.
const cutWish = 100

// maxWish leaves room for a number behind an id, which has at most 128 characters (§4.1).
const maxWish = 109

// InputResourceID begins the id of a resource that stands for the parent of a derived checkpoint.
const InputResourceID = "ocp.input"
