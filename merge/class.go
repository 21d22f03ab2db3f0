package merge

import (
	"crypto/sha256"
	"io"
)

// mostRounds is how often classes are refined. What is still not settled then, a longer chain of references, counts as different in each input.
const mostRounds = 64

// classify finds out which claims are the same object: those with the same content whose references, too, lead to the same objects. Classes are
// refined until they stay.
func (m *Merger) classify(claims map[string][]*claim) {
	for id, list := range claims {
		for _, c := range list {
			c.class = m.content(c)
			c.base = m.isAsBase(id, c)
		}
	}
	at := map[*document]map[string]*claim{}
	for id, list := range claims {
		for _, c := range list {
			if at[c.doc] == nil {
				at[c.doc] = map[string]*claim{}
			}
			at[c.doc][id] = c
		}
	}
	for n, round := -1, 0; ; round++ {
		classes := countClasses(claims)
		if classes == n {
			return
		}
		n = classes
		refined := map[*claim]string{}
		for _, list := range claims {
			for _, c := range list {
				if refined[c] = c.followed(at[c.doc]); round == mostRounds && refined[c] != c.class {
					refined[c] += c.doc.id
				}
			}
		}
		for c, class := range refined {
			c.class = class
		}
	}
}

// content is the canonical text of a claimed object, of the whole that it stands in, or of an input resource without the time.
func (m *Merger) content(c *claim) string {
	i := wholeOf(c.doc.Document, c.entry)
	text := c.doc.Src[c.doc.Objects[i].Start:c.doc.Objects[i].End]
	if c.doc.IsInputResource(i) {
		text = edited(text, []change{{"observed_at", ""}})
	}
	return c.doc.Objects[i].Type.String() + " " + canonical(text)
}

// isAsBase says whether a claim is what a base has.
func (m *Merger) isAsBase(id string, c *claim) bool {
	for _, b := range m.bases {
		if j, ok := b.Lookup(id); ok {
			return m.content(&claim{doc: b, entry: j}) == c.class
		}
	}
	return false
}

// followed is the class of a claim with those of the claimed objects that it refers to.
func (c *claim) followed(at map[string]*claim) string {
	from, to := c.doc.RefsWithin(c.doc.Objects[c.entry].Span())
	sum := sha256.New()
	follows := false
	for _, r := range c.doc.Refs[from:to] {
		if target, ok := at[string(c.doc.Text(r.At))]; ok {
			follows = true
			io.WriteString(sum, target.class+"\x00")
		}
	}
	if !follows {
		return c.class
	}
	io.WriteString(sum, c.class)
	return string(sum.Sum(nil))
}

func countClasses(claims map[string][]*claim) (n int) {
	for _, list := range claims {
		seen := map[string]bool{}
		for _, c := range list {
			seen[c.class] = true
		}
		n += len(seen)
	}
	return n
}
