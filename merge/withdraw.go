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

// withdraw takes out of a document what an earlier merge made of its conflicts, which are remembered as held. A conflict is open as long as its
// question is; one of the base whose question is open here is open here, whatever became of the extension data. The data is as untrusted as the
// rest of the document: only what has the shape of a merge's work goes, and the document without it has to be valid.
func (m *Merger) withdraw(d *document) error {
	d.held, d.heldOn, d.heldIn = map[string]*held{}, map[string]bool{}, map[string][]string{}
	entry := m.openEntry(d)
	if entry == nil {
		return nil
	}
	w := &withdrawal{Merger: m, document: d, gone: map[int32]bool{}, questions: entry.questions(d.given)}
	w.collect(entry)
	w.rememberReferenced()
	w.restore(entry)
	w.derived.Drop = func(i int32) bool { return w.gone[i] }
	e := jsonspan.Edits{Src: d.Src}
	d.Change(&e, &w.derived)
	doc, err := checkpoint.Parse(e.AppendTo(nil), m.reading)
	if err != nil || doc.HasErrorBut("OCP-S002") { // what is missing will be there again
		m.note("the extension data %s of %s is not what a merge writes, and is left as it is", Key, d.id)
		return nil
	}
	d.Document = doc
	for _, c := range entry.Conflicts {
		d.hold(c.Path, &held{c.Kind, c.Stands, c.Terms})
	}
	return nil
}

// openEntry is the entry of a document with those of its conflicts whose questions are open there, and with those of the base whose questions are.
func (m *Merger) openEntry(d *document) *entryData {
	entry := readEntry(d.given)
	if len(m.bases) == 1 && d != m.bases[0] {
		entry = entry.with(readEntry(m.bases[0].given))
	}
	if entry != nil {
		entry.keepOpen(d.given)
	}
	return entry
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
	*Merger
	*document
	gone      map[int32]bool
	questions map[string]bool // local ids of the conflicts' questions
	derived   checkpoint.Derived
}

// collect marks what was made of the conflicts.
func (w *withdrawal) collect(entry *entryData) {
	made := slices.Concat(entry.Made, entry.stopsLifted(w.given))
	for _, c := range entry.Conflicts {
		made = append(append(made, c.Question), c.Made...)
		for _, t := range c.Terms {
			made = append(made, t.Made...)
		}
	}
	for _, id := range made {
		if i, ok := w.given.Lookup(id); ok && isMade(w.given, i, w.questions) {
			w.gone[i] = true
		}
	}
}

// isMade says whether an object has the shape of what a merge makes: a statement of its own, a variant of a resource, or what refers to questions
// of conflicts and nothing else.
func isMade(d *checkpoint.Document, i int32, questions map[string]bool) bool {
	id := string(d.ID(i))
	switch d.Objects[i].Type {
	case checkpoint.Statement:
		return d.Objects[i].Fact(checkpoint.OriginType) == checkpoint.FromTool && originName(d, i) == toolName
	case checkpoint.Resource:
		return d.IsInputResource(i) || isVariant(d, i, id)
	case checkpoint.StopCondition:
		return strings.HasPrefix(id, stopID) && isAbout(d, i, questions)
	case checkpoint.Precondition:
		return strings.HasPrefix(id, askID) && isAbout(d, i, questions)
	case checkpoint.NextStep:
		return strings.HasPrefix(id, nextID) && isAbout(d, i, questions)
	}
	return false
}

// isAbout says whether an entry refers to questions, and to nothing but them and what it stops.
func isAbout(d *checkpoint.Document, i int32, questions map[string]bool) bool {
	from, to := d.RefsWithin(d.Objects[i].Span())
	found := false
	for _, r := range d.Refs[from:to] {
		if r.Field == checkpoint.AppliesToField {
			continue
		}
		if !questions[string(d.Text(r.At))] {
			return false
		}
		found = true
	}
	return found
}

func originName(d *checkpoint.Document, statement int32) string {
	origin, _ := d.Field(statement, "origin")
	name, ok := jsonspan.FindIn(d.Src, origin.Value, "name")
	if !ok || d.Src[name.Value.Start] != '"' {
		return ""
	}
	return string(d.Text(uint32(name.Value.Start)))
}

