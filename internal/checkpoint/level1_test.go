package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// smallest are the members of a checkpoint that has the required ones only (§6).
var smallest = []string{`"opencheckpoint":"0.1"`, `"id":"urn:x:1"`, `"created_at":"2026-11-28T16:40:00Z"`, `"source":{}`,
	`"task":{"objective":"o","status":"active"}`}

// with returns the smallest checkpoint with members added, or put in the place of those with the same name.
func with(members ...string) string {
	all := slices.Clone(smallest)
	for _, m := range members {
		name, _, _ := strings.Cut(m, ":")
		i := slices.IndexFunc(all, func(other string) bool { return strings.HasPrefix(other, name+":") })
		if i < 0 {
			all = append(all, m)
		} else {
			all[i] = m
		}
	}
	return "{" + strings.Join(all, ",") + "}"
}

// read parses an I-JSON message. Without options, what it says of level 1 must be what the JSON Schema says.
func read(t *testing.T, src string, opts Options) *Document {
	t.Helper()
	d, err := Parse([]byte(src), opts)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if opts == (Options{}) {
		agree(t, []byte(src), d.Findings.List)
	}
	d.Locate()
	return d
}

// found are the findings as "rule pointer", a warning with "warning " before it.
func found(list []Violation) []string {
	out := []string{}
	for _, v := range list {
		line := v.Rule + " " + v.Pointer
		if v.Severity == Warning {
			line = "warning " + line
		}
		out = append(out, line)
	}
	return out
}

// expect fails unless the findings of src are exactly those.
func expect(t *testing.T, src string, opts Options, want ...string) *Document {
	t.Helper()
	d := read(t, src, opts)
	if got := found(d.Findings.List); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q\n%s", got, want, src)
	}
	return d
}

// full has every member of every object, and no finding.
const full = `{
"opencheckpoint":"0.1","id":"urn:x:2","created_at":"2026-11-28T16:40:00Z",
"parent":{"id":"urn:x:1","digest":{"algorithm":"sha-256","value":"ab"}},
"source":{"producer":{"name":"n","version":"1","uri":"https://u@h/"},"agent":{"name":"n","version":"1","uri":"u"},
 "model":{"name":"n","version":"1","uri":"u","provider":"p"},"session_refs":[{"protocol":"a2a","id":"i","event":"e"}],"extensions":{"a.b":1}},
"task":{"objective":"o","outcome":"o","status":"active","success_criteria":[{"id":"c1","description":"d","status":"met","evidence":["r1"]}],
 "scope":{"includes":["a"],"excludes":["b"]},"extensions":{"a.b":1}},
"progress":{"completed":[{"id":"p1","description":"d","completed_at":"2026-11-28T16:40:00Z","evidence":["r1"]}],
 "focus":{"description":"d","refs":["p1"]},
 "next":[{"id":"n1","description":"d","blocked_by":["o1"],"requires":["q1"],"refs":["n1"]}],"extensions":{"a.b":1}},
"statements":[{"id":"s1","kind":"decision","text":"t","origin":{"type":"agent","name":"n","ref":"r1"},"status":"superseded",
 "superseded_by":"s2","rationale":"r","resolution":"r","evidence":["r1"],"verification":{"state":"stale","checked_at":"2026-11-28T16:40:00Z",
 "method":"m","revalidate":"never"},"recorded_at":"2026-11-28T16:40:00Z","extensions":{"a.b":1}},
 {"id":"s2","kind":"decision","text":"t","origin":{"type":"user"},"rationale":"r"}],
"resources":[{"id":"r1","uri":"https://h/","locator":{"system":"s","type":"t","key":"k"},"type":"t","title":"t","description":"d",
 "media_type":"m","revision":"r","digest":{"algorithm":"sha-256","value":"ab"},"observed_at":"2026-11-28T16:40:00Z","availability":"unknown",
 "resolver":"r","excerpt":"e","sensitivity":"s","extensions":{"a.b":1}}],
"application_context":[{"id":"a1","application":"a","view":{"x":1},"selections":[{"resource":"r1","role":"open","detail":{"x":1}}],
 "filters":[{"x":1}],"drafts":[{"id":"d1","target":"r1","status":"saved","description":"d","content":"c","content_ref":"r1"}],
 "state":{"x":1},"state_schema":"s","extensions":{"a.b":1}}],
"operations":[{"id":"o1","kind":"approval","status":"approved","description":"d","effect":"unknown","idempotency_key":"k",
 "call":{"tool":"t","arguments":{"x":1}},"target":"r1","record":"r1","depends_on":["o1"],"resume":"ask",
 "approval":{"decided_by":"b","decided_at":"2026-11-28T16:40:00Z","evidence":["r1"],"scope":"s"},"requested_at":"2026-11-28T16:40:00Z",
 "last_attempt_at":"2026-11-28T16:40:00Z","completed_at":"2026-11-28T16:40:00Z","expires_at":"2026-11-28T16:40:00Z","extensions":{"a.b":1}}],
"continuation":{"requirements":[{"id":"q1","kind":"tool","name":"n","description":"d","necessity":"optional","fallback":"f","refs":["r1"]}],
 "preconditions":[{"id":"c2","description":"d","on_failure":"halt","refs":["r1"]}],
 "stop_conditions":[{"id":"h1","description":"d","applies_to":["o1"],"until":[{"operation":"o1","status":"approved"}],"refs":["r1"]}],
 "recovery":[{"id":"v1","description":"d","refs":["r1"]}],"incompatibilities":["text",{"id":"i1","description":"d"}],"extensions":{"a.b":1}},
"derivation":{"method":"captured","inputs":[{"id":"i","digest":"ab","protocol":"p","event":"e"}],
 "omissions":[{"id":"m1","description":"d","reason":"size","recoverable_from":"r1"}],
 "transformations":[{"id":"t1","description":"d","affected":["s1"]}]},
"extensions":{"a.b":{"id":"r1"}}
}`

