// Package fault turns the loss of memory under the reader, such as a mapped file that was cut short, into an error. The system tells it by a
// signal that would end the program.
package fault

import "runtime/debug"

// Error is a document that another program took away while it was read. It is all that Catch returns.
type Error struct{}

// Error says so.
func (*Error) Error() string { return "the document changed while it was read" }

// Catch calls work on this goroutine and returns an *Error if memory that work read was taken away, also if another goroutine found that out and work
// panics with its *Error. Every other panic goes on.
func Catch(work func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *Error:
			err = p
		case interface{ Addr() uintptr }:
			err = &Error{}
		default:
			panic(p)
		}
	}()
	work()
	return nil
}

// Start calls work on a goroutine of its own, as Catch does, and returns a function that waits for what it returns.
func Start[T any](work func() (T, error)) (wait func() (T, error)) {
	var (
		result T
		err    error
		done   = make(chan struct{})
	)
	go func() {
		defer close(done)
		if lost := Catch(func() { result, err = work() }); lost != nil {
			err = lost
		}
	}()
	return func() (T, error) {
		<-done
		return result, err
	}
}
