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
	runs        []jsonspan.Run // what of it is the parent's
	clockBehind bool
	swept       bool // something was replaced where texts stand together
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
	stamp, err := r.stamp()
	if err != nil {
		return nil, err
	}
	m := r.mapper
	m.resources.lead(r.sessionResource(digest, stamp.CreatedAt))
	const rest = 64 << 10 // about the size of what is no list
	f := fragment{b: make([]byte, 0, m.steps.size+m.statements.size+m.resources.size+m.operations.size+rest)}
	f.object().text("opencheckpoint", checkpoint.Version).text("id", stamp.ID).text("created_at", stamp.CreatedAt).raw("parent", r.parent(stamp))
	f.raw("source", r.source()).raw("task", r.task(objective))
	r.progress(&f)
	f.section("statements", &m.statements).section("resources", &m.resources)
	r.head.inherited(&f, checkpoint.Top, "application_context")
	f.section("operations", &m.operations)
	r.head.inherited(&f, checkpoint.Top, "continuation")
	d := &document{clockBehind: stamp.ClockBehind}
	d.sweep(r, &f)
	f.raw("derivation", r.derivation(stamp, counts))
	r.head.inherited(&f, checkpoint.Top, "extensions")
	d.text, d.runs = append(f.b, '}'), f.runs
	return d, nil
}

// stamp is the identity of the checkpoint: created_at is the latest of the clock, the log and the parent.
func (r *run) stamp() (s checkpoint.Stamp, err error) {
	now := r.opts.Now
	if now.IsZero() {
		now = time.Now()
	}
	method := "converted"
	if r.opts.Live {
		method = "captured"
	}
	if r.head != nil {
		s, err = r.head.stamp(method, r.opts.ID, now)
		r.sum = s.Digest
	} else {
		s = checkpoint.Stamp{CreatedAt: checkpoint.Timestamp(now), Method: method}
		s.ID, err = checkpoint.NewID(r.opts.ID)
	}
	if created, _ := time.Parse(time.RFC3339Nano, s.CreatedAt); err == nil && r.clock.latest.After(created) {
		s.CreatedAt, s.ClockBehind = r.clock.latest.Format(time.RFC3339Nano), true
	}
	return s, err
}

// parent is the member parent, nil without one.
func (r *run) parent(s checkpoint.Stamp) []byte {
	if r.head == nil {
		return nil
	}
	return checkpoint.InputText(r.head.doc.GlobalID(), s.Digest)
}

// sweep replaces what looks like a credential only where texts stand together. It is a net: every text was searched before, and so was the parent.
func (d *document) sweep(r *run, f *fragment) {
	at := 0
	for _, run := range f.runs {
		d.swept = d.swept || len(secret.Find(f.b[at:run.At])) > 0
		at = run.At + run.Len
	}
	if d.swept = d.swept || len(secret.Find(f.b[at:])) > 0; !d.swept {
		return
	}
	whole := r.clean.inJSON(append(bytes.Clone(f.b), '}'))
	f.b, f.runs = bytes.TrimSuffix(whole, []byte{'}'}), nil
}

// objective is the option, else what the client records, else what the parent has, else the first message of a person that is more than a command.
func (r *run) objective() (string, error) {
	m := r.mapper
	if r.opts.Objective != "" {
		return r.clean.text(r.opts.Objective), nil
	}
	if m.goal == "" && m.parentGoal != "" {
		return m.parentGoal, nil
	}
	text := cmp.Or(m.goal, m.firstText, m.firstTask)
	if text == "" {
		return "", ErrNoObjective
	}
	return r.clean.start(text, objectiveLength), nil
}

func (r *run) task(objective string) []byte {
	var f fragment
	f.object().text("objective", objective)
	r.head.inherited(&f, checkpoint.Task, "outcome")
	f.text("status", string(r.mapper.status))
	return r.head.inherited(&f, checkpoint.Task, "success_criteria", "scope", "extensions").done()
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
	f.section("session_refs", &refs)
	return r.head.inherited(&f, checkpoint.Source, "extensions").done()
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
func (r *run) progress(f *fragment) {
	m := r.mapper
	var focus fragment
	var next section
	var steps []byte
	for i, item := range m.plan {
		switch {
		case item.State == done:
			m.steps.add(m.planned(i, item))
		case item.State == inProgress && focus.b == nil:
			focus.object().text("description", item.Text).done()
		case item.State != dropped:
			next.add(m.planned(i, item))
		default:
			m.ledger.note("superseded", "1 item of the plan that was cancelled")
		}
	}
	if m.plan == nil && r.head != nil { // the log has no plan, so that of the parent stands
		focus.b, steps = r.head.text(checkpoint.Progress, "focus"), r.head.text(checkpoint.Progress, "next")
	}
	extensions := r.head.text(checkpoint.Progress, "extensions")
	if m.steps.size == 0 && focus.b == nil && next.size == 0 && steps == nil && extensions == nil {
		return
	}
	f.begin("progress").section("completed", &m.steps).raw("focus", focus.b).section("next", &next).raw("next", steps).raw("extensions", extensions).end()
}

// planID begins the ids of a plan's items.
const planID = "plan."

func (m *mapper) planned(i int, item planItem) []byte {
	return m.frag.object().text("id", m.localID(planID+strconv.Itoa(i+1))).text("description", item.Text).done()
}

// The ids of the omissions and of the transformation that a capture makes; a number follows the first.
const (
	omissionID = "ocp.omission."
	captureID  = "ocp.capture"
)

// derivation says where the checkpoint comes from and what is not in it (§6.9). With a parent the method stays what it is without one: what is new comes from the
// session, and not from the checkpoint.
func (r *run) derivation(stamp checkpoint.Stamp, counts Counts) []byte {
	var own, f fragment
	session := own.object().text("protocol", r.format.system).text("id", r.sessionKey()).done()
	var omissions section
	var before int
	if r.head != nil {
		before = r.head.omissions(&omissions)
	}
	for i, n := range r.ledger.omissions() {
		omissions.add(checkpoint.OmissionText(omissionID+strconv.Itoa(before+i+1), n.text, n.reason, sessionID))
	}
	what := number(counts.Records, "record") + " of the log: " + strconv.Itoa(counts.Mapped) + " mapped, " +
		strconv.Itoa(counts.Copied) + " copies or chunks of mapped ones, " + strconv.Itoa(counts.Omitted) + " in the omissions"
	if r.sources > 1 {
		what = strings.Replace(what, "the log", "the log and of those that it was forked from", 1)
	}
	var inputs, transformations section
	if r.head != nil {
		r.head.inputs(&inputs, stamp, session)
		r.head.transformations(&transformations)
	}
	inputs.add(session)
	transformations.add(checkpoint.TransformationText(captureID, what, sessionID))
	f.object().text("method", stamp.Method).section("inputs", &inputs).section("omissions", &omissions)
	return f.section("transformations", &transformations).done()
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
