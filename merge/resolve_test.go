package merge_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/merge"
)

// disputed is a base with one of everything that inputs can disagree on.
const disputed = `{"opencheckpoint":"0.1","id":"urn:x:base","created_at":"2026-01-01T00:00:00Z","source":{},
"task":{"objective":"o","status":"paused","success_criteria":[{"id":"cr","description":"d","status":"unmet"}],"scope":{"includes":["x"]},"extensions":{"org.example.a":1}},
"progress":{"next":[{"id":"n","description":"go on"}]},
"statements":[{"id":"con","kind":"constraint","text":"at most 5","origin":{"type":"user"}},
 {"id":"obs","kind":"observation","text":"it is 3","origin":{"type":"agent"},"evidence":["r"],"verification":{"state":"verified"}},
 {"id":"s2","kind":"observation","text":"two","origin":{"type":"agent"}},{"id":"s3","kind":"observation","text":"three","origin":{"type":"agent"}},
 {"id":"q","kind":"question","text":"which?","origin":{"type":"agent"}}],
"resources":[{"id":"r","uri":"urn:x:r","revision":"1","excerpt":"e"}],
"operations":[{"id":"op","kind":"action","status":"planned","description":"pay","effect":"non_idempotent","call":{"tool":"pay","arguments":{"n":1}}},
 {"id":"ap","kind":"approval","status":"awaiting","description":"may we"},{"id":"w","kind":"wait","status":"awaiting","description":"wait"},
 {"id":"after","kind":"action","status":"planned","description":"then","effect":"idempotent","depends_on":["w"]}],
"continuation":{"stop_conditions":[{"id":"stop","description":"not yet","applies_to":["op","after"]}]},
"extensions":{"org.example.b":{"v":1}}}`

// dispute is a disagreement of two inputs: members to set in each, by the id of their object or a path of names, as JSON texts; "" drops one.
type dispute struct {
	name, path, kind string
	a, b             map[string]string
	terms            int
}

var disputes = []dispute{
	{"directive", "/statements/con/wording", "difference", map[string]string{"con text": `"at most 6"`}, nil, 1},
	{"text", "/statements/s2/text", "difference", map[string]string{"s2 text": `"2"`}, map[string]string{"s2 text": `"II"`}, 2},
	{"resolutions", "/statements/q/status", "difference", map[string]string{"q status": `"resolved"`, "q resolution": `"this"`},
		map[string]string{"q status": `"resolved"`, "q resolution": `"that"`}, 2},
	{"replacements", "/statements/obs/status", "difference", map[string]string{"obs status": `"superseded"`, "obs superseded_by": `"s2"`},
		map[string]string{"obs status": `"superseded"`, "obs superseded_by": `"s3"`}, 2},
	{"cycle", "/statements/s2/status", "cycle", map[string]string{"s2 status": `"superseded"`, "s2 superseded_by": `"s3"`},
		map[string]string{"s3 status": `"superseded"`, "s3 superseded_by": `"s2"`}, 1},
	{"revisions", "/resources/r/revision", "difference", map[string]string{"r revision": `"2"`}, map[string]string{"r revision": `"3"`}, 2},
	{"sensitivity", "/resources/r/sensitivity", "difference", map[string]string{"r sensitivity": `"high"`}, map[string]string{"r sensitivity": `"low"`}, 2},
	{"terminal", "/operations/w/status", "difference", map[string]string{"w status": `"completed"`}, map[string]string{"w status": `"cancelled"`}, 2},
	{"approval", "/operations/ap/approval", "difference", map[string]string{"ap status": `"approved"`, "ap approval": approvedBy("x")},
		map[string]string{"ap status": `"rejected"`, "ap approval": approvedBy("y")}, 2},
	{"double", "/operations/op/double_execution", "double_execution", map[string]string{"op status": `"completed"`, "op description": `"paid"`}, map[string]string{"op status": `"completed"`}, 2},
	{"call", "/operations/op/call", "difference", map[string]string{"op call": `{"tool":"pay","arguments":{"n":2}}`}, map[string]string{"op call": `{"tool":"pay","arguments":{"n":3}}`}, 2},
	{"weakened", "/continuation/stop_conditions/stop/applies_to", "difference", map[string]string{"stop applies_to": `["op"]`}, nil, 1},
	{"criterion", "/task/success_criteria/cr/status", "difference", map[string]string{"cr status": `"met"`}, map[string]string{"cr status": `"unknown"`}, 2},
	{"objective", "/task/objective", "difference", map[string]string{"task objective": `"p"`}, map[string]string{"task objective": `"q"`}, 2},
	{"task extension", "/task/extensions/org.example.a", "difference", map[string]string{"task extensions": `{"org.example.a":2}`}, map[string]string{"task extensions": `{"org.example.a":3}`}, 2},
	{"extension", "/extensions/org.example.b", "difference", map[string]string{" extensions": `{"org.example.b":{"v":2}}`}, map[string]string{" extensions": `{"org.example.b":{"v":3}}`}, 2},
}

