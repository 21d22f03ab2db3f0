package checkpoint

import (
	"slices"
	"strings"
	"testing"
)

// The local objects of world.
const (
	oneResource    = `{"id":"r","uri":"u"}`
	oneStatement   = `{"id":"s","kind":"constraint","text":"t","origin":{"type":"user"}}`
	oneOperation   = `{"id":"o","kind":"wait","status":"planned","description":"d"}`
	oneRequirement = `"requirements":[{"id":"q","kind":"tool","necessity":"required"}]`
	oneStep        = `"completed":[{"id":"p","description":"d"}]`
)

// world returns a checkpoint with a resource r, a statement s, an operation o, a requirement q and a step p. A member that is given
// stands in for the one of that name.
func world(members ...string) string {
	return with(append([]string{`"resources":[` + oneResource + `]`, `"statements":[` + oneStatement + `]`, `"operations":[` + oneOperation + `]`,
		`"continuation":{` + oneRequirement + `}`, `"progress":{` + oneStep + `}`}, members...)...)
}

func TestUniqueIDs(t *testing.T) {
	expect(t, world(), Options{})
	tests := []struct{ member, pointer string }{
		{`"resources":[` + oneResource + `,{"id":"r","uri":"v"}]`, "/resources/1/id"},
		{`"progress":{"completed":[{"id":"o","description":"d"}]}`, "/progress/completed/0/id"},
		{`"progress":{"completed":[{"\u0069d":"\u006f","description":"d"}]}`, "/progress/completed/0/id"},
		{`"progress":{"next":[{"id":"n","description":"d"},{"id":"n","description":"d"}]}`, "/progress/next/1/id"},
		{`"task":{"objective":"o","status":"active","success_criteria":[{"id":"c","description":"d","status":"met"},{"id":"c","description":"d","status":"met"}]}`,
			"/task/success_criteria/1/id"},
		{`"application_context":[{"id":"r","application":"a"}]`, "/application_context/0/id"},
		{`"application_context":[{"application":"a","drafts":[{"id":"s","status":"saved"}]}]`, "/application_context/0/drafts/0/id"},
		{`"derivation":{"method":"merged","omissions":[{"id":"r","description":"d","reason":"size"}]}`, "/derivation/omissions/0/id"},
		{`"derivation":{"method":"merged","transformations":[{"id":"r","description":"d"}]}`, "/derivation/transformations/0/id"},
		{`"continuation":{"requirements":[{"id":"q","kind":"tool","necessity":"required"},{"id":"q","kind":"tool","necessity":"required"}]}`,
			"/continuation/requirements/1/id"},
		{`"continuation":{` + oneRequirement + `,"preconditions":[{"id":"q","description":"d","on_failure":"ask"}]}`, "/continuation/preconditions/0/id"},
		{`"continuation":{` + oneRequirement + `,"stop_conditions":[{"id":"q","description":"d"}]}`, "/continuation/stop_conditions/0/id"},
		{`"continuation":{` + oneRequirement + `,"recovery":[{"id":"q","description":"d"}]}`, "/continuation/recovery/0/id"},
		{`"continuation":{` + oneRequirement + `,"incompatibilities":[{"id":"q","description":"d"}]}`, "/continuation/incompatibilities/0/id"},
	}
	for _, test := range tests {
		expect(t, world(test.member), Options{}, "OCP-S001 "+test.pointer)
	}
	// The parent's id, an input's and a session's are no local ids; those in opaque values and of another case are others.
	expect(t, world(`"parent":{"id":"r"}`, `"derivation":{"method":"merged","inputs":[{"id":"r"},{"id":"r"}]}`,
		`"source":{"session_refs":[{"protocol":"p","id":"r"}]}`, `"extensions":{"a.b":{"id":"r"}}`,
		`"application_context":[{"id":"R","application":"a","state":{"id":"r"},"view":{"id":"r"}}]`), Options{})
}

