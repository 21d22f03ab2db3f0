package merge

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// This file keeps apart what several inputs gave one local id. Inputs that agree on what an id is, references followed, share it; otherwise the first
// keeps it and the others get new ones. After that an id means one object in all documents.

// claim is an object that a tip has under an id which others claim too.
type claim struct {
	doc   *document
	entry int32
	class string // claims of one id with one class are the same object
	base  bool   // it is as the base has it
}

// separate gives new local ids to objects whose id means another object elsewhere.
func (m *Merger) separate() error {
	m.ids = map[string]bool{}
	claims := map[string][]*claim{}
	same := m.sameEntries()
	for _, d := range m.tips {
		d.renamed = map[string]string{}
		for i := range d.Objects {
			if same[d][i] {
				continue
			}
			if id := d.ID(int32(i)); id != nil && m.mayCollide(d, int32(i), id) {
				claims[string(id)] = append(claims[string(id)], &claim{doc: d, entry: int32(i)})
			}
		}
	}
	m.classify(claims)
	for _, id := range slices.Sorted(maps.Keys(claims)) {
		m.rename(id, claims[id])
	}
	for _, d := range m.tips {
		if err := m.applyNames(d); err != nil {
			return err
		}
	}
	return nil
}

// sameEntries finds, for each tip, the entries that are what the base has, or, without one base, what all tips have, by walking through all documents beside
// the first one.
func (m *Merger) sameEntries() map[*document][]bool {
	first := m.docs[0]
	count := make([]int, len(first.Objects))
	found := map[*document][]int32{}
	for _, d := range m.docs[1:] {
		old := m.follower(d)
		found[d] = make([]int32, len(d.Objects))
		for i := range d.Objects {
			if wholeOf(d.Document, int32(i)) == int32(i) && old.has(int32(i)) {
				found[d][i] = old.entry
				count[old.entry]++
			}
		}
	}
	same := map[*document][]bool{first: make([]bool, len(first.Objects))}
	for j, n := range count {
		same[first][j] = n == len(m.docs)-1
	}
	for d, at := range found {
		same[d] = make([]bool, len(at))
		for i, j := range at {
			same[d][i] = j > 0 && (len(m.bases) == 1 || count[j] == len(m.docs)-1)
		}
	}
	return same
}

// mayCollide says whether an object may be another one than what has its id elsewhere: the bases lack it, it is of another type there, or it is whole and
// another one there.
func (m *Merger) mayCollide(d *document, i int32, id []byte) bool {
	if len(m.bases) == 0 {
		return m.hasRival(d, i, id)
	}
	lacking := true
	for _, b := range m.bases {
		j, ok := b.Find(id)
		if !ok {
			continue
		}
		lacking = false
		if !sameClass(b.Objects[j].Type, d.Objects[i].Type) {
			return true
		}
		if isWhole(d.Objects[i].Type) && !sameBytes(b.Document, wholeOf(b.Document, j), d.Document, wholeOf(d.Document, i)) {
			return true
		}
	}
	return lacking && m.hasRival(d, i, id)
}

// wholeOf is the outermost entry around an entry with which it is merged as a whole.
func wholeOf(d *checkpoint.Document, i int32) int32 {
	for p := d.Objects[i].Parent; p > 0 && isWhole(d.Objects[p].Type); p = d.Objects[p].Parent {
		i = p
	}
	return i
}

// hasRival says whether another tip has something else under an id. In a lineage whose base is not at hand, objects that every tip has are one, whatever they have become, as long
// as they are of one nature; stop conditions that differ all hold. In unrelated documents an id says nothing.
func (m *Merger) hasRival(d *document, i int32, id []byte) bool {
	everywhere, differs := true, false
	for _, other := range m.tips {
		j, ok := other.Find(id)
		if !ok {
			everywhere = false
			continue
		}
		if !sameClass(other.Objects[j].Type, d.Objects[i].Type) {
			return true
		}
		if other == d {
			continue
		}
		if len(m.bases) > 0 {
			return true
		}
		switch same := sameBytes(other.Document, wholeOf(other.Document, j), d.Document, wholeOf(d.Document, i)); {
		case same:
		case isWhole(d.Objects[i].Type), d.Objects[i].Type == checkpoint.StopCondition, d.IsInputResource(i), m.result.Found == BaseUnrelated, !sameNature(other.Document, j, d.Document, i):
			return true
		case !sameCore(other.Document, j, d.Document, i):
			differs = true
		}
	}
	return differs && !everywhere
}

