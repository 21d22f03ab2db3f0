package checkpoint

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

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
	d := &Document{opts: opts, Objects: make([]Object, 0, min(len(src)/bytesPerEntry+8, fewEntries))}
	for t := range d.only {
		d.only[t] = -1
	}
	w := &walker{doc: d, c: jsonspan.Cursor{Src: src, Lenient: opts.Lenient}, entry: -1, carrier: c}
	d.ids = jsonspan.NewTable(func(i uint32) []byte { return d.ID(int32(i)) })
	d.Src = src
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

// checkVersion reports a document that is not of Version, and nothing else about it (§5.1).
func (w *walker) checkVersion(isObject bool) bool {
	var v *Violation
	switch {
	case !isObject:
		v = wrongVersion("not an OpenCheckpoint document: it is " + article(kindOf(w.c.Src[0])))
	case w.version.End == 0:
		v = wrongVersion("not an OpenCheckpoint document: it has no version in a member opencheckpoint")
	case string(jsonspan.Plain(w.c.Src, w.version)) != Version:
		v = otherVersion(jsonspan.Plain(w.c.Src, w.version))
		v.Offset = w.version.Start
	default:
		return false
	}
	w.doc.Findings = Findings{List: []Violation{*v}}
	return true
}

func wrongVersion(msg string) *Violation {
	return &Violation{Rule: "OCX-V", Level: 1, Msg: msg, Hint: "an OpenCheckpoint document has the member \"opencheckpoint\": \"" + Version + "\""}
}

func otherVersion(version []byte) *Violation {
	return &Violation{Rule: "OCX-V", Level: 1, Msg: fmt.Sprintf("version %s is not implemented; this program implements %s", quote(version), Version)}
}

