package merge_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/merge"
)

// standing: what a conflict says that stands is what the document has.
func standing(t *trial) error {
	for _, c := range t.result.Conflicts {
		has, known := t.valueAt(c.Path)
		if !known {
			continue
		}
		stands := ""
		if c.Stands != "" {
			stands = canon(decoded([]byte(c.Stands)))
		}
		if has != stands {
			return fmt.Errorf("conflict on %s says that %s stands, and the document has %s", c.Path, stands, has)
		}
		if strings.HasPrefix(c.Path, "/operations/") || strings.HasSuffix(c.Path, "/status") {
			continue // of several ends, and of what several inputs did, each is a term
		}
		if slices.ContainsFunc(c.Terms, func(term merge.Term) bool { return sameText(term.Value, c.Stands) }) {
			return fmt.Errorf("conflict on %s has what stands as a term: %+v", c.Path, c)
		}
	}
	return nil
}

// groups are the last parts of paths that mean several members.
var groups = map[string][]string{
	"wording":  {"kind", "origin", "rationale", "text"},
	"nature":   {"kind", "origin"}, // of a statement
	"revision": {"revision", "digest", "observed_at", "availability"},
	"status":   {"status", "superseded_by", "resolution"}, // likewise
}

// valueAt is what the document has at a conflict's path, for paths that name members.
func (t *trial) valueAt(path string) (text string, known bool) {
	var parts []string
	for part := range strings.SplitSeq(path[1:], "/") {
		parts = append(parts, strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~"))
	}
	switch last := parts[len(parts)-1]; {
	case parts[0] == "task" && len(parts) == 2 && last != "status", parts[0] == "extensions":
		return canon(get(t.out.object, parts...)), true
	case len(parts) == 3 && t.out.byID[parts[1]] != nil:
		o := t.out.byID[parts[1]].object
		if members := groups[last]; members != nil && parts[0] != "operations" {
			return canonOf(o, members...), canonOf(o, members...) != "{}"
		}
		if last == "nature" {
			last = "kind"
		}
		return canon(o[last]), slices.Contains([]string{"text", "description", "call", "record", "target", "idempotency_key", "title", "status", "kind"}, last)
	}
	return "", false
}
