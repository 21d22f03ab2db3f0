package compact_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// child is a member that holds an entry, or a list of them.
type child struct{ name, shape string }

// children is where the entries of a document are (§6).
var children = map[string][]child{
	"checkpoint": {{"task", "task"}, {"progress", "progress"}, {"statements", "statement"}, {"resources", "resource"}, {"application_context", "context"},
		{"operations", "operation"}, {"continuation", "continuation"}, {"derivation", "derivation"}},
	"task":     {{"success_criteria", "criterion"}},
	"progress": {{"completed", "step"}, {"focus", "focus"}, {"next", "next step"}},
	"context":  {{"selections", "selection"}, {"drafts", "draft"}},
	"continuation": {{"requirements", "requirement"}, {"preconditions", "precondition"}, {"stop_conditions", "stop condition"},
		{"recovery", "recovery step"}, {"incompatibilities", "incompatibility"}},
	"derivation": {{"inputs", "input"}, {"omissions", "omission"}, {"transformations", "transformation"}},
}

// place is where an entry refers to others, and which shapes it may refer to, any if there are none (OCP-S003).
type place struct {
	path    string
	targets string
}

var references = map[string][]place{
	"criterion":      {{"evidence", "resource"}},
	"step":           {{"evidence", "resource"}},
	"focus":          {{"refs", ""}},
	"next step":      {{"blocked_by", "statement,operation,resource,requirement"}, {"requires", "requirement"}, {"refs", ""}},
	"statement":      {{"origin/ref", "resource"}, {"superseded_by", "statement"}, {"evidence", "resource"}},
	"selection":      {{"resource", "resource"}},
	"draft":          {{"target", "resource"}, {"content_ref", "resource"}},
	"operation":      {{"target", "resource"}, {"record", "resource"}, {"depends_on", "operation"}, {"approval/evidence", "resource"}},
	"requirement":    {{"refs", ""}},
	"precondition":   {{"refs", ""}},
	"stop condition": {{"applies_to", "operation"}, {"until/operation", "operation"}, {"refs", ""}},
	"recovery step":  {{"refs", ""}},
	"omission":       {{"recoverable_from", "resource"}},
	"transformation": {{"affected", ""}},
}

// ref is one reference.
type ref struct {
	path, to, targets string
}

// entry is an object that a compaction can keep or lose.
type entry struct {
	shape, id string
	key       string // its id, or what else tells it from its neighbours
	v         *value
	owner     *entry
	inside    []*entry
	refs      []ref
}

// document is a decoded checkpoint.
type document struct {
	*value
	entries []*entry
	byID    map[string]*entry
}

func newDocument(src []byte) (*document, error) {
	v, err := decode(src)
	if err != nil {
		return nil, err
	}
	d := &document{value: v, byID: map[string]*entry{}}
	d.walk("checkpoint", v, nil)
	return d, nil
}

func mustDocument(src []byte) *document {
	d, err := newDocument(src)
	if err != nil {
		panic(err)
	}
	return d
}

func (d *document) walk(shape string, v *value, owner *entry) {
	e := &entry{shape: shape, v: v, owner: owner, key: keyOf(shape, v)}
	if shape != "checkpoint" && shape != "input" { // the ids of those are not local (§4.1)
		e.id = v.str("id")
	}
	d.entries = append(d.entries, e)
	if e.id != "" {
		d.byID[e.id] = e
	}
	for o := owner; o != nil; o = o.owner {
		o.inside = append(o.inside, e)
	}
	for _, p := range references[shape] {
		for _, to := range v.path(p.path) {
			e.refs = append(e.refs, ref{p.path, to.chars, p.targets})
		}
	}
	for _, c := range children[shape] {
		switch m := v.get(c.name); {
		case m == nil:
		case m.kind == '[':
			for _, item := range m.kids {
				d.walk(c.shape, item, e)
			}
		default:
			d.walk(c.shape, m, e)
		}
	}
}

// keyOf tells an entry from the others in its list. What has no id has a text that the tests made unique.
func keyOf(shape string, v *value) string {
	id := v.str("id")
	switch {
	case shape == "input" || shape == "selection" || v.kind != '{':
		return shape + " " + v.spelled(plainest)
	case id != "":
		return shape + " " + id
	}
	return shape + " #" + cmp.Or(v.str("description"), v.str("application"))
}