// sameClass says whether entries of two types can be one object: a next step becomes a completed one.
func sameClass(a, b checkpoint.Type) bool {
	return a == b || isStep(a) && isStep(b)
}

func isStep(t checkpoint.Type) bool { return t == checkpoint.Step || t == checkpoint.NextStep }

// isWhole says whether entries of a type are merged as a whole: with all that is in them, or not at all.
func isWhole(t checkpoint.Type) bool {
	switch t {
	case checkpoint.Context, checkpoint.Draft, checkpoint.Selection, checkpoint.Omission, checkpoint.Transformation:
		return true
	}
	return false
}

func sameBytes(a *checkpoint.Document, i int32, b *checkpoint.Document, j int32) bool {
	return string(a.Src[a.Objects[i].Start:a.Objects[i].End]) == string(b.Src[b.Objects[j].Start:b.Objects[j].End])
}

// sameCore says whether two entries say the same of what an object is, though not of what became of it.
func sameCore(a *checkpoint.Document, i int32, b *checkpoint.Document, j int32) bool {
	return sameMembers(a, i, b, j, "kind", "text", "origin", "uri", "locator", "call", "description")
}

// sameNature says whether two entries have one kind and one origin, which nothing changes (§6.5).
func sameNature(a *checkpoint.Document, i int32, b *checkpoint.Document, j int32) bool {
	return sameMembers(a, i, b, j, "kind", "origin")
}

func sameMembers(a *checkpoint.Document, i int32, b *checkpoint.Document, j int32, members ...string) bool {
	return !slices.ContainsFunc(members, func(member string) bool { return valueOf(a, i, member).canon != valueOf(b, j, member).canon })
}

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

// rename lets one class of claims keep an id and gives the others new ones. What a base has keeps it where it is of the same type; of colliding operations the
// terminal one does, else what the first input has, unless an earlier merge gave that another id.
func (m *Merger) rename(id string, list []*claim) {
	var order []string // classes, the one that keeps the id first
	byClass := map[string][]*claim{}
	for _, c := range list {
		if c.base {
			continue
		}
		if byClass[c.class] == nil {
			order = append(order, c.class)
		}
		byClass[c.class] = append(byClass[c.class], c)
	}
	slices.SortStableFunc(order, func(a, b string) int { return m.rank(id, byClass[a][0]) - m.rank(id, byClass[b][0]) })
	for n, class := range order {
		if n == 0 && !m.isTaken(id, byClass[class][0]) {
			continue
		}
		first := byClass[class][0]
		to, renamed := m.renamedBefore(id, first)
		if !renamed {
			to = m.free(to)
		}
		for _, c := range byClass[class] {
			c.doc.renamed[id] = to
			m.result.Renames = append(m.result.Renames, Rename{c.doc.id, id, to})
		}
	}
}

// renamedBefore is the new id that a claim would get, and whether an earlier merge gave it to the same object.
func (m *Merger) renamedBefore(id string, c *claim) (wish string, renamed bool) {
	wish = id + "." + hash8(m.content(c))
	for _, d := range m.tips {
		i, ok := d.Lookup(wish)
		if !ok || d.Objects[i].Type != c.doc.Objects[c.entry].Type {
			continue
		}
		text := edited(d.Src[d.Objects[i].Start:d.Objects[i].End], []change{{"id", quoted(id)}})
		if d.Objects[i].Type.String()+" "+canonical(text) == m.content(c) {
			return wish, true
		}
	}
	return wish, false
}

// rank says how late a claim's class comes among those that may keep the id.
func (m *Merger) rank(id string, c *claim) (rank int) {
	if _, renamed := m.renamedBefore(id, c); renamed {
		rank += 2
	}
	if o := &c.doc.Objects[c.entry]; o.Type == checkpoint.Operation && !checkpoint.Terminal(o.Fact(checkpoint.Status)) {
		rank++
	}
	return rank
}

