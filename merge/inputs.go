package merge

import (
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// input is an entry of derivation.inputs that the result may have besides the direct ones.
type input struct {
	entry      int32  // of the parent, negative for one that it lacks
	text       []byte // of one that it lacks
	kept       bool   // it is no checkpoint, or a later merge needs it
	checkpoint bool
}

// inputs64 lists the direct inputs, then what they list and what they name as their parent, once each. The oldest go when there are too many; what
// all tips derive from and the bases of forks stay.
func (m *Merger) inputs64() {
	seen := map[string]bool{m.parent.id: true}
	room := checkpoint.MaxInputs - 1
	for _, d := range m.tips {
		if d != m.parent {
			seen[d.id] = true
			m.derived.First[checkpoint.Input] = append(m.derived.First[checkpoint.Input], checkpoint.InputText(d.id, d.digest().String()))
			room--
		}
	}
	drop := map[int32]bool{}
	dropped := 0
	list := m.listed(seen)
	for _, in := range list {
		if in.kept && in.checkpoint {
			room--
		}
	}
	for _, in := range list {
		if !in.kept {
			room--
		}
		switch {
		case !in.kept && room < 0 && in.entry >= 0:
			drop[in.entry] = true
			dropped++
		case !in.kept && room < 0:
			dropped++
		case in.entry < 0:
			m.derived.Last[checkpoint.Input] = append(m.derived.Last[checkpoint.Input], in.text)
		}
	}
	m.derived.Drop = func(entry int32) bool { return drop[entry] }
	if dropped > 0 {
		m.omit("size", checkpoint.Count(dropped, "derivation input")+", the oldest", m.parent)
	}
}

// listed are the inputs that the tips list, those of the parent first.
func (m *Merger) listed(seen map[string]bool) (list []input) {
	needed := map[string]bool{}
	for id := range m.common {
		needed[id] = true
	}
	for _, d := range m.tips {
		for id := range d.given.ForkBases() {
			needed[id] = true
		}
	}
	for _, d := range slices.Concat([]*document{m.parent}, m.tips) {
		for i := range d.Objects {
			o := &d.Objects[i]
			if o.Type != checkpoint.Input {
				continue
			}
			in := input{entry: -1, text: d.Src[o.Start:o.End], kept: true}
			key := canonical(in.text)
			if d.IsCheckpointInput(int32(i)) {
				key = string(d.StringField(int32(i), "id"))
				in.kept, in.checkpoint = needed[key], true
			}
			if d == m.parent {
				in.entry = int32(i)
			}
			if !seen[key] {
				seen[key] = true
				list = append(list, in)
			}
		}
	}
	list = append(list, m.listedParents(seen, needed)...)
	for _, b := range m.bases {
		if !seen[b.id] {
			seen[b.id] = true
			list = append(list, input{entry: -1, text: checkpoint.InputText(b.id, b.digest().String()), kept: true, checkpoint: true})
		}
	}
	return list
}

// listedParents are the parents of the tips that no one lists.
func (m *Merger) listedParents(seen, needed map[string]bool) (list []input) {
	for _, d := range m.tips {
		parent := d.Only(checkpoint.Parent)
		if parent < 0 {
			continue
		}
		id := string(d.StringField(parent, "id"))
		if seen[id] {
			continue
		}
		seen[id] = true
		o := &d.Objects[parent]
		text := d.Src[o.Start:o.End]
		if up, ok := m.lineage.at[id]; ok {
			text = checkpoint.InputText(id, up.digest().String())
		}
		list = append(list, input{entry: -1, text: text, kept: needed[id], checkpoint: true})
	}
	return list
}
