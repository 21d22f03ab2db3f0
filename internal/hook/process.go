package hook

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/opencheckpoint/ocp/internal/journal"
)

// shells are the programs between a client and the hook that it starts.
var shells = []string{"sh", "dash", "bash", "zsh", "fish", "ksh", "busybox", "ash"}

// Process names the client that started this process, through shells of whatever number: its number, and the system on which that holds, since journals may be
// shared by several, such as containers. It is "" where the system does not tell.
func Process() string {
	for process := os.Getppid(); process > 1; {
		name, parent, ok := ancestor(process)
		switch {
		case !ok:
			return ""
		case !slices.Contains(shells, name):
			return named(process)
		}
		process = parent
	}
	return ""
}

func named(process int) string {
	here := system()
	if here == "" {
		return ""
	}
	return strconv.Itoa(process) + "@" + here
}

// isOver says whether a process is proved to have ended: it was one of this system, and has no number here any more.
func isOver(process string) bool {
	n, ok := here(process)
	return ok && isGone(n)
}

// here is the number of a process of this system.
func here(process string) (n int, ok bool) {
	number, where, _ := strings.Cut(process, "@")
	n, err := strconv.Atoi(number)
	return n, err == nil && where != "" && where == system()
}

// isAlive says whether the client of a session is proved to go on: the last event came from a process that is there.
func isAlive(records []journal.Record) bool {
	for i := len(records) - 1; i >= 0; i-- {
		if process := records[i].Process; process != "" {
			n, ok := here(process)
			return ok && records[i].Event != ended && !isGone(n)
		}
	}
	return false
}

// isDead says whether the client of a session is proved to have ended: every event since the session last began came from one process, more than one
// did, so that it is no process that was started for a single hook, and it is gone.
func isDead(records []journal.Record) bool {
	process, events := "", 0
	for i := range records {
		switch r := &records[i]; {
		case r.Event == active:
			process, events = r.Process, 1
		case r.Process == process:
			events++
		case r.Process != "":
			return false
		}
	}
	return events > 1 && isOver(process)
}
