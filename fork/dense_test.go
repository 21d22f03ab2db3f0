package fork_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// dice makes the choices of one seed.
type dice struct{ *rand.Rand }

func newDice(seed, stream uint64) dice { return dice{rand.New(rand.NewPCG(seed, stream))} }

// chance is true in percent of 100 cases.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

func pick[T any](d dice, list []T) T { return list[d.IntN(len(list))] }

// some returns each element with a chance of percent.
func some(d dice, list []string, percent int) (out []string) {
	for _, s := range list {
		if d.chance(percent) {
			out = append(out, s)
		}
	}
	return out
}

// object is a JSON object that is written with its members in alphabetical order.
type object = map[string]any

// put adds a member unless its list is empty.
func put(o object, name string, list []string) {
	if len(list) > 0 {
		o[name] = list
	}
}

// hundred is what two ids of 128 characters begin with.
var hundred = strings.Repeat("op-with-a-long-name.", 5)

// names are local ids that a fork would choose for what it adds, or for what another fork would choose when those are taken, or that are as
// long as can be (§4.1).
var names = []string{
	"op-1", "op-2", "op-1.2", "fork-guard.op-1", "fork-guard.op-2", "fork-guard.op-1.2", "fork-guard.fork-guard.op-1", "ocp.fork", "ocp.fork.2",
	"ocp.input", "ocp.fork.removed", "ocp.fork.inputs", "fork.1.constraint", "fork.A.constraint", "fork.A.instruction", "fork.A.constraint.2",
	hundred + "a" + strings.Repeat("x", 27), hundred + "b" + strings.Repeat("x", 27), "fork-guard." + strings.Repeat("y", 117), strings.Repeat("y", 117),
	strings.Repeat("z", 98), strings.Repeat("z", 99), strings.Repeat("z", 109), "0", "null", "A", "a:b", "urn:x",
}

// dense returns a checkpoint that is little else than operations and what refers to them, with ids that are hard to live with.
func dense(seed uint64) []byte {
	d := newDice(seed, 11)
	ids := append([]string(nil), names...)
	d.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	next := func() (id string) { id, ids = ids[0], ids[1:]; return id }
	ops := make([]string, d.IntN(13))
	for i := range ops {
		ops[i] = next()
	}
	resource := next()
	doc := object{"opencheckpoint": "0.1", "id": fmt.Sprintf("urn:x:dense-%d", seed), "created_at": "2026-01-02T03:04:05.25+01:00", "source": object{},
		"task": object{"objective": "settle it", "status": "active"}, "resources": []object{{"id": resource, "uri": "urn:x:record"}}}
	var operations []object
	links := pick(d, []int{0, 4, 7, 20})
	for _, id := range ops {
		operations = append(operations, denseOperation(d, id, some(d, ops, links), resource))
	}
	if len(operations) > 0 || d.chance(50) {
		doc["operations"] = append([]object{}, operations...)
	}
	loose := d.IntN(3) * d.IntN(3) * 4 // how many references there are to what could be removed
	doc["progress"] = object{"next": []object{denseRefs(d, object{"id": next(), "description": "go on"}, ops, loose, "refs", "blocked_by")},
		"focus": denseRefs(d, object{"description": "here"}, ops, loose, "refs")}
	if d.chance(90) {
		doc["continuation"] = denseContinuation(d, next, ops, loose)
	}
	var statements []object
	for range d.IntN(5) {
		kind := pick(d, []string{"instruction", "constraint", "decision"})
		statements = append(statements, object{"id": next(), "kind": kind, "text": "do\u2028it", "rationale": "so", "origin": object{"type": "user"}})
	}
	if len(statements) > 0 {
		doc["statements"] = statements
	}
	if d.chance(70) {
		doc["derivation"] = denseDerivation(d, next, ops)
	}
	if d.chance(20) {
		siblings := []string{"urn:x:old-3", "urn:x:old-66", resource}
		doc["extensions"] = object{forkKey: object{"parent": "urn:x:old-70", "siblings": siblings, "of": []any{1, nil, "urn:x:old-80"}}, "com.example/a*b": 1.5}
	}
	if d.chance(10) {
		doc["extensions"] = object{mergeKey: object{"conflicts": []any{object{"terms": some(d, ops, 20)}, resource}}}
	}
	return layout(d, doc)
}

