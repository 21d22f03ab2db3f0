package merge_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/merge"
)

// This file has the laws on what must stay as it is, and on what may act.

// natureKept: a kind and an origin are what they were (§6.5), and no statement appears that no input has but those of ocp merge.
func natureKept(t *trial) error {
	for _, e := range t.out.in("statements", nil) {
		if err := t.nature(e); err != nil {
			return fmt.Errorf("statement %s: %w", e.id, err)
		}
	}
	return nil
}

func (t *trial) nature(e *entry) error {
	if base := t.base.doc.byID[e.id]; base != nil && base.path == "statements" {
		if got, want := canonOf(e.object, "kind", "origin"), canonOf(base.object, "kind", "origin"); got != want {
			return fmt.Errorf("%s, and the base has %s", got, want)
		}
		return nil
	}
	for _, m := range t.inputs {
		for _, s := range m.doc.in("statements", func(s *entry) bool { return t.name(m, s.id) == e.id }) {
			if canonOf(t.followed(m, s), "kind", "origin") == canonOf(e.object, "kind", "origin") {
				return nil
			}
		}
	}
	if str(e.object, "origin", "type") != "tool" || str(e.object, "origin", "name") != "ocp merge" {
		return fmt.Errorf("%s is no input's", canonOf(e.object, "kind", "origin"))
	}
	if kind := str(e.object, "kind"); kind != "question" && kind != "observation" {
		return errors.New("ocp merge made a " + kind)
	}
	return nil
}

// protectedStay: what no merge may lose is there.
func protectedStay(t *trial) error {
	for _, m := range append(slices.Clone(t.inputs), t.base) {
		made := m.doc.artefacts()
		for _, e := range m.doc.entries {
			if e.path == "application_context" && e.id == "" {
				continue // known by its content, which an edit changes; its drafts are looked for
			}
			if protected(e) && !made[e.id] && t.find(m, e) == nil && !t.isLifted(m, e.id) && !(m.was("merged") && strings.HasPrefix(e.id, "merge.")) {
				return fmt.Errorf("%s %s of %s is gone", e.path, e.key, m.name)
			}
		}
	}
	return nil
}

// terminalStays: an operation that is over in some input is over in the result, in the same way unless a conflict about that is open
// (OCP-T001), and it cannot act in any case.
func terminalStays(t *trial) error {
	acting := t.out.actionable()
	documents := slices.Clone(t.inputs)
	if t.result.Found != merge.BaseAbsent {
		documents = append(documents, t.base)
	}
	for _, m := range documents {
		for _, e := range m.doc.in("operations", func(e *entry) bool { return terminal(e.object) }) {
			now := t.find(m, e)
			switch {
			case now == nil:
			case slices.Contains(acting, now):
				return fmt.Errorf("%s is %s in %s and can act", e.id, e.object["status"], m.name)
			case now.object["status"] != e.object["status"] && t.conflict("/operations/"+now.id+"/status") == nil:
				return fmt.Errorf("%s is %s in %s and %s now", e.id, e.object["status"], m.name, now.object["status"])
			}
		}
	}
	return nil
}

// actionableOnce: two operations that are the same action can both act only where they could in one input.
func actionableOnce(t *trial) error {
	acting := t.out.actionable()
	for i, a := range acting {
		for _, b := range acting[:i] {
			if repeats(a.object, b.object) && !t.actedTogether(a.id, b.id) {
				return fmt.Errorf("%s and %s are the same action, and both can act", a.id, b.id)
			}
		}
	}
	return nil
}

func (t *trial) actedTogether(a, b string) bool {
	return slices.ContainsFunc(append(slices.Clone(t.inputs), t.base), func(m *member) bool {
		n := 0
		for _, e := range m.doc.actionable() {
			if name := t.name(m, e.id); name == a || name == b {
				n++
			}
		}
		return n == 2
	})
}

// forbiddenStays: what the base forbids for good stays so, and what all inputs forbid can act only if a guard was lifted.
func forbiddenStays(t *trial) error {
	lifted := map[string]bool{}
	for _, g := range t.result.Lifted {
		lifted[g.Operation] = true
	}
	for _, e := range t.out.actionable() {
		if t.base.doc.byID[e.id] != nil && t.base.doc.forbidden()[e.id] {
			return fmt.Errorf("%s was forbidden in the base and can act", e.id)
		}
		allowed := slices.ContainsFunc(t.inputs, func(m *member) bool {
			return slices.ContainsFunc(m.doc.actionable(), func(a *entry) bool { return t.name(m, a.id) == e.id })
		})
		if !allowed && !lifted[e.id] {
			return fmt.Errorf("%s could act in no input and can now", e.id)
		}
	}
	return nil
}