func approvedBy(who string) string {
	return `{"decided_by":"` + who + `","decided_at":"2026-01-02T00:00:00Z","evidence":["r"]}`
}

// TestResolve settles each conflict with each of its terms.
func TestResolve(t *testing.T) {
	for _, d := range disputes {
		merged := d.merge(t)
		c := conflictAt(t, merged, d.path)
		if c.Kind != d.kind || len(c.Terms) != d.terms {
			t.Errorf("%s: %s with %d terms, not %s with %d", d.name, c.Kind, len(c.Terms), d.kind, d.terms)
		}
		for n := 0; n <= len(c.Terms); n++ {
			t.Run(fmt.Sprintf("%s=%d", d.name, n), func(t *testing.T) { d.resolve(t, merged, c, n) })
		}
	}
}

// merge merges the two inputs and their base.
func (d *dispute) merge(t *testing.T) *merge.Result {
	a, b := continued(t, "urn:x:a", d.a), continued(t, "urn:x:b", d.b)
	r, err := merge.Merge([][]byte{[]byte(disputed), a, b}, merge.Options{})
	if err != nil {
		t.Fatalf("%s: %v", d.name, err)
	}
	return r
}

// continued is a child of the base with some members changed.
func continued(t *testing.T, id string, sets map[string]string) []byte {
	var doc map[string]any
	unmarshal(t, []byte(disputed), &doc)
	for _, place := range slices.Sorted(maps.Keys(sets)) {
		object, member, _ := strings.Cut(place, " ")
		var value any
		unmarshal(t, []byte(sets[place]), &value)
		locate(doc, object)[member] = value
	}
	doc["id"], doc["created_at"] = id, "2026-01-03T00:00:00Z"
	doc["parent"] = map[string]any{"id": "urn:x:base"}
	doc["derivation"] = map[string]any{"method": "captured", "inputs": []any{map[string]any{"id": "urn:x:base"}}}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func unmarshal(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// locate finds the object with a local id, the member of the document with a name, or the document itself for "".
func locate(value any, id string) map[string]any {
	switch v := value.(type) {
	case map[string]any:
		if v["id"] == id || id == "" {
			return v
		}
		if o, ok := v[id].(map[string]any); ok {
			return o
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if o := locate(v[name], id); o != nil && name != "extensions" {
				return o
			}
		}
	case []any:
		for _, item := range v {
			if o := locate(item, id); o != nil {
				return o
			}
		}
	}
	return nil
}

func conflictAt(t *testing.T, r *merge.Result, path string) merge.Conflict {
	t.Helper()
	for _, c := range r.Conflicts {
		if c.Path == path {
			return c
		}
	}
	t.Fatalf("no conflict at %s among %v", path, r.Conflicts)
	return merge.Conflict{}
}

// resolve settles all conflicts of a result, the one in question with term n, and checks what is left of it.
func (d *dispute) resolve(t *testing.T, merged *merge.Result, c merge.Conflict, n int) {
	var choices []merge.Choice
	for _, other := range merged.Conflicts {
		choice := merge.Choice{Question: other.Question}
		if other.Question == c.Question {
			choice.Term = n
		}
		choices = append(choices, choice)
	}
	r, err := merge.Resolve(merged.Bytes(), choices, merge.Options{})
	if n > 0 && endsOtherwise(c, n) {
		if !errors.As(err, new(*merge.RequestError)) {
			t.Errorf("an operation that is over became another one (OCP-T001): %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := checkpoint.ParseOne(r.Bytes(), checkpoint.Options{}); err != nil || len(r.Conflicts) > 0 {
		t.Fatalf("%v, %d conflicts open", err, len(r.Conflicts))
	}
	var doc map[string]any
	unmarshal(t, r.Bytes(), &doc)
	closed(t, doc, c, n)
	if n > 0 {
		holds(t, doc, c, c.Terms[n-1])
	}
	comesBack(t, merged, r)
}

// endsOtherwise says whether a term ends an operation in another way than what stands.
func endsOtherwise(c merge.Conflict, n int) bool {
	stands := statusIn(c.Stands)
	return strings.HasPrefix(c.Path, "/operations/") && slices.Contains([]string{"completed", "cancelled", "rejected"}, stands) && stands != statusIn(c.Terms[n-1].Value)
}

// statusIn is the status that a value is or has.
func statusIn(value string) (status string) {
	var group struct{ Status string }
	if json.Unmarshal([]byte(value), &status) != nil && json.Unmarshal([]byte(value), &group) == nil {
		status = group.Status
	}
	return status
}

// closed checks that nothing of the merge is open any more.
func closed(t *testing.T, doc map[string]any, c merge.Conflict, n int) {
	if question := locate(doc, c.Question); question["status"] != "resolved" || question["resolution"] == "" {
		t.Errorf("the question is %v", question)
	}
	if status := locate(doc, "task")["status"]; status != "paused" {
		t.Errorf("the task is %v", status)
	}
	for _, id := range []string{"merge.next", "merge.ask", merge.Key} {
		if o := locate(doc, id); o != nil {
			t.Errorf("%s is left: %v", id, o)
		}
	}
	text, _ := json.Marshal(doc["continuation"])
	if strings.Contains(string(text), "merge.stop.") {
		t.Errorf("a stop condition is left: %s", text)
	}
	for i, term := range c.Terms {
		for _, id := range term.Made {
			if o := locate(doc, id); o != nil && (o["status"] == "retracted") == (i+1 == n) {
				t.Errorf("term %d of %d is %v after the choice of %d", i+1, len(c.Terms), o, n)
			}
		}
	}
}

// holds checks that a term is what the document has now: in the object itself, or in the one that supersedes it.
func holds(t *testing.T, doc map[string]any, c merge.Conflict, term merge.Term) {
	parts := strings.Split(strings.TrimPrefix(c.Path, "/"), "/")
	object := locate(doc, parts[0])
	member := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		if o := locate(doc, part); o != nil {
			object = o
		}
	}
	if by, ok := object["superseded_by"].(string); ok && member == "wording" {
		object = locate(doc, by)
	}
	var want any
	unmarshal(t, []byte(term.Value), &want)
	group, ok := want.(map[string]any)
	if !ok || member == "call" || strings.Contains(c.Path, "/extensions/") {
		group = map[string]any{member: want}
	}
	switch parts[len(parts)-2] + parts[0] {
	case "extensionsextensions":
		object = doc["extensions"].(map[string]any)
	case "extensionstask":
		object = locate(doc, "task")["extensions"].(map[string]any)
	}
	for name, value := range group {
		if fmt.Sprint(object[name]) != fmt.Sprint(value) {
			t.Errorf("%s of %v is not %v", name, object, value)
		}
	}
}

// comesBack checks that merging the resolved document with what it derives from, or with its unresolved parent, opens nothing again.
func comesBack(t *testing.T, merged, resolved *merge.Result) {
	r, err := merge.Merge([][]byte{merged.Bytes(), resolved.Bytes()}, merge.Options{})
	if err != nil || !r.Unchanged || len(r.Conflicts) > 0 {
		t.Errorf("merged with its parent: %v, %d conflicts", err, len(r.Conflicts))
	}
	sibling := continueFrom(t, merged.Bytes(), "urn:x:sibling")
	r, err = merge.Merge([][]byte{merged.Bytes(), resolved.Bytes(), sibling}, merge.Options{})
	if err != nil || len(r.Conflicts) > 0 {
		t.Errorf("merged with an untouched sibling: %v, %v", err, r.Conflicts)
	}
}

// continueFrom is an untouched child of a document.
func continueFrom(t *testing.T, parent []byte, id string) []byte {
	var doc map[string]any
	unmarshal(t, parent, &doc)
	doc["parent"] = map[string]any{"id": doc["id"]}
	doc["id"], doc["created_at"] = id, time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
