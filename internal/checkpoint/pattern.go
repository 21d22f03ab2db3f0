package checkpoint

import (
	"bytes"
)

// matchID is idPattern.
func matchID(id []byte) bool {
	if len(id) == 0 || len(id) > 128 || !isLetterOrDigit(id[0]) {
		return false
	}
	for _, b := range id[1:] {
		if !isLetterOrDigit(b) && b != '.' && b != '_' && b != ':' && b != '-' {
			return false
		}
	}
	return true
}

// matchExtensionKey is extensionPattern.
func matchExtensionKey(key []byte) bool {
	name, path, found := bytes.Cut(key, []byte{'/'})
	for found {
		var segment []byte
		if segment, path, found = bytes.Cut(path, []byte{'/'}); len(segment) == 0 {
			return false
		}
	}
	labels := 0
	for more := true; more; labels++ {
		var label []byte
		if label, name, more = bytes.Cut(name, []byte{'.'}); !isLabel(label) {
			return false
		}
	}
	return labels > 1
}

// isLabel says whether b is a label of a lowercase domain name.
func isLabel(b []byte) bool {
	if len(b) == 0 || b[0] == '-' || b[len(b)-1] == '-' {
		return false
	}
	for _, c := range b {
		if !('a' <= c && c <= 'z') && !isDigit(c) && c != '-' {
			return false
		}
	}
	return true
}

func isLetterOrDigit(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || isDigit(b)
}
