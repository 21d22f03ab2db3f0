package fork

import (
	"iter"
	"runtime/debug"
	"sync"
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
		r, err := f.guardedAt(i)
		select {
		case out <- made{r, err}:
		case <-stop:
			return
		}
	}
}

// guardedAt turns a fault in memory that the system took away, such as a mapped file that was cut short, into an error.
func (f *Forks) guardedAt(i int) (r *Result, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			if _, ok := fault.(interface{ Addr() uintptr }); !ok {
				panic(fault)
			}
			err = &FaultError{}
		}
	}()
	return f.At(i)
}

// FaultError is a parent in memory that another program took away.
type FaultError struct{}

// Error says so.
func (*FaultError) Error() string { return "the document changed while it was read" }
