package checkpoint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/nearest"
)

// walker reads one document against the table, in one pass.
type walker struct {
	c        jsonspan.Cursor
	doc      *Document
	entry    int32 // the entry that a member belongs to
	guessing int   // how many of the values around have an inferred shape
	version  jsonspan.Text
	carrier  *carrier // of a derived document that is checked again
}

// singles are the entry types of which a document has at most one; their members are remembered.
var singles = typesOf(Top, Parent, Source, Task, Progress, Continuation, Derivation, Focus)

// The list of entries starts with room for as many as a common document of the length of the text has, but no more than those of one of
// some size: the text may go on behind the document.
const (
	bytesPerEntry = 512
	fewEntries    = 128
)

// Parse reads the document that src begins with and checks levels 1 and 2. The findings are in the document; the error is that of a
// text that is no I-JSON message, a *jsonspan.SyntaxError with its offset. White space before the document is not counted in offsets.
func Parse(src []byte, opts Options) (*Document, error) { return parse(src, opts, nil) }

func parse(src []byte, opts Options, c *carrier) (*Document, error) {
	src = jsonspan.TrimWhite(src)
	d := newDocument(src, opts)
	w := &walker{doc: d, c: jsonspan.Cursor{Src: src, Lenient: opts.Lenient}, entry: -1, carrier: c}
	w.c.Start()
	isObject := w.c.Peek() == '{'
	if isObject {
		w.object(topObject)
	} else {
		w.c.Skip()
	}
	if w.c.Err != nil {
		return nil, w.c.Err
	}
	d.Src = src[:w.c.Pos]
	d.White, d.Waste = w.c.White, w.c.Waste
	if !w.checkVersion(isObject) {
		if c != nil {
			c.settle(d)
		}
		d.check(w.c.Imprecise)
	}
	return d, nil
}

func newDocument(src []byte, opts Options) *Document {
	d := &Document{Src: src, opts: opts, Objects: make([]Object, 0, min(len(src)/bytesPerEntry+8, fewEntries))}
	for t := range d.only {
		d.only[t] = -1
	}
	d.ids = jsonspan.NewTable(func(i uint32) []byte { return d.ID(int32(i)) })
	return d
}

func (w *walker) report(v Violation) {
	v.Level = 1
	if w.guessing > 0 {
		v.Rule, v.Severity = "OCX-I", w.guessed()
	}
	w.doc.Findings.Add(v)
}

// guessed is the severity of a finding that rests on an inference.
func (w *walker) guessed() Severity {
	if w.doc.opts.Strict {
		return Error
	}
	return Warning
}

// object reads the object at hand; Peek has returned '{'.
func (w *walker) object(t *objectType) {
	start, white, waste := w.c.Pos, w.c.White, w.c.Waste
	outer := w.entry
	self := w.enter(t)
	unknown := w.c.NewNames()
	refs := len(w.doc.Refs)
	var seen uint32
	w.c.Open()
	for w.c.Next('}') {
		name := w.c.Name()
		if w.c.Err != nil {
			return
		}
		slot := t.find(w.c.Src, name)
		if slot < 0 {
			w.undefined(t, name, &unknown)
			continue
		}
		if seen>>slot&1 == 1 {
			w.c.Duplicate(name)
			return
		}
		seen |= 1 << slot
		w.member(t, slot, name)
	}
	w.c.Forget(&unknown)
	w.entry = outer
	if w.c.Err != nil {
		return
	}
	w.requireAll(t, seen, start)
	if self < 0 {
		w.markOutcome(refs)
		return
	}
	o := &w.doc.Objects[self]
	o.Start, o.End, o.Has = uint32(start), uint32(w.c.Pos), seen
	o.Min = uint32(w.c.Pos - start - (w.c.White - white) - (w.c.Waste - waste))
	w.applyRules(t, o)
}

// enter adds an entry for an object whose type has one, and returns its place, or -1.
func (w *walker) enter(t *objectType) int32 {
	if t.entry == NoType {
		return -1
	}
	if n := len(w.doc.Objects); n == cap(w.doc.Objects) {
		w.doc.Objects = slices.Grow(w.doc.Objects, n) // append would copy a long list more often
	}
	w.doc.Objects = append(w.doc.Objects, Object{Parent: w.entry, Type: t.entry})
	w.entry = int32(len(w.doc.Objects) - 1)
	w.doc.only[t.entry] = w.entry
	return w.entry
}

