package hook

import (
	"os"
	"slices"

	"github.com/opencheckpoint/ocp/internal/journal"
)

// shells are the programs between a client and the hook that it starts.
var shells = []string{"sh", "dash", "bash", "zsh", "fish", "ksh", "busybox", "ash"}

// Process is the client that started this process, through shells of whatever number; 0 where the system does not tell.
func Process() int {
	for process := os.Getppid(); process > 1; {
		name, parent, ok := ancestor(process)
		switch {
		case !ok:
			return 0
		case !slices.Contains(shells, name):
			return process
		}
		process = parent
	}
	return 0
}

// isDead says whether the client of a session is proved to have ended: every event since the session last began came from one process, more than one
// did, so that it is no process that was started for a single hook, and it is gone.
func isDead(records []journal.Record) bool {
	process, events := 0, 0
	for i := range records {
		switch r := &records[i]; {
		case r.Event == active:
			process, events = r.Process, 1
		case r.Process == process:
			events++
		case r.Process != 0:
			return false
		}
	}
	return events > 1 && isGone(process)
}
