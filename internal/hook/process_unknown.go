//go:build !linux

package hook

// system is not known here.
func system() string { return "" }

// ancestor is not known here.
func ancestor(int) (name string, parent int, ok bool) { return "", 0, false }
