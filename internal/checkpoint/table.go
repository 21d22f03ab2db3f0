package checkpoint

// This file is level 1: every object, member, type, enumeration and schema-level rule of §6, once. The walker checks documents against
// it, `ocp schema` prints it, and the transforms find references in it. What the specification does not state but document.md
// infers is marked so.

func req(name string, v value) member { return member{name: name, value: v, required: true} }
func opt(name string, v value) member { return member{name: name, value: v} }

// ask requires a member that the specification only implies.
func ask(name string, v value) member {
	return member{name: name, value: v, required: true, requiredInferred: true}
}

// past is a timestamp of a past event (§4.2, OCP-S005).
func past(name string) member { return member{name: name, value: value{shape: instant}, past: true} }

func (m member) must() member       { m.required = true; return m }
func (m member) alone() member      { m.part = true; return m }
func (m member) keep(f Fact) member { m.fact = f; return m }
func oneOf(words []string) value    { return value{shape: word, words: words} }
func guessed(v value) value         { v.inferred = true; return v }
func ref(targets ...Type) value     { return value{shape: reference, targets: typesOf(targets...)} }
func (v value) in(f Field) value    { v.field = f; return v }
func listOf(v value) value          { return value{shape: list, items: &v} }
func object1(t *objectType) value   { return value{shape: object, object: t} }
func textOr(t *objectType) value    { return value{shape: object, object: t, orText: true} }
func textUpTo(codePoints int) value { return value{shape: text, max: codePoints} }
func atLeastOne(v value) value      { v = listOf(v); v.nonEmpty = true; return v }
func extensions() member            { return opt("extensions", value{shape: extensionMap}).alone() }
func anyRef() value                 { return value{shape: reference, targets: anyType} }
func refs() member                  { return opt("refs", listOf(anyRef().in(RefsField))) }
func evidenceOf() member            { return opt("evidence", listOf(ref(Resource).in(EvidenceField))).alone() }

var (
	str    = value{shape: text}
	opaque = value{}
	id     = value{shape: localID}
)

var parentObject = &objectType{name: "parent", entry: Parent, members: []member{req("id", str), opt("digest", digestValue)}}

// digestValue is a string or {algorithm, value}: a shape that no clause states.
var digestValue = guessed(textOr(&objectType{name: "digest", members: []member{req("algorithm", str), req("value", str)}}))

func actor(name string, more ...member) value {
	members := append([]member{req("name", str), opt("version", str), opt("uri", str)}, more...)
	return guessed(textOr(&objectType{name: name, members: members}))
}

var sourceObject = &objectType{name: "source", entry: Source, members: []member{
	opt("producer", actor("producer")), opt("agent", actor("agent")), opt("model", actor("model", opt("provider", str))),
	opt("session_refs", listOf(object1(&objectType{name: "session_ref", members: []member{req("protocol", str), req("id", str), opt("event", str)}}))),
	extensions(),
}}

var taskObject = &objectType{name: "task", entry: Task, members: []member{
	req("objective", str), opt("outcome", str), req("status", oneOf(taskStatuses)).keep(Status),
	opt("success_criteria", listOf(object1(&objectType{name: "success_criterion", entry: Criterion, members: []member{
		opt("id", id), ask("description", str), req("status", oneOf(criterionStatuses)), evidenceOf(),
	}}))),
	opt("scope", object1(&objectType{name: "scope", members: []member{opt("includes", listOf(str)), opt("excludes", listOf(str))}})),
	extensions(),
}}

var progressObject = &objectType{name: "progress", entry: Progress, members: []member{
	opt("completed", listOf(object1(&objectType{name: "step", entry: Step, members: []member{
		opt("id", id), ask("description", str), past("completed_at"), evidenceOf(),
	}}))),
	opt("focus", object1(&objectType{name: "focus", entry: Focus, members: []member{ask("description", str), refs()}})),
	opt("next", listOf(object1(&objectType{name: "next_step", entry: NextStep, members: []member{
		opt("id", id), ask("description", str), opt("blocked_by", listOf(ref(Statement, Operation, Resource, Requirement).in(BlockedByField))),
		opt("requires", listOf(ref(Requirement))), refs(),
	}}))),
	extensions(),
}}

