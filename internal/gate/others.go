package main

import (
	"fmt"
	"slices"
)

// refusedCall: a call that the client refused did not run, and is not unknown.
func refusedCall(r *room) (string, error) {
	if err := r.hook.refuse(r); err != nil {
		return "", err
	}
	return r.notUnknown(r.hook.shell("touch " + r.effect()))
}

// blockedByAnother: nor is a call that another hook blocked.
func blockedByAnother(r *room) (string, error) {
	if err := r.addForeign(); err != nil {
		return "", err
	}
	return r.notUnknown(r.once())
}

// notUnknown runs a call that is kept from running, and returns what the checkpoint calls it.
func (r *room) notUnknown(call turn) (string, error) {
	if err := r.install(); err != nil {
		return "", err
	}
	s, err := r.run(task, call)
	if err != nil {
		return "", err
	}
	if err := expect("the effect", "", r.happened()); err != nil {
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
	status, _ := fate(document)
	if !slices.Contains([]string{"failed", "cancelled", "planned"}, status) {
		return "", fmt.Errorf("the call is %q; the journal has %s; the model was shown %q", status, k.events(), s.shown)
	}
	return fmt.Sprintf("pass: %s; the journal has %s", status, k.events()), nil
}
