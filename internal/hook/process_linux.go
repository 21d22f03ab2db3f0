package hook

import (
	"bytes"
	"fmt"
	"os"
)

// system is this boot of this machine, and the namespace in which processes have their numbers (pid_namespaces(7)); "" if that is not known.
func system() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(boot)) + " " + space
}

// ancestor is the name of a process, and its parent (proc(5)).
func ancestor(process int) (name string, parent int, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return "", 0, false
	}
	first, last := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')') // a name may hold both
	if first < 0 || last < first {
		return "", 0, false
	}
	var state string
	_, err = fmt.Sscan(string(stat[last+1:]), &state, &parent)
	return string(stat[first+1 : last]), parent, err == nil
}
