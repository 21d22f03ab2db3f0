package fork_test

import (
	"slices"
	"strings"
)

// undo takes out of a fork what §3 says that a fork adds, puts back what it replaces, and so gets the parent's text again, byte for byte.
// What is left over is what the fork must not have changed.
type undo struct {
	parent     *model
	removed    map[string]bool // operations that the fork does not have
	superseded map[string]bool // statements that it marked
	inputsGone map[*value]bool // the inputs for which it has no place
	added      map[string][]*value
	faults     []string
}

// mayAdd are the members that a fork may add to an object that the parent has.
var mayAdd = map[string][]string{
	"":             {"parent", "statements", "resources", "continuation", "derivation", "extensions"},
	"parent":       {"digest"},
	"source":       {"producer"},
	"continuation": {"stop_conditions"},
	"derivation":   {"inputs", "omissions", "transformations"},
	"extensions":   {forkKey},
}

// replaces are the values that a fork writes anew where the parent has them.
var replaces = []string{"id", "created_at", "parent/id", "parent/digest", "source/producer", "derivation/method", "extensions/" + forkKey}

// growing are the lists behind whose elements a fork may add some.
var growing = []string{"statements", "resources", "continuation/stop_conditions", "derivation/omissions", "derivation/transformations"}

func (u *undo) fault(parts ...string) { u.faults = append(u.faults, strings.Join(parts, " ")) }

// undone returns the text that child had in the parent, where it was p.
func (u *undo) undone(path string, p, c *value) string {
	switch {
	case slices.Contains(replaces, path):
		return p.raw()
	case p.kind() != c.kind():
		return c.raw()
	case slices.Contains([]string{"", "parent", "source", "continuation", "derivation", "extensions"}, path):
		return u.members(path, p, c)
	case path == "derivation/inputs":
		return u.inputs(p, c)
	case path == "operations", path == "continuation/recovery":
		return u.shrunk(path, p, c)
	case slices.Contains(growing, path):
		return u.grown(path, p, c)
	}
	return c.raw()
}

// members undoes an object's members. What was added is added behind the others, or is parent.
func (u *undo) members(path string, p, c *value) string {
	return u.rebuilt(c, func(k *value) (string, bool) {
		was := p.get(k.name)
		if was == nil {
			if !slices.Contains(mayAdd[path], k.name) {
				u.fault("member", k.name, "appeared in", path)
			}
			u.newMember(within(path, k.name), k)
			return "", false
		}
		return u.undone(within(path, k.name), was, k), true
	})
}

// within is the path of a member; none that is not defined has the path of one that is.
func within(path, name string) string {
	name = strings.ReplaceAll(name, "/", "~1")
	switch {
	case name == "":
		name = "~"
	case path == "extensions":
		name = strings.ReplaceAll(name, "~1", "/")
	}
	return strings.TrimPrefix(path+"/"+name, "/")
}

// newMember notes the elements of lists that the parent has not.
func (u *undo) newMember(path string, v *value) {
	if v.kind() == '[' {
		u.added[path] = append(u.added[path], v.kids...)
		return
	}
	for _, k := range v.kids {
		if path == "continuation" || path == "derivation" {
			u.newMember(within(path, k.name), k)
		}
	}
}

// rebuilt writes a container without the items for which change says so. An item goes with what parts it from the one before.
func (u *undo) rebuilt(c *value, change func(*value) (string, bool)) string {
	var b strings.Builder
	b.WriteByte(c.kind())
	end := c.at[0] + 1
	for _, k := range c.kids {
		if text, stays := change(k); stays {
			b.WriteString(c.src[end:k.at[0]] + text)
		}
		end = k.at[1]
	}
	b.WriteString(c.src[end:c.at[1]])
	return b.String()
}

// grown undoes a list behind whose elements others were put.
func (u *undo) grown(path string, p, c *value) string {
	i := 0
	return u.rebuilt(c, func(k *value) (string, bool) {
		if i++; i > len(p.kids) {
			u.added[path] = append(u.added[path], k)
			return "", false
		}
		return u.element(path, p.kids[i-1], k), true
	})
}

