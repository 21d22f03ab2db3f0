package capture

import (
	"slices"
	"strings"
)

// Clients put elements before what a person typed, or into it, and most do not escape their content, so that it may hold the closing tag of its
// own element, and what stands behind that is not the person's. But a person may write such a tag, too, and nothing of theirs may be lost. Three
// things tell them apart:
//   - Content that begins on a line of its own ends on one, so that only closing tags at the beginning of a line count, if there is any.
//   - An element in front of the words ends at the last of these; where words may stand between two elements, at the last before the next one.
//   - One without content, or with nothing but a note in brackets, ends at its first closing tag.
//
// The outputs of a command begin and end as the command did. They have a record of their own, and end at the last closing tag of either.

// wrapper is an element that a client puts into the turn of a person.
type wrapper struct {
	name string
	// between says that words of the person may stand between two of them.
	between bool
	// with is another element that follows in the same text, whose content may hold the closing tag of this one.
	with string
}

// wrapped are the elements of one name in a text. lined is how far from its end the last closing tag is that begins a line, -1 for none.
type wrapped struct {
	wrapper
	open, closing string
	lined         int
}

func (w wrapper) in(s string) wrapped {
	e := wrapped{wrapper: w, open: "<" + w.name, closing: "</" + w.name + ">", lined: -1}
	if i := strings.LastIndex(s, "\n"+e.closing); i >= 0 {
		e.lined = len(s) - i
	}
	return e
}

// behind is what stands behind the element whose content s begins with, which is the end of the whole text; false if it is not closed.
func (e wrapped) behind(s string) (string, bool) {
	note, rest, closed := strings.Cut(s, e.closing)
	switch {
	case !closed:
		return "", false
	case e.with != "":
		return behindLast(behindLast(s, e.closing), "</"+e.with+">"), true
	case isNote(note):
		return rest, true
	}
	closing := e.closing
	if strings.HasPrefix(s, "\n") && len(s) >= e.lined && e.lined >= 0 {
		closing = "\n" + closing
	}
	if e.between {
		first := strings.Index(s, closing) + len(closing)
		if next := strings.Index(s[first:], e.open); next >= 0 {
			last := strings.LastIndex(s[:first+next], closing) + len(closing)
			return s[last:], true
		}
	}
	return behindLast(s, closing), true
}

// isNote says whether the content of an element is the client's own.
func isNote(content string) bool {
	return content == "" || content[0] == '[' && content[len(content)-1] == ']' && !strings.Contains(content, "\n")
}

// behindLast is a text behind the last of some words, or all of it.
func behindLast(s, words string) string {
	if i := strings.LastIndex(s, words); i >= 0 {
		return s[i+len(words):]
	}
	return s
}

// withoutTagged is a text without the elements that it begins with, of some, and whether there were any. Behind one that is not closed there is
// nothing.
func withoutTagged(s string, list []wrapper) (rest string, found bool) {
	rest = s
	known := map[string]wrapped{}
	for {
		trimmed := strings.TrimLeft(rest, " \t\r\n")
		w, content := openTag(trimmed, list)
		if w.name == "" {
			return rest, found
		}
		if _, ok := known[w.name]; !ok {
			known[w.name] = w.in(s)
		}
		behind, closed := known[w.name].behind(content)
		if !closed {
			return "", true
		}
		rest, found = strings.TrimLeft(behind, " \t\r\n"), true
	}
}

// openTag is which of some elements a text begins with, and what stands behind the tag.
func openTag(s string, list []wrapper) (w wrapper, content string) {
	rest, ok := strings.CutPrefix(s, "<")
	end := strings.IndexAny(rest, " >\n")
	if !ok || end <= 0 {
		return wrapper{}, ""
	}
	i := slices.IndexFunc(list, func(w wrapper) bool { return w.name == rest[:end] })
	if i < 0 {
		return wrapper{}, ""
	}
	if _, behind, ok := strings.Cut(rest, ">"); ok {
		return list[i], behind
	}
	return list[i], ""
}

// withoutElement is a text without all elements of one name, and whether there were any.
func withoutElement(s, name string) (string, bool) {
	e := wrapper{name: name, between: true}.in(s)
	var b strings.Builder
	found := false
	for {
		before, content, ok := strings.Cut(s, e.open+">")
		b.WriteString(before)
		if !ok {
			return b.String(), found
		}
		s, _ = e.behind(content)
		found = true
	}
}