func denseOperation(d dice, id string, dependsOn []string, resource string) object {
	o := object{"id": id, "kind": pick(d, []string{"action", "action", "action", "action", "wait", "input", "approval"}), "description": id,
		"status": pick(d, []string{"planned", "planned", "planned", "awaiting", "failed", "uncertain", "completed", "cancelled"}), "record": resource, "resume": "ask"}
	if effect := pick(d, []string{"", "", "none", "idempotent", "non_idempotent", "unknown"}); effect != "" {
		o["effect"] = effect
	}
	put(o, "depends_on", dependsOn)
	return o
}

// denseRefs adds references to operations.
func denseRefs(d dice, o object, ops []string, percent int, fields ...string) object {
	for _, field := range fields {
		if d.chance(60) {
			o[field] = append([]string{}, some(d, ops, percent)...)
		}
	}
	return o
}

func denseContinuation(d dice, next func() string, ops []string, loose int) object {
	c := object{"recovery": []object{denseRefs(d, object{"id": next(), "description": "look"}, ops, 30, "refs"),
		denseRefs(d, object{"description": "ask"}, ops, 30, "refs")},
		"preconditions": []object{denseRefs(d, object{"description": "is it?", "on_failure": "ask"}, ops, loose, "refs")},
		"requirements":  []object{denseRefs(d, object{"id": next(), "kind": "tool", "necessity": "optional"}, ops, loose, "refs")}}
	var stops []object
	for range d.IntN(4) {
		stop := denseRefs(d, object{"description": "halt"}, ops, d.IntN(30), "applies_to", "refs")
		if d.chance(50) {
			until := []object{}
			for _, id := range some(d, ops, 10) {
				until = append(until, object{"operation": id, "status": "completed"})
			}
			stop["until"] = until
		}
		stops = append(stops, stop)
	}
	if len(stops) > 0 || d.chance(30) {
		c["stop_conditions"] = append([]object{}, stops...)
	}
	return c
}

func denseDerivation(d dice, next func() string, ops []string) object {
	o := object{"method": pick(d, []string{"captured", "merged", "converted"}),
		"transformations": []object{denseRefs(d, object{"description": "told anew"}, ops, 30, "affected"),
			denseRefs(d, object{"id": next(), "description": "and again"}, ops, 20, "affected")}}
	inputs := []object{}
	for i := range pick(d, []int{0, 1, 3, 62, 63, 64, 65, 90}) {
		inputs = append(inputs, object{"id": fmt.Sprintf("urn:x:old-%d", i)})
		if d.chance(10) {
			inputs = append(inputs, object{"id": fmt.Sprint(i), "protocol": "a2a"})
		}
	}
	if len(inputs) > 0 || d.chance(50) {
		o["inputs"] = inputs
	}
	return o
}

// layout writes a document minified, in lines, or in lines as Windows has them.
func layout(d dice, doc any) []byte {
	src, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return laidOut(d, src)
}

func laidOut(d dice, src []byte) []byte {
	var b bytes.Buffer
	indent := pick(d, []string{"", "  ", "\t"})
	if indent == "" {
		return src
	}
	if err := json.Indent(&b, src, "", indent); err != nil {
		panic(err)
	}
	if d.chance(30) {
		return bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte("\r\n"))
	}
	return b.Bytes()
}

// undefined puts members that no clause defines, with numbers that a double would round, into objects of a document.
func undefined(d dice, src []byte) []byte {
	var at []int
	var find func(path string, v *value)
	find = func(path string, v *value) {
		if v.kind() == '{' && !strings.Contains(path, "extensions") && len(v.kids) > 0 && d.chance(15) {
			at = append(at, v.kids[0].from)
		}
		for _, k := range v.kids {
			find(path+"/"+k.name, k)
		}
	}
	find("", mustDecode(src))
	var out []byte
	from := 0
	for _, i := range at {
		out = append(append(out, src[from:i]...), `"not_defined" : 12345678901234567890123, `...)
		from = i
	}
	return append(out, src[from:]...)
}
