//go:build !linux

package hook

// ancestor is not known here.
func ancestor(int) (name string, parent int, ok bool) { return "", 0, false }
