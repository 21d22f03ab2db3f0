package fork_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// This file is the tests' own reading of a checkpoint. It knows nothing of the product's view: a scanner of JSON text that keeps the place of
// every value, strings decoded by encoding/json, and §6 to §9.3 as far as a fork is concerned, by name.

// value is one JSON value and its place in the text.
type value struct {
	src  string
	from int // where the element begins: the name's quote for a member
	at   [2]int
	name string
	kids []*value
}

// decode reads a text that encoding/json accepts.
func decode(src []byte) (*value, error) {
	if !json.Valid(src) {
		return nil, fmt.Errorf("no JSON: %.100q", src)
	}
	s := scanner{src: string(src)}
	return s.value(), nil
}

func mustDecode(src []byte) *value {
	v, err := decode(src)
	if err != nil {
		panic(err)
	}
	return v
}

type scanner struct {
	src string
	pos int
}

// skip moves to the next byte that is no white space, comma or colon.
func (s *scanner) skip() byte {
	for strings.IndexByte(" \t\r\n,:", s.src[s.pos]) >= 0 {
		s.pos++
	}
	return s.src[s.pos]
}

func (s *scanner) value() *value {
	first := s.skip()
	v := &value{src: s.src, from: s.pos}
	v.at[0] = s.pos
	switch first {
	case '{', '[':
		s.pos++
		for c := s.skip(); c != '}' && c != ']'; c = s.skip() {
			v.kids = append(v.kids, s.item(first == '{'))
		}
		s.pos++
	case '"':
		s.text()
	default:
		for s.pos < len(s.src) && strings.IndexByte(" \t\r\n,]}", s.src[s.pos]) < 0 {
			s.pos++
		}
	}
	v.at[1] = s.pos
	return v
}

func (s *scanner) item(named bool) *value {
	if !named {
		return s.value()
	}
	from := s.pos
	name := s.text()
	v := s.value()
	v.from, v.name = from, name
	return v
}

// text moves over a string and decodes it.
func (s *scanner) text() string {
	from := s.pos
	for s.pos++; s.src[s.pos] != '"'; s.pos++ {
		if s.src[s.pos] == '\\' {
			s.pos++
		}
	}
	s.pos++
	return unquoted(s.src[from:s.pos])
}

func unquoted(raw string) (s string) {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		panic(err)
	}
	return s
}

// raw is the text of the value, nothing for no value.
func (v *value) raw() string {
	if v == nil {
		return ""
	}
	return v.src[v.at[0]:v.at[1]]
}

func (v *value) kind() byte { return v.src[v.at[0]] }

// get returns a member, nil if there is none.
func (v *value) get(names ...string) *value {
	for _, name := range names {
		if v == nil || v.kind() != '{' {
			return nil
		}
		i := slices.IndexFunc(v.kids, func(k *value) bool { return k.name == name })
		if i < 0 {
			return nil
		}
		v = v.kids[i]
	}
	return v
}

// text is the characters of a string, empty for anything else.
func (v *value) text() string {
	if v == nil || v.kind() != '"' {
		return ""
	}
	return unquoted(v.raw())
}

// str is the text of a member.
func (v *value) str(names ...string) string { return v.get(names...).text() }

// items are the elements of a member that is a list.
func (v *value) items(names ...string) []*value {
	if list := v.get(names...); list != nil && list.kind() == '[' {
		return list.kids
	}
	return nil
}

// names are the names of an object's members, sorted.
func (v *value) names() (names []string) {
	for _, k := range v.kids {
		names = append(names, k.name)
	}
	return slices.Sorted(slices.Values(names))
}

// texts are the strings of a list.
func texts(list []*value) (out []string) {
	for _, v := range list {
		out = append(out, v.text())
	}
	return out
}

// path finds the values at a path whose steps may lead through lists.
func (v *value) path(path string) []*value {
	found := []*value{v}
	for _, name := range strings.Split(path, "/") {
		var next []*value
		for _, f := range found {
			switch m := f.get(name); {
			case m == nil:
			case m.kind() == '[':
				next = append(next, m.kids...)
			default:
				next = append(next, m)
			}
		}
		found = next
	}
	return found
}

// plain is the value without white space, strings in one spelling, numbers as they are spelled, and without members of some names; nothing for
// no value.
func (v *value) plain(without ...string) string {
	if v == nil {
		return ""
	}
	var b strings.Builder
	v.appendPlain(&b, without)
	return b.String()
}

func (v *value) appendPlain(b *strings.Builder, without []string) {
	switch kind := v.kind(); kind {
	case '{', '[':
		b.WriteByte(kind)
		for _, k := range v.kids {
			if slices.Contains(without, k.name) && kind == '{' {
				continue
			}
			if kind == '{' {
				fmt.Fprintf(b, "%q:", k.name)
			}
			k.appendPlain(b, without)
			b.WriteByte(',')
		}
		b.WriteByte(kind + 2)
	case '"':
		fmt.Fprintf(b, "%q", v.text())
	default:
		b.WriteString(v.raw())
	}
}

// mergeKey is the extension key of a merge with open conflicts.
const mergeKey = "io.github.opencheckpoint/merge"

// strings are all strings in a value.
func (v *value) strings() (list []string) {
	if v == nil {
		return nil
	}
	if v.kind() == '"' {
		list = append(list, v.text())
	}
	for _, k := range v.kids {
		list = append(list, k.strings()...)
	}
	return list
}

