package merge

import (
	"fmt"
	"maps"
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// findBase finds the nearest common ancestors of the tips that are at hand. Without one, what is equal everywhere will count as base.
func (m *Merger) findBase() error {
	m.common = m.lineage.common(m.tips)
	if m.base != nil {
		return m.useBase()
	}
	m.bases = m.lineage.nearest(m.common)
	switch {
	case len(m.bases) > 0 && slices.ContainsFunc(m.bases, m.isInput):
		m.result.Found = BaseInput
	case len(m.bases) > 0:
		m.result.Found = BaseAncestor
	case len(m.common) > 0:
		m.result.Found = BaseAbsent
		m.note("a common ancestor is named and not at hand (%s): what is equal everywhere counts as base, and nothing is deleted",
			checkpoint.Some(slices.Sorted(maps.Keys(m.common))))
	case m.opts.Unrelated:
		m.result.Found = BaseUnrelated
		m.note("the inputs name no common ancestor: what is equal everywhere counts as base, and nothing is deleted")
	default:
		if missing := m.missingAncestors(); len(missing) > 0 {
			return refuse("the inputs name no common ancestor; not at hand are %s, from which they derive", checkpoint.Some(missing)).
				hint("give those with --ancestors DIR, or the common ancestor with --base FILE")
		}
		return refuse("the inputs name no common ancestor").hint("--unrelated merges them as they are")
	}
	if len(m.bases) > 1 {
		m.note("there are %d nearest common ancestors: where they differ, each input's value counts as changed", len(m.bases))
	}
	return nil
}

// useBase takes the base that was asked for. Where the inputs name no common ancestor and one derives from documents that are not at hand, it is
// the person's word that these derive from it.
func (m *Merger) useBase() error {
	for _, d := range m.tips {
		if m.lineage.of(d)[m.base.id] {
			continue
		}
		if m.lineage.of(m.base)[d.id] || !m.lineage.isBroken(d) || len(m.common) > 0 {
			return refuse("the base %s is no ancestor of %s", m.base.id, d.id).hint("leave out --base, and the nearest common ancestor is looked for")
		}
		m.note("%s does not name %s: that it derives from it is taken on your word", d.id, m.base.id)
	}
	m.common[m.base.id] = true
	m.bases, m.result.Found = []*document{m.base}, BaseGiven
	return nil
}

// missingAncestors are the ids that tips derive from and that are not at hand.
func (m *Merger) missingAncestors() []string {
	ids := map[string]bool{}
	for _, d := range m.tips {
		for id := range m.lineage.of(d) {
			if m.lineage.at[id] == nil {
				ids[id] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

func (m *Merger) isInput(d *document) bool { return slices.Contains(m.inputs, d) }

func (m *Merger) note(format string, args ...any) {
	m.result.Notes = append(m.result.Notes, fmt.Sprintf(format, args...))
}
