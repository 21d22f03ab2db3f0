package merge_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// This file and rule_test.go are a model of the algebra of transforms.md §4: for each field the distinct changes from the base, and the table's row for
// how many there are. It looks at values only, and knows nothing of how they are merged.

// row is a field of the objects of a place, or some that are settled together.
type row struct {
	path    string
	members []string
	wanted  func(*entry) bool
	rule    func(*field) error
}

// field is one field of one object of the base, with what the inputs made of it.
type field struct {
	t       *trial
	e, now  *entry
	members []string
	path    string // of a conflict about it
	base    string
	changes []string  // distinct
	changed []object  // for each the object that has it
	from    []*member // and whose that is
}

var rows = []row{
	{"statements", []string{"kind", "origin", "rationale", "text"}, isDirective, (*field).never},
	{"statements", []string{"kind", "origin"}, isWording, (*field).never},
	{"statements", []string{"text"}, isWording, (*field).oneOrConflict},
	{"statements", []string{"rationale"}, isWording, (*field).oneOrConflict},
	{"statements", []string{"status", "superseded_by", "resolution"}, nil, (*field).statementStatus},
	{"statements", []string{"verification"}, nil, (*field).verification},
	{"statements", []string{"evidence"}, nil, (*field).references},
	{"operations", []string{"status"}, nil, (*field).operationStatus},
	{"operations", []string{"effect"}, nil, func(f *field) error { return f.cautious(effects) }},
	{"operations", []string{"resume"}, nil, func(f *field) error { return f.cautious(resumes) }},
	{"operations", []string{"description"}, nil, (*field).acted},
	{"operations", []string{"call"}, nil, (*field).acted},
	{"operations", []string{"idempotency_key"}, nil, (*field).acted},
	{"operations", []string{"record"}, nil, (*field).oneOrConflict},
	{"operations", []string{"target"}, nil, (*field).acted},
	{"operations", []string{"depends_on"}, nil, (*field).references},
	{"resources", []string{"title"}, nil, (*field).oneOrConflict},
	{"resources", []string{"description"}, nil, (*field).oneOrConflict},
	{"resources", []string{"revision", "digest", "observed_at", "availability"}, nil, (*field).revision},
	{"resources", []string{"sensitivity"}, nil, (*field).sensitivity},
	{"task/success_criteria", []string{"status"}, hasID, (*field).criterion},
	{"task/success_criteria", []string{"evidence"}, hasID, (*field).references},
	{"task/success_criteria", []string{"description"}, hasID, (*field).oneOrConflict},
	{"progress/next", []string{"blocked_by"}, hasID, (*field).references},
	{"continuation/stop_conditions", []string{"description", "applies_to", "until"}, hasID, (*field).stopCondition},
	{"continuation/preconditions", []string{"on_failure"}, hasID, (*field).weakened},
	{"continuation/requirements", []string{"necessity"}, hasID, (*field).weakened},
}

// TestModel: families whose members edit the same few objects.
func TestModel(t *testing.T) {
	testdoc.Seeds(t, 400, func(seed uint64) []error {
		f := newFamily(seed)
		some := map[string]bool{}
		for _, e := range shuffled(f.dice, f.base.doc.entries)[:min(len(f.base.doc.entries), 4+f.IntN(6))] {
			some[e.path+e.key] = true
		}
		for range 2 + f.IntN(2) {
			d := f.draft(f.base)
			d.mine = func(e *entry) bool { return some[e.path+e.key] || f.base.doc.byKey[e.path+"\n"+e.key] == nil }
			d.may = without(d.may, "records an omission") // what such an input lacks is not deleted: TestAbsence
			for range 1 + f.IntN(5) {
				d.edit()
			}
			f.inputs = append(f.inputs, d.captured())
		}
		trial, err := f.merged()
		if err != nil {
			return told([]error{err}, f)
		}
		return told(trial.modelled(), f)
	})
}

