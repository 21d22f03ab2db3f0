package jsonspan

import (
	"bytes"
	"slices"
)

// Style says how the text between the edits is written.
type Style uint8

const (
	Verbatim Style = iota // byte for byte
	Tight                 // without insignificant white space
	Plainest              // Tight, and no escape in a string that JSON does not demand; numbers keep their spelling
)

// Edit replaces a range of the source; an empty range inserts.
type Edit struct {
	Span
	Text []byte
}

// Edits is a list of changes to Src, an accepted text. The ranges must not overlap; they may come in any order and are written
// in one pass from left to right. Text of an edit is written as it is.
type Edits struct {
	Src   []byte
	Style Style
	list  []Edit
	runs  []Run
}

// Run is a range of an edited text, from At on, that is a range of the source, from Was on.
type Run struct{ At, Was, Len int }

// Runs lists the ranges that AppendTo copied byte for byte, in order.
func (e *Edits) Runs() []Run { return e.runs }

// Replace puts text in place of a span.
func (e *Edits) Replace(s Span, text []byte) {
	if last := len(e.list) - 1; last >= 0 && text == nil && e.list[last].Text == nil && e.list[last].End == s.Start {
		e.list[last].End = s.End // a run of dropped items is one edit
		return
	}
	e.list = append(e.list, Edit{s, text})
}

// Insert puts text at an offset.
func (e *Edits) Insert(at int, text []byte) { e.Replace(Span{at, at}, text) }

// Change says what becomes of the items of an array or object.
type Change struct {
	Dropped func(i int) bool // nil drops none
	First   [][]byte         // put before the items
	Last    [][]byte         // put behind them
}

// Items drops and adds items of the array or object at container, so that the commas are right. items are the spans of all its
// items (for a member from its name to the end of its value).
func (e *Edits) Items(container Span, items []Span, change Change) {
	kept := 0
	for i := range items {
		if change.Dropped == nil || !change.Dropped(i) {
			kept++
		}
	}
	lead := e.Lead(container, items)
	if len(change.First) > 0 {
		text := joinItems(change.First, lead)
		if kept+len(change.Last) > 0 {
			text = append(append(text, ','), lead...)
		}
		e.Insert(firstItem(container, items), text)
	}
	if kept < len(items) {
		e.drop(items, change.Dropped)
	}
	if len(change.Last) > 0 {
		var text []byte
		if kept > 0 {
			text = append(append(text, ','), lead...)
		}
		e.Insert(lastItem(container, items), append(text, joinItems(change.Last, lead)...))
	}
}

func (e *Edits) drop(items []Span, dropped func(i int) bool) {
	kept := false
	for i, item := range items {
		switch {
		case !dropped(i):
			kept = true
		case kept:
			e.Replace(Span{items[i-1].End, item.End}, nil)
		case i+1 < len(items):
			e.Replace(Span{item.Start, items[i+1].Start}, nil)
		default:
			e.Replace(item, nil)
		}
	}
}

// Lead is the white space before each added item: that of the first item, so that added ones stand on lines of their own where the
// others do, if the style keeps lines.
func (e *Edits) Lead(container Span, items []Span) []byte {
	if len(items) == 0 || e.Style != Verbatim {
		return nil
	}
	return e.Src[container.Start+1 : items[0].Start]
}

func firstItem(container Span, items []Span) int {
	if len(items) == 0 {
		return container.Start + 1
	}
	return items[0].Start
}

func lastItem(container Span, items []Span) int {
	if len(items) == 0 {
		return container.Start + 1
	}
	return items[len(items)-1].End
}

func joinItems(items [][]byte, lead []byte) []byte {
	if len(items) == 0 {
		return nil
	}
	return bytes.Join(items, append([]byte{','}, lead...))
}

// Len is the length of the edited text; white and waste are the cursor's counts for all of Src.
func (e *Edits) Len(white, waste int) int {
	n := len(e.Src)
	if e.Style >= Tight {
		n -= white
	}
	if e.Style >= Plainest {
		n -= waste
	}
	for _, edit := range e.list {
		n += len(edit.Text) - StyledLen(e.Src[edit.Start:edit.End], e.Style)
	}
	return n
}

// StyledLen is the length of what AppendStyled appends.
func StyledLen(text []byte, style Style) int { return len(AppendStyled(nil, text, style)) }

