package merge_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/internal/testdoc"
	"github.com/opencheckpoint/ocp/merge"
)

// TestRegrouped: merging in parts is merging at once, up to bookkeeping and the names of renamed ids, as long as nothing was compacted in between. Application
// context is left alone: of two versions of an entry both are kept, and a third merge cannot tell them from entries that were always two. Other edits that a merge
// turns into what it cannot tell from an agent's are left out as well.
func TestRegrouped(t *testing.T) {
	testdoc.Seeds(t, 90, func(seed uint64) []error {
		f := newFamily(seed)
		f.orderly = true
		starts := f.children()
		for len(starts) < 3 {
			starts = append(starts, f.base)
		}
		for _, on := range starts[:3] {
			d := f.draft(on)
			d.mine = func(e *entry) bool { return !strings.HasPrefix(e.path, "application_context") }
			d.may = without(d.may, untold...)
			for range 1 + f.IntN(8) {
				d.edit()
			}
			f.inputs = append(f.inputs, d.captured())
		}
		a, b, c := f.inputs[0], f.inputs[1], f.inputs[2]
		want, err := f.grouped(a, b, c)
		if err != nil {
			return told([]error{err}, f)
		}
		for _, group := range [][3]*member{{a, b, c}, {b, c, a}, {c, a, b}} {
			ab, err := f.grouped(group[0], group[1])
			if err != nil {
				return told([]error{err}, f)
			}
			got, err := f.grouped(ab, group[2])
			if err != nil {
				return told([]error{err}, f)
			}
			if err := sameContent(want, got); err != nil {
				return told([]error{fmt.Errorf("%s and %s first: %w", group[0].name, group[1].name, err)}, f)
			}
		}
		return nil
	})
}

// untold are edits that do not survive a merge as edits. What a document lacks that records an omission says nothing, and a merge carries omissions; what is
// protected comes back, and looks as if no one had removed it; what was in focus becomes a next step.
var untold = []string{"records an omission", "removes what is protected", "removes something", "turns to something else"}

// grouped merges some members.
func (f *family) grouped(list ...*member) (*member, error) {
	r, err := attempt(sources(list), merge.Options{Base: f.base.src, ID: f.ids(1)[0], Now: f.now()})
	if err != nil {
		return nil, fmt.Errorf("%T: %w", err, err)
	}
	m := f.member("merged", "merged", r.Bytes(), list...)
	m.merged = r
	return m, nil
}

// sameContent compares two merges of the same documents.
func sameContent(a, b *member) error {
	x, y := contentOf(a), contentOf(b)
	if onlyX, onlyY := less(x, y), less(y, x); len(onlyX)+len(onlyY) > 0 {
		return fmt.Errorf("at once\n%s\nand in parts\n%s", strings.Join(onlyX, "\n"), strings.Join(onlyY, "\n"))
	}
	return nil
}

// less are the elements of a list that another list does not have, as often as they occur.
func less(list, other []string) []string {
	list = slices.Clone(list)
	for _, s := range other {
		if i := slices.Index(list, s); i >= 0 {
			list = slices.Delete(list, i, i+1)
		}
	}
	return list
}

var (
	renamed   = regexp.MustCompile(`(\.[0-9a-f]{8}(\.\d+)?)+$`)
	renamedIn = regexp.MustCompile(`(\.[0-9a-f]{8}(\.\d+)?)+"`)
)

// stem is what an id may have been renamed from. Ids of the base that look renamed have one too, in all merges alike.
func stem(id string) string { return renamed.ReplaceAllString(id, "") }

// contentOf are the lines of a merge that do not depend on how its inputs were grouped: its objects by their ids, or what these were renamed from, and
// its conflicts. What conflicts made is left out but for their terms, and so are records and what stands for the inputs.
func contentOf(m *member) []string {
	doc := read(m.src)
	made := doc.artefacts()
	for _, e := range doc.in("resources", func(e *entry) bool { return str(e.object, "media_type") == "application/vnd.opencheckpoint+json" }) {
		made[e.id] = true
	}
	doc.refer(func(id string) string {
		if made[id] {
			return ""
		}
		return stem(id)
	})
	var lines []string
	for _, c := range m.merged.Conflicts { // which of two ends stands is the parent's (OCP-T001), and so another one in parts
		if id, ok := strings.CutSuffix(c.Path, "/status"); ok && doc.byID[strings.TrimPrefix(id, "/operations/")] != nil {
			delete(doc.byID[strings.TrimPrefix(id, "/operations/")].object, "status")
		}
	}
	for _, e := range doc.entries {
		if !made[e.id] && !strings.HasPrefix(e.path, "derivation/") && e.path != "progress/focus" {
			lines = append(lines, e.path+" "+stemmed(e.object))
		}
	}
	for _, c := range m.merged.Conflicts {
		lines = append(lines, conflictLine(c))
	}
	lines = append(lines, singleLines(doc)...)
	slices.Sort(lines)
	return lines
}

// stemmed is an object with the id that it had before it was renamed.
func stemmed(o object) string {
	o = withoutEmpty(o)
	for _, named := range append(items(o, "drafts"), any(o)) {
		if id := str(named, "id"); id != "" {
			named.(object)["id"] = stem(id)
		}
	}
	if v, ok := o["verification"].(object); ok { // which of several equally bad ones is told does not matter
		o["verification"] = v["state"]
	}
	for name, v := range o {
		if list, ok := v.([]any); ok && name != "drafts" && name != "selections" { // of references, in any order
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(canon(a), canon(b)) })
			if o[name] = slices.CompactFunc(list, func(a, b any) bool { return canon(a) == canon(b) }); len(list) == 0 {
				delete(o, name)
			}
		}
	}
	return canon(o)
}

func conflictLine(c merge.Conflict) string {
	parts := strings.Split(c.Path, "/")
	for i := range parts {
		parts[i] = stem(parts[i])
	}
	var terms []string
	for _, t := range c.Terms {
		terms = append(terms, valueText(t.Value))
	}
	stands := valueText(c.Stands)
	switch {
	case strings.HasSuffix(c.Path, "/status"):
		stands = "one of them"
	case c.Kind == "double_execution" || c.Kind == "repeated_action":
		terms = nil // whole operations as the inputs have them, and a merged one has what others added
	}
	return fmt.Sprintf("conflict %s stands %s: %s", strings.Join(parts, "/"), stands, slices.Sorted(slices.Values(terms)))
}

func valueText(text string) string {
	if text == "" {
		return "none"
	}
	return renamedIn.ReplaceAllString(canon(decoded([]byte(text))), `"`)
}

// singleLines is what there is one of.
func singleLines(doc *document) (lines []string) {
	o := withoutEmpty(doc.object)
	for _, name := range []string{"id", "created_at", "parent", "derivation", "statements", "resources", "operations", "application_context"} {
		delete(o, name)
	}
	source := child(o, "source")
	delete(source, "producer")
	for _, v := range items(source, "session_refs") {
		lines = append(lines, "session "+canon(v))
	}
	delete(source, "session_refs")
	delete(child(o, "extensions"), mergeKey)
	delete(child(o, "extensions"), forkKey)
	for _, name := range []string{"includes", "excludes"} {
		for _, text := range texts(o, "task", "scope", name) {
			lines = append(lines, name+" "+text)
		}
	}
	task := child(o, "task")
	delete(task, "scope")
	delete(task, "success_criteria")
	for _, name := range []string{"source", "task", "extensions"} {
		lines = append(lines, name+" "+canon(o[name]))
	}
	return append(lines, "progress "+canon(get(o, "progress", "extensions")), "continuation "+canon(get(o, "continuation", "extensions")))
}
