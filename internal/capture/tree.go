package capture

import "hash/maphash"

// tree holds the events of a log whose records name their parents until the end shows which branches the person left. Records without an
// id are no part of it.
type tree struct {
	run   *run
	nodes []*node
	byID  map[string]*node
	seed  maphash.Seed
	leaf  *node // of the branch that the session ended on
	// linked says that some record has a parent. A client that never names one names no branch either.
	linked bool
}

// node is one record.
type node struct {
	tree   *tree
	rec    int
	id     string
	parent *node
	isRoot bool   // the record says that it has no parent
	turn   bool   // it begins something: a second one behind the same parent is another branch
	group  string // the message that it is a piece of
	aside  bool   // it is not of this conversation, but of a subagent's
	onPath bool   // from the leaf to the root
	gone   bool   // on a branch that was left
	events []event
	sum    uint64 // of the record's text
}

func newTree(r *run) *tree { return &tree{run: r, byID: map[string]*node{}, seed: maphash.MakeSeed()} }

// node begins the node of a record; it returns false for one that was there before. Two records with one id that say different things are two.
func (t *tree) node(rec int, r record, id, parent string, isRoot bool) (*node, bool) {
	n := &node{tree: t, rec: rec, id: id, isRoot: isRoot}
	if id == "" {
		return n, true
	}
	n.sum = maphash.Bytes(t.seed, r.raw())
	n.parent = t.byID[parent]
	if old := t.byID[id]; old == nil {
		t.byID[id] = n
	} else if old.sum == n.sum {
		return nil, false
	}
	t.linked = t.linked || n.parent != nil
	t.nodes = append(t.nodes, n)
	return n, true
}

// emit holds an event, or passes it on where no branch can be left.
func (n *node) emit(e event) {
	if n.id == "" && !n.aside {
		n.tree.run.emit(e)
		return
	}
	n.events = append(n.events, e)
	if n.id == "" {
		n.release()
	}
}

// end passes on all events in the order of the log.
func (t *tree) end() {
	groups := map[string]bool{}
	var root *node
	for n := t.leaf; n != nil && !n.onPath; n = n.parent {
		n.onPath, root = true, n
		groups[n.group] = true
	}
	for _, n := range t.nodes {
		n.gone = n.isLeft(groups, root)
		n.release()
	}
}

// isLeft says whether a record is proved to be on a branch that was left: it, or one that it follows, stands where the path to the leaf goes
// another way. A record whose parent is missing is no proof; nor is a piece of a message on the path, or a result, which hang beside it.
func (n *node) isLeft(groups map[string]bool, root *node) bool {
	switch {
	case n.onPath || n.aside:
		return false
	case n.parent != nil:
		return n.parent.gone || n.turn && !(n.group != "" && groups[n.group])
	}
	return n.tree.linked && n.isRoot && n.turn && root != nil && root.isRoot && root.turn && n.rec < root.rec
}

// aside passes on events that are not of this conversation. Only calls count: what was done in the world stays done.
func (r *run) aside(events []event) {
	for _, e := range events {
		if e, ok := asideEvent(e); ok {
			r.emit(e)
		}
	}
}

// asideEvent is what is left of an event that is not of this conversation, if anything.
func asideEvent(e event) (event, bool) {
	switch e := e.(type) {
	case called:
		e.aside = true
		return e, true
	case answered, ended, started, hinted:
		return e, true
	}
	return nil, false
}

// release passes on the events of a record.
func (n *node) release() {
	if n.gone || n.aside {
		n.tree.run.aside(n.events)
	} else {
		for _, e := range n.events {
			n.tree.run.emit(e)
		}
	}
	n.events = nil
	if n.gone {
		n.tree.run.ledger.set(n.rec, abandoned)
	}
	if n.aside {
		n.tree.run.ledger.set(n.rec, sidechain)
	}
}
