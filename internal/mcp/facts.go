package mcp

import (
	"fmt"
	"strings"

	"github.com/opencheckpoint/ocp/merge"
)

// What the structure of an answer says beside the documents is said in lines of text, too. Ids and notes are of documents, so they are quoted as data.

// facts says what may happen in each fork, and the notes.
func (f *forked) facts() (lines []string) {
	for _, one := range f.Forks {
		said := []string{"owns nothing"}
		if len(one.Owns) > 0 {
			said[0] = "owns " + quoted(one.Owns)
		}
		for _, list := range []struct {
			what string
			ids  []string
		}{{"must not run", one.Guarded}, {"keeps, since something refers to it,", one.Kept}, {"does not have", one.Removed}} {
			if len(list.ids) > 0 {
				said = append(said, list.what+" "+quoted(list.ids))
			}
		}
		lines = append(lines, fmt.Sprintf("fork %q: %s", one.Label, strings.Join(said, "; ")))
	}
	return append(lines, notes(f.Notes)...)
}

// mergeFacts says how the base was found, what is open, and what became of ids, objects and guards.
func mergeFacts(r *merge.Report) []string {
	lines := []string{"base: " + r.Found}
	for _, c := range r.Conflicts {
		lines = append(lines, fmt.Sprintf("conflict %q, %s: %q", c.Question, count(len(c.Terms), "term"), c.Asks))
	}
	for _, n := range r.Renames {
		lines = append(lines, fmt.Sprintf("renamed: %q of %q is %q", n.From, n.Input, n.To))
	}
	for _, d := range r.Deleted {
		lines = append(lines, fmt.Sprintf("deleted: %q", d.Object))
	}
	for _, d := range r.Restored {
		lines = append(lines, fmt.Sprintf("not deleted: %q", d.Object))
	}
	for _, g := range r.Lifted {
		lines = append(lines, fmt.Sprintf("guard lifted: %q: %q", g.Operation, g.Why))
	}
	for _, g := range r.Kept {
		lines = append(lines, fmt.Sprintf("guard kept: %q: %q", g.Operation, g.Why))
	}
	return append(lines, notes(r.Notes)...)
}

// facts says what became stale.
func (c *compacted) facts() []string {
	if len(c.Stale) == 0 {
		return nil
	}
	return []string{"now stale: " + quoted(c.Stale)}
}

func notes(list []string) (lines []string) {
	for _, n := range list {
		lines = append(lines, fmt.Sprintf("note: %q", n))
	}
	return lines
}

func quoted(ids []string) string {
	var list []string
	for _, id := range ids {
		list = append(list, fmt.Sprintf("%q", id))
	}
	return strings.Join(list, ", ")
}