// references are the reference fields: a member of the world with %s for an id, the place of the id, and the types that are allowed
// (OCP-S003).
var references = []struct{ member, pointer, allowed string }{
	{`"task":{"objective":"o","status":"active","success_criteria":[{"description":"d","status":"met","evidence":["%s"]}]}`,
		"/task/success_criteria/0/evidence/0", "r"},
	{`"progress":{"completed":[{"id":"p","description":"d","evidence":["%s"]}]}`, "/progress/completed/0/evidence/0", "r"},
	{`"progress":{` + oneStep + `,"focus":{"description":"d","refs":["%s"]}}`, "/progress/focus/refs/0", "rsoqp"},
	{`"progress":{` + oneStep + `,"next":[{"description":"d","blocked_by":["%s"]}]}`, "/progress/next/0/blocked_by/0", "rsoq"},
	{`"progress":{` + oneStep + `,"next":[{"description":"d","requires":["%s"]}]}`, "/progress/next/0/requires/0", "q"},
	{`"progress":{` + oneStep + `,"next":[{"description":"d","refs":["r","%s"]}]}`, "/progress/next/0/refs/1", "rsoqp"},
	{`"statements":[` + oneStatement + `,{"id":"x","kind":"constraint","text":"t","origin":{"type":"user","ref":"%s"}}]`, "/statements/1/origin/ref", "r"},
	{`"statements":[` + oneStatement + `,{"id":"x","kind":"constraint","text":"t","origin":{"type":"user"},"evidence":["%s"]}]`, "/statements/1/evidence/0", "r"},
	{`"statements":[` + oneStatement + `,{"id":"x","kind":"constraint","text":"t","origin":{"type":"user"},"status":"superseded","superseded_by":"%s"}]`,
		"/statements/1/superseded_by", "s"},
	{`"application_context":[{"application":"a","selections":[{"resource":"%s","role":"open"}]}]`, "/application_context/0/selections/0/resource", "r"},
	{`"application_context":[{"application":"a","drafts":[{"status":"saved","target":"%s"}]}]`, "/application_context/0/drafts/0/target", "r"},
	{`"application_context":[{"application":"a","drafts":[{"status":"saved","content_ref":"%s"}]}]`, "/application_context/0/drafts/0/content_ref", "r"},
	{`"operations":[` + oneOperation + `,{"id":"x","kind":"wait","status":"planned","description":"d","target":"%s"}]`, "/operations/1/target", "r"},
	{`"operations":[` + oneOperation + `,{"id":"x","kind":"wait","status":"planned","description":"d","record":"%s"}]`, "/operations/1/record", "r"},
	{`"operations":[` + oneOperation + `,{"id":"x","kind":"wait","status":"planned","description":"d","depends_on":["%s"]}]`, "/operations/1/depends_on/0", "o"},
	{`"operations":[` + oneOperation + `,{"id":"x","kind":"approval","status":"approved","description":"d","approval":{"decided_by":"b",` +
		`"decided_at":"2026-01-01T00:00:00Z","evidence":["%s"]}}]`, "/operations/1/approval/evidence/0", "r"},
	{`"continuation":{"requirements":[{"id":"q","kind":"tool","necessity":"required","refs":["%s"]}]}`, "/continuation/requirements/0/refs/0", "rsoqp"},
	{`"continuation":{` + oneRequirement + `,"preconditions":[{"description":"d","on_failure":"ask","refs":["%s"]}]}`,
		"/continuation/preconditions/0/refs/0", "rsoqp"},
	{`"continuation":{` + oneRequirement + `,"stop_conditions":[{"description":"d","refs":["%s"]}]}`, "/continuation/stop_conditions/0/refs/0", "rsoqp"},
	{`"continuation":{` + oneRequirement + `,"stop_conditions":[{"description":"d","applies_to":["%s"]}]}`,
		"/continuation/stop_conditions/0/applies_to/0", "o"},
	{`"continuation":{` + oneRequirement + `,"stop_conditions":[{"description":"d","until":[{"operation":"%s","status":"failed"}]}]}`,
		"/continuation/stop_conditions/0/until/0/operation", "o"},
	{`"continuation":{` + oneRequirement + `,"recovery":[{"description":"d","refs":["%s"]}]}`, "/continuation/recovery/0/refs/0", "rsoqp"},
	{`"derivation":{"method":"merged","omissions":[{"description":"d","reason":"size","recoverable_from":"%s"}]}`,
		"/derivation/omissions/0/recoverable_from", "r"},
	{`"derivation":{"method":"merged","transformations":[{"description":"d","affected":["%s"]}]}`, "/derivation/transformations/0/affected/0", "rsoqp"},
}