// isTaken says whether the result has something of a base under an id: of another type, or in application context without an id that the claim's input is not known to have
// changed, since it was compacted.
func (m *Merger) isTaken(id string, c *claim) bool {
	root := wholeOf(c.doc.Document, c.entry)
	return slices.ContainsFunc(m.bases, func(b *document) bool {
		j, ok := b.Lookup(id)
		return ok && (!sameClass(b.Objects[j].Type, c.doc.Objects[c.entry].Type) || c.doc.forgetful && c.doc.ID(root) == nil)
	})
}

// free returns a local id that nothing has, and takes it.
func (m *Merger) free(wish string) string {
	id := checkpoint.Freely(wish, func(id string) bool {
		return m.ids[id] || slices.ContainsFunc(m.docs, func(d *document) bool { _, ok := d.Lookup(id); return ok })
	})
	m.ids[id] = true
	return id
}

// hash8 are 8 hexadecimal digits of a text's digest.
func hash8(text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%x", sum[:4])
}

// applyNames writes the new ids of a document's objects, and the references to them.
func (m *Merger) applyNames(d *document) error {
	if d.aliased = !d.mustRewrite(); d.aliased {
		return nil
	}
	e := jsonspan.Edits{Src: d.Src}
	renameIn(d.Document, &e, d.renamed)
	before := d.held
	d.held, d.heldOn, d.heldIn = map[string]*held{}, map[string]bool{}, map[string][]string{}
	for path, h := range before {
		for i := range h.terms {
			h.terms[i].Value = renameTerm(path, h.terms[i].Value, d.renamed)
		}
		d.hold(renamePath(path, d.renamed), h)
	}
	return d.replace(e.AppendTo(nil), m.reading)
}

// mustRewrite says whether the new ids have to stand in the document's text: something refers to an object that has one, or it is none that is merged by itself.
func (d *document) mustRewrite() bool {
	if len(d.renamed) == 0 {
		return false
	}
	for id := range d.renamed {
		if i, ok := d.Lookup(id); !ok || !isMerged(d.Objects[i].Type) || d.heldOn[pathOf(d.Document, i, id)] {
			return true
		}
	}
	return slices.ContainsFunc(d.Refs, func(r checkpoint.Ref) bool {
		_, renamed := d.renamed[string(d.Text(r.At))]
		return renamed
	})
}

func (d *document) hasAliases() bool { return d.aliased && len(d.renamed) > 0 }

// alias is the local id that an object has in the result and not in the document's text.
func (d *document) alias(id []byte) (to string, aliased bool) {
	if !d.aliased || len(d.renamed) == 0 || id == nil {
		return "", false
	}
	to, aliased = d.renamed[string(id)]
	return to, aliased
}

// renameIn replaces local ids and references.
func renameIn(doc *checkpoint.Document, e *jsonspan.Edits, names map[string]string) {
	for i := range doc.Objects {
		if to, ok := names[string(doc.ID(int32(i)))]; ok && doc.ID(int32(i)) != nil {
			item, _ := doc.Field(int32(i), "id")
			e.Replace(item.Value, jsonspan.AppendQuoted(nil, to))
		}
	}
	for _, r := range doc.Refs {
		if to, ok := names[string(doc.Text(r.At))]; ok {
			e.Replace(jsonspan.TextAt(doc.Src, int(r.At)).Span, jsonspan.AppendQuoted(nil, to))
		}
	}
}

// renamePath replaces the local ids in the path of a conflict.
func renamePath(path string, names map[string]string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if part == "extensions" {
			break
		}
		if to, ok := names[part]; ok && i >= 2 {
			parts[i] = to
		}
	}
	return strings.Join(parts, "/")
}

// renameTerm replaces the references in a term.
func renameTerm(path string, value []byte, names map[string]string) []byte {
	t, member := typeAt(path)
	if t == checkpoint.NoType || len(value) == 0 || strings.Contains(path, "/extensions/") {
		return value
	}
	text, whole := value, value[0] == '{'
	if !whole {
		text = []byte("{" + string(jsonspan.AppendQuoted(nil, member)) + ":" + string(value) + "}")
	}
	doc := checkpoint.ParseEntry(t, text)
	e := jsonspan.Edits{Src: text}
	renameIn(doc, &e, names)
	out := e.AppendTo(nil)
	if whole {
		return out
	}
	item, _ := jsonspan.FindIn(out, jsonspan.Span{End: len(out)}, member)
	return out[item.Value.Start:item.Value.End]
}