// markOutcome ends an until entry, whose references are those from place refs on: one that waits for an outcome of an approval is marked so, for
// OCP-S009. The status stood in the stop condition's facts meanwhile.
func (w *walker) markOutcome(refs int) {
	if w.entry < 0 || w.doc.Objects[w.entry].Type != StopCondition {
		return
	}
	status := &w.doc.Objects[w.entry].facts[Status]
	if *status == Approved || *status == Rejected {
		for i := refs; i < len(w.doc.Refs); i++ {
			w.doc.Refs[i].Field = UntilOutcomeField
		}
	}
	*status = Absent
}

// find returns the place of a member name in the table, or -1.
func (t *objectType) find(src []byte, name jsonspan.Text) int {
	plain := jsonspan.Plain(src, name)
	for i := range t.members {
		if t.members[i].name == string(plain) {
			return i
		}
	}
	return -1
}

// undefined reports a member that the specification does not define (§6) and passes it.
func (w *walker) undefined(t *objectType, name jsonspan.Text, unknown *jsonspan.Names) {
	w.c.Unique(unknown, name)
	plain := jsonspan.Plain(w.c.Src, name)
	v := Violation{Rule: ruleUndefined, Offset: name.Start, Msg: fmt.Sprintf("%s is no member of %s", quote(plain), article(t.title()))}
	if near := nearest.Name(string(plain), t.names()); near != "" {
		v.Hint = "did you mean " + near + "?"
	} else if t.has("extensions") {
		v.Hint = "data of your own goes under extensions"
	}
	if w.doc.opts.Lenient {
		v.Severity = Warning
	}
	w.report(v)
	w.remember(t, name, w.c.Skip())
}

// remember keeps a member of an entry that exists once.
func (w *walker) remember(t *objectType, name jsonspan.Text, value jsonspan.Span) {
	if t.entry != NoType && singles.has(t.entry) {
		w.doc.members[t.entry] = append(w.doc.members[t.entry], jsonspan.Item{Name: name, Value: value})
	}
}

func (t *objectType) title() string { return strings.ReplaceAll(t.name, "_", " ") }

func (t *objectType) names() (names []string) {
	for _, m := range t.members {
		names = append(names, m.name)
	}
	return names
}

func (t *objectType) has(name string) bool { return t.slot(name) >= 0 }

// member reads the value of a member that the table has.
func (w *walker) member(t *objectType, slot int, name jsonspan.Text) {
	m := &t.members[slot]
	w.c.Peek()
	start := w.c.Pos
	w.value(&m.value, m.name, m)
	if w.c.Err != nil || t.entry == NoType {
		return
	}
	if m.part && w.doc.opts.Parts {
		w.doc.Parts = append(w.doc.Parts, MemberAt{Entry: w.entry, At: uint32(name.Start)})
	}
	switch {
	case t.entry == Top && m.name == "opencheckpoint" && w.c.Src[start] == '"':
		w.version = jsonspan.Text{Span: jsonspan.Span{Start: start, End: w.c.Pos}, Escaped: true}
	case t.entry == Top && m.name == "created_at" && w.c.Src[start] == '"':
		w.doc.created = uint32(start)
	}
	w.remember(t, name, jsonspan.Span{Start: start, End: w.c.Pos})
}

func (w *walker) requireAll(t *objectType, seen uint32, start int) {
	for slot := range t.members {
		m := &t.members[slot]
		if !m.required || seen>>slot&1 == 1 {
			continue
		}
		if m.requiredInferred {
			w.guessing++
		}
		w.report(Violation{Rule: "OCX-L-required", Offset: start, Msg: fmt.Sprintf("%s without %s", article(t.title()), m.name)})
		if m.requiredInferred {
			w.guessing--
		}
	}
}

func (w *walker) applyRules(t *objectType, o *Object) {
	for i := range compiledRules[o.Type] {
		if r := &compiledRules[o.Type][i]; r.broken(o) {
			w.report(Violation{Rule: "OCX-L-rule", Offset: int(o.Start), Msg: r.text + " (" + r.clause + ")"})
		}
	}
}

// compiledRules are the rules of each entry type.
var compiledRules = [numTypes][]compiledRule{
	Statement: statementObject.compile(),
	Resource:  resourceObject.compile(),
	Operation: operationObject.compile(),
}