// TestReferences is OCP-S002 and OCP-S003.
func TestReferences(t *testing.T) {
	for _, field := range references {
		for _, id := range []string{"r", "s", "o", "q", "p"} {
			doc := world(strings.Replace(field.member, "%s", id, 1))
			if strings.Contains(field.allowed, id) {
				expect(t, doc, Options{})
			} else {
				expect(t, doc, Options{}, "OCP-S003 "+field.pointer)
			}
		}
		for _, id := range []string{"nowhere", "", "R", "a b", "urn:x:1"} {
			expect(t, world(strings.Replace(field.member, "%s", id, 1)), Options{}, "OCP-S002 "+field.pointer)
		}
		own := field.allowed[:1]
		expect(t, world(strings.Replace(field.member, "%s", `\u00`+hex[own], 1)), Options{})
	}
	if want := len(fullReferences(t)); len(references) != want {
		t.Errorf("%d reference fields are tested, the full document has %d", len(references), want)
	}
}

// hex is how an escape spells a local object of world.
var hex = map[string]string{"r": "72", "s": "73", "o": "6f", "q": "71", "p": "70"}

// fullReferences are the strings of the full document that must name a local object.
func fullReferences(t *testing.T) (out []string) {
	t.Helper()
	for _, p := range fullPlaces(t) {
		if _, isText := p.value.(string); !isText {
			continue
		}
		if got := found(read(t, p.replaced(t, "nowhere"), Options{}).Findings.List); slices.Contains(got, "OCP-S002 "+p.pointer) {
			out = append(out, p.pointer)
		}
	}
	return out
}

// TestOpaqueReferences: opaque values hold no references (§6.7, §7).
func TestOpaqueReferences(t *testing.T) {
	expect(t, world(`"extensions":{"a.b":{"refs":["nowhere"],"uri":"//u@h","created_at":"x"}}`,
		`"application_context":[{"application":"a","view":{"refs":["x"]},"filters":{"evidence":["x"]},"state":{"refs":["x"]}}]`), Options{})
}

func TestParentDiffers(t *testing.T) {
	expect(t, with(`"parent":{"id":"urn:x:1"}`), Options{}, "OCP-S004 /parent/id")
	expect(t, with(`"parent":{"digest":"d","id":"urn:\u0078:1"}`), Options{}, "OCP-S004 /parent/id")
	expect(t, with(`"id":""`, `"parent":{"id":""}`), Options{}, "OCP-S004 /parent/id")
	for _, id := range []string{"urn:x:2", "", "URN:x:1", "urn:x:1 "} {
		expect(t, with(`"parent":{"id":"`+id+`"}`), Options{})
	}
	expect(t, with(`"id":7`, `"parent":{"id":7}`), Options{}, "OCX-L-type /id", "OCX-L-type /parent/id")
}

