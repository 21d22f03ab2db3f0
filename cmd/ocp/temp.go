package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// tempFiles are the files of a run that have not got their names yet. When the run is interrupted they are removed.
type tempFiles struct {
	mu    sync.Mutex
	names map[string]bool
}

// add notes a file; the first one begins to watch for signals.
func (t *tempFiles) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.names == nil {
		t.names = map[string]bool{}
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
		go t.removeOn(interrupted)
	}
	t.names[name] = true
}

// done forgets a file that has its name, or is gone.
func (t *tempFiles) done(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.names, name)
}

// removeOn waits for a signal, removes the files, and lets the signal do what it does to a program.
func (t *tempFiles) removeOn(interrupted <-chan os.Signal) {
	s := <-interrupted
	t.removeAll()
	signal.Reset()
	if self, err := os.FindProcess(os.Getpid()); err != nil || self.Signal(s) != nil {
		os.Exit(exitIO)
	}
}

func (t *tempFiles) removeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name := range t.names {
		os.Remove(name)
	}
}
