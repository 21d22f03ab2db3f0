package main

import (
	"errors"
	"fmt"
	"strings"

	ocpclient "github.com/opencheckpoint/ocp/internal/client"
)

// padding makes a record so long that it needs room of its own on a disk.
var padding = " # " + strings.Repeat("padding ", 1000)

// blocksTool: a call that cannot be recorded does not run, and there is a message. The fault comes up after the model was asked and before it answers.
func (f *fault) blocksTool(r *room) (string, error) {
	if err := f.ready(r); err != nil {
		return "", err
	}
	if err := f.tool(r); err != nil {
		return "", err
	}
	return "", r.claimsNoRun()
}

// claimsNoRun holds what was saved, if anything could be, against a call that was blocked.
func (r *room) claimsNoRun() error {
	k, err := r.first()
	if err != nil || k.count("saved") == 0 {
		return nil
	}
	document, err := r.checked(k.session)
	if err != nil {
		return err
	}
	if status, _ := fate(document); status == "completed" || status == "uncertain" {
		return fmt.Errorf("the call was blocked, and the checkpoint has it as %s; the journal has %s", status, k.events())
	}
	return nil
}

func (f *fault) tool(r *room) error {
	call := r.hook.shell("echo ran >> " + r.effect() + padding)
	call.first = func() error { return f.arm(r, ocpclient.Before) }
	s, err := r.run(task, call)
	if err != nil {
		return err
	}
	if err := expect("the effect", "", r.happened()); err != nil {
		return err
	}
	if !s.saw(task) {
		return errors.New("the model was never asked for a call: " + tail([]byte(s.output)))
	}
	return s.hasMessage()
}

func (f *fault) ready(r *room) error {
	if err := r.install(); err != nil || f.before == nil {
		return err
	}
	return f.before(r)
}

// hasMessage says whether somebody was told why something did not happen.
func (s *session) hasMessage() error {
	if !s.told("ocp hook: ") {
		return fmt.Errorf("there is no message; the model was shown %q, and the client printed %s", s.shown, tail([]byte(s.output)))
	}
	return nil
}

// blocksPrompt: a prompt that cannot be recorded never reaches the model.
func (f *fault) blocksPrompt(r *room) (string, error) {
	if err := f.ready(r); err != nil {
		return "", err
	}
	if err := f.arm(r, ocpclient.Prompt); err != nil {
		return "", err
	}
	s, err := r.run(task, r.once())
	switch {
	case err != nil:
		return "", err
	case s.saw(task):
		return "", errors.New("the prompt was sent")
	}
	if err := expect("the effect", "", r.happened()); err != nil {
		return "", err
	}
	return "", s.hasMessage()
}

// withoutWrapper: if the client runs ocp itself, and not the wrapper that install writes, a tool runs that could not be recorded. So the other proofs prove something.
func withoutWrapper(r *room) (string, error) {
	f := &fault{arm: stubbed("exit 70")}
	if err := f.ready(r); err != nil {
		return "", err
	}
	if err := r.unwrap(); err != nil {
		return "", err
	}
	err := f.tool(r)
	if err == nil {
		return "", errors.New("the call was blocked all the same")
	}
	return "the tool runs", expect("the effect", "ran\n", r.happened())
}
