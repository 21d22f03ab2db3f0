package capture

import (
	"bytes"
	"cmp"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/secret"
)

// objectiveLength is how long task.objective may be, in characters. The instruction that it comes from has the whole text.
const objectiveLength = 2000

// document is a checkpoint that is written and not checked yet.
type document struct {
	text        []byte
	clockBehind bool
}

// document writes the checkpoint. digest is that of the log.
func (r *run) document(digest string) (*document, error) {
	counts, each := r.ledger.counts()
	if each[unknown]+each[malformed]+each[torn]+each[tooLong] == counts.Records {
		return nil, ErrNoRecord
	}
	objective, err := r.objective()
	if err != nil {
		return nil, err
	}
	id, err := checkpoint.NewID(r.opts.ID)
	if err != nil {
		return nil, err
	}
	now := r.opts.Now
	if now.IsZero() {
		now = time.Now()
	}
	d := &document{clockBehind: r.clock.latest.After(now.Truncate(time.Millisecond))}
	created := checkpoint.Timestamp(now)
	if d.clockBehind {
		created = r.clock.latest.Format(time.RFC3339Nano)
	}
	m := r.mapper
	m.resources = append([][]byte{r.sessionResource(digest, created)}, m.resources...)
	var f fragment
	f.object().text("opencheckpoint", checkpoint.Version).text("id", id).text("created_at", created)
	f.raw("source", r.source()).raw("task", task(objective, m.status)).raw("progress", m.progress())
	f.list("statements", m.statements).list("resources", m.resources).list("operations", m.operations)
	f.b = r.sweep(f.b)
	f.raw("derivation", r.derivation(counts))
	d.text = append(f.b, '}')
	return d, nil
}

// sweep replaces what looks like a credential only where texts stand together. It is a net: every text was searched before.
func (r *run) sweep(text []byte) []byte {
	if len(secret.Find(text)) == 0 {
		return text
	}
	whole := r.clean.inJSON(append(bytes.Clone(text), '}'))
	return bytes.TrimSuffix(whole, []byte{'}'})
}

// objective is the option, else what the client records, else the first message of a person that is more than a command.
func (r *run) objective() (string, error) {
	m := r.mapper
	if r.opts.Objective != "" {
		return r.clean.text(r.opts.Objective), nil
	}
	text := cmp.Or(m.goal, m.firstText, m.firstTask)
	if text == "" {
		return "", ErrNoObjective
	}
	return r.clean.start(text, objectiveLength), nil
}

func task(objective string, status taskStatus) []byte {
	var f fragment
	return f.object().text("objective", objective).text("status", string(status)).done()
}

// source is informational (§6.1).
func (r *run) source() []byte {
	s := &r.mapper.session
	var agent, model, own, from fragment
	agent.object().text("name", r.format.system).text("version", s.version)
	own.object().text("protocol", r.format.system).text("id", r.sessionKey())
	refs := [][]byte{own.done()}
	if s.forkedFrom != "" {
		refs = append(refs, from.object().text("protocol", r.format.system).text("id", s.forkedFrom).text("event", s.forkedAt).done())
	}
	var f fragment
	f.object().raw("producer", checkpoint.Producer()).raw("agent", agent.done())
	if s.model != "" {
		f.raw("model", model.object().text("name", s.model).text("provider", s.provider).done())
	}
	return f.list("session_refs", refs).done()
}

// sessionKey is the session's id in its client.
func (r *run) sessionKey() string {
	if id := r.mapper.session.id; id != "" {
		return id
	}
	return "not recorded"
}

// sessionResource stands for the log.
func (r *run) sessionResource(digest, observed string) []byte {
	var f fragment
	f.object().text("id", sessionID).text("uri", r.opts.URI).raw("locator", locator(r.format.system, "session", r.sessionKey()))
	return f.text("type", "session").text("digest", digest).text("observed_at", observed).done()
}

// progress has the steps, and what the plan says of them (§6.3).
func (m *mapper) progress() []byte {
	var focus []byte
	var next [][]byte
	if m.plan != nil {
		for i, item := range m.plan.items {
			id := "plan." + strconv.Itoa(i+1)
			switch {
			case item.state == done:
				m.steps = append(m.steps, m.frag.object().text("id", m.localID(id)).text("description", item.text).done())
			case item.state == inProgress && focus == nil:
				focus = m.frag.object().text("description", item.text).done()
			case item.state != dropped:
				next = append(next, m.frag.object().text("id", m.localID(id)).text("description", item.text).done())
			default:
				m.ledger.note("superseded", "1 item of the plan that was cancelled")
			}
		}
	}
	if len(m.steps) == 0 && focus == nil && next == nil {
		return nil
	}
	return m.frag.object().list("completed", m.steps).raw("focus", focus).list("next", next).done()
}

// derivation says where the checkpoint comes from and what is not in it (§6.9).
func (r *run) derivation(counts Counts) []byte {
	var input, f fragment
	inputs := [][]byte{input.object().text("protocol", r.format.system).text("id", r.sessionKey()).done()}
	var omissions [][]byte
	for i, n := range r.ledger.omissions() {
		omissions = append(omissions, checkpoint.OmissionText("ocp.omission."+strconv.Itoa(i+1), n.text, n.reason, sessionID))
	}
	what := number(counts.Records, "record") + " of the log: " + strconv.Itoa(counts.Mapped) + " mapped, " +
		strconv.Itoa(counts.Copied) + " copies or chunks of mapped ones, " + strconv.Itoa(counts.Omitted) + " in the omissions"
	if r.sources > 1 {
		what = strings.Replace(what, "the log", "the log and of those that it was forked from", 1)
	}
	changes := [][]byte{checkpoint.TransformationText("ocp.capture", what, sessionID)}
	return f.object().text("method", "converted").list("inputs", inputs).list("omissions", omissions).list("transformations", changes).done()
}

// fileURI is the file: URI of a path (RFC 8089), "" if the path is not absolute, nor the session's folder before it.
func fileURI(cwd, name string) string {
	if !isAbsolute(name) {
		if !isAbsolute(cwd) {
			return ""
		}
		name = cwd + "/" + name
	}
	if name[0] != '/' {
		name = "/" + strings.ReplaceAll(name, `\`, "/")
	}
	uri := (&url.URL{Scheme: "file", Path: path.Clean(name)}).String()
	if !jsonspan.IsText(uri) {
		return ""
	}
	return uri
}

// isAbsolute says whether a path is absolute on any system.
func isAbsolute(name string) bool {
	drive := len(name) > 2 && name[1] == ':' && (name[2] == '/' || name[2] == '\\') && (name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z')
	return strings.HasPrefix(name, "/") || drive
}
