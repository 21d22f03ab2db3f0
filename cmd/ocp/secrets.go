package main

import (
	"bytes"

	"github.com/opencheckpoint/ocp/internal/fault"
	"github.com/opencheckpoint/ocp/internal/secret"
)

// aheadFrom is how large a text must be for its secrets to be looked for while it is read.
const aheadFrom = 1 << 20

// findSecrets looks for secrets in the document that text begins with and returns a function that waits for them, given the document's length. A large
// document that is the first of its file, and so probably the only one, is searched on another processor meanwhile; what stands behind it is searched for
// nothing.
func findSecrets(text []byte, isFirst bool) func(length int) []secret.Match {
	if !isFirst || len(text) < aheadFrom || hasShortFirst(text) {
		return func(length int) []secret.Match { return secret.Find(text[:length]) }
	}
	found := fault.Start(func() ([]secret.Match, error) { return secret.Find(text), nil })
	return func(length int) []secret.Match {
		matches, _ := found() // a file that is cut short fails where it is read
		for i, m := range matches {
			if m.End > length {
				return matches[:i]
			}
		}
		return matches
	}
}

// hasShortFirst says whether a text seems to be a stream of small documents.
func hasShortFirst(text []byte) bool {
	return bytes.Contains(text[:aheadFrom/16], []byte("}\n{"))
}