// marked makes entries without an id distinguishable, by a mark before their text. White space and all else stays as it is.
func marked(src []byte) []byte {
	var edits []edit
	for i, e := range mustDocument(src).entries {
		if e.id != "" || e.v.kind != '{' {
			continue
		}
		text := cmp.Or(e.v.get("description"), e.v.get("application"))
		switch mark := fmt.Sprintf("#%d ", i); {
		case text != nil:
			at := text.at[asItStood][0] + 1
			edits = append(edits, edit{at, at, mark})
		case e.shape == "draft":
			at := e.v.at[asItStood][0] + 1
			edits = append(edits, edit{at, at, `"description":"` + mark + `",`})
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	return edited(src, edits)
}

// policies say what a compaction may do to the members of an entry that it keeps. What is not named here stays as it is.
//
//	new       written anew
//	list X    a list of entries of shape X, some of which may go
//	object X  an object
//	part      may go, counted
//	keys      extension data, of which each key may go, named
//	stale     may become stale
//	affected  loses references to what is gone
var policies = map[string]map[string]string{
	"checkpoint": {"id": "new", "created_at": "new", "parent": "object parent", "source": "object source", "task": "object task",
		"progress": "object progress", "statements": "list statement", "resources": "list resource", "application_context": "list context",
		"operations": "list operation", "continuation": "object continuation", "derivation": "object derivation", "extensions": "keys"},
	"parent":         {"id": "new", "digest": "new"},
	"source":         {"producer": "new", "extensions": "keys"},
	"task":           {"success_criteria": "list criterion", "extensions": "keys"},
	"criterion":      {"evidence": "part"},
	"progress":       {"completed": "list step", "extensions": "keys"},
	"statement":      {"evidence": "part", "verification": "stale", "extensions": "keys"},
	"resource":       {"excerpt": "part", "extensions": "keys"},
	"context":        {"view": "part", "filters": "part", "state": "part", "state_schema": "part", "drafts": "list draft", "extensions": "keys"},
	"operation":      {"extensions": "keys"},
	"continuation":   {"recovery": "list recovery step", "extensions": "keys"},
	"derivation":     {"method": "new", "inputs": "list input", "omissions": "list omission", "transformations": "list transformation"},
	"transformation": {"affected": "affected"},
}

// additions are members that the output may have and the input not.
var additions = map[string]string{
	"checkpoint": "parent,derivation,resources", "parent": "digest", "source": "producer", "derivation": "inputs,omissions,transformations",
}

// lostPart is a member that an entry lost, or one of its extension data.
type lostPart struct {
	owner *value
	shape string
	key   string // of the owner
	name  string
	isKey bool // of extension data
}

// diff is what a compaction did.
type diff struct {
	before, after *document
	styles        int // a bit for each spelling in which all that was carried is written
	gone          map[*value]bool
	lost          []lostPart
	added         map[string][]*value // by shape
	stale         map[string]bool     // ids of the statements that became stale
	faults        []string
}

// compare finds what a compaction did. Whatever it may not do is a fault.
func compare(in, out *document) *diff {
	d := &diff{before: in, after: out, styles: 1<<numSpellings - 1, gone: map[*value]bool{}, added: map[string][]*value{}, stale: map[string]bool{}}
	d.object("checkpoint", in.value, out.value)
	switch {
	case d.styles == 0:
		d.fault("no one spelling explains all that was carried")
	case d.styles&(1<<asItStood) == 0 && out.raw() != out.spelled(tight):
		d.fault("white space remains where some was taken out")
	}
	return d
}

func (d *diff) fault(format string, args ...any) {
	d.faults = append(d.faults, fmt.Sprintf(format, args...))
}

// same says whether a value was carried, and which spellings that leaves.
func (d *diff) same(in, out *value) bool {
	styles := 0
	for s := range numSpellings {
		if in.spelled(s) == out.raw() {
			styles |= 1 << s
		}
	}
	if styles != 0 {
		d.styles &= styles
	}
	return styles != 0
}

// sameName compares the spelling of a member's name.
func (d *diff) sameName(in, out *value) {
	styles := 0
	for s := range numSpellings {
		if string(in.text.spelled[s][in.named[s][0]:in.named[s][1]]) == string(out.text.spelled[asItStood][out.named[asItStood][0]:out.named[asItStood][1]]) {
			styles |= 1 << s
		}
	}
	d.styles &= styles
}

func (d *diff) object(shape string, in, out *value) {
	if in.kind != '{' || out.kind != '{' {
		d.fault("%s is no object", shape)
		return
	}
	last := -1
	for _, m := range in.kids {
		i := slices.IndexFunc(out.kids, func(o *value) bool { return o.name == m.name })
		if i < 0 {
			d.missing(shape, in, m)
			continue
		}
		if i < last {
			d.fault("%s: member %q moved", shape, m.name)
		}
		last = i
		d.sameName(m, out.kids[i])
		d.member(shape, in, m, out.kids[i])
	}
	for _, o := range out.kids {
		if in.get(o.name) != nil {
			continue
		}
		if !slices.Contains(strings.Split(additions[shape], ","), o.name) {
			d.fault("%s: member %q appeared", keyOf(shape, out), o.name)
		}
		d.newMember(shape, o)
	}
}

// newMember notes the entries in a member that the input lacks.
func (d *diff) newMember(shape string, o *value) {
	for _, c := range children[shape] {
		switch {
		case c.name != o.name:
		case o.kind == '[':
			d.added[c.shape] = append(d.added[c.shape], o.kids...)
		default:
			for _, m := range o.kids {
				d.newMember(c.shape, m)
			}
		}
	}
}

func (d *diff) missing(shape string, owner, m *value) {
	lost := lostPart{owner: owner, shape: shape, key: keyOf(shape, owner), name: m.name}
	switch policy := policies[shape][m.name]; {
	case policy == "part":
		d.lost = append(d.lost, lost)
	case policy == "keys" && len(m.kids) > 0:
		d.lostKeys(lost, m, nil)
	default:
		d.fault("%s: member %q is gone", lost.key, m.name)
	}
}

func (d *diff) lostKeys(lost lostPart, in, out *value) {
	lost.isKey = true
	for _, key := range in.kids {
		if out.get(key.name) == nil {
			lost.name = key.name
			d.lost = append(d.lost, lost)
		}
	}
}

func (d *diff) member(shape string, owner, in, out *value) {
	policy, of, _ := strings.Cut(policies[shape][in.name], " ")
	if in.kind != out.kind && policy != "new" {
		policy = ""
	}
	switch policy {
	case "new":
	case "list":
		d.list(of, in, out)
	case "object":
		d.object(of, in, out)
	case "keys":
		d.keys(shape, owner, in, out)
	case "stale":
		d.verification(owner, in, out)
	case "affected":
		d.affected(in, out)
	default:
		if !d.same(in, out) {
			d.fault("%s: member %q was %.300s and is %.300s", keyOf(shape, owner), in.name, in.raw(), out.raw())
		}
	}
}

func (d *diff) keys(shape string, owner, in, out *value) {
	d.lostKeys(lostPart{owner: owner, shape: shape, key: keyOf(shape, owner)}, in, out)
	at := 0
	for _, o := range out.kids {
		for at < len(in.kids) && in.kids[at].name != o.name {
			at++
		}
		if at == len(in.kids) {
			d.fault("%s: extension data %q appeared or moved", keyOf(shape, owner), o.name)
			return
		}
		if d.sameName(in.kids[at], o); !d.same(in.kids[at], o) {
			d.fault("%s: extension data %q changed", keyOf(shape, owner), o.name)
		}
	}
}

// list pairs the entries of two lists. Those that stay do so in their order.
func (d *diff) list(shape string, in, out *value) {
	left := map[string][]int{}
	for i, item := range in.kids {
		key := keyOf(shape, item)
		left[key] = append(left[key], i)
	}
	last := -1
	paired := map[int]bool{}
	for _, item := range out.kids {
		key := keyOf(shape, item)
		if len(left[key]) == 0 {
			d.added[shape] = append(d.added[shape], item)
			continue
		}
		i := left[key][0]
		left[key], paired[i] = left[key][1:], true
		if i < last {
			d.fault("%s moved", key)
		}
		last = i
		d.entry(shape, in.kids[i], item)
	}
	for i, item := range in.kids {
		if !paired[i] {
			d.gone[item] = true
		}
	}
}

func (d *diff) entry(shape string, in, out *value) {
	if policies[shape] != nil {
		d.object(shape, in, out)
	} else if !d.same(in, out) {
		d.fault("%s changed", keyOf(shape, in))
	}
}

// verification allows one change: a verified statement with evidence becomes stale, to be checked before use (§9.2).
func (d *diff) verification(statement, in, out *value) {
	if d.same(in, out) {
		return
	}
	id := statement.str("id")
	if in.str("state") != "verified" || out.str("state") != "stale" || out.str("revalidate") != "before_use" || len(statement.items("evidence")) == 0 {
		d.fault("statement %s: verification was %s and is %s", id, in.raw(), out.raw())
	}
	d.stale[id] = true
	var names []string
	for _, m := range in.kids {
		names = append(names, m.name)
		if m.name == "state" && in.get("revalidate") == nil {
			names = append(names, "revalidate")
		}
	}
	for i, m := range out.kids {
		if i >= len(names) || names[i] != m.name {
			d.fault("statement %s: verification was %s and is %s", id, in.raw(), out.raw())
			return
		}
		if was := in.get(m.name); m.name != "state" && m.name != "revalidate" && !d.same(was, m) {
			d.fault("statement %s: %s changed", id, m.name)
		}
	}
	if len(out.kids) != len(names) {
		d.fault("statement %s: verification was %s and is %s", id, in.raw(), out.raw())
	}
}

// affected allows a list of references to lose those that would dangle, and no other.
func (d *diff) affected(in, out *value) {
	var want []string
	for _, id := range in.kids {
		if d.after.byID[id.chars] != nil {
			want = append(want, id.chars)
		}
	}
	var got []string
	for _, id := range out.kids {
		got = append(got, id.chars)
	}
	if !slices.Equal(got, want) {
		d.fault("affected was %s and is %s", in.raw(), out.raw())
	}
}

// goneEntries are the input's entries that are not in the output, those within others too.
func (d *diff) goneEntries() (list []*entry) {
	for _, e := range d.before.entries {
		if d.gone[e.v] || e.owner != nil && d.gone[e.owner.v] {
			list = append(list, e)
		}
	}
	return list
}

// losses names all that is gone. A larger budget may not lose what a smaller one keeps.
func (d *diff) losses() map[string]bool {
	all := map[string]bool{}
	for _, e := range d.goneEntries() {
		owner := ""
		if e.shape == "selection" || e.shape == "draft" {
			owner = e.owner.key + " / "
		}
		all[owner+e.key] = true
		for _, p := range partsOf(e) {
			all[p.key+" . "+p.name] = true
		}
	}
	for _, p := range d.lost {
		all[p.key+" . "+p.name] = true
	}
	return all
}

// partsOf lists the members of an entry that a compaction may take by themselves.
func partsOf(e *entry) (parts []lostPart) {
	for _, m := range e.v.kids {
		switch policies[e.shape][m.name] {
		case "part":
			parts = append(parts, lostPart{e.v, e.shape, e.key, m.name, false})
		case "keys":
			for _, k := range m.kids {
				parts = append(parts, lostPart{e.v, e.shape, e.key, k.name, true})
			}
		}
	}
	return parts
}

// check holds a document against the rules between its objects: OCP-S001 to OCP-S007 and OCP-S009.
func (d *document) check() (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	seen := map[string]bool{}
	for _, e := range d.entries {
		if seen[e.id] && e.id != "" {
			fault("S001 %q", e.id)
		}
		seen[e.id] = true
		for _, r := range e.refs {
			to := d.byID[r.to]
			if to == nil {
				fault("S002 %s: %s to %q", e.key, r.path, r.to)
				continue
			}
			if r.targets != "" && !slices.Contains(strings.Split(r.targets, ","), to.shape) {
				fault("S003 %s: %s to %s", e.key, r.path, to.key)
			}
			confirmed := e.v.str("kind") == "hypothesis" && to.v.str("kind") == "observation"
			if r.path == "superseded_by" && (to == e || to.v.str("kind") != e.v.str("kind") && !confirmed) {
				fault("S007 %s by %s", e.key, to.key)
			}
		}
		for _, u := range e.v.path("until") {
			if status := u.str("status"); e.shape == "stop condition" && (status == "approved" || status == "rejected") && d.byID[u.str("operation")].v.str("kind") != "approval" {
				fault("S009 %s", e.key)
			}
		}
		if open := "planned awaiting uncertain"; e.shape == "operation" && d.get("task").str("status") == "completed" && strings.Contains(open, e.v.str("status")) {
			fault("S006 %s", e.key)
		}
	}
	if d.get("parent").str("id") == d.str("id") {
		fault("S004")
	}
	created, err := time.Parse(time.RFC3339Nano, d.str("created_at"))
	if err != nil {
		fault("created_at %q", d.str("created_at"))
	}
	for _, path := range pastEvents {
		for _, v := range d.path(path) {
			if at, err := time.Parse(time.RFC3339Nano, v.chars); err != nil || at.After(created) {
				fault("S005 %s %s after %s", path, v.chars, d.str("created_at"))
			}
		}
	}
	return faults
}

// pastEvents are where timestamps of past events stand (§4.2).
var pastEvents = []string{"progress/completed/completed_at", "statements/recorded_at", "statements/verification/checked_at", "resources/observed_at",
	"operations/requested_at", "operations/last_attempt_at", "operations/completed_at", "operations/approval/decided_at"}
