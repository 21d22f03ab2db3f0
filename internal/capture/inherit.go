package capture

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// heir adds to a captured checkpoint what its parent holds and the log does not show.
type heir struct {
	run           *run
	parent, child *checkpoint.Document
	ids           map[int32]string  // of what is kept of the parent, in the child
	same          map[string]string // ids in the child by what the objects say
	taken         map[string]bool   // ids that were given here
	restored      map[int32]int32   // objects of the child in whose place the parent's stand
	edits         jsonspan.Edits
}

// inherit makes a checkpoint that was captured from the log alone one that agrees with its parent.
func (r *run) inherit(doc *document) error {
	child, err := checkpoint.Parse(doc.text, checkpoint.Options{Strict: true})
	if err != nil {
		return &checkpoint.InternalError{Err: err}
	}
	h := &heir{r, r.head.doc, child, map[int32]string{}, map[string]string{}, map[string]bool{}, map[int32]int32{}, jsonspan.Edits{Src: doc.text}}
	for i := range child.Objects {
		if key := objectKey(child, int32(i)); key != "" && h.same[key] == "" {
			h.same[key] = string(child.ID(int32(i)))
		}
	}
	h.choose()
	d := &checkpoint.Derived{Drop: func(entry int32) bool {
		_, drop := h.restored[entry]
		return drop && child.Objects[entry].Type == checkpoint.Operation
	}}
	h.write(d)
	h.rewire()
	child.Change(&h.edits, d)
	doc.text, doc.runs = h.edits.AppendTo(nil), nil
	return nil
}

// keptTypes are the types of the objects that a capture makes: they are compared one by one.
var keptTypes = []checkpoint.Type{checkpoint.Step, checkpoint.Statement, checkpoint.Resource, checkpoint.Operation}

// choose finds what stays of the parent.
func (h *heir) choose() {
	for i := range h.parent.Objects {
		entry := int32(i)
		if !slices.Contains(keptTypes, h.parent.Objects[i].Type) {
			continue
		}
		if twin, ok := h.twin(entry); ok {
			h.restore(entry, twin)
		} else if h.isWanted(entry) {
			h.keep(entry)
		}
	}
	for _, span := range h.carried() {
		h.keepReferred(span.was)
	}
}

// isWanted says whether an object that the log does not show is kept for itself.
func (h *heir) isWanted(entry int32) bool {
	o := &h.parent.Objects[entry]
	switch o.Type {
	case checkpoint.Step:
		return true
	case checkpoint.Operation:
		return checkpoint.Terminal(o.Fact(checkpoint.Status)) || !h.run.isConcluded(string(h.parent.ID(entry)), h.child)
	case checkpoint.Statement:
		kind := o.Fact(checkpoint.Kind)
		return o.Live() && (kind == checkpoint.Instruction || kind == checkpoint.Constraint || kind == checkpoint.Decision || kind == checkpoint.Question)
	}
	return false
}

// isConcluded says whether an operation that is in the parent and not in the child is over: the log has a result of its call, or the call of the journal that it was, or
// shows the turn that it did not show.
func (r *run) isConcluded(id string, child *checkpoint.Document) bool {
	if turn, ok := strings.CutPrefix(id, lostID); ok {
		rec, err := strconv.Atoi(turn)
		return err == nil && rec > r.ledger.before && rec <= r.ledger.number() && r.ledger.fate(rec) == copied
	}
	local, isCall := strings.CutPrefix(id, "op.")
	if !isCall {
		return false
	}
	if _, ok := child.Lookup("result." + local); ok {
		return true
	}
	if slices.ContainsFunc(r.mapper.bare, func(id string) bool { return localOf(r.mapper.clean, id) == local }) {
		return true
	}
	return r.mapper.witness != nil && slices.ContainsFunc(r.mapper.witness.list, func(e *entry) bool {
		return e.taken && e.ID == "" && strings.HasPrefix(local, namelessID(r.mapper.witness.called(e, cleaner{&ledger{}})))
	})
}

// loses says whether the child of a checkpoint that it goes on from lacks an operation that is not over: one of the journal that is not given any more.
func (r *run) loses(child *checkpoint.Document) bool {
	lost := false
	r.head.each(checkpoint.Operation, func(entry int32, _ []byte) {
		id := string(r.head.doc.ID(entry))
		if _, there := child.Lookup(id); !there && !strings.HasPrefix(id, lostID) && !r.isConcluded(id, child) {
			lost = true
		}
	})
	return lost
}

