package testdoc

import (
	"slices"
	"strings"
)

// removeElement removes a member or an array's element.
func (m *mutator) removeElement() []byte {
	n := m.find(isChild)
	if n == nil {
		return nil
	}
	siblings := n.parent.children
	i := slices.Index(siblings, n)
	switch {
	case i+1 < len(siblings):
		return m.splice(n.from, siblings[i+1].from, nil)
	case i > 0:
		return m.splice(siblings[i-1].end, n.end, nil)
	}
	return m.splice(n.from, n.end, nil)
}

// renameMember misspells a member's name or gives it another's.
func (m *mutator) renameMember() []byte {
	n := m.find(isMember)
	if n == nil {
		return nil
	}
	name := pick(m.dice, []string{n.name + "s", strings.ToUpper(n.name), strings.ReplaceAll(n.name, "_", "-"), "x", pick(m.dice, m.nodes).name})
	return m.splice(n.from, n.start, append(spelled(freeName(name, n.parent.children)), ':'))
}

// addMember adds a member that the specification does not define, or one that belongs elsewhere.
func (m *mutator) addMember() []byte {
	n := m.find(m.isObject)
	if n == nil {
		return nil
	}
	name := pick(m.dice, []string{"priority", "notes", "Id", "", "__proto__", "created_by", pick(m.dice, m.nodes).name})
	added := append(spelled(freeName(name, n.children)), ':')
	added = append(added, spelled(m.scalar())...)
	if len(n.children) > 0 {
		added = append(added, ',')
	}
	return m.splice(n.start+1, n.start+1, added)
}

// scalar returns some small value.
func (m *mutator) scalar() any {
	return pick(m.dice, []any{nil, true, number("7"), number("1.50"), "text", "", array{}, object{}, array{"a"}, object{{"id", "a"}}})
}

// retype replaces a value by one of another type.
func (m *mutator) retype() []byte {
	n := m.find(isChild)
	if n == nil {
		return nil
	}
	v := m.scalar()
	if kindOf(spelled(v)[0]) == kindOf(m.text[n.start]) {
		v = nil
	}
	return m.replace(n, v)
}

// kindOf tells types of values apart by their first byte; all numbers and literals but strings, arrays and objects are one.
func kindOf(first byte) byte {
	if strings.IndexByte(`{["`, first) < 0 {
		return 0
	}
	return first
}

// wrap puts a value into an array or an object.
func (m *mutator) wrap() []byte {
	n := m.find(isChild)
	if n == nil {
		return nil
	}
	value := m.text[n.start:n.end]
	if m.chance(50) {
		return m.splice(n.start, n.end, slices.Concat([]byte("["), value, []byte("]")))
	}
	return m.splice(n.start, n.end, slices.Concat([]byte(`{"id":`), value, []byte("}")))
}

// duplicate repeats an element of an array.
func (m *mutator) duplicate() []byte {
	n := m.find(func(n *node) bool { return n.parent != nil && !n.member })
	if n == nil {
		return nil
	}
	return m.splice(n.end, n.end, append([]byte{','}, m.text[n.start:n.end]...))
}

// exchange puts a copy of another value in place of a value.
func (m *mutator) exchange() []byte {
	n, other := m.find(isChild), m.find(isChild)
	if n == nil || other == nil {
		return nil
	}
	return m.splice(n.start, n.end, m.text[other.start:other.end])
}

// breakWord replaces an enumeration's value by a word that is none.
func (m *mutator) breakWord() []byte {
	n := m.find(m.named(wordNames))
	if n == nil {
		return nil
	}
	word := decoded(m.text[n.start:n.end])
	return m.replace(n, pick(m.dice, []string{"", "bogus", strings.ToUpper(word), word + " ", strings.ReplaceAll(word, "_", "-")}))
}

// otherWord replaces an enumeration's value by the value of another place, often of the same enumeration.
func (m *mutator) otherWord() []byte {
	n := m.find(m.named(wordNames))
	if n == nil {
		return nil
	}
	other := m.find(m.named([]string{n.name}))
	if other == nil || m.chance(30) {
		other = m.find(m.named(wordNames))
	}
	if other == nil {
		return nil
	}
	return m.splice(n.start, n.end, m.text[other.start:other.end])
}

// breakID replaces a local id by one that the pattern of §4.1 does not match.
func (m *mutator) breakID() []byte {
	bad := []string{"", "-a", ".a", "a b", "a/b", "é", "a\n", "_x", strings.Repeat("a", 129), "a#"}
	return m.replace(m.find(m.named([]string{"id"})), pick(m.dice, bad))
}

