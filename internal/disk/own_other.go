//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package disk

import "io/fs"

// noFollow is no flag here: a symbolic link is found before it is opened.
const noFollow = 0

// foreign is always false: files have no owner that a program can compare.
func foreign(fs.FileInfo) bool { return false }
