package hook

import (
	"bytes"
	"fmt"
	"os"
)

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