var statementObject = &objectType{name: "statement", entry: Statement, members: []member{
	req("id", id), req("kind", oneOf(statementKinds)).keep(Kind), req("text", str),
	req("origin", object1(&objectType{name: "origin", members: []member{
		req("type", oneOf(originTypes)).keep(OriginType), opt("name", str), opt("ref", ref(Resource)),
	}})),
	opt("status", oneOf(statementStatuses)).keep(Status), opt("superseded_by", ref(Statement).in(SupersededByField)),
	opt("rationale", str), opt("resolution", str), evidenceOf(),
	opt("verification", object1(&objectType{name: "verification", members: []member{
		req("state", oneOf(verifications)).keep(Verification), past("checked_at"), opt("method", str), opt("revalidate", oneOf(revalidations)),
	}})).alone(),
	past("recorded_at"), extensions(),
}, rules: []rule{
	{"§6.5", "an instruction has origin user or system", when(is("kind", "instruction")), is("origin/type", "user", "system")},
	{"§6.5", "an external statement has another origin than user and system", when(is("kind", "external")), isNot("origin/type", "user", "system")},
	{"§6.5", "a decision has a rationale", when(is("kind", "decision")), has("rationale")},
	{"§6.5", "a hypothesis is not verified", when(is("kind", "hypothesis")), isNot("verification/state", "verified")},
	{"§6.5", "only a question is resolved", when(is("status", "resolved")), is("kind", "question")},
	{"§6.5", "a resolved question has a resolution", when(is("status", "resolved")), has("resolution")},
	{"§6.5", "a superseded statement names its replacement in superseded_by", when(is("status", "superseded")), has("superseded_by")},
	{"§6.5", "only a superseded statement has superseded_by", when(has("superseded_by")), is("status", "superseded")},
}}

var resourceObject = &objectType{name: "resource", entry: Resource, members: []member{
	req("id", id), opt("uri", value{shape: uri}),
	opt("locator", object1(&objectType{name: "locator", members: []member{req("system", str), opt("type", str), req("key", str)}})),
	opt("type", str), opt("title", str), opt("description", str), opt("media_type", str), opt("revision", str), opt("digest", digestValue),
	past("observed_at"), opt("availability", guessed(oneOf(availabilities))), opt("resolver", str), opt("excerpt", textUpTo(maxExcerpt)).alone(),
	opt("sensitivity", str), extensions(),
}, rules: []rule{
	{"§6.4", "a resource has a uri, a locator, or both", when(lacks("uri")), has("locator")},
}}

var contextObject = &objectType{name: "application_context", entry: Context, members: []member{
	opt("id", id), req("application", str), opt("view", opaque).alone(),
	opt("selections", listOf(object1(&objectType{name: "selection", entry: Selection, members: []member{
		req("resource", ref(Resource)), req("role", oneOf(roles)), opt("detail", opaque),
	}}))),
	opt("filters", opaque).alone(),
	opt("drafts", listOf(object1(&objectType{name: "draft", entry: Draft, members: []member{
		opt("id", id), opt("target", ref(Resource)), req("status", oneOf(draftStatuses)).keep(Status), opt("description", str),
		opt("content", textUpTo(maxContent)), opt("content_ref", ref(Resource)),
	}}))),
	opt("state", opaque).alone(), opt("state_schema", str).alone(), extensions(),
}}