// TestPastEvents is OCP-S005.
func TestPastEvents(t *testing.T) {
	events := []string{"/progress/completed/0/completed_at", "/statements/0/verification/checked_at", "/statements/0/recorded_at", "/resources/0/observed_at",
		"/operations/0/approval/decided_at", "/operations/0/requested_at", "/operations/0/last_attempt_at", "/operations/0/completed_at"}
	for _, pointer := range events {
		event := place{pointer: pointer}
		for _, at := range []string{"2026-11-28T16:40:00Z", "2026-11-28T16:40:00.000Z", "2026-11-28T17:40:00+01:00", "2026-11-28T16:39:60Z",
			"2026-11-28T16:39:59.999999999999999999Z", "0001-01-01T00:00:00Z"} {
			expect(t, event.replaced(t, at), Options{})
		}
		for _, at := range []string{"2026-11-28T16:40:01Z", "2026-11-28T16:40:00.000000000000000000001Z", "2026-11-28T16:40:00-00:01",
			"2026-11-29T00:00:00+07:19", "9999-12-31T23:59:59Z"} {
			expect(t, event.replaced(t, at), Options{}, "OCP-S005 "+pointer)
		}
		expect(t, event.replaced(t, "2027-02-30T00:00:00Z"), Options{}, "warning OCX-F "+pointer)
	}
	expect(t, place{pointer: "/operations/0/expires_at"}.replaced(t, "2999-01-01T00:00:00Z"), Options{})
	// Fractions are compared at full length; without an instant in created_at nothing is compared.
	observed := func(at string) string { return `"resources":[{"id":"r","uri":"u","observed_at":"` + at + `"}]` }
	fraction := `"created_at":"2026-11-28T16:40:00.1234567890123Z"`
	expect(t, with(fraction, observed("2026-11-28T16:40:00.12345678901229Z")), Options{})
	expect(t, with(fraction, observed("2026-11-28T16:40:00.12345678901230000Z")), Options{})
	expect(t, with(fraction, observed("2026-11-28T16:40:00.12345678901231Z")), Options{}, "OCP-S005 /resources/0/observed_at")
	expect(t, with(`"created_at":"2026-02-30T00:00:00Z"`, observed("2999-01-01T00:00:00Z")), Options{}, "warning OCX-F /created_at")
	expect(t, with(`"created_at":7`, observed("2999-01-01T00:00:00Z")), Options{}, "OCX-L-type /created_at")
}

// TestCompletedTask is OCP-S006.
func TestCompletedTask(t *testing.T) {
	for _, status := range []string{"planned", "awaiting", "uncertain", "failed", "completed", "cancelled"} {
		operations := `"operations":[{"id":"x","kind":"wait","status":"failed","description":"d"},` +
			`{"id":"o","kind":"action","effect":"none","status":"` + status + `","description":"d"}]`
		for _, task := range []string{"active", "paused", "abandoned", "awaiting_input"} {
			expect(t, with(operations, `"task":{"objective":"o","status":"`+task+`"}`), Options{})
		}
		var want []string
		if slices.Contains([]string{"planned", "awaiting", "uncertain"}, status) {
			want = []string{"OCP-S006 /operations/1"}
		}
		expect(t, with(operations, `"task":{"objective":"o","status":"completed"}`), Options{}, want...)
	}
	// Other entries have statuses of their own.
	expect(t, with(`"task":{"objective":"o","status":"completed","success_criteria":[{"description":"d","status":"unmet"}]}`,
		`"statements":[{"id":"s","kind":"constraint","text":"t","origin":{"type":"user"},"status":"active"}]`,
		`"application_context":[{"application":"a","drafts":[{"status":"unsaved"}]}]`), Options{})
	expect(t, with(`"operations":[`+oneOperation+`]`, `"task":{"objective":"o","st\u0061tus":"compl\u0065ted"}`), Options{}, "OCP-S006 /operations/0")
}

// TestSupersededBy is OCP-S007.
func TestSupersededBy(t *testing.T) {
	kinds := []string{"instruction", "constraint", "decision", "observation", "hypothesis", "question", "external"}
	statement := func(id, kind, more string) string {
		origin := "user"
		if kind == "external" {
			origin = "tool"
		}
		return `{"id":"` + id + `","kind":"` + kind + `","text":"t","rationale":"r","origin":{"type":"` + origin + `"}` + more + `}`
	}
	for _, old := range kinds {
		for _, replacement := range kinds {
			doc := with(`"statements":[` + statement("b", replacement, "") + "," + statement("a", old, `,"status":"superseded","superseded_by":"b"`) + `]`)
			if old == replacement || old == "hypothesis" && replacement == "observation" {
				expect(t, doc, Options{})
			} else {
				expect(t, doc, Options{}, "OCP-S007 /statements/1/superseded_by")
			}
		}
		own := with(`"statements":[` + statement("a", old, `,"status":"superseded","superseded_by":"a"`) + `]`)
		expect(t, own, Options{}, "OCP-S007 /statements/0/superseded_by")
	}
}