// CheckVersion fails unless an accepted text is an object with the version that this package implements (§5.1), and checks nothing else.
func CheckVersion(src []byte) error {
	version := gjson.GetBytes(src, "opencheckpoint")
	var v *Violation
	switch {
	case src[0] != '{' || version.Type != gjson.String:
		v = wrongVersion("not an OpenCheckpoint document: it has no version in a member opencheckpoint")
	case version.Str != Version:
		v = otherVersion([]byte(version.Str))
	default:
		return nil
	}
	return &InvalidError{Findings{List: []Violation{*v}}}
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

// value reads one value against the table; m is the member it stands in, nil for an element of a list.
func (w *walker) value(v *value, name string, m *member) {
	if v.inferred {
		w.guessing++
		w.bareValue(v, name, m)
		w.guessing--
		return
	}
	w.bareValue(v, name, m)
}

func (w *walker) bareValue(v *value, name string, m *member) {
	b := w.c.Peek()
	switch v.shape {
	case anything:
		w.c.Skip()
	case list:
		if w.want(b, '[', name) {
			w.list(v, name)
		}
	case object:
		if v.orText && b == '"' {
			w.textEntry(v.object)
		} else if w.want(b, '{', name) {
			w.object(v.object)
		}
	case extensionMap:
		if w.want(b, '{', name) {
			w.extensions()
		}
	default:
		if w.want(b, '"', name) {
			w.str(v, name, m, w.c.Str())
		}
	}
}

// want checks what a value begins with, and passes it if that is wrong.
func (w *walker) want(b, expected byte, name string) bool {
	if b == expected {
		return true
	}
	start := w.c.Pos
	w.c.Skip()
	if w.c.Err == nil {
		w.report(Violation{Rule: "OCX-L-type", Offset: start,
			Msg: fmt.Sprintf("%s is %s where %s is expected", name, article(kindOf(b)), article(kindOf(expected)))})
	}
	return false
}

func (w *walker) list(v *value, name string) {
	start := w.c.Pos
	empty := true
	w.c.Open()
	for w.c.Next(']') {
		empty = false
		if v.items.object == nil || !w.carry(v.items.object.entry) {
			w.value(v.items, name, nil)
		}
	}
	if v.nonEmpty && empty && w.c.Err == nil {
		w.report(Violation{Rule: "OCX-L-empty", Offset: start, Msg: name + " is empty where at least one is required"})
	}
}

// textEntry reads a string that stands for an object of type t; of an entry type it is an entry of its own.
func (w *walker) textEntry(t *objectType) {
	start, waste := w.c.Pos, w.c.Waste
	outer := w.entry
	self := w.enter(t)
	w.entry = outer
	w.c.Str()
	if self >= 0 {
		o := &w.doc.Objects[self]
		o.Start, o.End = uint32(start), uint32(w.c.Pos)
		o.Min = o.End - o.Start - uint32(w.c.Waste-waste)
	}
}

// extensions reads extension data: the keys are checked, the values are opaque (§7).
func (w *walker) extensions() {
	keys := w.c.NewNames()
	w.c.Open()
	for w.c.Next('}') {
		key := w.c.Name()
		w.c.Unique(&keys, key)
		if w.c.Err == nil {
			if plain := jsonspan.Plain(w.c.Src, key); !matchExtensionKey(plain) {
				w.report(Violation{Rule: "OCX-L-pattern", Offset: key.Start,
					Msg:  quote(plain) + " is no extension key: a lowercase reverse-DNS name, then perhaps a path",
					Hint: "for example com.example.crm or org.example.finance/v2"})
			}
		}
		w.c.Skip()
	}
	w.c.Forget(&keys)
}

// str checks a string that was read.
func (w *walker) str(v *value, name string, m *member, t jsonspan.Text) {
	if w.c.Err != nil || v.shape == text && (v.max == 0 || t.Len() <= v.max) {
		return
	}
	plain := jsonspan.Plain(w.c.Src, t)
	switch v.shape {
	case text:
		if n := utf8.RuneCount(plain); n > v.max {
			w.report(Violation{Rule: "OCX-L-length", Offset: t.Start, Msg: fmt.Sprintf("%s has %d characters; %d are allowed", name, n, v.max),
				Hint: "put large content into a resource and reference it"})
		}
	case localID:
		w.localID(plain, t)
	case reference:
		ref := Ref{From: w.entry, To: -1, At: uint32(t.Start), Field: v.field, targets: v.targets}
		w.doc.Refs = append(w.doc.Refs, ref)
	case instant:
		w.instant(plain, name, m, t)
	case uri:
		w.uri(plain, t)
	case word:
		w.word(v, name, m, plain, t)
	}
}

// uri is OCP-S008.
func (w *walker) uri(plain []byte, t jsonspan.Text) {
	if hasUserinfo(plain) {
		w.doc.Findings.Add(Violation{Rule: "OCP-S008", Level: 2, Offset: t.Start, Msg: "the resource's URI contains userinfo",
			Hint: "leave out what stands before the '@'"})
	}
}

func (w *walker) localID(plain []byte, t jsonspan.Text) {
	if !matchID(plain) {
		w.report(Violation{Rule: "OCX-L-pattern", Offset: t.Start,
			Msg: quote(plain) + " is no local id: a letter or digit, then up to 127 letters, digits, '.', '_', ':' or '-'"})
	}
	w.doc.Objects[w.entry].idAt = uint32(t.Start)
	w.declare(plain, t.Start, w.entry)
}

// declare adds a local id, which must be the only one of its kind (OCP-S001).
func (w *walker) declare(plain []byte, at int, entry int32) {
	if _, taken := w.doc.ids.Insert(plain, uint32(entry)); taken {
		w.doc.Findings.Add(Violation{Rule: "OCP-S001", Level: 2, Offset: at, Msg: "the local id " + quote(plain) + " is taken already"})
	}
}

// matchID is idPattern.
func matchID(id []byte) bool {
	if len(id) == 0 || len(id) > 128 || !isLetterOrDigit(id[0]) {
		return false
	}
	for _, b := range id[1:] {
		if !isLetterOrDigit(b) && b != '.' && b != '_' && b != ':' && b != '-' {
			return false
		}
	}
	return true
}

// matchExtensionKey is extensionPattern.
func matchExtensionKey(key []byte) bool {
	name, path, found := bytes.Cut(key, []byte{'/'})
	for found {
		var segment []byte
		if segment, path, found = bytes.Cut(path, []byte{'/'}); len(segment) == 0 {
			return false
		}
	}
	labels := 0
	for more := true; more; labels++ {
		var label []byte
		if label, name, more = bytes.Cut(name, []byte{'.'}); !isLabel(label) {
			return false
		}
	}
	return labels > 1
}

// isLabel says whether b is a label of a lowercase domain name.
func isLabel(b []byte) bool {
	if len(b) == 0 || b[0] == '-' || b[len(b)-1] == '-' {
		return false
	}
	for _, c := range b {
		if !('a' <= c && c <= 'z') && !isDigit(c) && c != '-' {
			return false
		}
	}
	return true
}

func isLetterOrDigit(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || isDigit(b)
}

func (w *walker) instant(plain []byte, name string, m *member, t jsonspan.Text) {
	if !matchInstant(plain) {
		w.report(Violation{Rule: "OCX-L-pattern", Offset: t.Start,
			Msg:  fmt.Sprintf("%s is %s, not a timestamp with an offset", name, quote(plain)),
			Hint: "write it as 2026-11-28T16:40:00Z or 2026-11-28T16:40:00+01:00"})
		return
	}
	at, ok := parseInstant(plain)
	if !ok {
		w.report(Violation{Rule: "OCX-F", Severity: Warning, Offset: t.Start, Msg: fmt.Sprintf("%s names no instant: %s", name, plain)})
		return
	}
	if m != nil && m.past {
		w.doc.past = append(w.doc.past, uint32(t.Start))
		if w.doc.latest == 0 || at.After(w.doc.latestAt) {
			w.doc.latest, w.doc.latestAt = uint32(t.Start), at
		}
	}
}

func (w *walker) word(v *value, name string, m *member, plain []byte, t jsonspan.Text) {
	fact := uint8(Unknown)
	for i, word := range v.words {
		if word == string(plain) {
			fact = uint8(i + 1)
			break
		}
	}
	if m != nil && m.fact != noFact {
		w.doc.Objects[w.entry].facts[m.fact] = fact
	}
	if fact == Unknown {
		v := Violation{Rule: "OCX-L-enum", Offset: t.Start, Msg: fmt.Sprintf("%s is %s; one of %s is expected", name, quote(plain), strings.Join(v.words, ", "))}
		w.report(v)
	}
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

// kindOf names a value by its first byte.
func kindOf(b byte) string {
	switch b {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// article puts "a" or "an" before a noun.
func article(noun string) string {
	if noun == "null" {
		return noun
	}
	if strings.IndexByte("aeiou", noun[0]) >= 0 {
		return "an " + noun
	}
	return "a " + noun
}

// quote shows a piece of the document: control characters escaped, no longer than 60 characters.
func quote(b []byte) string {
	const enough = 61 * utf8.UTFMax
	s := string(bytes.ToValidUTF8(b[:min(len(b), enough)], []byte("\uFFFD")))
	if runes := []rune(s); len(runes) > 60 {
		s = string(runes[:57]) + "..."
	}
	return fmt.Sprintf("%q", s)
}
