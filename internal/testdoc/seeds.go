package testdoc

import (
	"runtime"
	"sync"
	"testing"
)

// Few is how many of n cases a test takes: all of them, and with -short, under which the race detector runs, a tenth.
func Few(n int) int {
	if testing.Short() {
		return max(n/10, 1)
	}
	return n
}

// Seeds calls f for the seeds from 1 to n, on all processors, and reports its errors by seed. With -short a part of the seeds does, but no
// fewer than 8.
func Seeds(t *testing.T, n int, f func(seed uint64) []error) {
	t.Helper()
	if testing.Short() {
		n = max(n/64, min(n, 8))
	}
	queue := make(chan uint64)
	var wait sync.WaitGroup
	var lock sync.Mutex
	failures := 0
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for seed := range queue {
				errs := f(seed)
				lock.Lock()
				for _, err := range errs {
					if failures++; failures <= 20 {
						t.Errorf("seed %d: %v", seed, err)
					}
				}
				lock.Unlock()
			}
		})
	}
	for seed := uint64(1); seed <= uint64(n); seed++ {
		queue <- seed
	}
	close(queue)
	wait.Wait()
	if failures > 20 {
		t.Errorf("and %d more", failures-20)
	}
}