// shapes says where local objects stand, and where these refer to others (§4.1, §6, OCP-S003).
var shapes = []struct {
	path string
	refs string
}{
	{"task/success_criteria", "evidence"},
	{"progress/completed", "evidence"},
	{"progress/focus", "refs"},
	{"progress/next", "blocked_by requires refs"},
	{"statements", "origin/ref superseded_by evidence"},
	{"resources", ""},
	{"application_context", "selections/resource"},
	{"application_context/drafts", "target content_ref"},
	{"operations", "target record depends_on approval/evidence"},
	{"continuation/requirements", "refs"},
	{"continuation/preconditions", "refs"},
	{"continuation/stop_conditions", "applies_to until/operation refs"},
	{"continuation/recovery", "refs"},
	{"continuation/incompatibilities", ""},
	{"derivation/omissions", "recoverable_from"},
	{"derivation/transformations", "affected"},
}

// entry is an object of one of the shapes.
type entry struct {
	*value
	path string
	id   string
	refs []ref
}

// ref is a reference to a local object.
type ref struct{ field, to string }

// model is a decoded checkpoint.
type model struct {
	*value
	entries    []*entry
	byID       map[string]*entry
	operations []*entry
	forbidden  map[string]bool // named in applies_to by a stop condition without until
}

func newModel(src []byte) (*model, error) {
	v, err := decode(src)
	if err != nil {
		return nil, err
	}
	m := &model{value: v, byID: map[string]*entry{}, forbidden: map[string]bool{}}
	for _, shape := range shapes {
		for _, item := range v.path(shape.path) {
			e := &entry{value: item, path: shape.path, id: item.str("id")}
			for _, field := range strings.Fields(shape.refs) {
				for _, to := range item.path(field) {
					e.refs = append(e.refs, ref{field, to.text()})
				}
			}
			m.add(e)
		}
	}
	return m, nil
}

func (m *model) add(e *entry) {
	m.entries = append(m.entries, e)
	if e.id != "" {
		m.byID[e.id] = e
	}
	switch {
	case e.path == "operations":
		m.operations = append(m.operations, e)
	case e.path == "continuation/stop_conditions" && e.get("until") == nil:
		for _, op := range e.items("applies_to") {
			m.forbidden[op.text()] = true
		}
	}
}

func mustModel(src []byte) *model {
	m, err := newModel(src)
	if err != nil {
		panic(err)
	}
	return m
}

// faults are breaches of OCP-S001 and OCP-S002.
func (m *model) faults() (faults []string) {
	seen := map[string]bool{}
	for _, e := range m.entries {
		if seen[e.id] && e.id != "" {
			faults = append(faults, "S001 "+e.id)
		}
		seen[e.id] = true
		for _, r := range e.refs {
			if m.byID[r.to] == nil {
				faults = append(faults, "S002 "+e.path+" "+r.field+" "+r.to)
			}
		}
	}
	return faults
}

// terminal statuses are final (§6.6).
func terminal(operation *entry) bool {
	return slices.Contains([]string{"completed", "cancelled", "rejected"}, operation.str("status"))
}

// hasEffect says whether an operation is a non-terminal action whose effect is not none (§9.3); an absent one counts.
func hasEffect(operation *entry) bool {
	return operation.str("kind") == "action" && !terminal(operation) && operation.str("effect") != "none"
}

// pending are the ids of the pending effects in document order: what could act, and no stop condition forbids for good.
func (m *model) pending() (ids []string) {
	for _, op := range m.operations {
		if hasEffect(op) && !m.forbidden[op.id] {
			ids = append(ids, op.id)
		}
	}
	return ids
}

// groups are the pending effects by what depends on what, through operations that are not terminal, each in document order, the one with
// the first effect first.
func (m *model) groups() (groups [][]string) {
	next := map[string][]string{}
	for _, op := range m.operations {
		for _, on := range op.items("depends_on") {
			if other := m.byID[on.text()]; !terminal(op) && !terminal(other) {
				next[op.id] = append(next[op.id], other.id)
				next[other.id] = append(next[other.id], op.id)
			}
		}
	}
	pending := m.pending()
	done := map[string]bool{}
	for _, id := range pending {
		if done[id] {
			continue
		}
		seen := map[string]bool{id: true}
		for open := []string{id}; len(open) > 0; {
			for _, n := range next[open[0]] {
				if !seen[n] {
					seen[n] = true
					open = append(open, n)
				}
			}
			open = open[1:]
		}
		maps.Copy(done, seen)
		groups = append(groups, slices.DeleteFunc(slices.Clone(pending), func(id string) bool { return !seen[id] }))
	}
	return groups
}

// removable are those of some operations that nothing refers to which must stay. A recovery step, a transformation and an operation that
// is over can do without a reference; all else that can refer to an operation is protected (transforms.md §2).
func (m *model) removable(candidates []string) map[string]bool {
	going := map[string]bool{}
	for _, id := range candidates {
		going[id] = true
	}
	for _, id := range m.get("extensions", mergeKey).strings() { // what a merge left open
		delete(going, id)
	}
	for {
		before := len(going)
		for _, e := range m.entries {
			canDoWithout := e.path == "continuation/recovery" || e.path == "derivation/transformations" || e.path == "operations" && terminal(e)
			if canDoWithout || e.path == "operations" && going[e.id] {
				continue
			}
			for _, r := range e.refs {
				delete(going, r.to)
			}
		}
		if len(going) == before {
			return going
		}
	}
}