// modelled compares a merge with the model.
func (t *trial) modelled() (errs []error) {
	for _, e := range t.base.doc.entries {
		if e.path == "progress/focus" || e.path == "application_context/drafts" {
			continue // of which there is one; which are parts of their entry
		}
		now := t.out.byKey[e.path+"\n"+e.key]
		if err := t.presence(e, now); err != nil {
			errs = append(errs, fmt.Errorf("%s %s: %w", e.path, e.key, err))
		}
		if now == nil || t.lacking(e) {
			continue
		}
		for _, r := range rows {
			if r.path != e.path || r.wanted != nil && !r.wanted(e) || t.recast(e) && r.members[0] != "kind" {
				continue
			}
			if err := r.rule(t.field(e, now, r.members)); err != nil {
				errs = append(errs, fmt.Errorf("%s %s %s: %w", e.path, e.key, r.members, err))
			}
		}
		errs = append(errs, t.extended(e, now)...)
	}
	return append(errs, t.documentModelled()...)
}

// recast says whether an input edited the kind or the origin of a statement: what else it made of it hangs on that, and is in the term.
func (t *trial) recast(e *entry) bool {
	return e.path == "statements" && slices.ContainsFunc(t.inputs, func(m *member) bool {
		return canonOf(t.followed(m, m.doc.byID[e.id]), "kind", "origin") != canonOf(e.object, "kind", "origin")
	})
}

// lacking says whether an input does not have an object of the base.
func (t *trial) lacking(e *entry) bool {
	return slices.ContainsFunc(t.inputs, func(m *member) bool { return m.doc.byKey[e.path+"\n"+e.key] == nil })
}

func (t *trial) field(e, now *entry, members []string) *field {
	f := &field{t: t, e: e, now: now, members: members, path: "/" + e.path + "/" + e.id + "/" + members[0], base: canonOf(e.object, members...)}
	for _, m := range t.inputs {
		o := t.followed(m, m.doc.byKey[e.path+"\n"+e.key])
		if v := canonOf(o, members...); v != f.base && !slices.Contains(f.changes, v) {
			f.changes, f.changed, f.from = append(f.changes, v), append(f.changed, o), append(f.from, m)
		}
	}
	return f
}

// is compares the field with what it should be.
func (f *field) is(want string) error {
	if got := canonOf(f.now.object, f.members...); got != want {
		return fmt.Errorf("it is %s and should be %s; base %s, changes %s", got, want, f.base, f.changes)
	}
	return nil
}

// conflicts compares whether there is a conflict about the field with whether there should be one. Groups have a path of their own.
func (f *field) conflicts(want bool) error {
	path := f.path
	switch {
	case len(f.members) == 4 && f.e.path == "statements":
		path = "/statements/" + f.e.id + "/wording"
	case f.members[0] == "kind":
		path = "/statements/" + f.e.id + "/nature"
	}
	c := f.t.conflict(path)
	switch {
	case c == nil && want:
		return fmt.Errorf("no conflict on %s; base %s, changes %s", path, f.base, f.changes)
	case c != nil && !want:
		return fmt.Errorf("conflict on %s: %+v; base %s, changes %s", path, c.Terms, f.base, f.changes)
	case c != nil && f.members[0] == "kind" && len(c.Terms) > len(f.changes): // each with what else its input made of the statement
	case c != nil && len(c.Terms) != len(f.changes):
		return fmt.Errorf("conflict on %s with %d terms for changes %s", path, len(c.Terms), f.changes)
	}
	return nil
}

// any says whether there is a conflict about the object.
func (f *field) any() bool { return f.t.disputed(f.e.id) }

// oneOrConflict: one change holds, of several none does and they conflict.
func (f *field) oneOrConflict() error {
	want := f.base
	if len(f.changes) == 1 {
		want = f.changes[0]
	}
	return errors.Join(f.is(want), f.conflicts(len(f.changes) > 1))
}

// never: not even one change holds.
func (f *field) never() error {
	return errors.Join(f.is(f.base), f.conflicts(len(f.changes) > 0))
}

// references: one change holds; of several removals all do; else what anyone has is there.
func (f *field) references() error {
	want := texts(f.e.object, f.members[0])
	all, kept := slices.Clone(want), slices.Clone(want)
	for _, o := range f.changed {
		list := texts(o, f.members[0])
		all = append(all, list...)
		kept = slices.DeleteFunc(kept, func(id string) bool { return !slices.Contains(list, id) })
	}
	onlyRemovals := !slices.ContainsFunc(all, func(id string) bool { return !slices.Contains(want, id) })
	switch {
	case len(f.changes) == 1:
		want = texts(f.changed[0], f.members[0])
	case len(f.changes) > 1 && onlyRemovals:
		want = kept
	case len(f.changes) > 1:
		want = all
	}
	got := texts(f.now.object, f.members[0])
	if f.wentAlong() { // what was removed with what it named may be back with that
		want = append(want, slices.DeleteFunc(slices.Clone(got), func(id string) bool { return !slices.Contains(all, id) })...)
	}
	if asSet(got) != asSet(want) {
		return fmt.Errorf("it is %s and should be %s; base %s, changes %s", got, want, f.base, f.changes)
	}
	return nil
}

