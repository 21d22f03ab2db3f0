package capture

import "slices"

// mostRecent is how many of the latest records a tree remembers that it passed on. A record whose parent is older begins a branch far behind, so that the log is
// read as a whole.
const mostRecent = 128

// treeState is what is left of a tree whose events were passed on.
type treeState struct {
	Recent        []nodeState
	Leaf          int // its place in Recent, from 1; 0 is none
	Linked, Begun bool
	Forgot        bool // there are others that are not in Recent
}

// nodeState is a record of which a later one may be a child, a copy or a sibling.
type nodeState struct {
	Rec                                 int
	ID, Group, Sum                      string
	Parent                              int // its place, from 1; 0 is none that is remembered
	IsRoot, Turn, Aside, OnPath, IsGone bool
}

// latest are the latest records, the leaf and their parents among them.
func (t *tree) latest() []*node {
	all := slices.DeleteFunc(slices.Concat(t.recent, t.nodes), func(n *node) bool { return n.id == "" })
	from := max(len(all)-mostRecent, 0)
	wanted := map[*node]bool{}
	for _, n := range append(all[from:], t.leaf) {
		if n != nil {
			wanted[n], wanted[n.parent] = true, true
		}
	}
	kept := slices.DeleteFunc(slices.Clone(all), func(n *node) bool { return !wanted[n] })
	t.forgot = t.forgot || len(kept) < len(all)
	return kept
}

// joins says whether the path to the leaf, which comes out at a record that was on the path before, leaves all records as they were passed on.
func (t *tree) joins(at *node, groups map[string]bool) bool {
	if !t.resumed || !t.linked {
		return true
	}
	if at == nil {
		return t.leaf == nil
	}
	for n := t.joined; n != at; n = n.parent {
		if n == nil {
			return false
		}
		n.onPath = false
	}
	for _, n := range t.recent {
		if n.onPath {
			groups[n.group] = true
		}
	}
	for _, n := range t.recent {
		if !n.fixed && n.isLeft(groups, nil) != n.gone {
			return false
		}
	}
	return true
}

func (t *tree) keep() treeState {
	s := treeState{Linked: t.linked, Begun: t.begun, Forgot: t.forgot}
	place := map[*node]int{}
	for i, n := range t.recent {
		place[n] = i + 1
		s.Recent = append(s.Recent, nodeState{n.rec, n.id, n.group, n.sum, place[n.parent], n.isRoot, n.turn, n.aside, n.onPath, n.gone})
	}
	s.Leaf = place[t.leaf]
	return s
}

func (t *tree) resume(s treeState) {
	t.linked, t.begun, t.resumed, t.forgot = s.Linked, s.Begun, s.Begun, s.Forgot
	for _, k := range s.Recent {
		n := &node{tree: t, rec: k.Rec, id: k.ID, group: k.Group, sum: k.Sum, isRoot: k.IsRoot, turn: k.Turn, aside: k.Aside, onPath: k.OnPath, gone: k.IsGone}
		if k.Parent > 0 && k.Parent <= len(t.recent) {
			n.parent = t.recent[k.Parent-1]
		}
		n.fixed = n.parent == nil
		t.recent = append(t.recent, n)
		if t.byID[n.id] == nil {
			t.byID[n.id] = n
		}
	}
	if s.Leaf > 0 && s.Leaf <= len(t.recent) {
		t.leaf = t.recent[s.Leaf-1]
	}
	t.joined = t.leaf
}
