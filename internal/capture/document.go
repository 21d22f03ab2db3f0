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
	m.resources.lead(r.sessionResource(digest, created))
	const rest = 64 << 10 // about the size of what is no list
	f := fragment{make([]byte, 0, m.steps.size+m.statements.size+m.resources.size+m.operations.size+rest)}
	f.object().text("opencheckpoint", checkpoint.Version).text("id", id).text("created_at", created)
	f.raw("source", r.source()).raw("task", task(objective, m.status))
	m.progress(&f)
	f.section("statements", &m.statements).section("resources", &m.resources).section("operations", &m.operations)
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
	var refs section
	refs.add(own.done())
	if s.forkedFrom != "" {
		refs.add(from.object().text("protocol", r.format.system).text("id", s.forkedFrom).text("event", s.forkedAt).done())
	}
	var f fragment
	f.object().raw("producer", checkpoint.Producer()).raw("agent", agent.done())
	if s.model != "" {
		f.raw("model", model.object().text("name", s.model).text("provider", s.provider).done())
	}
	return f.section("session_refs", &refs).done()
}

// notRecorded stands for an id that the log does not have.
const notRecorded = "not recorded"

// sessionKey is the session's id in its client.
func (r *run) sessionKey() string {
	return cmp.Or(r.mapper.session.id, notRecorded)
}

// sessionResource stands for the log.
func (r *run) sessionResource(digest, observed string) []byte {
	var f fragment
	f.object().text("id", sessionID).text("uri", r.opts.URI).raw("locator", locator(r.format.system, "session", r.sessionKey()))
	return f.text("type", "session").text("digest", digest).text("observed_at", observed).done()
}

// progress writes the steps, and what the plan says of them (§6.3).
func (m *mapper) progress(f *fragment) {
	var focus string
	var next section
	for i, item := range m.plan {
		switch {
		case item.state == done:
			m.steps.add(m.planned(i, item))
		case item.state == inProgress && focus == "":
			focus = item.text
		case item.state != dropped:
			next.add(m.planned(i, item))
		default:
			m.ledger.note("superseded", "1 item of the plan that was cancelled")
		}
	}
	if m.steps.size == 0 && focus == "" && next.size == 0 {
		return
	}
	f.begin("progress").section("completed", &m.steps)
	if focus != "" {
		f.begin("focus").text("description", focus).end()
	}
	f.section("next", &next).end()
}

func (m *mapper) planned(i int, item planItem) []byte {
	return m.frag.object().text("id", m.localID("plan."+strconv.Itoa(i+1))).text("description", item.text).done()
}

// derivation says where the checkpoint comes from and what is not in it (§6.9).
func (r *run) derivation(counts Counts) []byte {
	var input, f fragment
	input.object().text("protocol", r.format.system).text("id", r.sessionKey())
	var omissions section
	for i, n := range r.ledger.omissions() {
		omissions.add(checkpoint.OmissionText("ocp.omission."+strconv.Itoa(i+1), n.text, n.reason, sessionID))
	}
	what := number(counts.Records, "record") + " of the log: " + strconv.Itoa(counts.Mapped) + " mapped, " +
		strconv.Itoa(counts.Copied) + " copies or chunks of mapped ones, " + strconv.Itoa(counts.Omitted) + " in the omissions"
	if r.sources > 1 {
		what = strings.Replace(what, "the log", "the log and of those that it was forked from", 1)
	}
	f.object().text("method", "converted").list("inputs", input.done()).section("omissions", &omissions)
	return f.list("transformations", checkpoint.TransformationText("ocp.capture", what, sessionID)).done()
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
