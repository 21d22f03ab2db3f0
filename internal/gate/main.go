// Command gate runs real agent clients against ocp mcp, each with a scripted model on the loopback interface, and checks what the model is shown and what
// is saved: absent, save, resume, absent by default. A second run forges the answer, which clients that check the tool's schema must reject; otherwise the
// first would prove nothing. See .ci/gate, which installs the clients and keeps the run off the network.
//
//	gate CLIENTS OCP DOCUMENT OUT [CLIENT...]     CLIENTS is an npm prefix, OUT a folder for what the runs leave
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "relay" {
		os.Exit(relay(os.Args[2:]))
	}
	if len(os.Args) < 5 {
		fmt.Fprintln(os.Stderr, "usage: gate CLIENTS OCP DOCUMENT OUT [CLIENT...]")
		os.Exit(2)
	}
	os.Exit(run(os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5:]))
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
	for _, c := range clients {
		if len(names) > 0 && !slices.Contains(names, c.name) {
			continue
		}
		t := &trial{client: c, npm: npm, server: []string{self, "relay"}, ocp: ocp, document: bytes.TrimSpace(sample), dir: filepath.Join(out, c.name)}
		outcome, err := t.both()
		if err != nil {
			status = 1
			outcome = "FAILED: " + err.Error()
		}
		fmt.Printf("%-8s %-20s %s\n", c.name, t.version(), outcome)
	}
	return status
}
