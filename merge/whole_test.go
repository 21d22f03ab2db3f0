package merge_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// This file has the rows of the model that are about the whole document.

// documentModelled checks the task, the extension data at the top level, what inputs added, and what was done twice.
func (t *trial) documentModelled() (errs []error) {
	var versions []any
	for _, m := range t.inputs {
		versions = append(versions, m.doc.object["extensions"])
	}
	errs = t.keys("", t.base.doc.object["extensions"], t.out.object["extensions"], versions)
	for _, name := range []string{"task", "progress", "continuation"} {
		var data []any
		for _, m := range t.inputs {
			data = append(data, get(m.doc.object, name, "extensions"))
		}
		errs = append(errs, t.keys("/"+name, get(t.base.doc.object, name, "extensions"), get(t.out.object, name, "extensions"), data)...)
	}
	for _, check := range []func() error{t.taskStatus, t.objectives, t.scope, t.collisions, t.doubleExecution} {
		if err := check(); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// taskStatus: blocked while a conflict is open; else the first of these that an input has, and an end only if all agree on it and nothing is open.
func (t *trial) taskStatus() error {
	got := str(t.out.object, "task", "status")
	if len(t.result.Conflicts) > 0 {
		return nil // conflictsOpen
	}
	has := map[string]bool{}
	for _, m := range t.inputs {
		has[str(m.doc.object, "task", "status")] = true
	}
	for _, status := range []string{"blocked", "awaiting_input", "paused", "active"} {
		if has[status] {
			if got != status {
				return fmt.Errorf("the task is %s, and %v in the inputs", got, has)
			}
			return nil
		}
	}
	open := len(t.out.in("operations", func(e *entry) bool {
		return slices.Contains([]string{"planned", "awaiting", "uncertain"}, str(e.object, "status"))
	}))
	base := str(t.base.doc.object, "task", "status")
	if agreed := has[got] && len(has) == 1; got == "completed" && (!agreed || open > 0) || got == "abandoned" && !(agreed && open == 0 || base == "abandoned") {
		return fmt.Errorf("the task is %s, and %v in the inputs; %d operations are open", got, has, open)
	}
	return nil
}

// objectives: one change holds, several conflict.
func (t *trial) objectives() error {
	for _, name := range []string{"objective", "outcome"} {
		base := str(t.base.doc.object, "task", name)
		want, changes := base, []string{}
		for _, m := range t.inputs {
			if v := str(m.doc.object, "task", name); v != base && !slices.Contains(changes, v) {
				changes = append(changes, v)
			}
		}
		if len(changes) == 1 {
			want = changes[0]
		}
		conflict := t.conflict("/task/"+name) != nil
		if got := str(t.out.object, "task", name); got != want || conflict != (len(changes) > 1) {
			return fmt.Errorf("%s is %q and should be %q; conflict %v, changes %q", name, got, want, conflict, changes)
		}
	}
	return nil
}

// scope: what is out of bounds for anyone is so; what is in bounds is a list like others.
func (t *trial) scope() error {
	f := &field{t: t, e: &entry{object: child(child(clone(t.base.doc.object), "task"), "scope")}, members: []string{"includes"},
		now: &entry{object: child(child(clone(t.out.object), "task"), "scope")}}
	f.base = canonOf(f.e.object, "includes")
	excluded := texts(f.e.object, "excludes")
	for _, m := range t.inputs {
		o := child(child(clone(m.doc.object), "task"), "scope")
		excluded = append(excluded, texts(o, "excludes")...)
		if v := canonOf(o, "includes"); v != f.base && !slices.Contains(f.changes, v) {
			f.changes, f.changed = append(f.changes, v), append(f.changed, o)
		}
	}
	if got := texts(f.now.object, "excludes"); asSet(got) != asSet(excluded) {
		return fmt.Errorf("%q is excluded and %q should be", got, excluded)
	}
	return f.references()
}

var newName = regexp.MustCompile(`\.[0-9a-f]{8}(\.\d+)?$`)

// collisions: an id that inputs gave to different objects names one of them, and each other one has it with eight digits behind it; equal objects are one.
func (t *trial) collisions() error {
	ids := map[string]map[string]bool{}
	for _, m := range t.inputs {
		for _, e := range m.doc.entries {
			if e.id == "" || t.base.doc.byID[e.id] != nil || strings.HasPrefix(e.path, "application_context/") {
				continue
			}
			name := t.name(m, e.id)
			if now := t.out.byID[name]; now == nil || now.path != e.path {
				return fmt.Errorf("%s of %s is not %s", e.id, m.name, name)
			}
			if name != e.id && !(strings.HasPrefix(name, e.id[:min(len(e.id), 100)]) && newName.MatchString(name)) {
				return fmt.Errorf("%s was renamed to %s", e.id, name)
			}
			if ids[e.id] == nil {
				ids[e.id] = map[string]bool{}
			}
			o := t.followed(m, e)
			delete(o, "id")
			if ids[e.id][canon(o)] = true; name == e.id {
				ids[e.id]["kept"] = true
			}
		}
	}
	for id, contents := range ids {
		if !contents["kept"] {
			return fmt.Errorf("no input's %s is called so", id)
		}
		n := 0
		for _, e := range t.out.entries {
			if e.id == id || newName.MatchString(e.id) && newName.ReplaceAllString(e.id, "") == id {
				n++
			}
		}
		if n != len(contents)-1 {
			return fmt.Errorf("%d objects are called %s for %d contents", n, id, len(contents)-1)
		}
	}
	return nil
}

// doubleExecution: an action that was open and that two inputs say they completed conflicts, even if they say so in the same words.
func (t *trial) doubleExecution() error {
	for _, e := range t.base.doc.in("operations", func(e *entry) bool { return hasEffect(e.object) }) {
		n := 0
		for _, m := range t.inputs {
			if v := m.doc.byID[e.id]; v != nil && v.object["status"] == "completed" && str(v.object, "effect") != "none" {
				n++
			}
		}
		conflict := t.conflict("/operations/"+e.id+"/double_execution") != nil
		if conflict != (n > 1) {
			return fmt.Errorf("%s was completed by %d inputs, double execution %v", e.id, n, conflict)
		}
	}
	return nil
}