// objectKey is the same for two objects that say the same, "" for those that are known by their ids alone.
func objectKey(d *checkpoint.Document, entry int32) string {
	var members []string
	switch t := d.Objects[entry].Type; {
	case t == checkpoint.Statement:
		members = []string{"kind", "text"}
	case t == checkpoint.Resource && string(d.ID(entry)) != sessionID:
		members = []string{"uri", "locator"}
	case t == checkpoint.Step && bytes.HasPrefix(d.ID(entry), []byte(planID)):
		members = []string{"description"}
	default:
		return ""
	}
	key := d.Objects[entry].Type.String()
	for _, name := range members {
		if item, ok := d.Field(entry, name); ok {
			key += "\x00" + name + string(d.Src[item.Value.Start:item.Value.End])
		}
	}
	return key
}

// twin is the object of the child that an object of the parent is.
func (h *heir) twin(entry int32) (int32, bool) {
	key := objectKey(h.parent, entry)
	if i, ok := h.child.Find(h.parent.ID(entry)); ok && h.child.Objects[i].Type == h.parent.Objects[entry].Type && objectKey(h.child, i) == key {
		return i, true
	}
	if id := h.same[key]; key != "" && id != "" {
		return h.child.Lookup(id)
	}
	return 0, false
}

// restore puts an object of the parent in the place of its twin where it says more: a statement or step that was changed since, and what is over (OCP-T001).
func (h *heir) restore(entry, twin int32) {
	old, now := &h.parent.Objects[entry], &h.child.Objects[twin]
	isChanged := !bytes.Equal(h.parent.Src[old.Start:old.End], h.child.Src[now.Start:now.End])
	isOver := checkpoint.Terminal(old.Fact(checkpoint.Status)) && old.Fact(checkpoint.Status) != now.Fact(checkpoint.Status)
	h.ids[entry] = string(h.child.ID(twin))
	if old.Type == checkpoint.Operation && isOver || (old.Type == checkpoint.Statement || old.Type == checkpoint.Step) && isChanged {
		h.restored[twin] = entry
		h.keepReferred(old.Span())
	}
}

// keep keeps an object of the parent, and what it refers to.
func (h *heir) keep(entry int32) {
	if _, done := h.ids[entry]; done {
		return
	}
	if twin, ok := h.twin(entry); ok {
		h.ids[entry] = string(h.child.ID(twin))
		return
	}
	own := string(h.parent.ID(entry))
	id := own
	if _, used := h.child.Lookup(own); used {
		id = checkpoint.Freely(own, h.isTaken)
	}
	h.ids[entry], h.taken[id] = id, true
	h.keepReferred(h.parent.Objects[entry].Span())
}

func (h *heir) isTaken(id string) bool {
	_, inParent := h.parent.Lookup(id)
	_, inChild := h.child.Lookup(id)
	return inParent || inChild || h.taken[id]
}

// keepReferred keeps what is referred to within a part of the parent.
func (h *heir) keepReferred(s jsonspan.Span) {
	from, to := h.parent.RefsWithin(s)
	for _, r := range h.parent.Refs[from:to] {
		if r.To >= 0 && slices.Contains(append(keptTypes, checkpoint.NextStep), h.parent.Objects[r.To].Type) {
			h.keep(r.To)
		}
	}
}

// copiedPart is a part of the parent that stands in the child as it is.
type copiedPart struct {
	was jsonspan.Span
	at  int
}

// carried are those parts: members that no capture makes, omissions and transformations of others.
func (h *heir) carried() (parts []copiedPart) {
	for _, owner := range []checkpoint.Type{checkpoint.Top, checkpoint.Task, checkpoint.Source, checkpoint.Progress} {
		for _, name := range inheritedMembers[owner] {
			old, had := h.parent.Member(owner, name)
			new, has := h.child.Member(owner, name)
			if had && has && bytes.Equal(h.parent.Src[old.Value.Start:old.Value.End], h.child.Src[new.Value.Start:new.Value.End]) {
				parts = append(parts, copiedPart{old.Value, new.Value.Start})
			}
		}
	}
	for _, t := range []checkpoint.Type{checkpoint.Omission, checkpoint.Transformation} {
		h.run.head.each(t, func(entry int32, _ []byte) {
			if twin, ok := h.child.Find(h.parent.ID(entry)); ok && !h.run.head.isCaptured(entry) {
				parts = append(parts, copiedPart{h.parent.Objects[entry].Span(), int(h.child.Objects[twin].Start)})
			}
		})
	}
	return parts
}

