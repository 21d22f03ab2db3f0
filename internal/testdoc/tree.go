package testdoc

import "encoding/json"

// node is one value of a document, by its place in the text.
type node struct {
	// start and end are the value's range; from is where its element begins, which is the name's quote for a member.
	from, start, end int
	// name is the decoded name of a member and empty for an element.
	name string
	// member says that the node stands in an object.
	member bool
	// opaque says that the node stands below extensions or another member whose content the specification leaves open.
	opaque   bool
	parent   *node
	children []*node
}

// openNames are the members whose content is opaque.
var openNames = map[string]bool{"extensions": true, "arguments": true, "filters": true, "state": true, "detail": true}

// scanner reads the nodes of a text that is known to be valid JSON.
type scanner struct {
	text  []byte
	at    int
	nodes []*node
}

// scan returns all nodes of a valid JSON text, the root first.
func scan(text []byte) []*node {
	s := &scanner{text: text}
	s.space()
	s.value(&node{from: s.at})
	return s.nodes
}

// space skips white space, commas and colons.
func (s *scanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r', ',', ':':
			s.at++
		default:
			return
		}
	}
}

// value reads the value of a node.
func (s *scanner) value(n *node) {
	s.nodes = append(s.nodes, n)
	n.start = s.at
	switch s.text[s.at] {
	case '{', '[':
		s.container(n, s.text[s.at] == '{')
	case '"':
		s.quoted()
	default:
		s.scalar()
	}
	n.end = s.at
}

// container reads the elements of an array or an object.
func (s *scanner) container(n *node, members bool) {
	s.at++
	for s.space(); s.text[s.at] != '}' && s.text[s.at] != ']'; s.space() {
		child := &node{from: s.at, parent: n, member: members, opaque: n.opaque}
		if members {
			child.name = s.name()
			// A statement's verification has a state too, which is a string.
			child.opaque = n.opaque || openNames[child.name] && s.text[s.at] == '{'
		}
		n.children = append(n.children, child)
		s.value(child)
	}
	s.at++
}

// name reads a member's name and what parts it from the value.
func (s *scanner) name() string {
	from := s.at
	s.quoted()
	name := decoded(s.text[from:s.at])
	s.space()
	return name
}

// quoted skips a string.
func (s *scanner) quoted() {
	for s.at++; s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
}

// scalar skips a number or a literal.
func (s *scanner) scalar() {
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r', ',', '}', ']':
			return
		}
	}
}

// decoded returns the text of a quoted string, or nothing for any other value.
func decoded(quoted []byte) string {
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return ""
	}
	return s
}
