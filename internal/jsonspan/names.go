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
	slots []slot
	used  int
}

// slot holds a number and half of the hash of its name, so that most comparisons, and growing, need no name.
type slot struct {
	hash   uint32
	number uint32 // plus 1; 0 is free
}

// NewTable returns an empty table; name gives back the name that a number was inserted with.
func NewTable(name func(uint32) []byte) *Table {
	return &Table{seed: maphash.MakeSeed(), name: name, slots: make([]slot, 64)}
}

// Insert maps name to number unless the table has the name; it then returns the number that is there, and true.
func (t *Table) Insert(name []byte, number uint32) (uint32, bool) {
	if 4*t.used >= 3*len(t.slots) {
		t.grow()
	}
	hash := t.hash(name)
	s := &t.slots[t.find(hash, name)]
	if s.number != 0 {
		return s.number - 1, true
	}
	*s = slot{hash, number + 1}
	t.used++
	return number, false
}

// Lookup returns the number that name was inserted with.
func (t *Table) Lookup(name []byte) (uint32, bool) {
	s := t.slots[t.find(t.hash(name), name)]
	return s.number - 1, s.number != 0
}

func (t *Table) hash(name []byte) uint32 { return uint32(maphash.Bytes(t.seed, name)) }

// find returns the place of the slot that holds name, or of the free one where it would go.
func (t *Table) find(hash uint32, name []byte) int {
	i := t.home(hash)
	for t.slots[i].number != 0 && (t.slots[i].hash != hash || !bytes.Equal(t.name(t.slots[i].number-1), name)) {
		i = t.next(i)
	}
	return i
}

func (t *Table) home(hash uint32) int { return int(hash) & (len(t.slots) - 1) }
func (t *Table) next(i int) int       { return (i + 1) & (len(t.slots) - 1) }

func (t *Table) grow() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	for _, s := range old {
		if s.number == 0 {
			continue
		}
		i := t.home(s.hash)
		for t.slots[i].number != 0 {
			i = t.next(i)
		}
		t.slots[i] = s
	}
}

// Duplicate fails because an object has a member name twice.
func (c *Cursor) Duplicate(name Text) { c.fail(DuplicateName, name.Start) }