// element undoes what a fork may change within an entry.
func (u *undo) element(path string, p, c *value) string {
	switch {
	case path == "statements" && u.superseded[p.str("id")]:
		return u.rebuilt(c, func(k *value) (string, bool) {
			switch was := p.get(k.name); {
			case was == nil && (k.name == "status" || k.name == "superseded_by"):
				return "", false
			case k.name == "status":
				return was.raw(), true
			}
			return k.raw(), true
		})
	case path == "continuation/recovery":
		return u.without("refs", p, c)
	case path == "derivation/transformations":
		return u.without("affected", p, c)
	case path == "operations":
		return u.without("depends_on", p, c)
	}
	return c.raw()
}

// without undoes the loss of references to operations that are gone.
func (u *undo) without(name string, p, c *value) string {
	var want []string
	for _, r := range p.items(name) {
		if !u.removed[r.text()] {
			want = append(want, r.raw())
		}
	}
	if len(want) == len(p.items(name)) {
		return c.raw()
	}
	return u.rebuilt(c, func(k *value) (string, bool) {
		if k.name != name {
			return k.raw(), true
		}
		var got []string
		for _, r := range k.kids {
			got = append(got, r.raw())
		}
		if !slices.Equal(got, want) {
			u.fault(name, "is", k.raw(), "and was", p.get(name).raw())
		}
		return p.get(name).raw(), true
	})
}

// shrunk undoes a list that may have lost elements. With one lost, the text between the others is not compared.
func (u *undo) shrunk(path string, p, c *value) string {
	var want []*value
	for _, k := range p.kids {
		if path != "operations" || !u.removed[k.str("id")] {
			want = append(want, k)
		}
	}
	if len(c.kids) != len(want) {
		u.fault(path, "has another number of elements:", c.raw())
		return c.raw()
	}
	i := 0
	text := u.rebuilt(c, func(k *value) (string, bool) {
		i++
		element := u.element(path, want[i-1], k)
		if element != want[i-1].raw() {
			u.fault("in", path, want[i-1].raw(), "became", element)
		}
		return element, true
	})
	if len(want) < len(p.kids) {
		return p.raw()
	}
	return text
}

// inputs undoes the list before whose elements the parent was put, and which may have lost the oldest.
func (u *undo) inputs(p, c *value) string {
	if len(c.kids) == 0 {
		u.fault("no input")
		return c.raw()
	}
	u.added["derivation/inputs"] = c.kids[:1]
	if len(u.inputsGone) == 0 {
		first, next := c.kids[0].at[0], c.kids[0].at[1]
		if len(c.kids) > 1 {
			next = c.kids[1].at[0]
		}
		return c.src[c.at[0]:first] + c.src[next:c.at[1]]
	}
	got := c.kids[1:]
	for _, k := range p.kids {
		if u.inputsGone[k] {
			continue
		}
		if len(got) == 0 || got[0].raw() != k.raw() {
			u.fault("input", k.raw(), "is gone, or in another place")
			return c.raw()
		}
		got = got[1:]
	}
	if len(got) > 0 {
		u.fault("input", got[0].raw(), "appeared")
	}
	return p.raw()
}

// isCheckpoint says whether an input is a checkpoint and no session.
func isCheckpoint(input *value) bool { return input.kind() == '{' && input.get("protocol") == nil }

// noPlace finds the inputs that a fork has no place for: checkpoints past 64, the new one included. What the parent's own fork entry names
// stays, so that a merge finds its base.
func (m *model) noPlace() map[*value]bool {
	gone := map[*value]bool{}
	n := 1
	for _, v := range m.items("derivation", "inputs") {
		if !isCheckpoint(v) {
			continue
		}
		if n++; n > 64 && !m.isBase(v.str("id")) {
			gone[v] = true
		}
	}
	return gone
}

// isBase says whether the parent's own fork entry names a checkpoint.
func (m *model) isBase(id string) bool {
	var found func(v *value) bool
	found = func(v *value) bool { return v.kind() == '"' && v.text() == id || slices.ContainsFunc(v.kids, found) }
	entry := m.get("extensions", forkKey)
	return entry != nil && found(entry)
}
