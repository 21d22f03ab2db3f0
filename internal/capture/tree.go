package capture

import (
	"crypto/sha256"
	"encoding/hex"
)

// tree holds the events of a log whose records name their parents until the end shows which branches the person left. Records without an
// id are no part of it.
type tree struct {
	run     *run
	nodes   []*node // those that are held
	byID    map[string]*node
	leaf    *node   // of the branch that the session ended on
	linked  bool    // some record has a parent; a client that never names one names no branch either
	begun   bool    // some record has an id
	recent  []*node // the latest of those that an earlier capture passed on
	joined  *node   // the leaf of the path before
	forgot  bool    // it passed on some that are not remembered
	resumed bool    // an earlier capture passed on records with ids
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
	fixed  bool   // an earlier capture passed it on, and its parent is not remembered
	events []event
	sum    string // of the record's text
}

func newTree(r *run) *tree { return &tree{run: r, byID: map[string]*node{}} }

// node begins the node of a record; it returns false for one that was there before. Two records with one id that say different things are two.
func (t *tree) node(rec int, r record, id, parent string, isRoot bool) (*node, bool) {
	n := &node{tree: t, rec: rec, id: id, isRoot: isRoot && id != ""}
	if id != "" {
		n.sum = recordSum(r)
		n.parent = t.byID[parent]
		if n.parent == nil && parent != "" && t.forgot {
			t.run.restart() // it may be one that was passed on
		}
		if old := t.byID[id]; old == nil {
			t.byID[id] = n
		} else if old.sum == n.sum {
			return nil, false
		}
		t.linked, t.begun = t.linked || n.parent != nil, true
	}
	if t.begun {
		t.nodes = append(t.nodes, n)
	}
	return n, true
}

// recordSum tells records from each other.
func recordSum(r record) string {
	sum := sha256.Sum256(r.raw())
	return hex.EncodeToString(sum[:8])
}

// emit holds an event, or passes it on where no branch can be left: before the first record with an id.
func (n *node) emit(e event) {
	if !n.tree.begun && !n.aside {
		n.tree.run.emit(e)
		return
	}
	n.events = append(n.events, e)
	if !n.tree.begun {
		n.release()
	}
}

// settle passes on all events in the order of the log.
func (t *tree) settle() {
	groups := map[string]bool{}
	var root *node
	n := t.leaf
	for ; n != nil && !n.onPath; n = n.parent {
		n.onPath, root = true, n
		groups[n.group] = true
	}
	if !t.joins(n, groups) {
		t.run.restart()
	}
	for _, n := range t.nodes {
		n.gone = n.isLeft(groups, root)
		n.release()
	}
	t.recent, t.nodes, t.joined = t.latest(), nil, t.leaf
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
