package testdoc

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Mutate returns a copy of doc with one random structural or value mutation: a member is removed, renamed or added, a value gets another
// type, an unknown word, too much text or another value's text, an element occurs twice, and the like. The rest of the text stays as
// it is. The result of an I-JSON message is one again, but usually not a valid checkpoint. A text that is not JSON comes back as it is.
func Mutate(doc []byte, seed uint64) []byte {
	if !json.Valid(doc) {
		return bytes.Clone(doc)
	}
	m := &mutator{dice: newDice(seed, 3), text: doc, nodes: scan(doc)}
	for range 20 {
		if out := pick(m.dice, mutations)(m); out != nil && !bytes.Equal(out, doc) {
			return out
		}
	}
	return m.replaceRoot()
}

// mutator changes one document.
type mutator struct {
	*dice
	text  []byte
	nodes []*node
}

// mutations are the ways to change a document. Each returns nil where it cannot. Those that hit more rules stand more than once.
var mutations = []func(*mutator) []byte{
	(*mutator).removeElement, (*mutator).removeElement, (*mutator).renameMember, (*mutator).renameMember, (*mutator).addMember,
	(*mutator).retype, (*mutator).retype, (*mutator).wrap, (*mutator).duplicate, (*mutator).exchange,
	(*mutator).breakWord, (*mutator).breakWord, (*mutator).otherWord, (*mutator).breakID, (*mutator).repeatID,
	(*mutator).breakTimestamp, (*mutator).laterTimestamp, (*mutator).breakReference, (*mutator).otherReference,
	(*mutator).lengthen, (*mutator).addUserinfo, (*mutator).breakVersion, (*mutator).breakExtensionKey, (*mutator).empty,
}

// names of members by what their value is. The mutations look for them outside opaque values.
var (
	wordNames      = []string{"status", "kind", "type", "effect", "resume", "role", "state", "revalidate", "method", "reason", "necessity", "on_failure"}
	timestampNames = []string{"created_at", "completed_at", "recorded_at", "checked_at", "observed_at", "requested_at", "last_attempt_at", "decided_at", "expires_at"}
	referenceNames = []string{"evidence", "ref", "target", "content_ref", "resource", "record", "recoverable_from", "superseded_by", "depends_on", "requires", "blocked_by", "applies_to", "operation", "refs", "affected"}
	limitedNames   = []string{"excerpt", "content", "id"}
)

// find picks a node for which wanted holds, outside opaque values in 19 of 20 cases; nil if there is none.
func (m *mutator) find(wanted func(*node) bool) *node {
	anywhere := m.chance(5)
	var found []*node
	for _, n := range m.nodes {
		if (anywhere || !n.opaque) && wanted(n) {
			found = append(found, n)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return pick(m.dice, found)
}

// named holds for string members with one of the names, and for string elements of arrays with such a name.
func (m *mutator) named(names []string) func(*node) bool {
	return func(n *node) bool {
		name := n.name
		if !n.member && n.parent != nil {
			name = n.parent.name
		}
		return m.text[n.start] == '"' && slices.Contains(names, name)
	}
}

// splice returns the text with a range replaced.
func (m *mutator) splice(from, to int, with []byte) []byte {
	return slices.Concat(m.text[:from], with, m.text[to:])
}

// replace returns the text with a node's value replaced; nil without a node.
func (m *mutator) replace(n *node, with any) []byte {
	if n == nil {
		return nil
	}
	return m.splice(n.start, n.end, spelled(with))
}

// spelled returns a value as minified JSON text.
func spelled(v any) []byte {
	w := writer{}
	w.value(v, 0)
	return w.text
}

// replaceRoot puts another root in place of the document.
func (m *mutator) replaceRoot() []byte {
	return m.splice(m.nodes[0].start, m.nodes[0].end, []byte(`[{"opencheckpoint":"0.1"}]`))
}

// isObject holds for objects.
func (m *mutator) isObject(n *node) bool { return m.text[n.start] == '{' }

// isChild holds for every node but the root.
func isChild(n *node) bool { return n.parent != nil }

// isMember holds for members.
func isMember(n *node) bool { return n.member }

// freeName returns name, made longer until no sibling has it (I-JSON: no duplicate names).
func freeName(name string, siblings []*node) string {
	for slices.ContainsFunc(siblings, func(n *node) bool { return n.name == name }) {
		name += "_"
	}
	return name
}
