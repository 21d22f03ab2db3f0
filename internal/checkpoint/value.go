package checkpoint

import (
	"fmt"
	"strings"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

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
			Msg: fmt.Sprintf("%s is %s where %s is expected", name, article(JSONType(b)), article(JSONType(expected)))})
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
		if n := jsonspan.CountCharacters(plain); n > v.max {
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
