//go:build unix

package hook

import (
	"errors"
	"syscall"
)

// isGone says whether there is no process with a number. 0, which stands for an unknown one, is this process's group to the system, and there.
func isGone(process int) bool { return errors.Is(syscall.Kill(process, 0), syscall.ESRCH) }
