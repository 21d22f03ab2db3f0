package journal

import "os/exec"

func dropPrivileges(*exec.Cmd) {}
