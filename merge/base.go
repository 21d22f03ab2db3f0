package merge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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
		m.note("a common ancestor is named and not at hand (%s): what is equal everywhere counts as base, and nothing is deleted", some(slices.Sorted(maps.Keys(m.common))))
	case m.opts.Unrelated:
		m.result.Found = BaseUnrelated
		m.note("the inputs name no common ancestor: what is equal everywhere counts as base, and nothing is deleted")
	default:
		return refuse("the inputs name no common ancestor").hint("name it with --base FILE, or merge them as they are with --unrelated")
	}
	if len(m.bases) > 1 {
		m.note("there are %d nearest common ancestors: where they differ, each input's value counts as changed", len(m.bases))
	}
	return nil
}

func (m *Merger) useBase() error {
	for _, d := range m.tips {
		if !m.lineage.of(d)[m.base.id] {
			return refuse("the base %s is no ancestor of %s", m.base.id, d.id).hint("leave out --base, and the nearest common ancestor is looked for")
		}
	}
	m.bases, m.result.Found = []*document{m.base}, BaseGiven
	return nil
}

func (m *Merger) isInput(d *document) bool { return slices.Contains(m.inputs, d) }

func (m *Merger) note(format string, args ...any) {
	m.result.Notes = append(m.result.Notes, fmt.Sprintf(format, args...))
}

// some lists ids, as many as a person reads.
func some(ids []string) string {
	const most = 8
	if len(ids) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
	}
	return strings.Join(ids, ", ")
}
