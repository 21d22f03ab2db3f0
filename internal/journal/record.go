package journal

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/opencheckpoint/ocp/internal/sumline"
)

// MaxRecord is the largest record, and the largest first line, in bytes of JSON text.
const MaxRecord = 64 << 10

// maxLine is the longest line.
const maxLine = MaxRecord + sumline.Overhead

// version is the number of the format.
const version = 1

// Record is one event of a session. What has no value is not recorded. Text that is not Unicode is recorded with U+FFFD in the place of what is
// not.
type Record struct {
	Seq   int64     `json:"seq"` // Append sets it
	At    time.Time `json:"at,omitzero"`
	Event string    `json:"event,omitempty"` // a word such as active, prompt, request, dispatch, result, saved, ended; readers pass over those they do not know

	Turn   string `json:"turn,omitempty"`   // the client's id of the turn
	Call   string `json:"call,omitempty"`   // the client's id of the call
	Tool   string `json:"tool,omitempty"`   // what is called, as its server names it
	Server string `json:"server,omitempty"` // the outside system whose tool it is

	// Arguments are those of the call, as JSON text. They have gone through the secret detector, and are cut to what a record can hold,
	// before they come here.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Digest    string          `json:"digest,omitempty"`  // of what the event is about as a whole: of uncut arguments, of a checkpoint that was saved
	Failed    bool            `json:"failed,omitempty"`  // the result is an error
	Unclear   bool            `json:"unclear,omitempty"` // the result does not say that the call is over
	Covers    string          `json:"covers,omitempty"`  // the tools for which the hook is active, as the client's settings name them

	Through int64  `json:"through,omitempty"` // the sequence number of the last record that a saved checkpoint accounts for
	Process string `json:"process,omitempty"` // of the client, and the system on which its number holds
	Dir     string `json:"dir,omitempty"`     // in which the session works
	Log     string `json:"log,omitempty"`     // the file that the client keeps of the session
}

// encode is the line of a record. The error is a *RecordError or a *LimitError.
func (r *Record) encode() ([]byte, error) {
	text, err := marshal(r)
	if err != nil {
		return nil, &RecordError{err}
	}
	return encodeLine("the record", text)
}

// decode reads a line; ok says that it is as it was written, and a record.
func decode(line []byte) (r Record, ok bool) {
	text, ok := sumline.Decode(line)
	return r, ok && json.Unmarshal(text, &r) == nil && r.Seq > 0
}

// header is the first line.
type header struct {
	Journal int    `json:"journal"`
	Client  string `json:"client"`
	Session string `json:"session"`
}

// encodeHeader is the first line of a journal. The error is an *IDError or a *LimitError.
func encodeHeader(client, session string) ([]byte, error) {
	switch {
	case client == "":
		return nil, &IDError{"client"}
	case session == "":
		return nil, &IDError{"session"}
	}
	text, err := marshal(header{version, client, session})
	if err != nil {
		panic(err) // strings and a number
	}
	return encodeLine("the session id", text)
}

// laterVersion is the version of a first line if it is later than this one, else 0.
func laterVersion(line []byte) int {
	var h header
	text, ok := sumline.Decode(line)
	if !ok || json.Unmarshal(text, &h) != nil || h.Journal <= version {
		return 0
	}
	return h.Journal
}

// marshal is JSON text on one line. JSON text within it is kept, white space aside.
func marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

func encodeLine(what string, text []byte) ([]byte, error) {
	if len(text) > MaxRecord {
		return nil, &LimitError{what, len(text), MaxRecord}
	}
	return sumline.Encode(text), nil
}
