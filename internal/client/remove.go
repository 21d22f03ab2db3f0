package client

import (
	"bytes"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// remove takes out what Install wrote and leaves every other byte. It returns nil where there was no file before.
func (c *Client) remove(s *settings, name string) ([]byte, error) {
	hooks, lists, err := s.eventLists(name)
	if err != nil {
		return nil, err
	}
	found := c.hooks(s, lists)
	if len(found) == 0 {
		return s.text, nil
	}
	r := &removal{settings: s, edits: &jsonspan.Edits{Src: s.text}}
	gone := make([]bool, len(lists))
	for i, list := range lists {
		gone[i] = s.plain[list.Value.Start] == '[' && r.fromList(list.Value, found)
	}
	if !r.fromObject(hooks.Value, lists, gone) {
		return r.edits.AppendTo(nil), nil
	}
	members := jsonspan.Items(s.plain, s.root)
	gone = make([]bool, len(members))
	for i, m := range members {
		gone[i] = m.Value == hooks.Value
	}
	if len(members) > 1 || !s.added(s.root) {
		r.edits = &jsonspan.Edits{Src: s.text}
		r.fromObject(s.root, members, gone)
		return r.edits.AppendTo(nil), nil
	}
	return s.before(), nil
}

// removal is a list of cuts.
type removal struct {
	*settings
	edits *jsonspan.Edits
}

// added says whether an array or object that holds only what was added was added, too.
func (s *settings) added(container jsonspan.Span) bool { return len(s.lead(container.Start+1)) > 0 }

// before is the text of a file of which all was added.
func (s *settings) before() []byte {
	head, tail := s.text[:s.root.Start], s.text[s.root.End:]
	switch {
	case len(tail) == 0 && bytes.HasSuffix(head, []byte(s.newline())):
		return append([]byte{}, head[:len(head)-len(s.newline())]...)
	case len(head) == 0 && string(tail) == "\n":
		return nil
	}
	return append(append(bytes.Clone(head), "{}"...), tail...)
}

// fromList cuts the groups, or their entries, out of an event's array. It says whether the array itself goes.
func (r *removal) fromList(list jsonspan.Span, found []hook) bool {
	items := jsonspan.Items(r.plain, list)
	gone := make([]bool, len(items))
	kept := 0
	for i, item := range items {
		if gone[i] = r.fromGroup(item.Value, found); !gone[i] {
			kept++
		}
	}
	if len(items) > 0 && kept == 0 && r.added(list) {
		return true
	}
	for _, cut := range cuts(items, gone) {
		r.cut(cut)
	}
	return false
}

// fromGroup says whether a group goes as a whole; of one that holds other hooks, too, it cuts what Install wrote.
func (r *removal) fromGroup(group jsonspan.Span, found []hook) bool {
	var entries []jsonspan.Item
	mine := map[int]bool{}
	for _, h := range found {
		if h.groupAt != group {
			continue
		}
		if h.alone {
			return true
		}
		mine[h.index] = true
	}
	if len(mine) == 0 {
		return false
	}
	list, _ := r.find(group, "hooks")
	entries = jsonspan.Items(r.plain, list.Value)
	gone := make([]bool, len(entries))
	for i := range entries {
		gone[i] = mine[i]
	}
	if len(mine) == len(entries) {
		return true
	}
	for _, cut := range cuts(entries, gone) {
		r.cut(cut)
	}
	return false
}

// fromObject cuts members, which insert put before all others, out of an object. It says whether the object itself goes.
func (r *removal) fromObject(object jsonspan.Span, members []jsonspan.Item, gone []bool) bool {
	first := 0
	for first < len(gone) && gone[first] {
		first++
	}
	if first == len(members) {
		if first > 0 && r.added(object) {
			return true
		}
		if first > 0 {
			r.cut(jsonspan.Span{Start: members[0].Span().Start, End: members[first-1].Span().End})
		}
		return false
	}
	if first > 0 {
		r.cut(jsonspan.Span{Start: object.Start + 1, End: r.comma(members[first-1].Span().End)})
	}
	for _, cut := range cuts(members[first:], gone[first:]) {
		r.cut(cut)
	}
	return false
}

// comma is the offset behind the comma that follows an offset.
func (r *removal) comma(at int) int { return at + bytes.IndexByte(r.plain[at:], ',') + 1 }

// cut takes a span out; what was cut inside of it before is in it.
func (r *removal) cut(s jsonspan.Span) { r.edits.Replace(s, nil) }

// cuts are the spans to take out so that some items go and the commas are right: with the white space and comma before an item, or behind one that has none before.
func cuts(items []jsonspan.Item, gone []bool) (spans []jsonspan.Span) {
	for i := 0; i < len(items); i++ {
		if !gone[i] {
			continue
		}
		end := i
		for end+1 < len(items) && gone[end+1] {
			end++
		}
		span := jsonspan.Span{Start: items[i].Span().Start, End: items[end].Span().End}
		switch {
		case i > 0:
			span.Start = items[i-1].Span().End
		case end+1 < len(items):
			span.End = items[end+1].Span().Start
		}
		spans = append(spans, span)
		i = end
	}
	return spans
}
