package merge

import (
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// recollect gives entries that are merged as a whole back, in an input that was compacted since the base, what the base has and the input only
// forgot: members, drafts, selections, affected objects. What the input has elsewhere it did not forget.
func (m *Merger) recollect(d *document) error {
	if len(m.bases) != 1 || !d.forgetful {
		return nil
	}
	r := newRecollection(d, m.bases[0])
	e := jsonspan.Edits{Src: d.Src}
	changed := false
	for i := range d.Objects {
		entry := int32(i)
		if !isMerged(d.Objects[i].Type) || !isWhole(d.Objects[i].Type) {
			continue
		}
		j, ok := r.base.Find(d.ID(entry))
		if d.ID(entry) == nil {
			j, ok = r.forgot(entry)
		}
		if !ok || r.base.Objects[j].Type != d.Objects[i].Type {
			continue
		}
		if own, was := textAt(d, entry), textAt(r.base, j); own != was {
			e.Replace(d.Objects[i].Span(), []byte(recollected(own, was, r.elsewhere(entry))))
			changed = true
		}
	}
	if !changed {
		return nil
	}
	return d.replace(e.AppendTo(nil), m.reading)
}

// recollection is what an input that was compacted since the base has of its application context without ids.
type recollection struct {
	input, base *document
	known       map[int32]bool // entries of the base that the input has, has a part of, or says an earlier merge deleted
	whole       map[int32]bool // entries of the input that are those of the base
}

// newRecollection finds what the input has as the base has it, each entry once.
func newRecollection(input, base *document) *recollection {
	r := &recollection{input, base, map[int32]bool{}, map[int32]bool{}}
	at := map[string][]int32{}
	seen := map[string]int{}
	for _, j := range namelessContexts(base) {
		form := canonical([]byte(textAt(base, j)))
		at[form] = append(at[form], j)
		r.known[j] = input.deleted[pathOf(base.Document, j, keyOf(base.Document, j, seen))]
	}
	for _, i := range namelessContexts(input) {
		form := canonical([]byte(textAt(input, i)))
		if len(at[form]) > 0 {
			r.known[at[form][0]], r.whole[i] = true, true
			at[form] = at[form][1:]
		}
	}
	return r
}

// forgot finds the application context of the base, without an id, of which a compacted one has a part and nothing else.
func (r *recollection) forgot(i int32) (int32, bool) {
	if r.input.Objects[i].Type != checkpoint.Context || r.whole[i] {
		return 0, false
	}
	own := textAt(r.input, i)
	for _, j := range namelessContexts(r.base) {
		was := textAt(r.base, j)
		if !r.known[j] && canonical([]byte(recollected(own, was, r.elsewhere(i)))) == canonical([]byte(was)) {
			r.known[j] = true
			return j, true
		}
	}
	return 0, false
}

// elsewhere says whether the input has an object with an id, given as a JSON text, outside of entry i.
func (r *recollection) elsewhere(i int32) func(id string) bool {
	return func(id string) bool {
		j, ok := r.input.Lookup(plain(id))
		return ok && (j < i || j >= r.input.Inside(i))
	}
}

// namelessContexts are the entries of a document's application context that have no id.
func namelessContexts(d *document) (list []int32) {
	for i := range d.Objects {
		if d.Objects[i].Type == checkpoint.Context && d.ID(int32(i)) == nil {
			list = append(list, int32(i))
		}
	}
	return list
}

func textAt(d *document, i int32) string { return string(d.Src[d.Objects[i].Start:d.Objects[i].End]) }

// recollected is the base's object with what the input has of it, but for items whose ids the input has elsewhere.
func recollected(own, was string, elsewhere func(id string) bool) string {
	var changes []change
	for _, name := range membersOf(own) {
		text, before := memberText(own, name), memberText(was, name)
		switch {
		case canonical([]byte(text)) == canonical([]byte(before)) || slices.Contains(recollectedLists, name) && isList(before):
			continue
		case name == "extensions" && before != "":
			text = recollected(text, before, elsewhere)
		}
		changes = append(changes, change{name, text})
	}
	for _, name := range recollectedLists {
		before := memberText(was, name)
		if !isList(before) {
			continue
		}
		text := recollectedList(memberText(own, name), before, elsewhere)
		if text != before && canonical([]byte(text)) != canonical([]byte(before)) {
			changes = append(changes, change{name, text})
		}
	}
	if changes == nil {
		return was
	}
	return string(edited([]byte(was), changes))
}

// recollectedLists are the members whose items an input may have forgotten one by one.
var recollectedLists = []string{"drafts", "selections", "affected"}

func isList(text string) bool { return text != "" && text[0] == '[' }

// recollectedList has the base's items that the input does not have elsewhere, in the input's version where that has one with the same id, and the
// input's others behind them; "" if nothing is left.
func recollectedList(own, was string, elsewhere func(id string) bool) string {
	known := map[string]string{}
	for _, item := range elements(own) {
		known[itemKey(item)] = item
	}
	var list []string
	for _, item := range elements(was) {
		key := itemKey(item)
		if mine, ok := known[key]; ok {
			item = mine
			delete(known, key)
		}
		if id := idOf(item); id == "" || !elsewhere(id) {
			list = append(list, item)
		}
	}
	for _, item := range elements(own) {
		if key := itemKey(item); known[key] != "" {
			list = append(list, item)
			delete(known, key)
		}
	}
	if len(list) == 0 && len(elements(was)) > 0 {
		return ""
	}
	return arrayOf(list)
}

// itemKey is what an item of a list is known by: its id, or its content.
func itemKey(item string) string {
	if id := idOf(item); id != "" {
		return canonical([]byte(id))
	}
	return canonical([]byte(item))
}

// idOf is the id of an item of a list, a JSON text, "" without one.
func idOf(item string) string {
	if item[0] != '{' {
		return ""
	}
	return memberText(item, "id")
}
