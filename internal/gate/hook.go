package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// proof is one thing that is to be shown of each client.
type proof struct {
	name string
	// run returns a few words for the table. The error says what was seen instead of what was to be shown.
	run func(r *room) (string, error)
}

// proofs are all proofs, in the order of the table.
func proofs() (list []proof) {
	list = append(list, proof{"recorded, run once, saved", recorded}, proof{"status of an untrusted hook", untrusted})
	for _, f := range faults {
		list = append(list, proof{"tool blocked: " + f.name, f.blocksTool}, proof{"prompt blocked: " + f.name, f.blocksPrompt})
	}
	list = append(list, proof{"control: without the wrapper", withoutWrapper})
	for _, c := range crashes {
		list = append(list, proof{"killed " + c.name, c.run})
	}
	return append(list,
		proof{"killed without a hook", killedUnhooked},
		proof{"refused", refusedCall},
		proof{"blocked by another hook", blockedByAnother},
		proof{"brief with a planted order", planted},
	)
}

// row is what was seen in one proof, by client.
type row struct {
	name  string
	cells []string
}

// runHooks runs all proofs with the clients that are named, or all, prints the table, and returns the exit status. The environment's PROOF is a pattern for the names
// of proofs that are to run.
func runHooks(npm, ocp, out string, names []string) (status int) {
	wanted, err := regexp.Compile(os.Getenv("PROOF"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "gate:", err)
		return 2
	}
	head, list := row{name: "proof"}, matching(wanted)
	rows := make([]row, len(list))
	for _, c := range chosen(clients, names) {
		head.cells = append(head.cells, c.name+" "+c.version(npm))
		for i, p := range list {
			cell, failed := c.prove(p, npm, ocp, filepath.Join(out, c.name))
			rows[i].name, rows[i].cells = p.name, append(rows[i].cells, cell)
			status = max(status, failed)
			fmt.Fprintf(os.Stderr, "%-9s %-45s %s\n", c.name, p.name, cell)
		}
	}
	printTable(head, rows)
	return status
}

func matching(wanted *regexp.Regexp) (list []proof) {
	for _, p := range proofs() {
		if wanted.MatchString(p.name) {
			list = append(list, p)
		}
	}
	return list
}

// prove runs one proof in a room of its own. A known limit of the client is no failure; that it is none any more is one.
func (c *client) prove(p proof, npm, ocp, out string) (cell string, status int) {
	limit, limited := c.hook.limit(p.name)
	r, err := c.room(npm, ocp, filepath.Join(out, strings.NewReplacer(" ", "-", ":", "", ",", "").Replace(p.name)))
	words := ""
	if err == nil {
		words, err = p.run(r)
		r.leave()
	}
	switch {
	case err != nil && limited && strings.Contains(err.Error(), limit.seen):
		return "limit: " + limit.words, 0
	case err != nil:
		return "FAILED: " + err.Error(), 1
	case limited:
		return "FAILED: it is no limit any more: " + limit.words, 1
	}
	return cmp.Or(words, "pass"), 0
}

// limit is the one that is known for a proof.
func (h *hooked) limit(name string) (limit, bool) {
	for beginning, l := range h.limits {
		if strings.HasPrefix(name, beginning) {
			return l, true
		}
	}
	return limit{}, false
}

// printTable prints Markdown.
func printTable(head row, rows []row) {
	print := func(r row) {
		fmt.Printf("| %s | %s |\n", r.name, strings.ReplaceAll(strings.Join(r.cells, " | "), "\n", " "))
	}
	print(head)
	fmt.Println("|" + strings.Repeat("---|", len(head.cells)+1))
	for _, r := range rows {
		print(r)
	}
}
