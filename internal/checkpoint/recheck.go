package checkpoint

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// Recheck holds a derived document against levels 1 and 2 and against its parent, which was read and is valid. runs say where the document has
// bytes of the parent: entries that lie in one are compared byte by byte and not read again. The error is the first thing that is
// wrong.
// Operations that disputed names may be another thing than in the parent (OCP-T001).
func Recheck(parent *Document, src []byte, runs []jsonspan.Run, opts Options, disputed func(operation string) bool) (*Document, error) {
	c := &carrier{parent: parent, runs: runs, moved: make([]int32, len(parent.Objects))}
	for i := range c.moved {
		c.moved[i] = -1
	}
	child, err := parse(src, opts, c)
	if err == nil && child.isBefore(parent) {
		child, err = Parse(src, opts) // the carried events have to be looked at too
	}
	if err == nil {
		rest := jsonspan.Cursor{Src: src, Pos: len(child.Src)}
		if rest.End(); rest.Err != nil {
			err = rest.Err
		}
	}
	if syntax, ok := err.(*jsonspan.SyntaxError); ok {
		syntax.Locate(src)
	}
	if err != nil {
		return nil, err
	}
	if err := child.Err(); err != nil {
		return nil, err
	}
	if broken := checkPair(parent, child, disputed); len(broken) > 0 {
		return nil, &broken[0]
	}
	return child, nil
}

// isBefore says whether a document was created before something that its parent records.
func (d *Document) isBefore(parent *Document) bool {
	created, ok1 := parseInstant([]byte(d.Created()))
	latest, ok2 := parseInstant([]byte(parent.Latest()))
	return !ok1 || !ok2 || latest.After(created)
}

// carrier takes over entries of a parent into the index of a derived document.
type carrier struct {
	parent *Document
	runs   []jsonspan.Run
	moved  []int32 // the entry of the document for each of the parent, -1 for one that was not taken over
	refs   []carriedRef
}

// carriedRef is a reference that was taken over: its place in Refs, and the entry of the parent that it names.
type carriedRef struct{ place, to int32 }

// carry takes over the entries of a list, of type t, that begin at the cursor, as many as lie in one run. It returns false if there are none.
func (w *walker) carry(t Type) bool {
	c := w.carrier
	if c == nil || t == NoType || t == Input { // an input may be no entry, so others need not stand between two that are
		return false
	}
	w.c.Peek()
	run, ok := c.runAt(w.c.Pos)
	if !ok {
		return false
	}
	was := run.Was + w.c.Pos - run.At
	first, ok := c.entryAt(was, t)
	if !ok {
		return false
	}
	behind, end := c.siblings(first, run.Was+run.Len)
	length := end - was
	if length <= 0 || w.c.Pos+length > len(w.c.Src) || !bytes.Equal(w.c.Src[w.c.Pos:w.c.Pos+length], c.parent.Src[was:end]) {
		return false
	}
	w.takeOver(first, behind, w.c.Pos-was, jsonspan.Span{Start: was, End: end})
	w.c.Jump(length)
	return true
}

// runAt returns the run that an offset lies in.
func (c *carrier) runAt(at int) (jsonspan.Run, bool) {
	i, found := slices.BinarySearchFunc(c.runs, at, func(r jsonspan.Run, at int) int { return cmp.Compare(r.At, at) })
	if !found {
		i--
	}
	if i < 0 || at >= c.runs[i].At+c.runs[i].Len {
		return jsonspan.Run{}, false
	}
	return c.runs[i], true
}

// entryAt returns the entry of the parent that begins at an offset.
func (c *carrier) entryAt(at int, t Type) (int32, bool) {
	i, found := slices.BinarySearchFunc(c.parent.Objects, at, func(o Object, at int) int { return cmp.Compare(int(o.Start), at) })
	return int32(i), found && c.parent.Objects[i].Type == t
}

// siblings returns the place behind the last entry of the list of the first one that ends within a limit, with what is inside it, and where it ends.
func (c *carrier) siblings(first int32, limit int) (behind int32, end int) {
	objects := c.parent.Objects
	behind = first
	for int(behind) < len(objects) {
		o := &objects[behind]
		if o.Type != objects[first].Type || o.Parent != objects[first].Parent || int(o.End) > limit {
			break
		}
		end = int(o.End)
		behind = c.parent.Inside(behind)
	}
	return behind, end
}

// takeOver adds entries of the parent, from first to before behind, to the document, with their references and past events.
func (w *walker) takeOver(first, behind int32, shift int, within jsonspan.Span) {
	d, parent := w.doc, w.carrier.parent
	delta := int32(len(d.Objects)) - first
	for i := first; i < behind; i++ {
		o := parent.Objects[i]
		o.Start, o.End = uint32(int(o.Start)+shift), uint32(int(o.End)+shift)
		if o.Parent += delta; o.Parent < first+delta {
			o.Parent = w.entry
		}
		if o.idAt != 0 {
			o.idAt = uint32(int(o.idAt) + shift)
		}
		d.Objects = append(d.Objects, o)
		d.only[o.Type] = i + delta
		w.carrier.moved[i] = i + delta
		if o.idAt != 0 {
			w.declare(d.Text(o.idAt), int(o.idAt), i+delta)
		}
	}
	from, to := parent.RefsWithin(within)
	for _, r := range parent.Refs[from:to] {
		w.carrier.refs = append(w.carrier.refs, carriedRef{int32(len(d.Refs)), r.To})
		r.From, r.To, r.At = r.From+delta, -1, uint32(int(r.At)+shift)
		d.Refs = append(d.Refs, r)
	}
	begin, _ := slices.BinarySearch(parent.past, uint32(within.Start))
	for _, at := range parent.past[begin:] {
		if int(at) >= within.End {
			break
		}
		d.past = append(d.past, uint32(int(at)+shift))
	}
}

// settle points the references that were taken over to the entries that were; the others are resolved like new ones.
func (c *carrier) settle(d *Document) {
	for _, r := range c.refs {
		if r.to >= 0 {
			d.Refs[r.place].To = c.moved[r.to]
		}
	}
}
