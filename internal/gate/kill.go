package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// killAll ends all processes of the room with SIGKILL, the oldest first: the client goes before a hook could answer it.
func (r *room) killAll() {
	for range 100 {
		list := r.processes()
		if len(list) == 0 {
			return
		}
		for _, id := range list {
			if p, err := os.FindProcess(id); err == nil {
				p.Kill()
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// processes are those that have the room's mark in their environment (proc(5)), in the order of their numbers. Those that are dead have none.
func (r *room) processes() (list []int) {
	found, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range found {
		environment, err := os.ReadFile(name)
		id, bad := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err == nil && bad == nil && slices.ContainsFunc(bytes.Split(environment, []byte{0}), func(v []byte) bool { return string(v) == r.mark() }) {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list
}