// TestUserinfo is OCP-S008: userinfo stands in the authority (RFC 3986 §3.2.1).
func TestUserinfo(t *testing.T) {
	uri := func(uri string) string { return with(`"resources":[{"id":"r","uri":"` + uri + `"}]`) }
	for _, bad := range []string{"https://user:pw@h/", "https://user@h", "https://@h/", "https://:@h", "ssh://git@h/x", "git+ssh://git@h/x", "//u@h", "//u:p@h",
		"S3://k@b/", "https://u%40v@h/", "https://u@[::1]:80/", `https:\/\/u\u0040h`, "file://u@/etc", "x-y.z://é@h"} {
		expect(t, uri(bad), Options{}, "OCP-S008 /resources/0/uri")
	}
	for _, good := range []string{"mailto:a@b", "https://h/p@q", "https://h?u@v", "https://h#u@v", "https://h:80/@", "a@b", "/a@b", "a/b://u@h", "1a://u@h", "://u@h",
		"urn:x:a@b", "", "https://h", "a:////u@h"} {
		expect(t, uri(good), Options{})
	}
	// It is about resources only: the uri of an actor, and a member uri of an opaque value, are none.
	expect(t, with(`"source":{"producer":{"name":"n","uri":"https://u@h/"}}`), Options{})
}

// TestUntilOutcome is OCP-S009.
func TestUntilOutcome(t *testing.T) {
	for _, kind := range []string{"approval", "input", "action", "wait"} {
		for _, status := range []string{"planned", "awaiting", "uncertain", "failed", "approved", "rejected", "completed", "cancelled"} {
			for _, until := range []string{`{"operation":"o","status":"` + status + `"}`, `{"status":"` + status + `","operation":"o"}`} {
				doc := with(`"continuation":{"stop_conditions":[{"description":"d","until":[{"operation":"o","status":"failed"},`+until+`],"applies_to":["o"]}]}`,
					`"operations":[{"id":"o","kind":"`+kind+`","status":"planned","description":"d"}]`)
				var want []string
				if kind != "approval" && (status == "approved" || status == "rejected") {
					want = []string{"OCP-S009 /continuation/stop_conditions/0/until/1/operation"}
				}
				expect(t, doc, Options{}, want...)
			}
		}
	}
	// An entry's status is not the next one's.
	expect(t, with(`"operations":[{"id":"a","kind":"approval","status":"planned","description":"d"},`+oneOperation+`]`,
		`"continuation":{"stop_conditions":[{"description":"d","until":[{"operation":"a","status":"approved"},{"operation":"o"}]}]}`), Options{},
		"OCX-L-required /continuation/stop_conditions/0/until/1")
}

// TestBlockedTask is OCP-W001.
func TestBlockedTask(t *testing.T) {
	blocked := `"task":{"objective":"o","status":"blocked"}`
	expect(t, world(blocked), Options{}, "warning OCP-W001 /task/status")
	expect(t, world(blocked, `"progress":{`+oneStep+`,"next":[{"description":"d","blocked_by":[],"requires":["q"]}]}`), Options{}, "warning OCP-W001 /task/status")
	expect(t, world(blocked, `"progress":{`+oneStep+`,"next":[{"description":"d"},{"description":"d","blocked_by":["r"]}]}`), Options{})
	expect(t, world(blocked, `"operations":[{"id":"o","kind":"wait","status":"awaiting","description":"d"}]`), Options{})
	expect(t, world(`"task":{"objective":"o","status":"awaiting_input"}`), Options{})
}

