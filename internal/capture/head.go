package capture

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// head is the checkpoint that a capture has as its parent.
type head struct {
	doc   *checkpoint.Document
	lists map[checkpoint.Type]checkpoint.List
	ends  map[checkpoint.Type]int32 // the first entry of each list that is not settled
}

// counts are how many objects the lists of a checkpoint begin with that nothing changes, the session's resource not counted.
type counts struct{ Statements, Resources, Steps, Operations int }

func (c *counts) byType() map[checkpoint.Type]*int {
	return map[checkpoint.Type]*int{checkpoint.Statement: &c.Statements, checkpoint.Resource: &c.Resources, checkpoint.Step: &c.Steps, checkpoint.Operation: &c.Operations}
}

// newHead reads a checkpoint that begins with so many settled objects. The error is that of checkpoint.ParseOne, or ErrRestart where there are less.
func newHead(text []byte, settled counts) (*head, error) {
	doc, err := checkpoint.ParseOne(text, checkpoint.Options{Strict: true})
	if err != nil {
		return nil, err
	}
	h := &head{doc, map[checkpoint.Type]checkpoint.List{}, map[checkpoint.Type]int32{}}
	for _, l := range doc.Lists() {
		h.lists[l.Type] = l
	}
	for t, n := range settled.byType() {
		entries := h.lists[t].Entries
		if t == checkpoint.Resource && *n > 0 {
			*n++ // the session's stands among them
		}
		if *n < 0 || *n > len(entries) {
			return nil, ErrRestart
		}
		h.ends[t] = math.MaxInt32
		if *n < len(entries) {
			h.ends[t] = entries[*n]
		}
	}
	return h, nil
}

// isSettled says whether an object with a local id is settled.
func (h *head) isSettled(id string) bool {
	if h == nil {
		return false
	}
	i, ok := h.doc.Lookup(id)
	return ok && i < h.ends[h.doc.Objects[i].Type]
}

// callObjects begin the ids of the objects of a call.
var callObjects = []string{"result.", "op.", "step.", "error."}

// hasCall says whether a settled object is that of a call.
func (h *head) hasCall(local string) bool {
	for _, kind := range callObjects {
		if h.isSettled(kind + local) {
			return true
		}
	}
	return false
}

// hasName says whether mapper.localID gave a name to a settled object.
func (h *head) hasName(name string) bool {
	return h.hasCall(name) || !hasPrefix(name, callObjects) && h.isSettled(name)
}

// carry puts the settled objects of a list before all others. The session's resource is none of them.
func (h *head) carry(s *section, t checkpoint.Type) {
	from := 0
	for i, entry := range h.lists[t].Entries {
		if entry >= h.ends[t] {
			h.carryItems(s, t, from, i)
			return
		}
		if string(h.doc.ID(entry)) == sessionID {
			h.carryItems(s, t, from, i)
			from = i + 1
		}
	}
	h.carryItems(s, t, from, len(h.lists[t].Entries))
}

func (h *head) carryItems(s *section, t checkpoint.Type, from, to int) {
	if from == to {
		return
	}
	spans := h.lists[t].Spans
	s.carry(h.doc.Src, jsonspan.Span{Start: spans[from].Start, End: spans[to-1].End}, to-from)
}

// text is a member of an entry as it is written, nil without one.
func (h *head) text(owner checkpoint.Type, name string) []byte {
	if h == nil {
		return nil
	}
	item, ok := h.doc.Member(owner, name)
	if !ok {
		return nil
	}
	return h.doc.Src[item.Value.Start:item.Value.End]
}

// inheritedMembers are the members that a capture does not make.
var inheritedMembers = map[checkpoint.Type][]string{
	checkpoint.Top:      {"application_context", "continuation", "extensions"},
	checkpoint.Task:     {"outcome", "success_criteria", "scope", "extensions"},
	checkpoint.Source:   {"extensions"},
	checkpoint.Progress: {"focus", "next", "extensions"},
}

// inherited writes some of them.
func (h *head) inherited(f *fragment, owner checkpoint.Type, names ...string) *fragment {
	for _, name := range names {
		f.raw(name, h.text(owner, name))
	}
	return f
}

// objective is task.objective, "" without a parent.
func (h *head) objective() string {
	if h == nil {
		return ""
	}
	return string(h.doc.StringField(h.doc.Only(checkpoint.Task), "objective"))
}

// isCaptured says whether an omission or a transformation is one that a capture counts anew.
func (h *head) isCaptured(entry int32) bool {
	id := string(h.doc.ID(entry))
	return id == captureID || strings.HasPrefix(id, omissionID) && string(h.doc.StringField(entry, "recoverable_from")) == sessionID
}

// stamp is the identity of a checkpoint that has this one as its parent.
func (h *head) stamp(method, id string, now time.Time) (checkpoint.Stamp, error) {
	s, err := h.doc.NewStamp(method, id, now)
	if err != nil {
		return s, err
	}
	sum, err := h.doc.Digest()
	s.Digest = sum.String()
	return s, err
}

// each calls f for each entry of a list, with its text.
func (h *head) each(t checkpoint.Type, f func(entry int32, text []byte)) {
	l := h.lists[t]
	for i, entry := range l.Entries {
		f(entry, h.doc.Src[l.Spans[i].Start:l.Spans[i].End])
	}
}

// inputs are those of a checkpoint derived from this one: it, and what it comes from, but for the session that is captured again.
func (h *head) inputs(s *section, stamp checkpoint.Stamp, session []byte) {
	s.add(checkpoint.InputText(h.doc.GlobalID(), stamp.Digest))
	oldest := h.doc.OldestInputs()
	h.each(checkpoint.Input, func(entry int32, text []byte) {
		if !slices.Contains(oldest, entry) && !bytes.Equal(text, session) {
			s.add(text)
		}
	})
}

// omissions are those that are not counted anew. It returns how many numbers of ours they take.
func (h *head) omissions(s *section) (last int) {
	h.each(checkpoint.Omission, func(entry int32, text []byte) {
		if h.isCaptured(entry) {
			return
		}
		s.add(text)
		number, isOurs := strings.CutPrefix(string(h.doc.ID(entry)), omissionID)
		if n, err := strconv.Atoi(number); isOurs && err == nil {
			last = max(last, n)
		}
	})
	return last
}

// transformations are those that are not made anew.
func (h *head) transformations(s *section) {
	h.each(checkpoint.Transformation, func(entry int32, text []byte) {
		if !h.isCaptured(entry) {
			s.add(text)
		}
	})
}