// isVariant says whether a resource has the id of another one, perhaps cut, with a merge's ending, and its address.
func isVariant(d *checkpoint.Document, i int32, id string) bool {
	before, ending, ok := cutAtLast(id, '.')
	if !ok || len(ending) != 8 || strings.Trim(ending, "0123456789abcdef") != "" {
		return false
	}
	if original, ok := d.Lookup(before); ok {
		return d.Objects[original].Type == checkpoint.Resource && sameMembers(d, original, d, i, "uri", "locator")
	}
	for j := range d.Objects {
		if d.Objects[j].Type == checkpoint.Resource && checkpoint.IsCut(before, string(d.ID(int32(j)))) && sameMembers(d, int32(j), d, i, "uri", "locator") {
			return true
		}
	}
	return false
}

// rememberReferenced remembers what something that stays refers to, to be put back if it is not made again, and drops the references of
// transformations, which only say what was affected.
func (w *withdrawal) rememberReferenced() {
	for i, r := range w.given.Refs {
		switch {
		case r.To < 0 || !w.gone[r.To] || w.gone[r.From]:
		case r.Field == checkpoint.AffectedField:
			w.derived.DropRefs = append(w.derived.DropRefs, int32(i))
		default:
			w.needed = append(w.needed, string(w.given.ID(r.To)))
		}
	}
	for i := range w.gone {
		o := &w.given.Objects[i]
		w.withdrawn[string(w.given.ID(i))] = withdrawn{o.Type, w.given.Src[o.Start:o.End]}
	}
}

// withdrawn is an object that was made of a conflict.
type withdrawn struct {
	t    checkpoint.Type
	text []byte
}

// putBackWithdrawn puts back what was withdrawn, was not made again, and is referred to.
func (m *Merger) putBackWithdrawn() {
	for open := slices.Clone(m.needed); len(open) > 0; {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		w, ok := m.withdrawn[id]
		if !ok || m.presence()(id) {
			continue
		}
		m.append(w.t, w.text)
		open = append(open, referencesIn(w.t, w.text)...)
	}
}

// restore gives members that the conflicts changed their texts from before, and drops the entry.
func (w *withdrawal) restore(entry *entryData) {
	for _, k := range entry.Marks {
		i, ok := w.given.Lookup(k.Object)
		if ok && !w.gone[i] && k.Member == "verification" && w.given.Objects[i].Type == checkpoint.Statement && w.mayRestore(i, k) {
			w.change(i, k.Member, k.Was)
		}
	}
	task := w.given.Only(checkpoint.Task)
	if w.given.Objects[task].Fact(checkpoint.Status) == checkpoint.TaskBlocked && w.isBlocking(entry) {
		status := entry.statusWith(w.given, func(i int32) string { return string(w.given.StringField(i, "status")) })
		w.change(task, "status", jsonspan.AppendQuoted(nil, status))
	}
	if extensions, ok := w.given.Member(checkpoint.Top, "extensions"); ok {
		if key, ok := jsonspan.FindIn(w.given.Src, extensions.Value, Key); ok {
			w.derived.DropMembers = append(w.derived.DropMembers, checkpoint.MemberAt{Entry: 0, At: uint32(key.Name.Start)})
		}
	}
}

// isBlocking says whether it is the conflicts that block the task: one is open, or the last one was closed in the document and the step that
// resolves them, or the precondition, is still there.
func (w *withdrawal) isBlocking(entry *entryData) bool {
	for i := range w.gone {
		if t := w.given.Objects[i].Type; t == checkpoint.NextStep || t == checkpoint.Precondition {
			return true
		}
	}
	return len(entry.Conflicts) > 0
}

// mayRestore says whether a verification is what a merge made of the one before, and no document at hand that has the statement would be
// contradicted by giving that back.
func (w *withdrawal) mayRestore(i int32, k mark) bool {
	now := valueOf(w.given, i, k.Member)
	if now.canon != canonical([]byte(marked(string(k.Was), "disputed"))) && now.canon != canonical([]byte(marked(string(k.Was), "stale"))) {
		return false
	}
	elsewhere := false
	for _, d := range w.docs {
		j, ok := d.given.Lookup(k.Object)
		if d == w.document || !ok {
			continue
		}
		if valueOf(d.given, j, k.Member).canon == canonical(k.Was) {
			return true
		}
		elsewhere = true
	}
	return !elsewhere
}

// change sets a member, or drops it if the text is empty.
func (w *withdrawal) change(i int32, member string, text []byte) {
	if len(text) > 0 {
		w.derived.Set = append(w.derived.Set, checkpoint.NewMember{Entry: i, Name: member, Value: string(text)})
	} else if item, ok := w.given.Field(i, member); ok {
		w.derived.DropMembers = append(w.derived.DropMembers, checkpoint.MemberAt{Entry: i, At: uint32(item.Name.Start)})
	}
}
