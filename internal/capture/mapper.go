package capture

import "fmt"

// sessionID is the local id of the resource that stands for the log: what is omitted is recoverable from it, and what the agent wrote has
// its evidence there.
const sessionID = "session"

// mapper turns events into objects of a checkpoint, each as soon as nothing can change it.
type mapper struct {
	system string // what the client is called in a locator
	clean  cleaner
	ledger *ledger
	frag   fragment

	session    session
	status     taskStatus
	statusFrom int // the record that shows it
	goal       string
	parentGoal string // the objective of a parent that the log was captured with
	firstText  string // of a person that is more than a slash word
	firstTask  string // of another agent
	plan       []planItem
	planFrom   []int // the records that set it

	ids       map[string]int // local ids, and how many objects wished for each
	open      map[string][]*call
	handles   map[string][]*call // calls that go on behind their results
	pending   int                // calls in open and handles: their order
	approvals []*approval
	requests  map[string]*approval // those that wait for a decision, by id
	files     map[string]string    // local ids by path
	bare      []string             // the latest calls that are over and left no object, by id
	head      *head                // the checkpoint that this one goes on from, nil without one

	witness *witness // nil where nothing testifies

	statements, steps, resources, operations section
}

func newMapper(system string, l *ledger) *mapper {
	return &mapper{system: system, clean: cleaner{l}, ledger: l, status: active, ids: map[string]int{sessionID: 1},
		open: map[string][]*call{}, handles: map[string][]*call{}, requests: map[string]*approval{}, files: map[string]string{}}
}

// take maps one event.
func (m *mapper) take(e event) {
	switch e := e.(type) {
	case session:
		m.describe(e)
	case said:
		m.said(e)
	case goal:
		m.goal = e.text
		m.ledger.set(e.rec, mapped)
	case turn:
		m.status, m.statusFrom = e.status, e.rec
	case called:
		m.called(e)
	case started:
		m.started(e)
	case hinted:
		m.hinted(e)
	case answered:
		m.answered(e)
	case ended:
		m.ended(e)
	case asked:
		m.asked(e)
	case decided:
		m.decided(e)
	case lost:
		m.lost(e)
	default:
		panic(fmt.Sprintf("capture: an event of type %T", e))
	}
}

// describe takes what is known of the session; what is known already stays.
func (m *mapper) describe(e session) {
	if m.head != nil && m.session.cwd == "" && e.cwd != "" && len(m.files) > 0 {
		m.ledger.reached = true // files that are settled were named without their folder
	}
	for _, p := range []struct {
		have *string
		new  string
	}{{&m.session.version, e.version}, {&m.session.id, e.id}, {&m.session.cwd, e.cwd}, {&m.session.forkedFrom, e.forkedFrom}, {&m.session.forkedAt, e.forkedAt}} {
		if *p.have == "" {
			*p.have = p.new
		}
	}
	if e.model != "" { // the last model is the one that the work ended with
		m.session.model, m.session.provider = e.model, e.provider
	}
}

// localID is a local id for an object, never given twice: the wish, or with .2, .3 and so on behind it (§4.1).
func (m *mapper) localID(wish string) string {
	if m.ids[wish] == 0 && m.head.hasName(wish) {
		m.ids[wish] = 1
	}
	for {
		m.ids[wish]++
		n := m.ids[wish]
		if n == 1 {
			return wish
		}
		if next := fmt.Sprintf("%s.%d", wish, n); m.ids[next] == 0 && !m.head.hasName(next) {
			m.ids[next] = 1
			return next
		}
	}
}

// said makes a statement. A person's words are an instruction, everything else is not (§6.5, §9.1).
func (m *mapper) said(e said) {
	if e.text == "" {
		m.ledger.set(e.rec, blank)
		return
	}
	m.ledger.set(e.rec, mapped)
	f := m.frag.object()
	switch e.by {
	case person:
		if m.firstText == "" && !e.command && !isSlashWord(e.text) {
			m.firstText = e.text
		}
		f.text("id", m.localID(fmt.Sprintf("user.%d", e.rec))).text("kind", "instruction").text("text", e.text).raw("origin", []byte(`{"type":"user"}`))
	case other:
		if m.firstTask == "" {
			m.firstTask = e.text
		}
		f.text("id", m.localID(fmt.Sprintf("task.%d", e.rec))).text("kind", "external").text("text", e.text).raw("origin", []byte(`{"type":"agent"}`))
	case agent:
		m.observation(f, fmt.Sprintf("agent.%d", e.rec), "the agent wrote: "+e.text)
	case summary:
		m.observation(f, fmt.Sprintf("summary.%d", e.rec), "the agent summarized: "+e.text)
	}
	m.statements.add(f.text("recorded_at", e.at).done())
}

// observation writes what an agent said: that it did is what is recorded, not that it is so.
func (m *mapper) observation(f *fragment, id, text string) {
	f.text("id", m.localID(id)).text("kind", "observation").text("text", text).raw("origin", []byte(`{"type":"agent"}`))
	f.refs("evidence", sessionID).raw("verification", []byte(`{"state":"unverified"}`))
}

// fileResource is the local id of the resource for a file, which is made when it is first asked for.
func (m *mapper) fileResource(path, at string) string {
	if path == "" {
		return ""
	}
	if id, ok := m.files[path]; ok {
		return id
	}
	id := m.localID(fmt.Sprintf("file.%d", len(m.files)+1))
	m.files[path] = id
	f := m.frag.object().text("id", id)
	if uri := fileURI(m.session.cwd, path); uri != "" {
		f.text("uri", uri)
	} else {
		f.raw("locator", locator(m.system, "file", path))
	}
	m.resources.add(f.text("type", "file").text("observed_at", at).done())
	return id
}

// locator names an object of the client that has no URI (§6.4).
func locator(system, kind, key string) []byte {
	var f fragment
	return f.object().text("system", system).text("type", kind).text("key", key).done()
}

// lostID begins the id of an operation for a turn that the log does not show.
const lostID = "op.turn."

// lost makes an operation of a turn whose calls the log does not show.
func (m *mapper) lost(e lost) {
	if p, _ := m.witness.proof(called{at: e.at}, ""); p == NotStarted {
		return
	}
	m.ledger.set(e.rec, mapped)
	f := m.frag.object().text("id", m.localID(fmt.Sprintf("%s%d", lostID, e.rec))).text("kind", "action").text("status", "uncertain")
	f.text("description", "the log ends in a turn of the model that shows nothing: what it called, if anything, is not known")
	f.text("effect", "unknown").text("resume", "verify_first").text("last_attempt_at", e.at)
	m.operations.add(f.done())
}

// end maps what stayed open when the log ended.
func (m *mapper) end() {
	_, each := m.ledger.counts()
	whole := each[malformed]+each[torn]+each[tooLong] == 0 && m.ledger.flawed == 0
	for _, c := range m.pendingCalls() {
		m.unanswered(c, whole)
	}
	m.unlogged()
	for _, a := range m.approvals {
		m.approval(a)
	}
	for _, rec := range append(m.planFrom, m.statusFrom) {
		m.ledger.set(rec, mapped)
	}
}