// place is a value of the full document; opaque values have none inside them.
type place struct {
	pointer string
	value   any
}

func (p place) parent() string { return p.pointer[:strings.LastIndexByte(p.pointer, '/')] }
func (p place) name() string   { return p.pointer[strings.LastIndexByte(p.pointer, '/')+1:] }

// opaqueNames are the members whose value is opaque, below those the extensions.
var opaqueNames = []string{"view", "detail", "filters", "state", "arguments"}

// places lists the values below v, parents before children.
func places(v any, pointer string) (out []place) {
	each := func(token string, child any) {
		p := place{pointer + "/" + token, child}
		if _, isString := child.(string); slices.Contains(opaqueNames, token) && !isString {
			return
		}
		out = append(out, p)
		if token != "extensions" {
			out = append(out, places(child, p.pointer)...)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			each(name, v[name])
		}
	case []any:
		for i, child := range v {
			each(strconv.Itoa(i), child)
		}
	}
	return out
}

func decoded(t *testing.T, src string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(src), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func fullPlaces(t *testing.T) []place { return places(decoded(t, full), "") }

// edited is the full document with the object or array at a pointer changed.
func edited(t *testing.T, pointer string, change func(container any)) string {
	t.Helper()
	root := decoded(t, full)
	v := root
	for _, token := range strings.Split(pointer, "/")[1:] {
		switch container := v.(type) {
		case map[string]any:
			v = container[token]
		case []any:
			i, _ := strconv.Atoi(token)
			v = container[i]
		}
	}
	change(v)
	out, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// replaced is the full document with another value at a place.
func (p place) replaced(t *testing.T, value any) string {
	t.Helper()
	return edited(t, p.parent(), func(container any) {
		switch container := container.(type) {
		case map[string]any:
			container[p.name()] = value
		case []any:
			i, _ := strconv.Atoi(p.name())
			container[i] = value
		}
	})
}

// inferred are the places whose shape document.md infers; below them as well.
var inferred = []string{"/parent/digest", "/source/producer", "/source/agent", "/source/model", "/resources/0/digest", "/resources/0/availability",
	"/derivation/inputs/0"}

func isInferred(pointer string) bool {
	return slices.ContainsFunc(inferred, func(in string) bool { return pointer == in || strings.HasPrefix(pointer, in+"/") })
}

// finding is a finding of a rule at a pointer, as found spells it.
func finding(rule, pointer, at string) string {
	if isInferred(pointer) {
		return "warning OCX-I " + at
	}
	return rule + " " + at
}

func TestFullDocument(t *testing.T) {
	expect(t, full, Options{})
	expect(t, full, Options{Strict: true})
	expect(t, with(), Options{})
	have := map[string]bool{}
	for _, p := range fullPlaces(t) {
		have[p.name()] = true
	}
	for _, o := range topObject.reachable() {
		for _, name := range o.names() {
			if !have[name] && !slices.Contains(opaqueNames, name) {
				t.Errorf("the full document has no %s of %s", name, o.name)
			}
		}
	}
}

// required are the members that an object must have. One in brackets is required by inference.
const required = `
/opencheckpoint /id /created_at /source /task /parent/id
/parent/digest/algorithm /parent/digest/value /resources/0/digest/algorithm /resources/0/digest/value
/source/producer/name /source/agent/name /source/model/name /source/session_refs/0/protocol /source/session_refs/0/id
/task/objective /task/status (/task/success_criteria/0/description) /task/success_criteria/0/status
(/progress/completed/0/description) (/progress/focus/description) (/progress/next/0/description)
/statements/0/id /statements/0/kind /statements/0/text /statements/0/origin /statements/0/origin/type /statements/0/verification/state
/statements/1/id /statements/1/kind /statements/1/text /statements/1/origin /statements/1/origin/type
/resources/0/id /resources/0/locator/system /resources/0/locator/key
/application_context/0/application /application_context/0/selections/0/resource /application_context/0/selections/0/role
/application_context/0/drafts/0/status
/operations/0/id /operations/0/kind /operations/0/status (/operations/0/description) /operations/0/call/tool
/operations/0/approval/decided_by /operations/0/approval/decided_at /operations/0/approval/evidence
/continuation/requirements/0/id /continuation/requirements/0/kind /continuation/requirements/0/necessity
(/continuation/preconditions/0/description) /continuation/preconditions/0/on_failure
(/continuation/stop_conditions/0/description) /continuation/stop_conditions/0/until/0/operation /continuation/stop_conditions/0/until/0/status
(/continuation/recovery/0/description) (/continuation/incompatibilities/1/description)
/derivation/method /derivation/inputs/0/id (/derivation/omissions/0/description) /derivation/omissions/0/reason
(/derivation/transformations/0/description)
`

func TestRequired(t *testing.T) {
	want := strings.Fields(required)
	for _, p := range fullPlaces(t) {
		if _, err := strconv.Atoi(p.name()); err == nil {
			continue
		}
		doc := edited(t, p.parent(), func(object any) { delete(object.(map[string]any), p.name()) })
		stated, implied := slices.Contains(want, p.pointer), slices.Contains(want, "("+p.pointer+")")
		var missing string
		switch {
		case p.pointer == "/opencheckpoint":
			missing = "OCX-V "
		case stated:
			missing = finding("OCX-L-required", p.parent(), p.parent())
		case implied:
			missing = "warning OCX-I " + p.parent()
		}
		got := found(read(t, doc, Options{}).Findings.List)
		if missing != "" && !slices.Contains(got, missing) || missing == "" && slices.ContainsFunc(got, isRequired) {
			t.Errorf("without %s: found %q, want %q", p.pointer, got, missing)
		}
	}
}

func isRequired(line string) bool {
	return strings.Contains(line, "OCX-L-required") || strings.Contains(line, "OCX-I")
}

// orText are the places where a string may stand for an object.
var orText = append([]string{"/continuation/incompatibilities/0", "/continuation/incompatibilities/1", "/derivation/inputs/0/digest"}, inferred[:5]...)

func TestTypes(t *testing.T) {
	for _, p := range fullPlaces(t) {
		for _, other := range []any{7, true, nil, "text", []any{}, map[string]any{}} {
			text, isText := other.(string)
			_, isMap := other.(map[string]any)
			fits := fmt.Sprintf("%T", other) == fmt.Sprintf("%T", p.value) || slices.Contains(orText, p.pointer) && (isText || isMap)
			if fits {
				continue
			}
			want := finding("OCX-L-type", p.pointer, p.pointer)
			if p.pointer == "/opencheckpoint" {
				want = "OCX-V "
			}
			if got := found(read(t, p.replaced(t, other), Options{}).Findings.List); !slices.Contains(got, want) {
				t.Errorf("%T%s at %s: found %q, want %s", other, text, p.pointer, got, want)
			}
		}
	}
}

func TestStringForObject(t *testing.T) {
	for _, pointer := range orText {
		p := place{pointer: pointer}
		expect(t, strings.ReplaceAll(p.replaced(t, "a text"), `"i1"`, `"i9"`), Options{})
	}
}

// enumerations are the words that each member of the full document may be.
var enumerations = map[string]string{
	"/task/status":                                   "active blocked awaiting_input paused completed abandoned",
	"/task/success_criteria/0/status":                "met unmet unknown",
	"/statements/0/kind":                             "instruction constraint decision observation hypothesis question external",
	"/statements/1/kind":                             "instruction constraint decision observation hypothesis question external",
	"/statements/0/origin/type":                      "user system agent tool application external",
	"/statements/1/origin/type":                      "user system agent tool application external",
	"/statements/0/status":                           "active superseded retracted resolved",
	"/statements/0/verification/state":               "verified unverified disputed stale",
	"/statements/0/verification/revalidate":          "before_use before_action never",
	"/resources/0/availability":                      "available unavailable unknown",
	"/application_context/0/selections/0/role":       "focused selected open pinned",
	"/application_context/0/drafts/0/status":         "unsaved saved submitted",
	"/operations/0/kind":                             "approval input action wait",
	"/operations/0/status":                           "planned awaiting uncertain failed approved rejected completed cancelled",
	"/operations/0/effect":                           "none idempotent non_idempotent unknown",
	"/operations/0/resume":                           "retry verify_first ask do_not_resume",
	"/continuation/requirements/0/kind":              "tool capability access extension",
	"/continuation/requirements/0/necessity":         "required recommended optional",
	"/continuation/preconditions/0/on_failure":       "halt ask degrade",
	"/continuation/stop_conditions/0/until/0/status": "planned awaiting uncertain failed approved rejected completed cancelled",
	"/derivation/method":                             "captured compacted merged converted authored forked",
	"/derivation/omissions/0/reason":                 "size irrelevant superseded sensitive unavailable",
}

// TestWords: the table has the words of the specification and no others.
func TestWords(t *testing.T) {
	want := map[string]bool{Version: true}
	for _, words := range enumerations {
		want[words] = true
	}
	have := map[string]bool{}
	for _, o := range topObject.reachable() {
		for _, m := range o.members {
			if m.shape == word {
				have[strings.Join(m.words, " ")] = true
			}
		}
	}
	if !maps.Equal(have, want) {
		t.Errorf("the words are %v, want %v", have, want)
	}
}

func TestEnumerations(t *testing.T) {
	for _, p := range fullPlaces(t) {
		if _, isText := p.value.(string); !isText || p.pointer == "/opencheckpoint" {
			continue
		}
		words := strings.Fields(enumerations[p.pointer])
		wrong := finding("OCX-L-enum", p.pointer, p.pointer)
		for _, word := range append([]string{"bogus", "", "ACTIVE", "none ", "non-idempotent"}, words...) {
			got := found(read(t, p.replaced(t, word), Options{}).Findings.List)
			if want := len(words) > 0 && !slices.Contains(words, word); slices.Contains(got, wrong) != want {
				t.Errorf("%q at %s: found %q", word, p.pointer, got)
			}
		}
	}
}

// TestUndefined: no core object has members but its own (§6).
func TestUndefined(t *testing.T) {
	for _, p := range append(fullPlaces(t), place{"", map[string]any{}}) {
		object, isObject := p.value.(map[string]any)
		if !isObject || strings.HasSuffix(p.pointer, "/extensions") {
			continue
		}
		for _, name := range []string{"undefined", "ID", "", "extensions"} {
			if _, defined := object[name]; defined || name == "extensions" && (p.pointer == "" || p.pointer == "/statements/1") {
				continue
			}
			doc := edited(t, p.pointer, func(object any) { object.(map[string]any)[name] = map[string]any{"id": "s1"} })
			expect(t, doc, Options{}, finding("OCX-L-undefined", p.pointer, p.pointer+"/"+name))
			if !isInferred(p.pointer) {
				expect(t, doc, Options{Strict: true}, "OCX-L-undefined "+p.pointer+"/"+name)
				expect(t, doc, Options{Lenient: true}, "warning OCX-L-undefined "+p.pointer+"/"+name)
			}
		}
	}
}

// TestExtensionObjects: exactly the objects of §7 have extensions.
func TestExtensionObjects(t *testing.T) {
	var have []string
	for _, p := range fullPlaces(t) {
		if p.name() == "extensions" {
			have = append(have, p.parent())
		}
	}
	want := []string{"/application_context/0", "/continuation", "", "/operations/0", "/progress", "/resources/0", "/source", "/statements/0", "/task"}
	if !slices.Equal(have, want) {
		t.Errorf("extensions are in %q, want %q", have, want)
	}
}

func TestHints(t *testing.T) {
	tests := []struct{ member, hint string }{
		{`"continuation":{"stop_condition":[]}`, "did you mean stop_conditions?"},
		{`"continuation":{"stopconditions":[]}`, "did you mean stop_conditions?"},
		{`"operation":[]`, "did you mean operations?"},
		{`"Resources":[]`, "did you mean resources?"},
		{`"continuation":{"entirely_else":1}`, "data of your own goes under extensions"},
		{`"x":1`, "data of your own goes under extensions"},
		{`"parent":{"id":"urn:x:0","entirely_else":1}`, ""},
		{`"parent":{"id":"urn:x:0","x":1}`, ""},
	}
	for _, test := range tests {
		d := read(t, with(test.member), Options{})
		if len(d.Findings.List) != 1 || d.Findings.List[0].Hint != test.hint {
			t.Errorf("%s: %v, want the hint %q", test.member, d.Findings.List, test.hint)
		}
	}
}

// TestStrict: a finding that rests on an inference is a warning, and an error with Strict.
func TestStrict(t *testing.T) {
	tests := []struct{ member, pointer string }{
		{`"source":{"producer":7}`, "/source/producer"},
		{`"source":{"agent":{}}`, "/source/agent"},
		{`"source":{"model":{"name":"n","vendor":"v"}}`, "/source/model/vendor"},
		{`"parent":{"id":"urn:x:0","digest":{"algorithm":"a"}}`, "/parent/digest"},
		{`"resources":[{"id":"r","uri":"u","availability":"gone"}]`, "/resources/0/availability"},
		{`"operations":[{"id":"o","kind":"wait","status":"planned"}]`, "/operations/0"},
		{`"derivation":{"method":"merged","inputs":["a"]}`, "/derivation/inputs/0"},
		{`"derivation":{"method":"merged","inputs":[{}]}`, "/derivation/inputs/0"},
	}
	for _, test := range tests {
		if d := expect(t, with(test.member), Options{}, "warning OCX-I "+test.pointer); d.Err() != nil {
			t.Errorf("%s: %v", test.member, d.Err())
		}
		if d := expect(t, with(test.member), Options{Strict: true}, "OCX-I "+test.pointer); d.Err() == nil {
			t.Errorf("%s: no error", test.member)
		}
	}
	impossible := with(`"resources":[{"id":"r","uri":"u","observed_at":"2026-02-30T00:00:00Z"}]`)
	expect(t, impossible, Options{Strict: true}, "warning OCX-F /resources/0/observed_at")
}

// TestVersion: another version is one error, and nothing else is said of the document (§5.1).
func TestVersion(t *testing.T) {
	wrong := []string{`"0.2"`, `"1.0"`, `"0.10"`, `"0.1.0"`, `""`, `" 0.1"`, `"0.1 "`, `"v0.1"`}
	for _, version := range wrong {
		for _, opts := range []Options{{}, {Strict: true}, {Lenient: true}} {
			expect(t, with(`"opencheckpoint":`+version, `"unknown":1`, `"task":7`), opts, "OCX-V /opencheckpoint")
		}
	}
	for _, version := range []string{"0.1", "null", `["0.1"]`, `{"0.1":1}`, "true"} {
		expect(t, with(`"opencheckpoint":`+version), Options{}, "OCX-V ")
	}
	for _, doc := range []string{`{}`, `{"id":"x"}`, `[]`, ` 7`, `null`, `"0.1"`, `{"Opencheckpoint":"0.1"}`} {
		expect(t, doc, Options{}, "OCX-V ")
	}
	expect(t, with(`"opencheckpoint":"0\u002e1"`), Options{})
	expect(t, with(`"opencheckpoint":"0.2"`, `"x":12345678901234567890`), Options{Lenient: true}, "OCX-V /opencheckpoint")
}

func TestExtensionKeys(t *testing.T) {
	for _, key := range []string{"a.b", "com.example.crm", "org.example.finance/v2", "org.example/v2/B c/é", "0.1", "a-b.c--d", "io.opencheckpoint.x", `\u0061.b`} {
		expect(t, with(`"extensions":{"`+key+`":{"id":"not an id","extensions":{"x":7}}}`), Options{})
	}
	for _, key := range []string{"", "crm", "Com.example", "com.Example", "a.b/", "a..b", ".a.b", "a.b.", "a.b//c", "/a.b", "-a.b", "a-.b", "a.-b", "a.b ",
		"a.b_c", "é.b", `a.b\n`} {
		d := read(t, with(`"extensions":{"`+key+`":1}`), Options{})
		if got := found(d.Findings.List); len(got) != 1 || !strings.HasPrefix(got[0], "OCX-L-pattern /extensions/") {
			t.Errorf("key %q: found %q", key, got)
		}
	}
	expect(t, with(`"extensions":{"crm/x":1,"a.b":2,"~":3}`), Options{}, "OCX-L-pattern /extensions/crm~1x", "OCX-L-pattern /extensions/~0")
}

// TestLimits: excerpts and drafts are counted in code points (§6.4, §6.7).
func TestLimits(t *testing.T) {
	for _, character := range []string{"x", "é", "€", "🚢", `\ud83d\udea2`, `\n`, `\u0065`} {
		excerpt := func(n int) string {
			return with(`"resources":[{"id":"r","uri":"u","excerpt":"` + strings.Repeat(character, n) + `"}]`)
		}
		expect(t, excerpt(4096), Options{})
		expect(t, excerpt(4097), Options{}, "OCX-L-length /resources/0/excerpt")
		content := func(n int) string {
			return with(`"application_context":[{"application":"a","drafts":[{"status":"saved","content":"` + strings.Repeat(character, n) + `"}]}]`)
		}
		expect(t, content(16384), Options{})
		expect(t, content(16385), Options{}, "OCX-L-length /application_context/0/drafts/0/content")
	}
}

func TestIDs(t *testing.T) {
	resource := func(id string) string { return with(`"resources":[{"id":"` + id + `","uri":"u"}]`) }
	for _, id := range []string{"a", "Z", "0", "a.b_c:d-e", "9" + strings.Repeat("a", 127), `\u0061`, "urn:uuid:0"} {
		expect(t, resource(id), Options{})
	}
	for _, id := range []string{"", ".a", "_a", ":a", "-a", "a b", "a/b", "é", "aé", `a\n`, `\u0000`, "a#", strings.Repeat("a", 129)} {
		expect(t, resource(id), Options{}, "OCX-L-pattern /resources/0/id")
	}
	expect(t, with(`"id":"any text at all"`), Options{})
	expect(t, with(`"source":{"session_refs":[{"protocol":"p","id":"any text"}]}`, `"parent":{"id":""}`), Options{})
}

// TestTimestamps: the form is an error, the instant a warning (§4.2).
func TestTimestamps(t *testing.T) {
	tests := map[string]string{
		"":              "2026-11-28T16:40:00Z 2026-11-28t16:40:00z 2026-11-28T16:40:00.000000000000000001+05:30 2024-02-29T00:00:00-23:59 0000-01-01T00:00:00Z 2016-12-31T23:59:60Z 2016-12-31T23:59:60.5-00:00",
		"warning OCX-F": "2026-02-30T00:00:00Z 2026-02-29T00:00:00Z 2026-13-01T00:00:00Z 2026-00-01T00:00:00Z 2026-01-00T00:00:00Z 2026-04-31T00:00:00Z 2026-01-01T24:00:00Z 2026-01-01T00:60:00Z 2026-01-01T00:00:61Z 2026-01-01T00:00:00+24:00 2026-01-01T00:00:00-00:60",
		"OCX-L-pattern": "2026-11-28 2026-11-28T16:40:00 2026-11-28_16:40:00Z 2026-11-28T16:40Z 2026-11-28T16:40:00+0100 2026-11-28T16:40:00+01 2026-11-28T16:40:00.Z 2026-11-28T16:40:00,5Z +2026-11-28T16:40:00Z 26-11-28T16:40:00Z 2026-11-28T16:40:00ZZ 1796056800 ٢026-11-28T16:40:00Z",
	}
	for want, timestamps := range tests {
		for _, timestamp := range strings.Fields(timestamps) {
			var findings []string
			if want != "" {
				findings = []string{want + " /operations/0/expires_at"}
			}
			expect(t, with(`"operations":[{"id":"o","kind":"wait","status":"planned","description":"d","expires_at":"`+timestamp+`"}]`), Options{}, findings...)
		}
	}
	expect(t, with(`"created_at":""`), Options{}, "OCX-L-pattern /created_at")
	expect(t, with(`"created_at":"2026-02-30T00:00:00Z"`), Options{}, "warning OCX-F /created_at")
	expect(t, with(`"created_at":"2026-11-28T16:40:00Z\n"`), Options{}, "OCX-L-pattern /created_at")
	if created := expect(t, with(`"created_at":7`), Options{}, "OCX-L-type /created_at").Created(); created != "" {
		t.Errorf("created_at is %q", created)
	}
}

// TestSchemaRules: each schema-level rule of §6 by documents that break it and documents that do not.
func TestSchemaRules(t *testing.T) {
	statement := func(members string) string {
		return with(`"resources":[{"id":"r","uri":"u"}]`, `"statements":[{"id":"s","text":"t",`+members+`},`+
			`{"id":"q","kind":"question","text":"t","origin":{"type":"user"}},{"id":"ob","kind":"observation","text":"t","origin":{"type":"user"}}]`)
	}
	operation := func(members string) string {
		return with(`"resources":[{"id":"r","uri":"u"}]`, `"operations":[{"id":"o","description":"d",`+members+`}]`)
	}
	const approval = `,"approval":{"decided_by":"b","decided_at":"2026-11-28T16:40:00Z","evidence":["r"]}`
	tests := []struct {
		make         func(string) string
		pass, broken []string
	}{
		{statement, []string{`"kind":"instruction","origin":{"type":"user"}`, `"kind":"instruction","origin":{"type":"system"}`},
			[]string{`"kind":"instruction","origin":{"type":"agent"}`, `"kind":"instruction","origin":{"type":"tool"}`,
				`"kind":"instruction","origin":{"type":"application"}`, `"kind":"instruction","origin":{"type":"external"}`}},
		{statement, []string{`"kind":"external","origin":{"type":"external"}`, `"kind":"external","origin":{"type":"tool"}`,
			`"kind":"external","origin":{"type":"agent"}`, `"kind":"external","origin":{"type":"application"}`},
			[]string{`"kind":"external","origin":{"type":"user"}`, `"kind":"external","origin":{"type":"system"}`}},
		{statement, []string{`"kind":"decision","rationale":"","origin":{"type":"tool"}`, `"kind":"constraint","origin":{"type":"tool"}`},
			[]string{`"kind":"decision","origin":{"type":"user"}`}},
		{statement, []string{`"kind":"hypothesis","origin":{"type":"agent"},"verification":{"state":"disputed"}`, `"kind":"hypothesis","origin":{"type":"agent"}`,
			`"kind":"constraint","origin":{"type":"user"},"verification":{"state":"verified"}`},
			[]string{`"kind":"hypothesis","origin":{"type":"agent"},"verification":{"state":"verified"}`}},
		{statement, []string{`"kind":"question","status":"resolved","resolution":"r","origin":{"type":"user"}`, `"kind":"question","origin":{"type":"user"}`,
			`"kind":"question","status":"active","resolution":"r","origin":{"type":"user"}`},
			[]string{`"kind":"constraint","status":"resolved","resolution":"r","origin":{"type":"user"}`,
				`"kind":"question","status":"resolved","origin":{"type":"user"}`}},
		{statement, []string{`"kind":"question","status":"superseded","superseded_by":"q","origin":{"type":"user"}`,
			`"kind":"hypothesis","status":"superseded","superseded_by":"ob","origin":{"type":"user"}`},
			[]string{`"kind":"question","status":"superseded","origin":{"type":"user"}`, `"kind":"question","superseded_by":"q","origin":{"type":"user"}`,
				`"kind":"question","status":"active","superseded_by":"q","origin":{"type":"user"}`,
				`"kind":"question","status":"retracted","superseded_by":"q","origin":{"type":"user"}`}},
		{operation, []string{`"kind":"approval","status":"approved"` + approval, `"kind":"approval","status":"rejected"` + approval,
			`"kind":"action","status":"completed"` + approval, `"kind":"approval","status":"awaiting"`, `"kind":"approval","status":"cancelled"`},
			[]string{`"kind":"action","status":"approved"` + approval, `"kind":"wait","status":"rejected"` + approval,
				`"kind":"input","status":"approved"` + approval, `"kind":"approval","status":"approved"`, `"kind":"approval","status":"rejected"`}},
		{operation, []string{`"kind":"action","status":"uncertain","resume":"ask"`, `"kind":"action","status":"uncertain","resume":"verify_first","effect":"unknown"`,
			`"kind":"wait","status":"uncertain","resume":"do_not_resume","effect":"non_idempotent"`, `"kind":"action","status":"uncertain","effect":"none"`,
			`"kind":"action","status":"uncertain","effect":"idempotent","resume":"retry"`, `"kind":"action","status":"failed","resume":"retry"`},
			[]string{`"kind":"action","status":"uncertain"`, `"kind":"action","status":"uncertain","resume":"retry"`,
				`"kind":"input","status":"uncertain","effect":"unknown","resume":"retry"`, `"kind":"action","status":"uncertain","effect":"non_idempotent"`}},
		{func(members string) string { return with(`"resources":[{"id":"r"` + members + `}]`) },
			[]string{`,"uri":""`, `,"locator":{"system":"s","key":"k"}`, `,"uri":"u","locator":{"system":"s","key":"k"}`}, []string{``, `,"title":"t"`}},
	}
	for _, test := range tests {
		for _, members := range test.pass {
			expect(t, test.make(members), Options{})
		}
		for _, members := range test.broken {
			d := read(t, test.make(members), Options{})
			got := found(d.Findings.List)
			if len(got) != 1 || !strings.HasPrefix(got[0], "OCX-L-rule ") || !strings.HasSuffix(got[0], "s/0") {
				t.Errorf("%s: found %q", members, got)
			}
		}
	}
}

// TestUndecidedRules: what is none of the words breaks the enumeration and no other rule.
func TestUndecidedRules(t *testing.T) {
	statement := `"statements":[{"id":"s","text":"t","kind":"%s","origin":{"type":"%s"},"status":"%s"}]`
	operation := `"resources":[{"id":"r","uri":"u"}],"operations":[{"id":"o","description":"d","kind":"%s","status":"%s","effect":"%s","resume":"%s"}]`
	expect(t, with(fmt.Sprintf(statement, "instruction", "bogus", "active")), Options{}, "OCX-L-enum /statements/0/origin/type")
	expect(t, with(fmt.Sprintf(statement, "bogus", "agent", "active")), Options{}, "OCX-L-enum /statements/0/kind")
	expect(t, with(fmt.Sprintf(statement, "constraint", "agent", "bogus")), Options{}, "OCX-L-enum /statements/0/status")
	expect(t, with(fmt.Sprintf(operation, "action", "uncertain", "bogus", "retry")), Options{}, "OCX-L-enum /operations/0/effect")
	expect(t, with(fmt.Sprintf(operation, "action", "uncertain", "unknown", "bogus")), Options{}, "OCX-L-enum /operations/0/resume")
	expect(t, with(fmt.Sprintf(operation, "action", "bogus", "unknown", "retry")), Options{}, "OCX-L-enum /operations/0/status")
}

// TestEmptyEvidence: an approval has at least one evidence (§6.6).
func TestEmptyEvidence(t *testing.T) {
	doc := with(`"operations":[{"id":"o","description":"d","kind":"approval","status":"rejected","approval":{"decided_by":"b",` +
		`"decided_at":"2026-11-28T16:40:00Z","evidence":[]}}]`)
	expect(t, doc, Options{}, "OCX-L-empty /operations/0/approval/evidence")
	expect(t, with(`"statements":[]`, `"operations":[]`, `"derivation":{"method":"merged","inputs":[]}`), Options{})
}

// TestEscapedSpellings: names, words and ids are compared after unescaping.
func TestEscapedSpellings(t *testing.T) {
	expect(t, `{"\u006fpencheckpoint":"0.1","\u0069d":"x","created\u005fat":"2026-11-28T16:40:00\u005A","source":{},`+
		`"task":{"objective":"o","st\u0061tus":"bl\u006fcked"}}`, Options{}, "warning OCP-W001 /task/status")
	expect(t, with(`"task":{"objective":"o","st\u0061tus":"x","\u0078":1}`), Options{}, "OCX-L-enum /task/status", "OCX-L-undefined /task/x")
	expect(t, with(`"t\u0061sk\n":1`), Options{}, "OCX-L-undefined /task\n")
	expect(t, with(`"\u007e\/":1`), Options{}, "OCX-L-undefined /~0~1")
}

// TestIJSON: names that are defined, undefined or opaque are unique, and a value is checked wherever it stands (§3).
func TestIJSON(t *testing.T) {
	tests := []struct {
		doc     string
		kind    jsonspan.Kind
		pointer string
	}{
		{with(`"task":{"objective":"o","status":"active","status":"active"}`), jsonspan.DuplicateName, "/task/status"},
		{with(`"task":{"objective":"o","status":"active","st\u0061tus":"active"}`), jsonspan.DuplicateName, "/task/status"},
		{with(`"task":{"status":7,"objective":"o","status":"active"}`), jsonspan.DuplicateName, "/task/status"},
		{with(`"x":1`, `"y":2`, `"\u0078":1`), jsonspan.DuplicateName, "/x"},
		{with(`"x":1`, `"`+strings.Repeat("y", 20)+`":{"a":{"b":1,"\u0062":2}}`), jsonspan.DuplicateName, "/" + strings.Repeat("y", 20) + "/a/b"},
		{with(`"extensions":{"a.b":1,"\u0061.b":1}`), jsonspan.DuplicateName, "/extensions/a.b"},
		{with(`"extensions":{"a.b":{"c":1,"c":1}}`), jsonspan.DuplicateName, "/extensions/a.b/c"},
		{with(`"application_context":[{"application":"a","state":[{"c":1,"c":1}]}]`), jsonspan.DuplicateName, "/application_context/0/state/0/c"},
		{with(`"source":{"producer":{"name":"n","name":"n"}}`), jsonspan.DuplicateName, "/source/producer/name"},
		{with(`"task":[{"c":1,"c":1}]`), jsonspan.DuplicateName, "/task/0/c"},
		{with(`"x":"\ud800"`), jsonspan.Surrogate, "/x"},
		{with(`"x":["\uffff"]`), jsonspan.Noncharacter, "/x/0"},
		{with(`"x":{"\ufdd0":1}`), jsonspan.Noncharacter, `/x/\ufdd0`},
		{with(`"x":12345678901234567890`), jsonspan.NumberPrecision, "/x"},
		{with(`"x":1e400`), jsonspan.NumberRange, "/x"},
		{with(`"task":1e400`), jsonspan.NumberRange, "/task"},
		{with(`"x":01`), jsonspan.Grammar, "/x"},
		{with(`"x":` + strings.Repeat("[", 1000)), jsonspan.TooDeep, "/x" + strings.Repeat("/0", 999)},
		{with(`"x":"` + "\xff" + `"`), jsonspan.NotUTF8, "/x"},
		{`{"opencheckpoint":"0.2","x":1,"x":1}`, jsonspan.DuplicateName, "/x"},
		{`{"opencheckpoint":"0.1","task":`, jsonspan.Truncated, "/task"},
		{``, jsonspan.Truncated, ""},
	}
	for _, test := range tests {
		_, err := Parse([]byte(test.doc), Options{})
		var syntax *jsonspan.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%s: %v", test.doc, err)
			continue
		}
		if syntax.Locate([]byte(test.doc)); syntax.Kind != test.kind || syntax.Pointer != test.pointer {
			t.Errorf("%s: %s at %q, want %s at %q", test.doc, syntax.Kind, syntax.Pointer, test.kind, test.pointer)
		}
	}
}

// TestLenientNumbers: a number that a double would round is a warning of level 0, wherever it stands.
func TestLenientNumbers(t *testing.T) {
	doc := with(`"x":12345678901234567890`, `"extensions":{"a.b":0.1234567890123456789}`, `"progress":9007199254740993`)
	d := expect(t, doc, Options{Lenient: true}, "warning OCX-L-undefined /x", "warning OCX-J-number-precision /x",
		"warning OCX-J-number-precision /extensions/a.b", "OCX-L-type /progress", "warning OCX-J-number-precision /progress")
	if level := d.Findings.List[1].Level; level != 0 {
		t.Errorf("the number is of level %d", level)
	}
	if _, err := Parse([]byte(with(`"x":1e400`)), Options{Lenient: true}); err == nil {
		t.Error("a number beyond a double passed")
	}
}

// TestDocumentOrder: the findings of all levels are in the order in which their places stand in the document.
func TestDocumentOrder(t *testing.T) {
	doc := "{\"statements\":[\n" + `{"id":"a","kind":"observation","text":7,"origin":{"type":"agent"},"evidence":["nowhere"],"x":1},` +
		`{"id":"a","kind":"observation","text":"t","origin":{"type":"agent"}}],"opencheckpoint":"0.1","id":"x","created_at":"2026-11-28T16:40:00Z",` +
		`"source":{"producer":7},"parent":{"id":"x"},"task":{"objective":"o","status":"blocked"},` +
		`"resources":[{"id":"r","uri":"//u@h","observed_at":"2027-01-01T00:00:00Z"}]}`
	d := expect(t, doc, Options{}, "OCX-L-type /statements/0/text", "OCP-S002 /statements/0/evidence/0", "OCX-L-undefined /statements/0/x",
		"warning OCP-W002 /statements/1", "OCP-S001 /statements/1/id", "warning OCX-I /source/producer", "OCP-S004 /parent/id",
		"warning OCP-W001 /task/status", "OCP-S008 /resources/0/uri", "OCP-S005 /resources/0/observed_at")
	var invalid *InvalidError
	if !errors.As(d.Err(), &invalid) || invalid.First().Pointer != "/statements/0/text" {
		t.Errorf("%v", d.Err())
	}
	at := strings.Index(doc, "7")
	if v := d.Findings.List[0]; v.Line != 2 || v.Column != at-strings.Index(doc, "\n") || v.Offset != at {
		t.Errorf("%+v", v)
	}
}

// TestManyFindings: what is beyond the limit is counted, and no number of warnings hides an error.
func TestManyFindings(t *testing.T) {
	warnings := strings.Repeat(`{"id":"i","digest":7},`, maxFindings+5)
	doc := with(`"derivation":{"method":"merged","inputs":[`+warnings+`{"id":"i"}]}`, `"progress":{"next":[{"description":"d","refs":["nowhere"]}]}`)
	d := read(t, doc, Options{})
	if d.Findings.More[Warning] != 5 || len(d.Findings.List) != maxFindings+1 || d.Findings.Count(Warning) != maxFindings+5 || d.Findings.Count(Error) != 1 || d.Err() == nil {
		t.Errorf("%d warnings, %d errors, %d more: %v", d.Findings.Count(Warning), d.Findings.Count(Error), d.Findings.More, d.Err())
	}
}
