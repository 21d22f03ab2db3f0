package merge

import (
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// manyFoci is the description of a focus that stands for several.
const manyFoci = "the inputs of a merge were at work on different things; each is a next step"

// settleFocus takes one focus as it is. Of several one is made that says so, and each becomes a next step.
func (m *Merger) settleFocus() {
	s := m.single(checkpoint.Progress)
	f := s.newField(checkpoint.Focus.Place(), alone("focus", manyFocus), func(k int) (value, bool) { return s.read(k, alone("focus", nil)) })
	m.focus = f.result.texts[0]
	if f.kind == "" {
		return
	}
	for _, t := range f.terms {
		if isManyFoci(t.value) {
			continue
		}
		text := []byte(t.texts[0])
		if key := keyOf(checkpoint.ParseEntry(checkpoint.NextStep, text), 0, map[string]int{}); m.unnamed[key] == nil {
			m.append(checkpoint.NextStep, text)
		}
	}
}

func isManyFoci(v value) bool { return plain(memberText(v.texts[0], "description")) == manyFoci }

// manyFocus makes one focus of several.
func manyFocus(f *field) {
	list := slices.DeleteFunc(f.values(), func(v value) bool { return v.absent() })
	if len(list) < 2 {
		f.result = f.terms[0].value
		if len(list) == 1 {
			f.result = list[0]
		}
		return
	}
	refs := "[]"
	for _, v := range list {
		refs = joinLists(elements(refs), single(memberText(v.texts[0], "refs")))
	}
	text := `{"description":` + quoted(manyFoci)
	if refs != "[]" {
		text += `,"refs":` + refs
	}
	f.result, f.kind = single(text+"}"), "several"
}
