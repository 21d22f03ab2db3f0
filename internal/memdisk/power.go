package memdisk

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// Lose returns what is there after a loss of power: of what was not synced, what dice leave, or nothing without dice.
func (m *Disk) Lose(dice *rand.Rand) *Disk {
	return &Disk{root: m.root.lose(dice, map[*node]*node{})}
}

func (n *node) lose(dice *rand.Rand, done map[*node]*node) *node {
	if done[n] != nil {
		return done[n]
	}
	left := &node{dir: n.dir}
	done[n] = left
	if !n.dir {
		left.data = n.loseData(dice)
		left.durable = slices.Clone(left.data)
		return left
	}
	left.names = map[string]*node{}
	for name := range allNames(n) {
		child := n.kept[name]
		if dice != nil && dice.IntN(2) == 0 {
			child = n.names[name]
		}
		if child != nil {
			left.names[name] = child.lose(dice, done)
		}
	}
	left.kept = maps.Clone(left.names)
	return left
}

func allNames(n *node) map[string]*node {
	all := maps.Clone(n.kept)
	maps.Copy(all, n.names)
	return all
}

// loseData is what is left of a file: what was synced, or what was written since, or that cut short, or with zeros in it.
func (n *node) loseData(dice *rand.Rand) []byte {
	if dice == nil {
		return slices.Clone(n.durable)
	}
	data := slices.Clone(n.data)
	switch same := commonPrefix(n.durable, n.data); dice.IntN(4) {
	case 0:
		return slices.Clone(n.durable)
	case 1:
		return data[:same+dice.IntN(len(data)-same+1)]
	case 2:
		clear(data[same+dice.IntN(len(data)-same+1):])
	}
	return data
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
