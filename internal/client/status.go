package client

import (
	"fmt"
	"os/exec"
	"strings"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// State is what a client makes of the hooks in one place.
type State uint8

const (
	NotInstalled State = iota
	Installed
	NotTrusted // the client passes over hooks that the person has not looked at
	Damaged    // some of it is missing, changed, or cannot run
)

var stateNames = [...]string{"not installed", "installed", "installed, not trusted", "damaged"}

// String is the state in words.
func (s State) String() string { return stateNames[s] }

// Status is what is found in one place. What a client is told on its command line, or by an administrator, is not seen.
type Status struct {
	State    State
	Program  string   // what the hooks run
	AllTools bool     // the hooks before and after tools are there and pass over no tool
	Problems []string // why the state is not Installed, one line each
}

// problem adds a line; the graver state stays.
func (s *Status) problem(state State, format string, args ...any) {
	s.State = max(s.State, state)
	s.Problems = append(s.Problems, fmt.Sprintf(format, args...))
}

// Status looks at one place and changes nothing. The error is that the settings cannot be read; such settings have no hooks for the client either.
func (c *Client) Status(p Place) (Status, error) {
	f, err := openFile(p.File)
	if err != nil {
		return Status{}, err
	}
	if c.plugin {
		return c.pluginStatus(f), nil
	}
	s, err := parseSettings(p.File, f, c.files)
	if err != nil {
		return Status{}, err
	}
	_, lists, err := s.eventLists(p.File)
	if err != nil {
		return Status{}, err
	}
	found := c.hooks(s, lists)
	if len(found) == 0 {
		return Status{}, nil
	}
	out := Status{State: Installed, Program: found[0].program, AllTools: true}
	out.events(c, found)
	out.runs()
	out.enabled(s)
	return out, out.trusted(c, p, found)
}

// events compares what is there with what Install writes.
func (s *Status) events(c *Client, found []hook) {
	count := map[string]int{}
	for _, h := range found {
		count[h.event.word]++
		if !h.exact {
			s.problem(Damaged, "the hook for %s is not as it was written", h.event.word)
		}
		if h.program != s.Program {
			s.problem(Damaged, "the hook for %s runs %s", h.event.word, h.program)
		}
		s.AllTools = s.AllTools && (h.exact || !h.event.tool())
	}
	for _, e := range c.events {
		switch n := count[e.word]; {
		case n == 0:
			s.problem(Damaged, "the hook for %s is missing", e.word)
			s.AllTools = s.AllTools && !e.tool()
		case n > 1:
			s.problem(Damaged, "the hook for %s is there %d times", e.word, n)
		}
	}
}

func (e event) tool() bool { return e.kind == Before || e.kind == After }

// runs looks for the program.
func (s *Status) runs() {
	if _, err := exec.LookPath(s.Program); err != nil {
		s.problem(Damaged, "the program cannot be run: %v", err)
	}
}

// switches are the members of settings that turn hooks off.
var switches = []struct {
	path []string
	off  string
}{
	{[]string{"disableAllHooks"}, "true"},         // Claude Code
	{[]string{"hooksConfig", "enabled"}, "false"}, // Gemini CLI
	{[]string{"hooks", "enabled"}, "false"},       // Gemini CLI before that
	{[]string{"tools", "enableHooks"}, "false"},
}

// enabled looks for a switch that turns hooks off.
func (s *Status) enabled(in *settings) {
	for _, w := range switches {
		at, ok := in.root, true
		for _, name := range w.path {
			var item jsonspan.Item
			if item, ok = in.find(at, name); !ok {
				break
			}
			at = item.Value
		}
		if ok && string(in.plain[at.Start:at.End]) == w.off {
			s.problem(Damaged, "hooks are turned off by %s", strings.Join(w.path, "."))
			s.AllTools = false
		}
	}
}
