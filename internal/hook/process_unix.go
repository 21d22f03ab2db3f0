//go:build unix

package hook

import (
	"errors"
	"syscall"
)

// isGone says whether there is no process with a number.
func isGone(process int) bool { return errors.Is(syscall.Kill(process, 0), syscall.ESRCH) }
