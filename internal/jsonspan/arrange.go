package jsonspan

// Piece is an item of an arranged list: one that is there already, by its place, or, where that is negative, a new one's text.
type Piece struct {
	Item int
	Text []byte
}

// Arrange makes pieces the items of the array at container. items are the spans of all that it has; those that are no piece go. Items that stay in
// their order keep their place and the text between them.
func (e *Edits) Arrange(container Span, items []Span, pieces []Piece) {
	lead := e.Lead(container, items)
	if !inOrder(pieces) {
		pieces = e.detached(items, pieces)
	}
	var texts [][]byte
	last := -1 // the latest item that stays
	for _, p := range pieces {
		if p.Item < 0 {
			texts = append(texts, p.Text)
			continue
		}
		e.between(container, items, last, p.Item, joinItems(texts, lead), lead)
		texts, last = nil, p.Item
	}
	e.behind(container, items, last, joinItems(texts, lead), lead)
}

// inOrder says whether the items that stay do so in their order.
func inOrder(pieces []Piece) bool {
	last := -1
	for _, p := range pieces {
		if p.Item >= 0 && p.Item <= last {
			return false
		}
		last = max(last, p.Item)
	}
	return true
}

// detached makes texts of all pieces.
func (e *Edits) detached(items []Span, pieces []Piece) []Piece {
	out := make([]Piece, len(pieces))
	for i, p := range pieces {
		out[i] = Piece{-1, p.Text}
		if p.Item >= 0 {
			s := items[p.Item]
			out[i].Text = AppendStyled(nil, e.Src[s.Start:s.End], e.Style)
		}
	}
	return out
}

// between puts text, perhaps nil, between two items that stay, or before the first one that does.
func (e *Edits) between(container Span, items []Span, from, to int, text, lead []byte) {
	switch {
	case from+1 == to && text == nil:
	case from < 0 && text == nil:
		e.Replace(Span{items[0].Start, items[to].Start}, nil)
	case from < 0:
		e.Replace(Span{items[0].Start, items[to].Start}, append(append(text, ','), lead...))
	case text == nil:
		e.Replace(Span{items[from].End, items[to].Start}, append([]byte{','}, lead...))
	default:
		e.Replace(Span{items[from].End, items[to].Start}, append(separated(text, lead), append([]byte{','}, lead...)...))
	}
}

// behind puts text, perhaps nil, behind the last item that stays.
func (e *Edits) behind(container Span, items []Span, last int, text, lead []byte) {
	switch {
	case last < 0 && len(items) == 0:
		if text != nil {
			e.Insert(container.Start+1, text)
		}
	case last < 0:
		e.Replace(Span{items[0].Start, items[len(items)-1].End}, text)
	case text != nil:
		e.Replace(Span{items[last].End, items[len(items)-1].End}, separated(text, lead))
	case last < len(items)-1:
		e.Replace(Span{items[last].End, items[len(items)-1].End}, nil)
	}
}

// separated is a text with a comma before it.
func separated(text, lead []byte) []byte {
	return append(append([]byte{','}, lead...), text...)
}
