package merge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// conflict is what inputs disagree on, and what was made of it.
type conflict struct {
	path, kind string
	stands     string // JSON text of the value that holds meanwhile, "" for none
	members    []string
	terms      []term
	entity     *entity
	field      *field
	stopped    []string // operations that must not run meanwhile
	why        string   // that is

	question string
	made     [][]string // objects by term
	stops    []string
}

// open makes a conflict of a field.
func (s *settlement) open(f *field) { s.openOn(f, s.entity) }

func (m *Merger) openOn(f *field, e *entity) {
	stands := ""
	if f.kind != "deletion" {
		stands = textOf(f.result, f.rule.members)
	}
	m.add(&conflict{path: f.path, kind: f.kind, stands: stands, members: f.rule.members, terms: f.terms, entity: e, field: f})
	e.disputed = true
}

func (m *Merger) add(c *conflict) {
	m.conflicts = append(m.conflicts, c)
	m.open[c.path] = true
}

// valueText is the JSON text of a term, "" for an absent one.
func (c *conflict) valueText(t term) string {
	if c.members == nil {
		return t.texts[0]
	}
	return textOf(t.value, c.members)
}

// heldAt are the conflicts that are open in tips at a path.
func (m *Merger) heldAt(path string) (list []*held) {
	for _, d := range m.tips {
		if h := d.held[path]; h != nil {
			list = append(list, h)
		}
	}
	return list
}

// heldUnder are the members, directly in the object at a path, on which inputs of a tip disagree.
func (m *Merger) heldUnder(path string) (names []string) {
	for _, d := range m.tips {
		names = append(names, d.heldIn[path]...)
	}
	slices.Sort(names)
	return names
}

// isSettled says whether a conflict that is open in the base is not in every tip any more.
func (m *Merger) isSettled(path string) bool {
	return len(m.bases) == 1 && m.bases[0].held[path] != nil && len(m.heldAt(path)) < len(m.tips)
}

// heldOf are the paths of conflicts of a kind that are open in tips.
func (m *Merger) heldOf(kind string) (paths []string) {
	for _, d := range m.tips {
		for path, h := range d.held {
			if h.kind == kind && !m.isSettled(path) {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// public is the conflict as the result tells it.
func (c *conflict) public() Conflict {
	out := Conflict{Question: c.question, Path: c.path, Kind: c.kind, Stands: c.stands}
	for i, t := range c.terms {
		out.Terms = append(out.Terms, Term{Inputs: t.inputs, Value: c.valueText(t), Made: c.made[i]})
	}
	return out
}

// Asks is what a conflict asks.
func (c *Conflict) Asks() string {
	switch c.Kind {
	case "deletion":
		return "One input deleted " + c.Path + " and another changed it: which holds?"
	case "double_execution":
		return "Several inputs completed the same action, " + c.Path + ": which record holds?"
	case "repeated_action":
		return "Several inputs have the same action, " + c.Path + ": which one is meant?"
	case "cycle":
		return "Statements of several inputs supersede each other in a circle, " + c.Path + ": which holds?"
	}
	if len(c.Terms) == 1 {
		return "An input changed " + c.where() + " in a way that no merge takes: which holds?"
	}
	return "The inputs differ at " + c.where() + ": which holds?"
}

// groupTitles say what members are settled together.
var groupTitles = map[string]string{"wording": "the wording of ", "nature": "the kind or the origin of ", "revision": "the revision of ", "address": "the address of "}

// where is the path in words.
func (c *Conflict) where() string {
	before, name, _ := cutLast(c.Path)
	if title, ok := groupTitles[name]; ok {
		return title + before
	}
	return c.Path
}

// Options are what a Choice can name, a line each: 0 is what stands, the terms follow. Long values are cut, and of whole objects only what tells
// them apart is shown.
func (c *Conflict) Options() []string {
	first := "0: as it stands"
	switch {
	case c.Kind == "repeated_action":
		first += ": " + plain(memberText(c.Terms[0].Value, "id")) + " must not run"
	case c.Stands != "":
		first += ", " + brief(c.Stands)
	}
	list := []string{first}
	for i, t := range c.Terms {
		line := fmt.Sprintf("%d: %s, in %s", i+1, brief(c.telling(t.Value)), strings.Join(t.Inputs, ", "))
		if c.endsOtherwise(t) {
			line += " (cannot be chosen: what is over stays over)"
		}
		list = append(list, line)
	}
	return list
}

// telling is of an object's text the id, the status, and the members in which it differs from other terms.
func (c *Conflict) telling(value string) string {
	if memberText(value, "id") == "" || len(c.Terms) < 2 {
		return value
	}
	var members []string
	for _, name := range membersOf(value) {
		text := memberText(value, name)
		differs := slices.ContainsFunc(c.Terms, func(t Term) bool { return canonical([]byte(memberText(t.Value, name))) != canonical([]byte(text)) })
		if name == "id" || name == "status" || differs {
			members = append(members, name, text)
		}
	}
	return objectOf(members...)
}

// endsOtherwise says whether a term ends an operation in another way than the one that stands (OCP-T001).
func (c *Conflict) endsOtherwise(t Term) bool {
	place := checkpoint.Operation.Place()
	stands := readStatus(c.Stands)
	return strings.HasPrefix(c.Path, place) && slices.Contains(finalOrder, stands) && readStatus(t.Value) != stands
}

// readStatus is the status that a value is or has.
func readStatus(text string) string {
	return cmp.Or(plain(text), plain(memberText(text, "status")))
}

// brief is as much of a JSON text as a person reads, without the white space of whoever wrote it.
func brief(text string) string {
	const most = 100
	if text == "" {
		return "without it"
	}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(text)) == nil {
		text = compact.String()
	}
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return text
}