// guardOf is what a fork says of one of its guards, by its id in the result, and all it says; a fork of a fork has what that said under "of".
func (t *trial) guardOf(m *member, stop string) (guard, fork any) {
	for fork = get(m.doc.object, "extensions", forkKey); fork != nil; fork = get(fork, "of") {
		for _, g := range items(fork, "guards") {
			if t.name(m, str(g, "stop_condition")) == stop {
				return g, fork
			}
		}
	}
	return nil, nil
}

// liftedRightly: a guard is lifted only if a fork of the base or of what came later set it, and its owner, or every sibling where there is none, is here, or what it guards is
// over.
func liftedRightly(t *trial) error {
	for _, l := range t.result.Lifted {
		op := t.out.byID[l.Operation]
		known := false
		for _, m := range t.inputs {
			guard, data := t.guardOf(m, l.StopCondition)
			if guard == nil || t.base.doc.byID[l.StopCondition] != nil {
				continue
			}
			known = true
			if !t.mayLift(guard, data) && (op == nil || !terminal(op.object)) {
				return fmt.Errorf("%s of %s was lifted: %s", l.StopCondition, m.name, canon(guard))
			}
		}
		if !known {
			return fmt.Errorf("%s was lifted and is no guard that a fork set since the base", l.StopCondition)
		}
	}
	return nil
}

func (t *trial) mayLift(guard, fork any) bool {
	if owner := str(guard, "owner"); owner != "" {
		return t.isHere(owner)
	}
	for _, sibling := range texts(fork, "siblings") {
		if !t.isHere(sibling) {
			return false
		}
	}
	return true
}

// isHere says whether a document or a descendant of it is an input.
func (t *trial) isHere(id string) bool {
	return slices.ContainsFunc(t.inputs, func(m *member) bool {
		return m.id() == id || slices.ContainsFunc(items(m.doc.object, "derivation", "inputs"), func(v any) bool { return str(v, "id") == id })
	})
}

// extensionBytes: extension data of others that is equal everywhere has the bytes that it has somewhere (§7).
func extensionBytes(t *trial) error {
	for _, path := range [][]string{{"extensions"}, {"source", "extensions"}, {"task", "extensions"}, {"progress", "extensions"}, {"continuation", "extensions"}} {
		if err := t.carried(path); err != nil {
			return err
		}
	}
	for _, list := range []string{"statements", "resources", "operations"} {
		for _, e := range t.base.doc.in(list, nil) {
			if err := t.carriedIn(list, e.id); err != nil {
				return err
			}
		}
	}
	return nil
}

// carried checks the extension data at a path of the document.
func (t *trial) carried(path []string) error {
	return carriedBytes(fmt.Sprint(path), func(src []byte) json.RawMessage { return rawAt(src, path...) }, t)
}

// carriedIn checks the extension data of an object.
func (t *trial) carriedIn(list, id string) error {
	return carriedBytes(list+" "+id, func(src []byte) json.RawMessage {
		for _, o := range rawItems(src, list) {
			if own := rawAt(o, "id"); own != nil && decoded(own) == any(id) {
				return rawAt(o, "extensions")
			}
		}
		return nil
	}, t)
}

func carriedBytes(where string, find func([]byte) json.RawMessage, t *trial) error {
	data := find(t.base.src)
	if data == nil || find(t.out.src) == nil {
		return nil // objectsFound has what may not go
	}
	for key := range decoded(data).(object) {
		if strings.HasPrefix(key, "io.github.opencheckpoint/") {
			continue
		}
		base := rawAt(data, key)
		spellings, equal := []json.RawMessage{base}, true
		for _, m := range t.inputs {
			v := rawAt(find(m.src), key)
			if equal = equal && v != nil && canon(decoded(v)) == canon(decoded(base)); v != nil {
				spellings = append(spellings, v)
			}
		}
		if got := rawAt(find(t.out.src), key); equal && !slices.ContainsFunc(spellings, func(s json.RawMessage) bool { return bytes.Equal(s, got) }) {
			return fmt.Errorf("%s %s was %s and is %s", where, key, base, got)
		}
	}
	return nil
}

// listOrder: objects of the base stand in the order in which they stood there.
func listOrder(t *trial) error {
	for _, list := range []string{"statements", "resources", "operations", "task/success_criteria", "continuation/stop_conditions"} {
		var was, is []string
		for _, e := range t.base.doc.in(list, nil) {
			if e.id != "" && t.out.byID[e.id] != nil && t.out.byID[e.id].path == list {
				was = append(was, e.id)
			}
		}
		for _, e := range t.out.in(list, nil) {
			if slices.Contains(was, e.id) {
				is = append(is, e.id)
			}
		}
		if !slices.Equal(was, is) {
			return fmt.Errorf("%s are %s and were %s", list, is, was)
		}
	}
	return nil
}
