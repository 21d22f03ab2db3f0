package merge_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// TestDisjoint: what agents did to different objects merges without a conflict, and all of it is in the result.
func TestDisjoint(t *testing.T) {
	testdoc.Seeds(t, 240, func(seed uint64) []error {
		f := newFamily(seed)
		n := 2 + f.IntN(4)
		owner := f.deal(n)
		for i := range n {
			d := f.draft(f.base)
			d.apart, d.mine = true, func(e *entry) bool { return owner(e) == i }
			if d.may = apartEditors; i == 0 {
				d.may = slices.Concat(apartEditors, firstEditors)
			}
			for range 1 + f.IntN(10) {
				d.edit()
			}
			f.inputs = append(f.inputs, d.captured())
		}
		trial, err := f.merged()
		if err == nil {
			err = trial.allDone(owner)
		}
		if err != nil {
			return []error{fmt.Errorf("%w; %s", err, f.story())}
		}
		return nil
	})
}

// deal gives each object of the base to one of n agents. Those without an id, and an application's drafts with it, are the first one's; what an agent
// adds is its own.
func (f *family) deal(n int) func(*entry) int {
	owners := map[string]int{}
	for _, e := range f.base.doc.entries {
		if e.id != "" && !strings.HasPrefix(e.path, "application_context") {
			owners[e.id] = f.IntN(n)
		}
	}
	return func(e *entry) int {
		if i, ok := owners[e.id]; ok {
			return i
		}
		if e.id == "" || strings.HasPrefix(e.path, "application_context") {
			return 0
		}
		return -1 // never edited again
	}
}

// apartEditors make edits that meet no other, as long as the objects are different ones. A new revision of a resource meets what cites it; and what an
// input lacks that says that it left something out is not deleted.
var apartEditors = without(slices.Concat(statementEditors, operationEditors, resourceEditors, continuationEditors, removals[1:3], []editor{
	{"adds a criterion", func(d *draft) string {
		return d.insert("task/success_criteria", d.described("crit", object{"status": "unmet"}))
	}},
	{"adds to the scope", func(d *draft) string {
		add(child(child(d.doc, "task"), "scope"), "excludes", d.token())
		return "/task/scope"
	}},
	{"adds extension data", func(d *draft) string {
		child(d.doc, "extensions")["com.example."+d.name] = d.token()
		return "/extensions"
	}},
	set("judges a criterion", "task/success_criteria", nil, func(d *draft, e *entry) { e.object["status"] = pick(d.dice, []string{"met", "unmet", "unknown"}) }),
	set("rewords a step", "progress/next", hasID, func(d *draft, e *entry) { e.object["description"] = d.words() }),
}), "sees another revision", "records an omission")

// firstEditors edit what there is one of; only one agent does.
var firstEditors = []editor{
	{"edits the objective", func(d *draft) string { child(d.doc, "task")["objective"] = d.token(); return "/task/objective" }},
	{"edits the outcome", func(d *draft) string { child(d.doc, "task")["outcome"] = d.token(); return "/task/outcome" }},
	{"turns to something else", (*draft).refocus},
	{"extends the document", (*draft).extendAny},
	set("edits a view", "application_context", nil, func(d *draft, e *entry) { e.object["view"] = d.token() }),
}

func hasID(e *entry) bool { return e.id != "" }

// allDone: no conflict, and each object is as its owner left it.
func (t *trial) allDone(owner func(*entry) int) error {
	if len(t.result.Conflicts) > 0 || len(t.result.Renames) > 0 {
		return fmt.Errorf("conflicts %+v, renames %+v", t.result.Conflicts, t.result.Renames)
	}
	for _, e := range t.base.doc.entries {
		if e.path == "progress/focus" || strings.HasPrefix(e.path, "application_context") {
			continue
		}
		if err := t.asLeft(e, t.inputs[owner(e)]); err != nil {
			return fmt.Errorf("%s %s: %w", e.path, e.key, err)
		}
	}
	for i, m := range t.inputs {
		for _, e := range m.doc.entries {
			if t.base.doc.byKey[e.path+"\n"+e.key] != nil || i > 0 && (e.id == "" && e.path == "progress/focus") {
				continue
			}
			if now := t.find(m, e); now == nil || canon(withoutEmpty(now.object)) != canon(withoutEmpty(e.object)) {
				return fmt.Errorf("%s %s that %s added is %s", e.path, e.key, m.name, show(now))
			}
		}
	}
	return t.singlesDone()
}

func show(e *entry) string {
	if e == nil {
		return "gone"
	}
	return canon(e.object)
}

// asLeft: an object of the base is what its owner made of it.
func (t *trial) asLeft(e *entry, owner *member) error {
	now, left := t.out.byKey[e.path+"\n"+e.key], owner.doc.byKey[e.path+"\n"+e.key]
	switch {
	case left == nil && now != nil && t.out.referred()[e.id]:
		return nil // another one's object came to need it
	case left == nil && now != nil:
		return errors.New("it was deleted and is there")
	case left == nil:
		return nil
	case now == nil:
		return errors.New("it is gone")
	case canon(withoutEmpty(now.object)) != canon(withoutEmpty(left.object)):
		return fmt.Errorf("it is %s and was left as %s", canon(now.object), canon(left.object))
	}
	return nil
}

// singlesDone: what there is one of is as the first agent left it, and what all added is there.
func (t *trial) singlesDone() error {
	first, out := withoutEmpty(t.inputs[0].doc.object), withoutEmpty(t.out.object)
	for _, path := range [][]string{{"task", "objective"}, {"task", "outcome"}, {"task", "extensions"}, {"progress", "focus"}, {"progress", "extensions"},
		{"application_context"}, {"continuation", "extensions"}} {
		if got, want := canon(get(out, path...)), canon(get(first, path...)); got != want {
			return fmt.Errorf("%s is %s and not %s", path, got, want)
		}
	}
	for _, m := range t.inputs {
		for key, v := range child(clone(m.doc.object), "extensions") {
			if base := get(t.base.doc.object, "extensions", key); base != nil && canon(base) == canon(v) {
				continue
			}
			if got := get(t.out.object, "extensions", key); canon(got) != canon(v) {
				return fmt.Errorf("extension %s is %s and %s made it %s", key, canon(got), m.name, canon(v))
			}
		}
		for _, text := range texts(m.doc.object, "task", "scope", "excludes") {
			if !slices.Contains(texts(t.out.object, "task", "scope", "excludes"), text) {
				return fmt.Errorf("%q, excluded by %s, is not", text, m.name)
			}
		}
	}
	return nil
}