// TestUncitedObservation is OCP-W002.
func TestUncitedObservation(t *testing.T) {
	statement := func(kind, origin, more string) string {
		return world(`"statements":[` + oneStatement + `,{"id":"x","kind":"` + kind + `","text":"t","origin":{"type":"` + origin + `"}` + more + `}]`)
	}
	for _, more := range []string{"", `,"evidence":[]`, `,"status":"retracted"`} {
		expect(t, statement("observation", "agent", more), Options{}, "warning OCP-W002 /statements/1")
	}
	expect(t, statement("observation", "agent", `,"evidence":["r"]`), Options{})
	expect(t, statement("observation", "tool", ""), Options{})
	expect(t, statement("hypothesis", "agent", ""), Options{})
	expect(t, world(`"statements":[{"id":"s","kind":"observation","text":"t","origin":{"type":"agent","ref":"r"}}]`), Options{}, "warning OCP-W002 /statements/0")
}

// TestExpired is OCP-W003.
func TestExpired(t *testing.T) {
	operation := func(status, expires string) string {
		return with(`"operations":[{"id":"o","kind":"approval","expires_at":"` + expires + `","status":"` + status + `","description":"d"}]`)
	}
	for _, expires := range []string{"2026-11-28T16:39:59Z", "2026-11-28T16:39:59.9999999999999Z", "2026-11-28T16:40:00+00:01"} {
		expect(t, operation("awaiting", expires), Options{}, "warning OCP-W003 /operations/0/expires_at")
		expect(t, operation("planned", expires), Options{})
		expect(t, operation("cancelled", expires), Options{})
	}
	expect(t, operation("awaiting", "2026-11-28T16:40:00Z"), Options{})
	expect(t, operation("awaiting", "2027-01-01T00:00:00Z"), Options{})
	expect(t, operation("awaiting", "2020-02-30T00:00:00Z"), Options{}, "warning OCX-F /operations/0/expires_at")
	expect(t, with(`"operations":[{"id":"o","kind":"approval","status":"awaiting","description":"d"}]`), Options{})
	// created_at may come last.
	expect(t, `{"operations":[{"id":"o","kind":"wait","status":"awaiting","description":"d","expires_at":"2020-01-01T00:00:00Z"}],"opencheckpoint":"0.1",`+
		`"id":"x","source":{},"task":{"objective":"o","status":"active"},"created_at":"2026-11-28T16:40:00Z"}`, Options{}, "warning OCP-W003 /operations/0/expires_at")
}

// TestUnguardedFork is OCP-W004.
func TestUnguardedFork(t *testing.T) {
	fork := func(method, operation, stop string) string {
		return world(`"derivation":{"method":"`+method+`"}`, `"continuation":{`+oneRequirement+`,"stop_conditions":[{"id":"h","description":"d"`+stop+`}]}`,
			`"operations":[`+oneOperation+`,{"id":"x","description":"d",`+operation+`}]`)
	}
	const action = `"kind":"action","status":"planned"`
	warning := "warning OCP-W004 /operations/1"
	for _, pending := range []string{action, action + `,"effect":"idempotent"`, action + `,"effect":"unknown"`, action + `,"effect":"non_idempotent"`,
		`"kind":"action","status":"failed"`, `"kind":"action","status":"awaiting"`, `"kind":"action","status":"uncertain","resume":"ask"`} {
		expect(t, fork("forked", pending, ""), Options{}, warning)
		expect(t, fork("forked", pending, `,"refs":["o"],"applies_to":["o"]`), Options{}, warning)
		expect(t, fork("forked", pending, `,"until":[{"operation":"x","status":"completed"}]`), Options{}, warning)
		expect(t, fork("forked", pending, `,"refs":["x"]`), Options{})
		expect(t, fork("forked", pending, `,"applies_to":["o","x"]`), Options{})
		expect(t, fork("captured", pending, ""), Options{})
	}
	for _, harmless := range []string{action + `,"effect":"none"`, `"kind":"action","status":"completed"`, `"kind":"action","status":"cancelled"`,
		`"kind":"wait","status":"planned"`, `"kind":"input","status":"awaiting"`, `"kind":"approval","status":"awaiting"`} {
		expect(t, fork("forked", harmless, ""), Options{})
	}
	// Another entry that names the operation guards nothing.
	expect(t, world(`"derivation":{"method":"forked"}`, `"operations":[{"id":"x","description":"d",`+action+`}]`,
		`"progress":{`+oneStep+`,"focus":{"description":"d","refs":["x"]}}`), Options{}, "warning OCP-W004 /operations/0")
}

