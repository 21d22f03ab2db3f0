package merge

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// lineage is what the documents at hand say of where they come from.
type lineage struct {
	lenient   bool
	at        map[string]*document // by id
	ancestors map[string]map[string]bool
	notes     []string
}

// add takes in a document. One that is there already is the same, or cannot be merged with it: of two spellings the shorter one, then the one with
// the lower bytes, is taken, whatever the order.
func (l *lineage) add(d *document) (known bool, err error) {
	old, known := l.at[d.id]
	if !known {
		l.at[d.id] = d
		return false, nil
	}
	if old.digest() != d.digest() {
		return true, refuse("two documents have the id %s and different content", d.id).hint("give the one that was changed an id of its own")
	}
	if cmp.Or(cmp.Compare(len(d.given.Src), len(old.given.Src)), bytes.Compare(d.given.Src, old.given.Src)) < 0 {
		*old, *d = *d, *old
	}
	old.spellings = append(append(old.spellings, d.given.Src), d.spellings...)
	return true, nil
}

// of returns the ids of what a document derives from, through the documents at hand.
func (l *lineage) of(d *document) map[string]bool {
	if all, ok := l.ancestors[d.id]; ok {
		return all
	}
	all := map[string]bool{}
	l.ancestors[d.id] = all
	open := []*document{d}
	for len(open) > 0 {
		next := open[len(open)-1]
		open = open[:len(open)-1]
		for _, n := range next.names {
			if all[n.id] {
				continue
			}
			all[n.id] = true
			if up, ok := l.at[n.id]; ok {
				open = append(open, up)
			}
		}
	}
	return all
}

// isBroken says whether a document derives from one that is not at hand, of whose own ancestors nothing is known.
func (l *lineage) isBroken(d *document) bool {
	for id := range l.of(d) {
		if l.at[id] == nil {
			return true
		}
	}
	return false
}

// verify compares the digests by which documents name each other.
func (l *lineage) verify(docs []*document) error {
	for _, d := range docs {
		if l.of(d)[d.id] {
			return refuse("%s derives from itself, as far as the documents say", d.id)
		}
		for _, n := range d.names {
			up, ok := l.at[n.id]
			if !ok || !n.signed {
				continue
			}
			if err := l.compare(d, n, up); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *lineage) compare(d *document, n name, up *document) error {
	recorded, err := d.given.RecordedDigest(n.digest)
	if err != nil {
		l.notes = append(l.notes, fmt.Sprintf("the digest by which %s names %s proves nothing: %v", d.id, n.id, err))
		return nil
	}
	if recorded == up.digest() {
		return nil
	}
	check := recorded.Verify
	if l.lenient {
		check = recorded.VerifyLenient
	}
	for _, spelling := range append([][]byte{up.given.Src}, up.spellings...) {
		if match, err := check(spelling); err == nil && match != digest.None {
			return nil
		}
	}
	return &DigestError{Ancestor: n.id, Descendant: d.id}
}

// split parts documents into those that no other one derives from and those that are contained in another.
func (l *lineage) split(docs []*document) (tips, contained []*document) {
	for _, d := range docs {
		isAncestor := func(other *document) bool { return other != d && l.of(other)[d.id] }
		if slices.ContainsFunc(docs, isAncestor) {
			contained = append(contained, d)
		} else {
			tips = append(tips, d)
		}
	}
	return tips, contained
}

// common returns the ids of what all documents derive from.
func (l *lineage) common(docs []*document) map[string]bool {
	ids := maps.Clone(l.of(docs[0]))
	for _, d := range docs[1:] {
		up := l.of(d)
		maps.DeleteFunc(ids, func(id string, _ bool) bool { return !up[id] })
	}
	return ids
}

// nearest returns the documents at hand among some ids that no other one of them derives from, by id.
func (l *lineage) nearest(ids map[string]bool) []*document {
	var docs []*document
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		if d, ok := l.at[id]; ok {
			docs = append(docs, d)
		}
	}
	tips, _ := l.split(docs)
	return tips
}

// between returns the documents at hand from which d derives and none of the bases does, d included.
func (l *lineage) between(d *document, bases []*document) []*document {
	older := map[string]bool{}
	for _, b := range bases {
		older[b.id] = true
		maps.Copy(older, l.of(b))
	}
	list := []*document{d}
	for id := range l.of(d) {
		if up, ok := l.at[id]; ok && !older[id] {
			list = append(list, up)
		}
	}
	return list
}

// markForgetful finds out whether a document was compacted since the bases: by its method, by that of a document at hand between them, or because it
// records an omission that no base does. What a merge deleted on purpose, and says so, is not forgotten.
func (l *lineage) markForgetful(d *document, bases []*document) {
	known := map[string]bool{}
	for _, b := range bases {
		maps.Copy(known, omissions(b))
	}
	d.deleted, d.removed = map[string]bool{}, map[string]bool{}
	d.forgetful = len(bases) == 0 // nothing tells
	for text := range omissions(d) {
		for _, id := range checkpoint.RemovedOperations(text) {
			d.removed[id] = d.removed[id] || !known[text]
		}
		if rest, ok := strings.CutPrefix(text, deletionText); ok {
			path, _, _ := strings.Cut(rest, ",")
			d.deleted[path] = true
		}
		if !known[text] && !strings.HasPrefix(text, recordText) {
			d.forgetful = true
		}
	}
	for _, step := range l.between(d, bases) {
		if step.method() == checkpoint.MethodCompacted {
			d.forgetful = true
		}
	}
}

// omissions are the descriptions of what a document says was left out.
func omissions(d *document) map[string]bool {
	texts := map[string]bool{}
	for i := range d.given.Objects {
		if d.given.Objects[i].Type == checkpoint.Omission {
			texts[string(d.given.StringField(int32(i), "description"))] = true
		}
	}
	return texts
}