var operationObject = &objectType{name: "operation", entry: Operation, members: []member{
	req("id", id), req("kind", oneOf(operationKinds)).keep(Kind), req("status", oneOf(operationStatuses)).keep(Status), ask("description", str),
	opt("effect", oneOf(effects)).keep(Effect), opt("idempotency_key", str),
	opt("call", object1(&objectType{name: "call", members: []member{req("tool", str), opt("arguments", opaque)}})),
	opt("target", ref(Resource)), opt("record", ref(Resource)), opt("depends_on", listOf(ref(Operation).in(DependsOnField))),
	opt("resume", oneOf(resumes)).keep(Resume),
	opt("approval", object1(&objectType{name: "approval", members: []member{
		req("decided_by", str), past("decided_at").must(), req("evidence", atLeastOne(ref(Resource))), opt("scope", str),
	}})),
	past("requested_at"), past("last_attempt_at"), past("completed_at"), opt("expires_at", value{shape: instant}), extensions(),
}, rules: []rule{
	{"§6.6", "only an approval is approved or rejected", when(is("status", "approved", "rejected")), is("kind", "approval")},
	{"§6.6", "an approved or rejected operation carries an approval record", when(is("status", "approved", "rejected")), has("approval")},
	{"§6.6", "an uncertain operation that may not be repeated has a resume other than retry",
		when(is("status", "uncertain"), isNot("effect", "none", "idempotent")), is("resume", "verify_first", "ask", "do_not_resume")},
}}

var continuationObject = &objectType{name: "continuation", entry: Continuation, members: []member{
	opt("requirements", listOf(object1(&objectType{name: "requirement", entry: Requirement, members: []member{
		req("id", id), req("kind", oneOf(requirementKinds)).keep(Kind), opt("name", str), opt("description", str), req("necessity", oneOf(necessities)),
		opt("fallback", str), refs(),
	}}))),
	opt("preconditions", listOf(object1(&objectType{name: "precondition", entry: Precondition, members: []member{
		opt("id", id), ask("description", str), req("on_failure", oneOf(failureActions)), refs(),
	}}))),
	opt("stop_conditions", listOf(object1(&objectType{name: "stop_condition", entry: StopCondition, members: []member{
		opt("id", id), ask("description", str), opt("applies_to", listOf(ref(Operation).in(AppliesToField))),
		opt("until", listOf(object1(&objectType{name: "until", members: []member{req("operation", ref(Operation).in(UntilField)), req("status", oneOf(operationStatuses)).keep(Status)}}))),
		refs(),
	}}))),
	opt("recovery", listOf(object1(&objectType{name: "recovery_step", entry: RecoveryStep, members: []member{
		opt("id", id), ask("description", str), refs(),
	}}))),
	opt("incompatibilities", listOf(textOr(&objectType{name: "incompatibility", entry: Incompatibility, members: []member{opt("id", id), ask("description", str)}}))),
	extensions(),
}}

// inputObject is a checkpoint or a session: which members go together no clause states.
var inputObject = &objectType{name: "derivation_input", entry: Input, members: []member{
	req("id", str), opt("digest", digestValue), opt("protocol", str), opt("event", str),
}}

var derivationObject = &objectType{name: "derivation", entry: Derivation, members: []member{
	req("method", oneOf(methods)).keep(Kind), opt("inputs", listOf(guessed(object1(inputObject)))),
	opt("omissions", listOf(object1(&objectType{name: "omission", entry: Omission, members: []member{
		opt("id", id), ask("description", str), req("reason", oneOf(omissionReasons)).keep(Kind), opt("recoverable_from", ref(Resource).in(RecoverableFromField)),
	}}))),
	opt("transformations", listOf(object1(&objectType{name: "transformation", entry: Transformation, members: []member{
		opt("id", id), ask("description", str), opt("affected", listOf(anyRef().in(AffectedField))),
	}}))),
}}

var topObject = &objectType{name: "checkpoint", entry: Top, members: []member{
	req("opencheckpoint", oneOf([]string{Version})), req("id", str), req("created_at", value{shape: instant}), opt("parent", object1(parentObject)),
	req("source", object1(sourceObject)), req("task", object1(taskObject)), opt("progress", object1(progressObject)),
	opt("statements", listOf(object1(statementObject))), opt("resources", listOf(object1(resourceObject))),
	opt("application_context", listOf(object1(contextObject))), opt("operations", listOf(object1(operationObject))),
	opt("continuation", object1(continuationObject)), opt("derivation", object1(derivationObject)), extensions(),
}}