// wentAlong says whether an input that lacks a reference lacks what it names, which the result has.
func (f *field) wentAlong() bool {
	return slices.ContainsFunc(texts(f.e.object, f.members[0]), func(id string) bool {
		return f.t.out.byID[id] != nil && slices.ContainsFunc(f.t.inputs, func(m *member) bool { return m.doc.byID[id] == nil })
	})
}

// asSet is a text that two lists share if they have the same elements.
func asSet(list []string) string {
	list = slices.Clone(list)
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "\n")
}

// presence: an object of the base is gone exactly if an input lacks it, no other one changed it, it is not protected, and nothing needs it.
func (t *trial) presence(e, now *entry) error {
	if !t.lacking(e) {
		if now == nil && !t.movedOn(e) {
			return errors.New("every input has it and it is gone")
		}
		return nil
	}
	modified := false
	for _, m := range t.inputs {
		if v := m.doc.byKey[e.path+"\n"+e.key]; v != nil && canon(t.followed(m, v)) != canon(e.object) {
			modified = true
		}
	}
	stays := protected(e) || modified || t.out.referred()[e.id]
	moved := t.movedOn(e)
	switch {
	case now == nil && stays && !moved:
		return fmt.Errorf("it is gone; protected %v, modified %v", protected(e), modified)
	case now != nil && !stays && !strings.HasPrefix(e.path, "application_context"):
		return errors.New("it was deleted and is there")
	case now != nil && modified && !protected(e) && e.id != "" && !t.out.referred()[e.id] && t.conflict("/"+e.path+"/"+e.id) == nil:
		return errors.New("it was deleted and modified, and nothing conflicts")
	}
	return nil
}

// movedOn says whether a next step was completed by someone, or an object goes under another type's list.
func (t *trial) movedOn(e *entry) bool {
	return e.path == "progress/next" && t.done(e) || e.id != "" && t.out.byID[e.id] != nil && t.out.byID[e.id].path != e.path
}

// extended: extension data, key by key.
func (t *trial) extended(e, now *entry) (errs []error) {
	if e.id == "" || e.path == "application_context" || t.recast(e) {
		return nil
	}
	var versions []any
	for _, m := range t.inputs {
		versions = append(versions, m.doc.byKey[e.path+"\n"+e.key].object["extensions"])
	}
	return t.keys("/"+e.path+"/"+e.id, e.object["extensions"], now.object["extensions"], versions)
}

// keys checks extension data of some object: one change holds, several conflict, and the base's value stays.
func (t *trial) keys(path string, base, now any, versions []any) (errs []error) {
	names := map[string]bool{}
	for _, v := range append(slices.Clone(versions), base) {
		o, _ := v.(object)
		for name := range o {
			names[name] = !strings.HasPrefix(name, "io.github.opencheckpoint/")
		}
	}
	for name, foreign := range names {
		if !foreign {
			continue
		}
		data := func(v any) string { o, _ := v.(object); return canonOf(o, name) }
		var changes []string
		for _, v := range versions {
			if s := data(v); s != data(base) && !slices.Contains(changes, s) {
				changes = append(changes, s)
			}
		}
		want := data(base)
		if len(changes) == 1 {
			want = changes[0]
		}
		where := path + "/extensions/" + strings.ReplaceAll(name, "/", "~1")
		if got := data(now); got != want {
			errs = append(errs, fmt.Errorf("%s is %s and should be %s; changes %s", where, got, want, changes))
		}
		if c := t.conflict(where); (c != nil) != (len(changes) > 1) {
			errs = append(errs, fmt.Errorf("conflict on %s is %+v; base %s, changes %s", where, c, data(base), changes))
		} else if c != nil && len(c.Terms) != len(changes) {
			errs = append(errs, fmt.Errorf("conflict on %s: %+v; changes %s", where, c.Terms, changes))
		}
	}
	return errs
}
