package main

import (
	"errors"
	"fmt"
	"strings"
)

// task is what the person says where it does not matter.
const task = "append a line"

// once is the call that has the effect.
func (r *room) once() turn { return r.hook.shell("echo ran >> " + r.effect()) }

// recorded: with a good journal a call is recorded before and after it runs, it runs once, and what the session did is saved as a checkpoint.
func recorded(r *room) (string, error) {
	if err := r.install(); err != nil {
		return "", err
	}
	if _, err := r.run(task, r.once()); err != nil {
		return "", err
	}
	if err := expect("the effect", "ran\n", r.happened()); err != nil {
		return "", err
	}
	k, err := r.first()
	if err != nil {
		return "", err
	}
	if err := k.inOrder(); err != nil {
		return "", err
	}
	document, err := r.checked(k.session)
	if err != nil {
		return "", err
	}
	status, _ := fate(document)
	return "", expect("the call in the checkpoint", "completed", status)
}

// inOrder holds a journal against what a session with one call leaves.
func (k kept) inOrder() error {
	rest := " " + k.events() + " "
	for _, event := range []string{"active", "prompt", "dispatch", "result", "saved"} {
		_, after, found := strings.Cut(rest, " "+event+" ")
		if !found {
			return fmt.Errorf("the journal has%s, and no %s in its place", " "+k.events(), event)
		}
		rest = " " + after
	}
	if k.count("dispatch") != 1 || k.count("result") != 1 {
		return errors.New("the call is not recorded once: " + k.events())
	}
	return nil
}

// untrusted: a client that runs no hook that the person has not looked at runs the tool unrecorded, and ocp hook status says so.
func untrusted(r *room) (string, error) {
	if r.hook.trust == nil {
		return "needs no trust", nil
	}
	if _, err := r.ocpRun(r.program(), "hook", "install", r.hook.name); err != nil {
		return "", err
	}
	if _, err := r.run(task, r.once()); err != nil {
		return "", err
	}
	status, err := r.ocpRun(r.program(), "hook", "status", r.hook.name)
	if err != nil {
		return "", err
	}
	if list, err := r.kept(); err != nil || len(list) > 0 {
		return "", errors.Join(errors.New("the hooks ran"), err)
	}
	if !strings.Contains(status, "installed, not trusted") {
		return "", fmt.Errorf("the status is %s", tail([]byte(status)))
	}
	return "the tool runs, unrecorded; status says installed, not trusted", expect("the effect", "ran\n", r.happened())
}
