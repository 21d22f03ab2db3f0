package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// progress shows on a terminal how far a long run is. A nil progress shows nothing.
type progress struct {
	w     io.Writer
	verb  string
	unit  string // of count
	mu    sync.Mutex
	count int
	shown bool
	stop  chan struct{}
}

// startProgress shows progress, in units, once a run lasts over a second, unless standard error is no terminal.
func (c *command) startProgress(unit string) {
	file, ok := c.streams.err.(*os.File)
	if !ok || c.common.quiet {
		return
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return
	}
	c.notes = &progress{w: file, verb: c.verb, unit: unit, stop: make(chan struct{})}
	go c.notes.tick()
}

func (p *progress) tick() {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
			p.mu.Lock()
			fmt.Fprintf(p.w, "\rocp %s: %d %s", p.verb, p.count, p.unit)
			p.shown = true
			p.mu.Unlock()
		}
	}
}

// done counts what was done.
func (p *progress) done(n int) {
	if p != nil {
		p.mu.Lock()
		p.count += n
		p.mu.Unlock()
	}
}

// clear takes the line away, for another one.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
	p.mu.Unlock()
}

// end takes the line away for good.
func (p *progress) end() {
	if p != nil {
		close(p.stop)
		p.clear()
	}
}
