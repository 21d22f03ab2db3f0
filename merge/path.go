package merge

import (
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// The path of a conflict is like a JSON Pointer into the result, with local ids for places in lists, and member groups by the name of their rule.

// pathTypes are the entry types with members that can differ.
var pathTypes = []checkpoint.Type{checkpoint.Criterion, checkpoint.Step, checkpoint.NextStep, checkpoint.Focus, checkpoint.Statement, checkpoint.Resource,
	checkpoint.Context, checkpoint.Operation, checkpoint.Requirement, checkpoint.Precondition, checkpoint.StopCondition, checkpoint.RecoveryStep,
	checkpoint.Incompatibility, checkpoint.Omission, checkpoint.Transformation, checkpoint.Task, checkpoint.Progress, checkpoint.Source,
	checkpoint.Continuation, checkpoint.Derivation}

// typeAt returns the type of the entry that a path is about, and the member of it that is.
func typeAt(path string) (t checkpoint.Type, member string) {
	_, member, _ = cutLast(path)
	for _, t := range pathTypes {
		place := t.Place()
		if rest, ok := strings.CutPrefix(path, place); ok && (strings.HasSuffix(place, "/") || strings.HasPrefix(rest, "/")) {
			return t, member
		}
	}
	return checkpoint.NoType, member
}

func cutLast(path string) (before, after string, found bool) { return cutAtLast(path, '/') }

func cutAtLast(s string, sep byte) (before, after string, found bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// escapeKey writes a member name as a part of a path (RFC 6901).
func escapeKey(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// unescapeKey reads it.
func unescapeKey(part string) string { return strings.NewReplacer("~1", "/", "~0", "~").Replace(part) }