// rewire makes the references in those parts those of the child.
func (h *heir) rewire() {
	for _, part := range h.carried() {
		from, to := h.parent.RefsWithin(part.was)
		for _, r := range h.parent.Refs[from:to] {
			if id := h.ids[r.To]; r.To >= 0 && id != "" && id != string(h.parent.ID(r.To)) {
				old := jsonspan.TextAt(h.parent.Src, int(r.At))
				at := part.at + old.Start - part.was.Start
				h.edits.Replace(jsonspan.Span{Start: at, End: at + old.Len()}, jsonspan.AppendQuoted(nil, id))
			}
		}
	}
}

// text is an object of the parent as it stands in the child.
func (h *heir) text(entry int32) []byte {
	s := h.parent.Objects[entry].Span()
	e := jsonspan.Edits{Src: h.parent.Src[s.Start:s.End]}
	replace := func(t jsonspan.Text, id string) {
		if id != string(jsonspan.Plain(h.parent.Src, t)) {
			e.Replace(jsonspan.Span{Start: t.Start - s.Start, End: t.End - s.Start}, jsonspan.AppendQuoted(nil, id))
		}
	}
	if id, ok := h.parent.Field(entry, "id"); ok {
		replace(jsonspan.TextAt(h.parent.Src, id.Value.Start), h.ids[entry])
	}
	from, to := h.parent.RefsWithin(s)
	for _, r := range h.parent.Refs[from:to] {
		if id := h.ids[r.To]; r.To >= 0 && id != "" {
			replace(jsonspan.TextAt(h.parent.Src, int(r.At)), id)
		}
	}
	return e.AppendTo(nil)
}

// write says what the child gets of the parent: before all others, so that it is settled.
func (h *heir) write(d *checkpoint.Derived) {
	settled := counts{}
	if h.run.state != nil {
		settled = h.run.state.Settled
	}
	count := settled.byType()
	for twin, entry := range h.restored {
		if h.child.Objects[twin].Type != checkpoint.Operation {
			h.edits.Replace(h.child.Objects[twin].Span(), h.text(entry))
			continue
		}
		d.First[checkpoint.Operation] = append(d.First[checkpoint.Operation], h.text(entry))
		if n := count[checkpoint.Operation]; h.place(twin) >= *n {
			*n++
		}
	}
	for i := range h.parent.Objects {
		if t := h.parent.Objects[i].Type; h.taken[h.ids[int32(i)]] {
			d.First[t] = append(d.First[t], h.text(int32(i)))
			if n := count[t]; n != nil {
				*n++
			}
		}
	}
	h.omit(d, count[checkpoint.Resource])
	if h.run.state != nil {
		h.run.state.Settled = settled
	}
}

// place is the place of an operation in the list.
func (h *heir) place(entry int32) (n int) {
	for i := range entry {
		if h.child.Objects[i].Type == checkpoint.Operation {
			n++
		}
	}
	return n
}

// omit counts what is left out of the parent.
func (h *heir) omit(d *checkpoint.Derived, resources *int) {
	lost := map[checkpoint.Type]int{}
	for i := range h.parent.Objects {
		t := h.parent.Objects[i].Type
		if _, kept := h.ids[int32(i)]; !kept && (slices.Contains(keptTypes, t) || t == checkpoint.NextStep && !h.has(int32(i))) {
			lost[t]++
		}
	}
	var what []string
	for _, t := range append(keptTypes, checkpoint.NextStep) {
		if lost[t] > 0 {
			what = append(what, number(lost[t], t.String()))
		}
	}
	if len(what) == 0 {
		return
	}
	id := checkpoint.Freely(checkpoint.InputResourceID, h.isTaken)
	omission := checkpoint.Freely(omissionID+"parent", h.isTaken)
	d.First[checkpoint.Resource] = append(d.First[checkpoint.Resource], checkpoint.InputResourceText(id, h.parent.GlobalID(), h.run.sum, h.child.Created()))
	*resources++
	d.First[checkpoint.Omission] = append(d.First[checkpoint.Omission],
		checkpoint.OmissionText(omission, strings.Join(what, ", ")+" of the parent that the log does not show, or shows to be over", "superseded", id))
}

// has says whether the child has an object with the id of one of the parent.
func (h *heir) has(entry int32) bool {
	_, ok := h.child.Find(h.parent.ID(entry))
	return ok
}
