package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	ocpclient "github.com/opencheckpoint/ocp/internal/client"
)

// fault is something that keeps an event from being recorded.
type fault struct {
	name string
	// before is what is made ready before the client starts.
	before func(r *room) error
	// arm breaks the recording of the events of a kind, and perhaps of others.
	arm func(r *room, k ocpclient.Kind) error
}

var faults = []*fault{
	{"journal read-only", diskOf("1m"), func(r *room, _ ocpclient.Kind) error { return mount("-o", "remount,ro", r.journals()) }},
	{"disk full", diskOf("64k"), func(r *room, _ ocpclient.Kind) error { return fill(r.journals()) }},
	{"no folder for the journal", nil, func(r *room, _ ocpclient.Kind) error { return fileInPlaceOf(r.journals()) }},
	{"program missing", nil, func(r *room, _ ocpclient.Kind) error { return os.Remove(r.program()) }},
	{"program ends with 70", nil, stubbed("exit 70")},
	{"program killed", nil, stubbed("kill -9 $$")},
	{"program hangs", nil, stubbed("exec sleep 1000")},
	{"program ends with 2, silently", nil, stubbed("exit 2")},
}

// stubbed puts a shell script in the place of ocp that does something at events of a kind, and calls ocp at others.
func stubbed(what string) func(*room, ocpclient.Kind) error {
	return func(r *room, k ocpclient.Kind) error { return r.stub(what, k) }
}

func (r *room) stub(what string, k ocpclient.Kind) error {
	script := fmt.Sprintf("case $3 in\n%s) %s ;;\nesac\nexec '%s' \"$@\"\n", strings.Join(r.words(k), "|"), what, r.ocp)
	if err := os.WriteFile(r.program()+".sh", []byte(script), 0o600); err != nil {
		return err
	}
	// So that its process has the name of a shell, as that of the wrapper: ocp looks for the client above them.
	start := fmt.Sprintf("#!/bin/sh\nexec /bin/sh '%s.sh' \"$@\"\n", r.program())
	temporary := r.program() + ".new"
	if err := os.WriteFile(temporary, []byte(start), 0o700); err != nil {
		return err
	}
	return os.Rename(temporary, r.program())
}

// unstub puts ocp back.
func (r *room) unstub() error {
	if err := os.Remove(r.program()); err != nil {
		return err
	}
	return copyProgram(r.ocp, r.program())
}

// words are the client's names for the events of a kind.
func (r *room) words(kind ocpclient.Kind) (words []string) {
	c, err := ocpclient.Named(r.hook.name)
	if err != nil {
		panic(err) // a name in the table of clients
	}
	for _, w := range c.Words() {
		if k, err := c.Kind(w); err == nil && k == kind {
			words = append(words, w)
		}
	}
	return words
}

// diskOf mounts a disk of a size for the journals. It is gone with the namespace in which the gate runs.
func diskOf(size string) func(*room) error {
	return func(r *room) error {
		if err := os.MkdirAll(r.journals(), 0o700); err != nil {
			return err
		}
		return mount("-t", "tmpfs", "-o", "mode=700,size="+size, "journals", r.journals())
	}
}

func mount(args ...string) error {
	if output, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("mount: %w: %s", err, tail(output))
	}
	return nil
}

// fill leaves no room on a disk, whose size is no secret.
func fill(dir string) error {
	f, err := os.Create(filepath.Join(dir, "everything.else"))
	if err != nil {
		return err
	}
	defer f.Close()
	for range 1 << 10 {
		if _, err := f.Write(make([]byte, 4<<10)); err != nil {
			return nil
		}
	}
	return errors.New("the disk is not full")
}

// fileInPlaceOf moves a folder away and puts a file there.
func fileInPlaceOf(dir string) error {
	if err := os.Rename(dir, dir+".away"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(dir, nil, 0o600)
}
