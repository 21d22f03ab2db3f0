package merge

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// held is a conflict that is open in a document.
type held struct {
	kind   string
	stands json.RawMessage
	terms  []termData
}

// withdraw takes out of a document what an earlier merge made of its conflicts, which are remembered as held. Data of another shape, or of which
// the document cannot be rid, is left as it is.
func (m *Merger) withdraw(d *document) error {
	d.held, d.heldOn, d.heldIn = map[string]*held{}, map[string]bool{}, map[string][]string{}
	entry := readEntry(d.given)
	if entry == nil {
		return nil
	}
	w := &withdrawal{document: d, gone: map[int32]bool{}}
	w.collect(entry)
	w.keepReferenced()
	w.restore(entry)
	w.derived.Drop = func(i int32) bool { return w.gone[i] }
	e := jsonspan.Edits{Src: d.Src}
	d.Change(&e, &w.derived)
	doc, err := checkpoint.ParseOne(e.AppendTo(nil), m.reading)
	if err != nil {
		m.note("the extension data %s of %s is not what a merge writes, and is left as it is", Key, d.id)
		return nil
	}
	d.Document = doc
	for _, c := range entry.Conflicts {
		d.hold(c.Path, &held{c.Kind, c.Stands, c.Terms})
	}
	return nil
}

func (d *document) hold(path string, h *held) {
	d.held[path] = h
	if before, name, ok := cutLast(path); ok && h.kind == "difference" {
		d.heldIn[before] = append(d.heldIn[before], unescapeKey(name))
	}
	for i, b := range path {
		if b == '/' {
			d.heldOn[path[:i]] = true
		}
	}
	d.heldOn[path] = true
}

// withdrawal is the taking out of one document's conflicts.
type withdrawal struct {
	*document
	gone    map[int32]bool
	derived checkpoint.Derived
}

// collect marks what was made of the conflicts. Only what has the shape of it goes: the entry is as untrusted as the rest of the document.
func (w *withdrawal) collect(entry *entryData) {
	made := slices.Clone(entry.Made)
	for _, c := range entry.Conflicts {
		made = append(append(made, c.Question), c.Made...)
		for _, t := range c.Terms {
			made = append(made, t.Made...)
		}
	}
	for _, id := range made {
		if i, ok := w.Lookup(id); ok && isMade(w.Document, i) {
			w.gone[i] = true
		}
	}
}

// isMade says whether an object has the shape of what a merge makes.
func isMade(d *checkpoint.Document, i int32) bool {
	id := string(d.ID(i))
	switch d.Objects[i].Type {
	case checkpoint.Statement:
		return d.Objects[i].Fact(checkpoint.OriginType) == checkpoint.FromTool && originName(d, i) == toolName
	case checkpoint.Resource:
		return d.IsInputResource(i) || isVariant(d, id)
	case checkpoint.StopCondition:
		return strings.HasPrefix(id, stopID)
	case checkpoint.Precondition:
		return strings.HasPrefix(id, askID)
	case checkpoint.NextStep:
		return strings.HasPrefix(id, nextID)
	}
	return false
}

func originName(d *checkpoint.Document, statement int32) string {
	origin, _ := d.Field(statement, "origin")
	name, ok := jsonspan.FindIn(d.Src, origin.Value, "name")
	if !ok || d.Src[name.Value.Start] != '"' {
		return ""
	}
	return string(d.Text(uint32(name.Value.Start)))
}

// isVariant says whether an id is that of another resource with a merge's ending.
func isVariant(d *checkpoint.Document, id string) bool {
	n := strings.LastIndexByte(id, '.')
	if n < 0 {
		return false
	}
	original, ok := d.Lookup(id[:n])
	return ok && d.Objects[original].Type == checkpoint.Resource
}

// keepReferenced keeps what something that stays refers to, except a transformation, which only says what was affected.
func (w *withdrawal) keepReferenced() {
	for again := true; again; {
		again = false
		for _, r := range w.Refs {
			if r.To >= 0 && w.gone[r.To] && !w.gone[r.From] && r.Field != checkpoint.AffectedField {
				delete(w.gone, r.To)
				again = true
			}
		}
	}
	for i, r := range w.Refs {
		if r.To >= 0 && w.gone[r.To] && !w.gone[r.From] {
			w.derived.DropRefs = append(w.derived.DropRefs, int32(i))
		}
	}
}

// restore gives members that the conflicts changed their texts from before, and drops the entry.
func (w *withdrawal) restore(entry *entryData) {
	for _, m := range entry.Marks {
		i, ok := w.Lookup(m.Object)
		if !ok || w.gone[i] || m.Member != "verification" {
			continue
		}
		if state := w.Objects[i].Fact(checkpoint.Verification); w.Objects[i].Type == checkpoint.Statement && (state == checkpoint.Disputed || state == checkpoint.Stale) {
			w.change(i, m.Member, m.Was)
		}
	}
	task := w.Only(checkpoint.Task)
	if w.Objects[task].Fact(checkpoint.Status) == checkpoint.TaskBlocked && entry.Status != "" {
		w.change(task, "status", jsonspan.AppendQuoted(nil, entry.Status))
	}
	extensions, _ := w.Member(checkpoint.Top, "extensions")
	key, _ := jsonspan.FindIn(w.Src, extensions.Value, Key)
	w.derived.DropMembers = append(w.derived.DropMembers, checkpoint.MemberAt{Entry: 0, At: uint32(key.Name.Start)})
}

// change sets a member, or drops it if the text is empty.
func (w *withdrawal) change(i int32, member string, text []byte) {
	if len(text) > 0 {
		w.derived.Set = append(w.derived.Set, checkpoint.NewMember{Entry: i, Name: member, Value: string(text)})
	} else if item, ok := w.Field(i, member); ok {
		w.derived.DropMembers = append(w.derived.DropMembers, checkpoint.MemberAt{Entry: i, At: uint32(item.Name.Start)})
	}
}
