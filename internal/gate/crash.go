package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	ocpclient "github.com/opencheckpoint/ocp/internal/client"
)

// crash is a place at which the client is killed, with all that it started, and what its next session finds out of the call.
type crash struct {
	name string
	// prepare has something wait at the place, and returns the command of the call.
	prepare func(r *room) (command string, err error)
	effect  string // what happened by then
	status  string // of the call in the checkpoint
	resume  string
	says    string // in the description
	// goesOn says that it is the same session that begins again, not another: the client may have ended the call in its own way.
	goesOn bool
}

var crashes = []*crash{
	{"before the record is durable", waitingAt(ocpclient.Before, waiting), "", "planned", "retry", "TOOL_NOT_STARTED", false},
	{"after the record, before the tool", waitingAt(ocpclient.Before, recording+waiting), "", "uncertain", "verify_first", "TOOL_OUTCOME_UNKNOWN", false},
	{"while the tool runs", commandThatWaits, "begun\n", "uncertain", "verify_first", "TOOL_OUTCOME_UNKNOWN", false},
	{"after the result was recorded", waitingAt(ocpclient.After, recording+waiting), "ran\n", "completed", "", "", false},
	{"before the record, and goes on", waitingAt(ocpclient.Before, waiting), "", "planned", "retry", "", true},
	{"while the tool runs, and goes on", commandThatWaits, "begun\n", "uncertain", "verify_first", "", true},
}

// What a stub does, in which REACHED and OCP stand for names.
const (
	recording = `'OCP' "$@"; `
	waiting   = `: > 'REACHED'; exec sleep 1000`
)

func waitingAt(k ocpclient.Kind, what string) func(*room) (string, error) {
	return func(r *room) (string, error) {
		what := strings.NewReplacer("OCP", r.ocp, "REACHED", r.reached()).Replace(what)
		return "echo ran >> " + r.effect(), r.stub(what, k)
	}
}

func commandThatWaits(r *room) (string, error) {
	return fmt.Sprintf("echo begun >> %s; : > %s; sleep 1000; echo ended >> %[1]s", r.effect(), r.reached()), nil
}

// run kills the client at the place, and begins a session, which finds out what became of the call, and repeats nothing.
func (c *crash) run(r *room) (string, error) {
	if err := r.install(); err != nil {
		return "", err
	}
	command, err := c.prepare(r)
	if err != nil {
		return "", err
	}
	if _, err := r.runUntilReached(task, r.hook.shell(command)); err != nil {
		return "", err
	}
	if err := r.unstub(); err != nil {
		return "", err
	}
	if c.goesOn {
		r.args = r.hook.goOn(r.args)
	}
	s, err := r.run("what was done?")
	if err != nil {
		return "", err
	}
	if err := expect("the effect", c.effect, r.happened()); err != nil {
		return "", err
	}
	k, err := r.first()
	if err != nil {
		return "", err
	}
	document, err := r.checked(k.session)
	if err != nil {
		return "", fmt.Errorf("%w; the journal has %s", err, k.events())
	}
	if err := c.check(r, document); err != nil || c.goesOn {
		return "", err
	}
	return "", isBrief(s, document)
}

func (c *crash) check(r *room, document gjson.Result) error {
	status, o := fate(document)
	if err := errors.Join(expect("the call", c.status, status), expect("resume", c.resume, o.Get("resume").Str)); err != nil {
		return err
	}
	if !strings.Contains(o.Get("description").Str, c.says) {
		return fmt.Errorf("the call is %q, without %s", o.Get("description").Str, c.says)
	}
	return nil
}

// killedUnhooked: what a session did without a hook is not proved by a journal that begins later: the call may have run.
func killedUnhooked(r *room) (string, error) {
	command, err := commandThatWaits(r)
	if err != nil {
		return "", err
	}
	if _, err := r.runUntilReached(task, r.hook.shell(command)); err != nil {
		return "", err
	}
	if err := r.install(); err != nil {
		return "", err
	}
	if err := r.capturedUncertain(); err != nil {
		return "", err
	}
	r.args = r.hook.goOn(r.args)
	if _, err := r.run("go on"); err != nil {
		return "", err
	}
	if err := expect("the effect", "begun\n", r.happened()); err != nil {
		return "", err
	}
	k, err := r.first()
	if err != nil {
		return "", err
	}
	document, err := r.checked(k.session)
	if err != nil {
		return "", err
	}
	status, _ := fate(document)
	return "", expect("the call after the session went on with the hook", "uncertain", status)
}

// capturedUncertain holds ocp capture of the client's log against the effect, where there is a log.
func (r *room) capturedUncertain() error {
	logs, err := filepath.Glob(filepath.Join(r.dir, r.hook.log))
	if err != nil || r.hook.log == "" {
		return err
	}
	if len(logs) != 1 {
		return fmt.Errorf("there are %d logs", len(logs))
	}
	output, err := r.ocpRun(r.ocp, "capture", "--quiet", logs[0])
	if err != nil {
		return err
	}
	for _, o := range gjson.Get(output, "operations").Array() {
		if o.Get("status").Str == "uncertain" && o.Get("resume").Str == "verify_first" {
			return nil
		}
	}
	return errors.New("ocp capture finds nothing that is uncertain")
}
