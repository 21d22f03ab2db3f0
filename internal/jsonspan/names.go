package jsonspan

import (
	"bytes"
	"hash/maphash"
)

// fewNames is how many names are compared one by one before a Table is made.
const fewNames = 16

// Names finds a member name that one object has twice (RFC 7493 §2.3). Names are compared after unescaping.
type Names struct {
	base  int
	table *Table
}

// NewNames begins the names of an object; Forget ends them. Objects nest, so the ends come in reverse.
func (c *Cursor) NewNames() Names { return Names{base: len(c.names)} }

// Forget ends the names of an object.
func (c *Cursor) Forget(n *Names) { c.names = c.names[:n.base] }

// Unique adds a name and fails if the object has it already.
func (c *Cursor) Unique(n *Names, name Text) {
	if c.Err != nil {
		return
	}
	if n.table == nil {
		for _, seen := range c.names[n.base:] {
			if c.same(seen, name) {
				c.fail(DuplicateName, name.Start)
				return
			}
		}
		c.names = append(c.names, name)
		if len(c.names)-n.base > fewNames {
			n.index(c)
		}
		return
	}
	c.names = append(c.names, name)
	if _, found := n.table.Insert(Plain(c.Src, name), uint32(len(c.names)-1)); found {
		c.fail(DuplicateName, name.Start)
	}
}

func (n *Names) index(c *Cursor) {
	n.table = NewTable(func(i uint32) []byte { return Plain(c.Src, c.names[i]) })
	for i := n.base; i < len(c.names); i++ {
		n.table.Insert(Plain(c.Src, c.names[i]), uint32(i))
	}
}

func (c *Cursor) same(a, b Text) bool {
	if a.Escaped || b.Escaped {
		return bytes.Equal(Plain(c.Src, a), Plain(c.Src, b))
	}
	return a.Len() == b.Len() && string(c.Src[a.Start:a.End]) == string(c.Src[b.Start:b.End])
}

// Table maps names to numbers without keeping the names: it asks for the name of a number when it must compare. The
// hash is seeded, so no document can be made to collide.
type Table struct {
	seed  maphash.Seed
	name  func(uint32) []byte
	slots []uint32 // number + 1; 0 is free
	used  int
}

// NewTable returns an empty table; name gives back the name that a number was inserted with.
func NewTable(name func(uint32) []byte) *Table {
	return &Table{seed: maphash.MakeSeed(), name: name, slots: make([]uint32, 64)}
}

// Insert maps name to number unless the table has the name; it then returns the number that is there, and true.
func (t *Table) Insert(name []byte, number uint32) (uint32, bool) {
	if 4*t.used >= 3*len(t.slots) {
		t.grow()
	}
	slot := t.find(name)
	if t.slots[slot] != 0 {
		return t.slots[slot] - 1, true
	}
	t.slots[slot] = number + 1
	t.used++
	return number, false
}

// Lookup returns the number that name was inserted with.
func (t *Table) Lookup(name []byte) (uint32, bool) {
	n := t.slots[t.find(name)]
	return n - 1, n != 0
}

// find returns the slot that holds name, or the free one where it would go.
func (t *Table) find(name []byte) int {
	mask := len(t.slots) - 1
	i := int(maphash.Bytes(t.seed, name)) & mask
	for t.slots[i] != 0 && !bytes.Equal(t.name(t.slots[i]-1), name) {
		i = (i + 1) & mask
	}
	return i
}

func (t *Table) grow() {
	old := t.slots
	t.slots = make([]uint32, 2*len(old))
	mask := len(t.slots) - 1
	for _, n := range old {
		if n == 0 {
			continue
		}
		i := int(maphash.Bytes(t.seed, t.name(n-1))) & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = n
	}
}
