//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// noFollow is the flag by which opening a symbolic link fails.
const noFollow = syscall.O_NOFOLLOW

// foreign says whether a file belongs to another user.
func foreign(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) != os.Geteuid()
}
