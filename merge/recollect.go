package merge

import (
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// recollect gives entries that are merged as a whole back, in an input that was compacted since the base, what the base has and the input only
// forgot: members, drafts, selections, affected objects.
func (m *Merger) recollect(d *document) error {
	if len(m.bases) != 1 || !d.forgetful {
		return nil
	}
	base := m.bases[0]
	e := jsonspan.Edits{Src: d.Src}
	changed := false
	for i := range d.Objects {
		entry := int32(i)
		if !isMerged(d.Objects[i].Type) || !isWhole(d.Objects[i].Type) {
			continue
		}
		j, ok := base.Find(d.ID(entry))
		if d.ID(entry) == nil {
			j, ok = m.forgot(base, d, entry)
		}
		if !ok || base.Objects[j].Type != d.Objects[i].Type {
			continue
		}
		own, was := d.Src[d.Objects[i].Start:d.Objects[i].End], base.Src[base.Objects[j].Start:base.Objects[j].End]
		if string(own) != string(was) {
			e.Replace(d.Objects[i].Span(), []byte(recollected(string(own), string(was))))
			changed = true
		}
	}
	if !changed {
		return nil
	}
	return d.replace(e.AppendTo(nil), m.reading)
}

// forgot finds the application context of the base, without an id, of which a compacted one has a part and nothing else.
func (m *Merger) forgot(base, d *document, i int32) (int32, bool) {
	if d.Objects[i].Type != checkpoint.Context {
		return 0, false
	}
	own := string(d.Src[d.Objects[i].Start:d.Objects[i].End])
	for j := range base.Objects {
		if base.Objects[j].Type != checkpoint.Context || base.ID(int32(j)) != nil {
			continue
		}
		was := string(base.Src[base.Objects[j].Start:base.Objects[j].End])
		if own == was || canonical([]byte(recollected(own, was))) == canonical([]byte(was)) {
			return int32(j), true
		}
	}
	return 0, false
}

// recollected is the base's object with what the input has of it.
func recollected(own, was string) string {
	var changes []change
	for _, name := range membersOf(own) {
		text, before := memberText(own, name), memberText(was, name)
		switch {
		case canonical([]byte(text)) == canonical([]byte(before)):
			continue
		case before != "" && (name == "drafts" || name == "selections" || name == "affected"):
			text = recollectedList(text, before)
			if canonical([]byte(text)) == canonical([]byte(before)) {
				continue
			}
		case name == "extensions" && before != "":
			text = recollected(text, before)
		}
		changes = append(changes, change{name, text})
	}
	if changes == nil {
		return was
	}
	return string(edited([]byte(was), changes))
}

// recollectedList has the base's items, in the input's version where that has one with the same id, and the input's others behind them.
func recollectedList(own, was string) string {
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
		list = append(list, item)
	}
	for _, item := range elements(own) {
		if key := itemKey(item); known[key] != "" {
			list = append(list, item)
			delete(known, key)
		}
	}
	return arrayOf(list)
}

// itemKey is what an item of a list is known by: its id, or its content.
func itemKey(item string) string {
	if item[0] == '{' {
		if id := memberText(item, "id"); id != "" {
			return canonical([]byte(id))
		}
	}
	return canonical([]byte(item))
}
