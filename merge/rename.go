package merge

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// yield gives new ids to operations of the base whose ids a tip has used again for operations that are over: by its id others know that one is (OCP-T001). Where the
// parent has the base's operation over, too, that one keeps the id.
func (m *Merger) yield() {
	m.reused = map[string]bool{}
	for _, d := range m.tips {
		for i := range d.Objects {
			if entry := int32(i); isFinalAt(d, entry) && m.isReusedAt(d, entry) {
				m.yieldID(string(d.ID(entry)), d, entry)
			}
		}
	}
}

// isReusedAt says whether a tip has an id of a base's for another object.
func (m *Merger) isReusedAt(d *document, i int32) bool {
	return slices.ContainsFunc(m.bases, func(b *document) bool {
		j, ok := b.Find(d.ID(i))
		return ok && m.isReused(b.Document, j, d, i, string(d.ID(i)))
	})
}

func (m *Merger) yieldID(id string, d *document, i int32) {
	m.reused[id] = true
	if j, ok := m.parent.Lookup(id); ok && m.parent != d && isFinalAt(m.parent, j) && !m.isReusedAt(m.parent, j) {
		if d.renamed[id] == "" {
			d.renamed[id] = m.free(id + "." + hash8(m.content(&claim{doc: d, entry: i})))
			m.result.Renames = append(m.result.Renames, Rename{d.id, id, d.renamed[id]})
		}
		return
	}
	to := ""
	for _, other := range m.docs {
		j, ok := other.Lookup(id)
		if !ok || other.renamed[id] != "" || m.isTip(slices.Index(m.docs, other)) && m.isReusedAt(other, j) {
			continue
		}
		if to == "" {
			to = m.free(id + "." + hash8(m.content(&claim{doc: other, entry: j})))
		}
		other.renamed[id] = to
		m.result.Renames = append(m.result.Renames, Rename{other.id, id, to})
	}
}

// rename lets one class of claims keep an id and gives the others new ones. What a base has keeps it where it is of the same type; of colliding
// operations the terminal one does, else what the first input has, unless an earlier merge gave that another id.
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

// isTaken says whether the result has something of a base under an id: of another type, or in application context without an id that the claim's
// input is not known to have changed, since it was compacted.
func (m *Merger) isTaken(id string, c *claim) bool {
	root := wholeOf(c.doc.Document, c.entry)
	return slices.ContainsFunc(m.bases, func(b *document) bool {
		j, ok := b.Lookup(id)
		return ok && (m.isReused(b.Document, j, c.doc, c.entry, id) || !sameClass(b.Objects[j].Type, c.doc.Objects[c.entry].Type) || c.doc.forgetful && c.doc.ID(root) == nil)
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

// mustRewrite says whether the new ids have to stand in the document's text: something refers to an object that has one, or it is none that is
// merged by itself.
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
