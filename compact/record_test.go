package compact_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// recordText is how a record of ours reads: the number first, then what it counts.
var recordText = regexp.MustCompile(`^(\d+) omitted: (.+)$`)

// countText is one of the counts, with the keys of extension data.
var countText = regexp.MustCompile(`^(\d+) ([a-z ]+?)(?: \(([^)]*)\))?$`)

// plurals are the words of a record.
var plurals = map[string]string{
	"instructions": "instruction", "constraints": "constraint", "decisions": "decision", "observations": "observation", "hypotheses": "hypothesis",
	"questions": "question", "external statements": "external statement", "resources": "resource", "operations": "operation",
	"application context entries": "application context entry", "selections": "selection", "drafts": "draft", "recovery steps": "recovery step",
	"derivation inputs": "derivation input", "excerpts": "excerpt", "lists of evidence": "list of evidence", "filters": "filters", "views": "view",
	"states": "state", "state schemas": "state schema", "extension entries": "extension entry",
}

// record is what an omission covers.
type record struct {
	total  int
	counts map[string]int // by singular
	keys   []string
}

// readRecord reads the description of an omission of ours.
func readRecord(text string) (record, error) {
	r := record{counts: map[string]int{}}
	m := recordText.FindStringSubmatch(text)
	if m == nil {
		return r, fmt.Errorf("record %q", text)
	}
	r.total, _ = strconv.Atoi(m[1])
	sum := 0
	for _, part := range splitOutside(m[2]) {
		c := countText.FindStringSubmatch(part)
		if c == nil {
			return r, fmt.Errorf("record %q: %q", text, part)
		}
		n, _ := strconv.Atoi(c[1])
		word := c[2]
		if singular := plurals[word]; singular != "" && (n != 1 || word == "filters") {
			word = singular
		} else if n != 1 {
			return r, fmt.Errorf("record %q: %q", text, part)
		}
		known := false
		for _, singular := range plurals {
			known = known || singular == word
		}
		if !known || n == 0 || r.counts[word] != 0 {
			return r, fmt.Errorf("record %q: %q", text, part)
		}
		r.counts[word] = n
		sum += n
		if c[3] != "" {
			r.keys = strings.Split(c[3], ", ")
		}
	}
	if sum != r.total || r.counts["extension entry"] > 0 && r.keys == nil {
		return r, fmt.Errorf("record %q does not add up", text)
	}
	return r, nil
}

// splitOutside splits at commas that stand outside parentheses.
func splitOutside(s string) (parts []string) {
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, s[from:i])
				from = i + 2
			}
		}
	}
	return append(parts, s[from:])
}

// isOurOmission says whether an omission is one that a later compaction may take over: not one that withholds for sensitivity.
func isOurOmission(v *value) bool {
	reason := v.str("reason")
	if reason != "size" && reason != "irrelevant" && reason != "superseded" || !strings.HasPrefix(v.str("id"), "ocp.omitted."+reason) {
		return false
	}
	_, err := readRecord(v.str("description"))
	return err == nil
}

// nounOf is the word with which records count an entry.
func nounOf(e *entry) string {
	switch e.shape {
	case "statement":
		if kind := e.v.str("kind"); kind != "external" {
			return kind
		}
		return "external statement"
	case "context":
		return "application context entry"
	case "input":
		return "derivation input"
	}
	return e.shape
}

// nounOfPart is the word with which records count a member.
func nounOfPart(p lostPart) string {
	switch {
	case p.isKey:
		return "extension entry"
	case p.name == "evidence":
		return "list of evidence"
	}
	return strings.ReplaceAll(p.name, "_", " ")
}

// reasonOf is why an entry goes (the table of rungs).
func reasonOf(e *entry) string {
	if e.shape == "statement" {
		switch e.v.str("status") {
		case "retracted":
			return "irrelevant"
		case "superseded":
			return "superseded"
		}
	}
	return "size"
}

func reasonOfPart(p lostPart) string {
	if p.name == "excerpt" && !p.isKey && p.owner.get("sensitivity") != nil {
		return "sensitive"
	}
	return "size"
}
