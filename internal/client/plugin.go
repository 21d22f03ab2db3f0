package client

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
)

// pluginSource is the plugin with PROGRAM in place of what it runs. It does for OpenCode what the wrapper does elsewhere: a deadline of its own, and no failure
// after which a tool runs.
//
//go:embed plugin.js
var pluginSource string

const pluginProgram = `"PROGRAM"`

// pluginText is the plugin for a program. A file of somebody else's is never written over.
func (c *Client) pluginText(f *file, name, program string) ([]byte, error) {
	if !f.none && !isPlugin(f.text) {
		return nil, fmt.Errorf("%s is not the plugin of ocp", name)
	}
	return plugin(program), nil
}

func plugin(program string) []byte {
	return []byte(strings.Replace(pluginSource, pluginProgram, quoted(program), 1))
}

// isPlugin says whether a text begins as the plugin does, in this version or another.
func isPlugin(text []byte) bool {
	first, _, _ := strings.Cut(pluginSource, ":")
	return bytes.HasPrefix(text, []byte(first))
}

// pluginStatus compares the plugin with what Install writes.
func (c *Client) pluginStatus(f *file) Status {
	if f.none || !isPlugin(f.text) {
		return Status{}
	}
	s := Status{State: Installed, Program: runBy(f.text)}
	if s.AllTools = bytes.Equal(f.text, plugin(s.Program)); !s.AllTools {
		s.problem(Damaged, "the plugin is not as it was written")
	}
	s.runs()
	return s
}

// runBy is the program that a plugin's text names.
func runBy(text []byte) string {
	_, rest, _ := strings.Cut(string(text), "const program = ")
	literal, _, _ := strings.Cut(rest, "\n")
	return unquoted(literal)
}