// pair fails unless the findings between a parent and its child are exactly those.
func pair(t *testing.T, parent, child string, want ...string) {
	t.Helper()
	if got := found(CheckPair(read(t, parent, Options{}), read(t, child, Options{}))); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q\n%s\n%s", got, want, parent, child)
	}
}

// TestTerminal is OCP-T001.
func TestTerminal(t *testing.T) {
	operation := func(status string) string {
		return `"operations":[{"id":"x","kind":"wait","status":"planned","description":"d"},{"id":"o","kind":"approval","status":"` + status +
			`","description":"d","resume":"ask","approval":{"decided_by":"b","decided_at":"2026-01-01T00:00:00Z","evidence":["r"]}}]`
	}
	child := func(operations string) string {
		return world(`"id":"urn:x:2"`, `"parent":{"id":"urn:x:1"}`, operations)
	}
	statuses := []string{"planned", "awaiting", "uncertain", "failed", "approved", "rejected", "completed", "cancelled"}
	for _, old := range statuses {
		for _, status := range statuses {
			var want []string
			if old != status && slices.Contains([]string{"completed", "cancelled", "rejected"}, old) {
				want = []string{"OCP-T001 /operations/1/status"}
			}
			pair(t, world(operation(old)), child(operation(status)), want...)
		}
		pair(t, world(operation(old)), child(`"operations":[]`))
	}
	// Without a status, and with the id in another spelling.
	pair(t, world(operation("completed")), child(`"operations":[{"\u0069d":"\u006f","kind":"wait","description":"d"}]`), "OCP-T001 /operations/0")
	pair(t, world(operation("completed")), child(`"operations":[{"id":"O","kind":"wait","status":"planned","description":"d"}]`))
	pair(t, world(operation("completed")), world(`"id":"urn:x:2"`, `"parent":{"id":"urn:x:1"}`, `"operations":[]`,
		`"statements":[`+strings.Replace(oneStatement, `"s"`, `"o"`, 1)+`]`))
}

// TestLineage is OCP-T002.
func TestLineage(t *testing.T) {
	parent := with()
	child := func(members ...string) string { return with(append([]string{`"id":"urn:x:2"`}, members...)...) }
	pair(t, parent, child(`"parent":{"id":"urn:x:1"}`))
	pair(t, parent, child(`"parent":{"id":"\u0075rn:x:1"}`, `"created_at":"2026-11-28T17:40:00+01:00"`))
	pair(t, parent, child(`"parent":{"id":"urn:x:0"}`), "OCP-T002 /parent")
	pair(t, parent, child(`"parent":{"id":"URN:x:1"}`), "OCP-T002 /parent")
	pair(t, parent, child(), "OCP-T002 ")
	pair(t, parent, child(`"parent":{"id":"urn:x:1"}`, `"created_at":"2026-11-28T16:39:59.99999999999999Z"`), "OCP-T002 /created_at")
	pair(t, parent, child(`"parent":{"id":"urn:x:1"}`, `"created_at":"2026-11-28T16:40:00+00:01"`), "OCP-T002 /created_at")
	pair(t, parent, child(`"parent":{"id":"urn:x:0"}`, `"created_at":"2020-01-01T00:00:00Z"`), "OCP-T002 /created_at", "OCP-T002 /parent")
	pair(t, parent, child(`"parent":{"id":"urn:x:1"}`, `"created_at":"2020-02-30T00:00:00Z"`))
	pair(t, with(`"created_at":"2999-02-30T00:00:00Z"`), child(`"parent":{"id":"urn:x:1"}`))
	pair(t, with(`"created_at":"2999-02-30T00:00:00Z"`), child(`"parent":{"id":"urn:x:1"}`, `"created_at":"1950-01-01T00:00:00Z"`))
	pair(t, with(`"created_at":7`), child(`"parent":{"id":"urn:x:1"}`))
}
