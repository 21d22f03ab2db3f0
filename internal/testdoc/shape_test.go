package testdoc

// shapes is the object table, read once more and independently of the generator. A name that ends in ! is required. Types:
//
//	text, text:N     a string, of at most N characters
//	nonempty         a string that is not empty
//	uri              a string without userinfo
//	id               a local id
//	time, past       a timestamp; one that is not later than created_at
//	word:a,b         an enumeration
//	ref:x,y refs:x,y one or several references to local objects of the kinds
//	list:x, object:x an array of objects of a shape, one such object
//	texts, open      an array of strings; an object with any members
//	software, hurdles, inputs, extensions: see checker
var shapes = map[string]map[string]string{
	"checkpoint": {
		"opencheckpoint!": "word:0.1", "id!": "nonempty", "created_at!": "time", "parent": "object:parent", "source!": "object:source",
		"task!": "object:task", "progress": "object:progress", "statements": "list:statement", "resources": "list:resource",
		"application_context": "list:context", "operations": "list:operation", "continuation": "object:continuation",
		"derivation": "object:derivation", "extensions": "extensions",
	},
	"parent": {"id!": "nonempty", "digest": "nonempty"},
	"source": {
		"producer": "software", "agent": "software", "model": "software", "session_refs": "list:session", "extensions": "extensions",
	},
	"software": {"name!": "nonempty", "version": "text", "uri": "uri", "provider": "text"},
	"session":  {"protocol!": "nonempty", "id!": "nonempty", "event": "text"},
	"task": {
		"objective!": "nonempty", "outcome": "text", "status!": "word:active,blocked,awaiting_input,paused,completed,abandoned",
		"success_criteria": "list:criterion", "scope": "object:scope", "extensions": "extensions",
	},
	"criterion": {"id": "id", "description!": "nonempty", "status!": "word:met,unmet,unknown", "evidence": "refs:resource"},
	"scope":     {"includes": "texts", "excludes": "texts"},
	"progress":  {"completed": "list:step", "focus": "object:focus", "next": "list:next", "extensions": "extensions"},
	"step":      {"id": "id", "description!": "nonempty", "completed_at": "past", "evidence": "refs:resource"},
	"focus":     {"description!": "nonempty", "refs": "refs:"},
	"next": {
		"id": "id", "description!": "nonempty", "blocked_by": "refs:statement,operation,resource,requirement",
		"requires": "refs:requirement", "refs": "refs:",
	},
	"statement": {
		"id!": "id", "kind!": "word:instruction,constraint,decision,observation,hypothesis,question,external", "text!": "nonempty",
		"origin!": "object:origin", "status": "word:active,superseded,retracted,resolved", "superseded_by": "ref:statement",
		"rationale": "nonempty", "resolution": "nonempty", "evidence": "refs:resource", "verification": "object:verification",
		"recorded_at": "past", "extensions": "extensions",
	},
	"origin": {"type!": "word:user,system,agent,tool,application,external", "name": "text", "ref": "ref:resource"},
	"verification": {
		"state!": "word:verified,unverified,disputed,stale", "checked_at": "past", "method": "text",
		"revalidate": "word:before_use,before_action,never",
	},
	"resource": {
		"id!": "id", "uri": "uri", "locator": "object:locator", "type": "text", "title": "text", "description": "text", "media_type": "text",
		"revision": "text", "digest": "nonempty", "observed_at": "past", "availability": "word:available,unavailable,unknown",
		"resolver": "text", "excerpt": "text:4096", "sensitivity": "text", "extensions": "extensions",
	},
	"locator": {"system!": "nonempty", "type": "text", "key!": "nonempty"},
	"context": {
		"id": "id", "application!": "nonempty", "view": "text", "selections": "list:selection", "filters": "open", "drafts": "list:draft",
		"state": "open", "state_schema": "nonempty", "extensions": "extensions",
	},
	"selection": {"resource!": "ref:resource", "role!": "word:focused,selected,open,pinned", "detail": "open"},
	"draft": {
		"id": "id", "target": "ref:resource", "status!": "word:unsaved,saved,submitted", "description": "text", "content": "text:16384",
		"content_ref": "ref:resource",
	},
	"operation": {
		"id!": "id", "kind!": "word:approval,input,action,wait",
		"status!":      "word:planned,awaiting,uncertain,failed,approved,rejected,completed,cancelled",
		"description!": "nonempty", "effect": "word:none,idempotent,non_idempotent,unknown", "idempotency_key": "text", "call": "object:call",
		"target": "ref:resource", "record": "ref:resource", "depends_on": "refs:operation",
		"resume": "word:retry,verify_first,ask,do_not_resume", "approval": "object:approval", "requested_at": "past",
		"last_attempt_at": "past", "completed_at": "past", "expires_at": "time", "extensions": "extensions",
	},
	"call":     {"tool!": "nonempty", "arguments": "open"},
	"approval": {"decided_by!": "nonempty", "decided_at!": "past", "evidence!": "refs:resource", "scope": "text"},
	"continuation": {
		"requirements": "list:requirement", "preconditions": "list:precondition", "stop_conditions": "list:stop", "recovery": "list:recovery",
		"incompatibilities": "hurdles", "extensions": "extensions",
	},
	"requirement": {
		"id!": "id", "kind!": "word:tool,capability,access,extension", "name": "text", "description": "text",
		"necessity!": "word:required,recommended,optional", "fallback": "text", "refs": "refs:",
	},
	"precondition": {"id": "id", "description!": "nonempty", "on_failure!": "word:halt,ask,degrade", "refs": "refs:"},
	"stop":         {"id": "id", "description!": "nonempty", "applies_to": "refs:operation", "until": "list:until", "refs": "refs:"},
	"until": {
		"operation!": "ref:operation", "status!": "word:planned,awaiting,uncertain,failed,approved,rejected,completed,cancelled",
	},
	"recovery": {"id": "id", "description!": "nonempty", "refs": "refs:"},
	"hurdle":   {"id": "id", "description!": "nonempty"},
	"derivation": {
		"method!": "word:captured,compacted,merged,converted,authored,forked", "inputs": "inputs", "omissions": "list:omission",
		"transformations": "list:transformation",
	},
	"omission": {
		"id": "id", "description!": "nonempty", "reason!": "word:size,irrelevant,superseded,sensitive,unavailable",
		"recoverable_from": "ref:resource",
	},
	"transformation": {"id": "id", "description!": "nonempty", "affected": "refs:"},
}
