package compact_test

import (
	"slices"
	"strings"
)

// wishes are the options that say what stays.
type wishes struct {
	keep, keepKinds []string
	dropDone        bool
}

// shield says of an entry of the input how it is protected.
type shield struct {
	stays bool // it is in every output
	bare  bool // only as the place of what is protected inside it: it may lose members
	whole bool // it loses no member
}

const ourKeys = "io.github.opencheckpoint/"

// protected is transforms.md's "Protected, never dropped" and "Also kept by default", with "keep" on top, read from the decoded input.
func (d *document) protected(w wishes) map[*entry]*shield {
	shields := map[*entry]*shield{}
	of := func(e *entry) *shield {
		if shields[e] == nil {
			shields[e] = &shield{bare: true}
		}
		return shields[e]
	}
	var protect func(e *entry)
	follow := func(e *entry, evidence bool) {
		for _, r := range e.refs {
			if r.path != "affected" && (evidence || r.path != "evidence") && d.byID[r.to] != nil {
				protect(d.byID[r.to])
			}
		}
	}
	protect = func(e *entry) {
		if s := of(e); s.stays && !s.bare {
			return
		}
		*of(e) = shield{stays: true, whole: of(e).whole}
		if e.owner != nil {
			of(e.owner).stays = true
		}
		follow(e, false)
	}
	keep := func(e *entry) {
		for _, e := range append([]*entry{e}, e.inside...) {
			protect(e)
			of(e).whole = true
			follow(e, true)
		}
	}
	for _, e := range d.entries {
		if isProtected(e) || isKeptByDefault(e) && !w.dropDone || e.shape == "transformation" && d.condensedStep(e) == nil {
			protect(e)
		}
		if slices.Contains(w.keep, e.id) && e.id != "" || e.shape == "statement" && slices.Contains(w.keepKinds, e.v.str("kind")) {
			keep(e)
		}
	}
	for _, id := range d.mergeIDs() {
		protect(d.byID[id])
	}
	return shields
}

// isProtected says whether an entry is protected for its own sake.
func isProtected(e *entry) bool {
	status, kind := e.v.str("status"), e.v.str("kind")
	switch e.shape {
	case "statement":
		active := status == "" || status == "active"
		return active && slices.Contains([]string{"instruction", "constraint", "decision", "question"}, kind)
	case "operation":
		return slices.Contains([]string{"planned", "awaiting", "uncertain", "failed", "approved"}, status)
	case "task", "criterion", "focus", "next step", "requirement", "precondition", "stop condition", "incompatibility":
		return true
	case "omission":
		return !isOurOmission(e.v)
	}
	return false
}

// condensedSteps says of a transformation of ours which step it stands by: one that counts as many.
func (d *document) condensedStep(transformation *entry) *entry {
	n, ours := strings.CutSuffix(transformation.v.str("description"), " completed steps condensed into the first")
	if !ours || !strings.HasPrefix(transformation.id, "ocp.condensed") || len(transformation.refs) != 1 {
		return nil
	}
	step := d.byID[transformation.refs[0].to]
	if step.shape == "step" && strings.HasPrefix(step.id, "ocp.done") && strings.HasPrefix(step.v.str("description"), n+" done: ") {
		return step
	}
	return nil
}

// isKeptByDefault says whether an entry is about work that is done, or was refused, and must not be done again.
func isKeptByDefault(e *entry) bool {
	status, kind := e.v.str("status"), e.v.str("kind")
	return e.shape == "operation" && (kind == "approval" && status == "rejected" ||
		kind == "action" && (status == "completed" || status == "cancelled" || status == "rejected") && e.v.str("effect") != "none")
}

// mergeIDs are the local ids that the entry of an open merge names.
func (d *document) mergeIDs() (ids []string) {
	var find func(v *value)
	find = func(v *value) {
		if v.kind == '"' && d.byID[v.chars] != nil {
			ids = append(ids, v.chars)
		}
		for _, k := range v.kids {
			find(k)
		}
	}
	if v := d.get("extensions").get(ourKeys + "merge"); v != nil {
		find(v)
	}
	return ids
}

// requiredKeys are the extension keys that stay wherever their object does: §7's requirements, and our own.
func (d *document) requiredKey(key string) bool {
	for _, e := range d.entries {
		if e.shape == "requirement" && e.v.str("kind") == "extension" && e.v.str("name") == key {
			return true
		}
	}
	return strings.HasPrefix(key, ourKeys)
}

// mayLose says whether a protected entry may lose a member (law 4).
func mayLose(s *shield, p lostPart) bool {
	switch {
	case s == nil || s.bare:
		return true
	case s.whole:
		return false
	case p.isKey:
		return true
	}
	return p.shape == "resource" && p.name == "excerpt" || p.name == "evidence"
}

// isBase says whether the entry of a fork names a checkpoint, so that a merge can find its base.
func (d *document) isBase(id string) bool {
	fork := d.get("extensions").get(ourKeys + "fork")
	return fork != nil && strings.Contains(fork.spelled(plainest), string(appendString(nil, id)))
}
