package main

import (
	"os"
	"syscall"
)

// umask returns the process's mask of permissions, which can only be read by setting it.
func umask() os.FileMode {
	mask := syscall.Umask(0)
	syscall.Umask(mask)
	return os.FileMode(mask)
}