// AppendTo writes the edited text behind dst.
func (e *Edits) AppendTo(dst []byte) []byte {
	slices.SortStableFunc(e.list, func(a, b Edit) int { return a.Start - b.Start })
	start, pos := len(dst), 0
	e.runs = e.runs[:0]
	for _, edit := range e.list {
		dst = e.copy(dst, start, Span{pos, edit.Start})
		dst = append(dst, edit.Text...)
		pos = edit.End
	}
	return e.copy(dst, start, Span{pos, len(e.Src)})
}

// copy appends a range of the source in the style. What has its length afterwards has lost nothing and is the same.
func (e *Edits) copy(dst []byte, start int, s Span) []byte {
	at := len(dst)
	dst = AppendStyled(dst, e.Src[s.Start:s.End], e.Style)
	if len(dst)-at == s.Len() && s.Len() > 0 {
		e.runs = append(e.runs, Run{at - start, s.Start, s.Len()})
	}
	return dst
}

// AppendStyled appends a piece of accepted text that neither begins nor ends inside a string.
func AppendStyled(dst, text []byte, style Style) []byte {
	if style == Verbatim {
		return append(dst, text...)
	}
	for i := 0; i < len(text); {
		switch b := text[i]; {
		case isWhite(b):
			i++
		case b == '"':
			end := stringEnd(text, i)
			if s := text[i:end]; style == Plainest && bytes.IndexByte(s, '\\') >= 0 {
				dst = AppendCanonical(dst, s)
			} else {
				dst = append(dst, s...)
			}
			i = end
		default:
			start := i
			for i < len(text) && text[i] != '"' && !isWhite(text[i]) {
				i++
			}
			dst = append(dst, text[start:i]...)
		}
	}
	return dst
}

// Item is an element of an array, or a member of an object with its name.
type Item struct {
	Name  Text // zero in an array
	Value Span
}

// Span is all of the item.
func (i Item) Span() Span {
	if i.Name.End == 0 {
		return i.Value
	}
	return Span{i.Name.Start, i.Value.End}
}

// Items lists what the array or object at s, in an accepted text, holds.
func Items(src []byte, s Span) []Item {
	c := Cursor{Src: src[:s.End], Pos: s.Start, Lenient: true}
	closer := byte(']')
	if c.Peek() == '{' {
		closer = '}'
	}
	var items []Item
	c.Open()
	for c.Next(closer) {
		var item Item
		if closer == '}' {
			item.Name = c.Name()
		}
		item.Value = c.Skip()
		items = append(items, item)
	}
	return items
}

// Spans are the spans of items, for Edits.Items.
func Spans(items []Item) []Span {
	spans := make([]Span, len(items))
	for i, item := range items {
		spans[i] = item.Span()
	}
	return spans
}

// EachMember calls f for each member of the object at s, in an accepted text.
func EachMember(src []byte, s Span, f func(Item)) {
	c := Cursor{Src: src[:s.End], Pos: s.Start, Lenient: true}
	c.Peek()
	c.Open()
	for c.Next('}') {
		f(Item{Name: c.Name(), Value: c.Skip()})
	}
}

// Find returns the member with a name.
func Find(src []byte, members []Item, name string) (Item, bool) {
	for _, m := range members {
		if string(Plain(src, m.Name)) == name {
			return m, true
		}
	}
	return Item{}, false
}

// FindIn returns the member with a name of the object at s, in an accepted text.
func FindIn(src []byte, s Span, name string) (Item, bool) {
	c := Cursor{Src: src[:s.End], Pos: s.Start, Lenient: true}
	c.Peek()
	c.Open()
	for c.Next('}') {
		item := Item{Name: c.Name(), Value: c.Skip()}
		if string(Plain(src, item.Name)) == name {
			return item, true
		}
	}
	return Item{}, false
}

// TextAt returns the string that begins at an offset of an accepted text.
func TextAt(src []byte, at int) Text {
	end := stringEnd(src, at)
	return Text{Span{at, end}, hasEscape(src[at:end])}
}

// hasEscape says whether there is a backslash in a string.
func hasEscape(s []byte) bool { return bytes.IndexByte(s, '\\') >= 0 }

// EachString calls f for every string value within a span of accepted text.
func EachString(src []byte, s Span, f func(string)) {
	c := Cursor{Src: src[:s.End], Pos: s.Start, Lenient: true}
	c.eachString(f)
}

func (c *Cursor) eachString(f func(string)) {
	switch c.Peek() {
	case '"':
		f(string(Plain(c.Src, c.Str())))
	case '[':
		c.Open()
		for c.Next(']') {
			c.eachString(f)
		}
	case '{':
		c.Open()
		for c.Next('}') {
			c.Name()
			c.eachString(f)
		}
	default:
		c.Skip()
	}
}
