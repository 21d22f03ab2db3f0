// Command gate runs real agent clients, each with a scripted model on the loopback interface. See .ci/gate, which installs the clients and keeps the run off
// the network.
//
//	gate mcp CLIENTS OCP DOCUMENT OUT [CLIENT...]
//	gate hook CLIENTS OCP OUT [CLIENT...]
//
// CLIENTS is an npm prefix, OUT a folder for what the runs leave.
//
// mcp runs them against ocp mcp, and checks what the model is shown and what is saved: absent, save, resume, absent by default. A second run forges the
// answer, which clients that check the tool's schema must reject; otherwise the first would prove nothing.
//
// hook runs them with the hooks that ocp hook install puts into their settings: with a journal that cannot be written to, with hooks that fail in each way
// there is, and killed at each barrier. It prints a table. What a client makes impossible is in it by name, and fails once it is possible.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

const usage = "usage: gate mcp CLIENTS OCP DOCUMENT OUT [CLIENT...] | gate hook CLIENTS OCP OUT [CLIENT...]"

func main() {
	args := os.Args[1:]
	switch {
	case len(args) > 3 && args[0] == "relay":
		os.Exit(relay(args[1:]))
	case len(args) > 4 && args[0] == "mcp":
		os.Exit(run(args[1], args[2], args[3], args[4], args[5:]))
	case len(args) > 3 && args[0] == "hook":
		os.Exit(runHooks(args[1], args[2], args[3], args[4:]))
	}
	fmt.Fprintln(os.Stderr, usage)
	os.Exit(2)
}

// run runs the clients that are named, or all, and returns the exit status.
func run(npm, ocp, document, out string, names []string) (status int) {
	self, err := os.Executable()
	var sample []byte
	if err == nil {
		sample, err = os.ReadFile(document)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gate:", err)
		return 4
	}
	for _, c := range chosen(clients, names) {
		t := &trial{client: c, npm: npm, server: []string{self, "relay"}, ocp: ocp, document: bytes.TrimSpace(sample), dir: filepath.Join(out, c.name)}
		outcome, err := t.both()
		if err != nil {
			status = 1
			outcome = "FAILED: " + err.Error()
		}
		fmt.Printf("%-8s %-20s %s\n", c.name, c.version(npm), outcome)
	}
	return status
}

// chosen are the clients that are named, or all.
func chosen(list []*client, names []string) (some []*client) {
	for _, c := range list {
		if len(names) == 0 || slices.Contains(names, c.name) {
			some = append(some, c)
		}
	}
	return some
}
