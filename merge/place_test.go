package merge_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/fork"
	"github.com/opencheckpoint/ocp/merge"
)

// mergeKey is the extension key of a merge with open conflicts, forkKey that of a fork.
const (
	mergeKey = merge.Key
	forkKey  = fork.Key
)

// place is where objects of a type stand, and where these refer to others (§4.1, §6, OCP-S003).
type place struct {
	path string
	refs []string
}

var places = []place{
	{"task/success_criteria", []string{"evidence"}},
	{"progress/completed", []string{"evidence"}},
	{"progress/focus", []string{"refs"}},
	{"progress/next", []string{"blocked_by", "requires", "refs"}},
	{"statements", []string{"origin/ref", "superseded_by", "evidence"}},
	{"resources", nil},
	{"application_context", []string{"selections/resource"}},
	{"application_context/drafts", []string{"target", "content_ref"}},
	{"operations", []string{"target", "record", "depends_on", "approval/evidence"}},
	{"continuation/requirements", []string{"refs"}},
	{"continuation/preconditions", []string{"refs"}},
	{"continuation/stop_conditions", []string{"applies_to", "until/operation", "refs"}},
	{"continuation/recovery", []string{"refs"}},
	{"continuation/incompatibilities", nil},
	{"derivation/omissions", []string{"recoverable_from"}},
	{"derivation/transformations", []string{"affected"}},
}

// entry is an object that stands in a place.
type entry struct {
	object
	place
	id  string
	key string // the id, or else the description and which of equal ones it is
}

// document is a checkpoint as the tests read it.
type document struct {
	object
	src     []byte
	entries []*entry
	byID    map[string]*entry
	byKey   map[string]*entry // the place and the key
}

func read(src []byte) *document { return readObject(decoded(src).(object), src) }

func readObject(o object, src []byte) *document {
	d := &document{object: o, src: src, byID: map[string]*entry{}, byKey: map[string]*entry{}}
	for _, p := range places {
		for _, v := range at([]any{any(d.object)}, p.path) {
			o, ok := v.(object)
			if !ok { // an incompatibility that is text
				o = object{"description": v}
			}
			d.add(&entry{object: o, place: p, id: str(o, "id")})
		}
	}
	return d
}

func (d *document) add(e *entry) {
	e.key = e.id
	if e.id != "" {
		d.byID[e.id] = e
	} else {
		text := str(e.object, "description") + str(e.object, "application")
		for k := 1; e.key == "" || d.byKey[e.path+"\n"+e.key] != nil; k++ {
			e.key = fmt.Sprintf("%q %d", text, k)
		}
	}
	d.byKey[e.path+"\n"+e.key] = e
	d.entries = append(d.entries, e)
}

// at are the values at a path that may lead through lists.
func at(values []any, path string) []any {
	for name := range strings.SplitSeq(path, "/") {
		var next []any
		for _, v := range values {
			switch m := get(v, name).(type) {
			case nil:
			case []any:
				next = append(next, m...)
			default:
				next = append(next, m)
			}
		}
		values = next
	}
	return values
}

// in are the entries of a place for which wanted holds; nil wants all.
func (d *document) in(path string, wanted func(*entry) bool) (found []*entry) {
	for _, e := range d.entries {
		if e.path == path && (wanted == nil || wanted(e)) {
			found = append(found, e)
		}
	}
	return found
}

// references are the ids that an entry refers to.
func (e *entry) references() (ids []string) {
	for _, path := range e.refs {
		for _, v := range at([]any{any(e.object)}, path) {
			if s, ok := v.(string); ok {
				ids = append(ids, s)
			}
		}
	}
	return ids
}

// referred are the ids that something refers to.
func (d *document) referred() map[string]bool {
	ids := map[string]bool{}
	for _, e := range d.entries {
		for _, id := range e.references() {
			ids[id] = true
		}
	}
	return ids
}

// refer replaces all references of a document, in place; "" drops one, with the object around it where that stands in a list.
func (d *document) refer(to func(string) string) {
	for _, e := range d.entries {
		for _, path := range e.refs {
			mapRefs(e.object, strings.Split(path, "/"), to)
		}
	}
}

func mapRefs(o object, path []string, to func(string) string) {
	name, rest := path[0], path[1:]
	switch v := o[name].(type) {
	case string:
		if o[name] = to(v); o[name] == "" {
			delete(o, name)
		}
	case object:
		mapRefs(v, rest, to)
	case []any:
		kept := []any{}
		for _, item := range v {
			if item = mapped(item, rest, to); item != nil {
				kept = append(kept, item)
			}
		}
		o[name] = kept
	}
}

// mapped replaces the reference that an element of a list is or has; nil if that is dropped.
func mapped(item any, rest []string, to func(string) string) any {
	switch item := item.(type) {
	case string:
		if s := to(item); s != "" {
			return s
		}
	case object:
		mapRefs(item, rest, to)
		if item[rest[0]] != nil {
			return item
		}
	}
	return nil
}

// terminal statuses are final (§6.6).
func terminal(operation object) bool {
	return slices.Contains([]string{"completed", "cancelled", "rejected"}, str(operation, "status"))
}

// live says whether a statement is active (§4.4).
func live(statement object) bool {
	return statement["status"] == nil || statement["status"] == "active"
}

// directive says whether a statement is of a kind whose words must not be edited (§9.3).
func directive(statement object) bool {
	return slices.Contains([]string{"instruction", "constraint", "decision"}, str(statement, "kind"))
}

// hasEffect says whether an operation is a non-terminal action whose effect is not none (§9.3); an absent one counts.
func hasEffect(operation object) bool {
	return str(operation, "kind") == "action" && !terminal(operation) && str(operation, "effect") != "none"
}

// forbidden are the operations that a stop condition without until names.
func (d *document) forbidden() map[string]bool {
	ids := map[string]bool{}
	for _, e := range d.in("continuation/stop_conditions", nil) {
		if _, ok := e.object["until"]; ok {
			continue
		}
		for _, id := range texts(e.object, "applies_to") {
			ids[id] = true
		}
	}
	return ids
}

// actionable are the operations with an effect that nothing forbids for good.
func (d *document) actionable() (list []*entry) {
	forbidden := d.forbidden()
	return d.in("operations", func(e *entry) bool { return hasEffect(e.object) && !forbidden[e.id] })
}

// repeats says whether two operations are the same action (§6.6): by their key, or one's call includes the other's.
func repeats(a, b object) bool {
	if str(a, "kind") != "action" || str(b, "kind") != "action" {
		return false
	}
	if key := str(a, "idempotency_key"); key != "" && key == str(b, "idempotency_key") {
		return true
	}
	return includes(a, b) || includes(b, a)
}

// includes says whether the call of one operation has every argument of the other's.
func includes(one, other object) bool {
	a, b := get(one, "call"), get(other, "call")
	if a == nil || b == nil || str(a, "tool") != str(b, "tool") {
		return false
	}
	wanted, ok := get(b, "arguments").(object)
	if !ok {
		return get(b, "arguments") == nil
	}
	for name, v := range wanted {
		had, ok := get(a, "arguments").(object)
		if !ok {
			return false
		}
		if m, ok := had[name]; !ok || canon(m) != canon(v) {
			return false
		}
	}
	return true
}
