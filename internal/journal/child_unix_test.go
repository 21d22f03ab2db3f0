//go:build unix

package journal

import (
	"os"
	"os/exec"
	"syscall"
)

// dropPrivileges makes a program run as a user who owns nothing, if this one is the superuser.
func dropPrivileges(c *exec.Cmd) {
	if os.Geteuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
}
