package capture

// An event is one thing that a log says about the work. Readers turn the records of each format into events; the mapper turns events
// into objects of a checkpoint and knows no format. rec is the number of the record that an event comes from, at its time as a timestamp, or
// "" if the log has none. All texts are clean.
type event interface{}

// session says what the log is about. Empty members are not known.
type session struct {
	version, id     string
	cwd             string
	model, provider string
	forkedFrom      string // the id of the session that it was forked from
	forkedAt        string // an event there
}

// speaker says whose words a text is.
type speaker uint8

const (
	person  speaker = iota // for whom the work is
	agent                  // who does the work
	other                  // an agent that gave this one its task
	summary                // the agent, about what it forgot
)

// said is a text.
type said struct {
	rec  int
	by   speaker
	text string
	at   string
	// command says that a person typed it to the client, not to the agent.
	command bool
}

// goal is what the client records as the objective.
type goal struct {
	rec  int
	text string
}

// called is a call of a tool.
type called struct {
	rec       int
	id        string
	tool      string // as its server declares it
	server    string // "" for a tool of the client's own
	arguments []byte // JSON text of an object, nil if they are not known
	about     string // what it does, for people
	files     []string
	plan      []planItem // of a tool that sets the plan, not nil
	effect    effect
	at        string
	aside     bool // on a branch that was left, or in a subagent: what it did stays done
	unstarted bool // only asked for so far; started says that it began
}

// effect is what a call may do to the world.
type effect uint8

const (
	effectUnknown effect = iota
	effectNone
)

// started says that a call was dispatched.
type started struct {
	rec int
	id  string
	at  string
}

// outcome is how a call ended.
type outcome uint8

const (
	succeeded outcome = iota
	failed            // the tool answered with an error
	unclear           // the client, the transport, a timeout or an abort answered
	running           // it goes on behind the result
	refused           // by a person, before it was dispatched
	never             // not dispatched, as the log says
	unbegun           // not dispatched yet, as the log says
)

// answered is the result of a call.
type answered struct {
	rec     int
	id      string
	outcome outcome
	output  output
	at      string
	handle  string // of a process that goes on
}

// hinted says that a server declares a tool to be read-only.
type hinted struct {
	rec int
	id  string
}

// ended is the end of a process that went on behind its result.
type ended struct {
	rec     int
	handle  string
	outcome outcome
	output  output
	at      string
}

// asked is a request for approval of a call.
type asked struct {
	rec    int
	id     string // of the request
	call   string
	reason string
	at     string
}

// decided is the answer to one.
type decided struct {
	rec     int
	id      string
	granted bool
	by      string // who decided, "" if the log does not name it
	at      string
}

// lost is a model's turn of which the log shows only that it began: what it called is not known.
type lost struct {
	rec int
	at  string
}

// turn is a change in the state of the work.
type turn struct {
	rec    int
	status taskStatus
}

// taskStatus is a task.status that a log can show (§6.2).
type taskStatus string

const (
	active        taskStatus = "active"
	awaitingInput taskStatus = "awaiting_input"
	paused        taskStatus = "paused"
)

// planItem is an item of a plan.
type planItem struct {
	Text  string
	State planState
}

type planState uint8

const (
	pending planState = iota
	inProgress
	done
	dropped
)
