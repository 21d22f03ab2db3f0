package fork

import (
	"iter"
	"sync"

	"github.com/opencheckpoint/ocp/internal/fault"
)

// lanes is how many forks are made at the same time: making one costs more than writing one.
const lanes = 2

// made is the outcome of At.
type made struct {
	result *Result
	err    error
}

// All makes the forks in order, a few ahead of the one that is handed out. It ends at the first error.
func (f *Forks) All() iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		stop := make(chan struct{})
		var running sync.WaitGroup
		defer running.Wait() // nobody reads the parent any more
		defer close(stop)
		var lane [lanes]chan made
		for k := range lane {
			lane[k] = make(chan made)
			running.Go(func() { f.makeEvery(k, lane[k], stop) })
		}
		for i := range f.Len() {
			m := <-lane[i%lanes]
			if !yield(m.result, m.err) || m.err != nil {
				return
			}
		}
	}
}

// makeEvery makes the forks of one lane until it is told to stop.
func (f *Forks) makeEvery(first int, out chan<- made, stop <-chan struct{}) {
	for i := first; i < f.Len(); i += lanes {
		var m made
		if err := fault.Catch(func() { m.result, m.err = f.At(i) }); err != nil {
			m = made{err: err}
		}
		select {
		case out <- m:
		case <-stop:
			return
		}
	}
}