// repeatID gives an object the id of another.
func (m *mutator) repeatID() []byte {
	n, other := m.find(m.named([]string{"id"})), m.find(m.named([]string{"id"}))
	if n == nil || other == nil {
		return nil
	}
	return m.splice(n.start, n.end, m.text[other.start:other.end])
}

// breakTimestamp replaces a timestamp by one that is malformed.
func (m *mutator) breakTimestamp() []byte {
	bad := []string{
		"", "yesterday", "2026-01-01", "2026-01-01T10:00:00", "2026-01-01 10:00:00Z", "2026-01-01T10:00Z", "2026-13-01T10:00:00Z",
		"2026-01-01T10:00:00+0100", "2026-01-01T10:00:00.Z", "1767261600", "2026-01-01T25:00:00Z", "+2026-01-01T10:00:00Z",
	}
	return m.replace(m.find(m.named(timestampNames)), pick(m.dice, bad))
}

// laterTimestamp moves a timestamp out of the past, or created_at before everything (OCP-S005).
func (m *mutator) laterTimestamp() []byte {
	n := m.find(m.named(timestampNames))
	if n != nil && n.name == "created_at" {
		return m.replace(n, "1999-12-31T23:59:59Z")
	}
	return m.replace(n, pick(m.dice, []string{"2099-01-01T00:00:00Z", "9999-12-31T23:59:59.999+01:00"}))
}

// breakReference makes a reference point nowhere (OCP-S002).
func (m *mutator) breakReference() []byte {
	return m.replace(m.find(m.named(referenceNames)), pick(m.dice, []string{"nowhere", "", "a b", "urn:uuid:0"}))
}

// otherReference makes a reference point to any local object, often of a type that is not allowed (OCP-S003).
func (m *mutator) otherReference() []byte {
	n, target := m.find(m.named(referenceNames)), m.find(m.named([]string{"id"}))
	if n == nil || target == nil {
		return nil
	}
	return m.splice(n.start, n.end, m.text[target.start:target.end])
}

// lengthen makes a limited text too long.
func (m *mutator) lengthen() []byte {
	n := m.find(m.named(limitedNames))
	if n == nil {
		return nil
	}
	limit := map[string]int{"excerpt": 4096, "content": 16384, "id": 128}[n.name]
	return m.replace(n, strings.Repeat(pick(m.dice, []string{"x", "é", "🚢"}), limit+1))
}

// addUserinfo puts userinfo into a URI (OCP-S008).
func (m *mutator) addUserinfo() []byte {
	userinfo := pick(m.dice, []string{"https://user:password@example.org/", "ssh://git@example.org/x", "s3://k@b/", "https://@example.org"})
	return m.replace(m.find(m.named([]string{"uri"})), userinfo)
}

// breakVersion changes the version of the specification (§5.1).
func (m *mutator) breakVersion() []byte {
	versions := []any{"0.2", "1.0", "0.1.0", "", "0.10", " 0.1", number("0.1")}
	return m.replace(m.find(m.named([]string{"opencheckpoint"})), pick(m.dice, versions))
}

// breakExtensionKey replaces an extension's key by one that is not namespaced (§7).
func (m *mutator) breakExtensionKey() []byte {
	n := m.findExtension()
	if n == nil {
		return nil
	}
	key := pick(m.dice, []string{"", "crm", "Com.Example.crm", "com.example.crm/", "com..example", "com.example crm", "/x.y", "-a.b", "a.b/ö"})
	return m.splice(n.from, n.start, append(spelled(freeName(key, n.parent.children)), ':'))
}

// findExtension picks an extension of a core object.
func (m *mutator) findExtension() *node {
	var found []*node
	for _, n := range m.nodes {
		if n.member && n.parent.name == "extensions" && n.parent.parent != nil && !n.parent.parent.opaque {
			found = append(found, n)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return pick(m.dice, found)
}

// empty empties a string, an array or an object.
func (m *mutator) empty() []byte {
	n := m.find(func(n *node) bool { return n.parent != nil && n.end-n.start > 2 })
	if n == nil {
		return nil
	}
	switch m.text[n.start] {
	case '{':
		return m.replace(n, object{})
	case '[':
		return m.replace(n, array{})
	}
	return m.replace(n, "")
}
