package testdoc

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

var (
	localID      = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`)
	timestamp    = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`)
	extensionKey = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+(/[A-Za-z0-9._~-]+)*$`)
)

// checker reads a document by the table of shapes and the errors of §6 and §8.2.
type checker struct {
	faults  []string
	created time.Time
	// kinds has the shape of every local object, objects the object itself.
	kinds   map[string]string
	objects map[string]map[string]any
	refs    []reference
	// seen has "shape.member" for every member and "shape.member=word" for every enumeration value.
	seen map[string]bool
}

// reference is a reference to be resolved when all ids are known.
type reference struct {
	from, to string
	kinds    []string
}

// check reads one document.
func check(doc []byte) *checker {
	c := &checker{kinds: map[string]string{}, objects: map[string]map[string]any{}, seen: map[string]bool{}}
	var root map[string]any
	if err := json.Unmarshal(doc, &root); err != nil {
		c.fault("%v", err)
		return c
	}
	created, _ := root["created_at"].(string)
	c.created, _ = time.Parse(time.RFC3339Nano, created)
	c.object("checkpoint", root)
	for _, r := range c.refs {
		c.resolve(r)
	}
	c.rules(root)
	return c
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// object checks an object's members against its shape.
func (c *checker) object(shape string, v any) {
	o, ok := v.(map[string]any)
	if !ok {
		c.fault("%s is %T", shape, v)
		return
	}
	if id, ok := o["id"].(string); ok && shapes[shape]["id"]+shapes[shape]["id!"] == "id" {
		if c.kinds[id] != "" {
			c.fault("S001 %q", id)
		}
		c.kinds[id], c.objects[id] = shape, o
	}
	for name, value := range o {
		kind, ok := shapes[shape][name]
		if !ok {
			kind, ok = shapes[shape][name+"!"]
		}
		if !ok {
			c.fault("%s has undefined member %q", shape, name)
			continue
		}
		c.seen[shape+"."+name] = true
		c.value(shape+"."+name, kind, value)
	}
	for name := range shapes[shape] {
		if required, ok := strings.CutSuffix(name, "!"); ok && o[required] == nil {
			c.fault("%s lacks %s", shape, required)
		}
	}
}

// value checks a member's value against its type.
func (c *checker) value(where, kind string, v any) {
	kind, arg, _ := strings.Cut(kind, ":")
	switch kind {
	case "object":
		c.object(arg, v)
	case "list":
		c.each(where, v, func(e any) { c.object(arg, e) })
	case "texts":
		c.each(where, v, func(e any) { c.text(where, "text", "", e) })
	case "refs":
		c.each(where, v, func(e any) { c.text(where, "ref", arg, e) })
	case "open":
		if _, ok := v.(map[string]any); !ok {
			c.fault("%s is %T", where, v)
		}
	case "software":
		c.textOr(where, "software", v)
	case "hurdles":
		c.each(where, v, func(e any) { c.textOr(where, "hurdle", e) })
	case "inputs":
		c.each(where, v, c.input)
	case "extensions":
		c.extensions(where, v)
	default:
		c.text(where, kind, arg, v)
	}
}

// each checks the elements of an array.
func (c *checker) each(where string, v any, check func(any)) {
	list, ok := v.([]any)
	if !ok {
		c.fault("%s is %T", where, v)
	}
	for _, e := range list {
		check(e)
	}
}

// textOr checks a string or an object.
func (c *checker) textOr(where, shape string, v any) {
	if _, ok := v.(string); ok {
		c.seen[where+" text"] = true
		return
	}
	c.object(shape, v)
}

// input checks a derivation input.
func (c *checker) input(v any) {
	o, _ := v.(map[string]any)
	if _, ok := o["protocol"]; ok {
		c.seen["session input"] = true
		c.object("session", v)
		return
	}
	c.seen["checkpoint input"] = true
	c.object("parent", v)
}

// extensions checks the keys of extension data.
func (c *checker) extensions(where string, v any) {
	o, ok := v.(map[string]any)
	if !ok {
		c.fault("%s is %T", where, v)
	}
	for key := range o {
		if !extensionKey.MatchString(key) || strings.HasPrefix(key, "io.opencheckpoint") {
			c.fault("%s has key %q", where, key)
		}
	}
}

// text checks a string of some type.
func (c *checker) text(where, kind, arg string, v any) {
	s, ok := v.(string)
	if !ok {
		c.fault("%s is %T", where, v)
		return
	}
	good := true
	switch kind {
	case "text":
		limit := 1 << 30
		fmt.Sscan(arg, &limit)
		good = utf8.RuneCountInString(s) <= limit
	case "nonempty":
		good = s != ""
	case "id":
		good = localID.MatchString(s)
	case "word":
		good = slices.Contains(strings.Split(arg, ","), s)
		c.seen[where+"="+s] = true
	case "ref":
		c.refs = append(c.refs, reference{where, s, strings.FieldsFunc(arg, func(r rune) bool { return r == ',' })})
	case "uri":
		u, err := url.Parse(s)
		good = err == nil && u.Scheme != "" && u.User == nil
	case "time", "past":
		at, err := time.Parse(time.RFC3339Nano, s)
		good = err == nil && timestamp.MatchString(s) && (kind == "time" || !at.After(c.created))
	default:
		panic(kind)
	}
	if !good {
		c.fault("%s is %q", where, s)
	}
}

// resolve checks OCP-S002 and OCP-S003.
func (c *checker) resolve(r reference) {
	kind, ok := c.kinds[r.to]
	if !ok || len(r.kinds) > 0 && !slices.Contains(r.kinds, kind) {
		c.fault("S002/S003 %s to %q, a %q", r.from, r.to, kind)
	}
	c.seen[r.from+"->"+kind] = true
}

// rules checks what concerns several members at once.
func (c *checker) rules(root map[string]any) {
	if parent, ok := root["parent"].(map[string]any); ok && parent["id"] == root["id"] {
		c.fault("S004")
	}
	task, _ := root["task"].(map[string]any)
	for id, o := range c.objects {
		switch c.kinds[id] {
		case "statement":
			c.statement(o)
		case "operation":
			c.operation(o, task["status"] == "completed")
		case "resource":
			if o["uri"] == nil && o["locator"] == nil {
				c.fault("resource %q is nowhere", id)
			}
		}
	}
	continuation, _ := root["continuation"].(map[string]any)
	stops, _ := continuation["stop_conditions"].([]any)
	for _, stop := range stops {
		c.until(stop)
	}
}

// until checks OCP-S009.
func (c *checker) until(stop any) {
	o, _ := stop.(map[string]any)
	entries, _ := o["until"].([]any)
	for _, entry := range entries {
		e, _ := entry.(map[string]any)
		op, _ := e["operation"].(string)
		if (e["status"] == "approved" || e["status"] == "rejected") && c.objects[op]["kind"] != "approval" {
			c.fault("S009 %q", op)
		}
	}
}

// statement checks §6.5 and OCP-S007.
func (c *checker) statement(s map[string]any) {
	origin, _ := s["origin"].(map[string]any)
	verification, _ := s["verification"].(map[string]any)
	ofUser := origin["type"] == "user" || origin["type"] == "system"
	switch {
	case s["kind"] == "instruction" && !ofUser,
		s["kind"] == "external" && ofUser,
		s["kind"] == "decision" && s["rationale"] == nil,
		s["kind"] == "hypothesis" && verification["state"] == "verified",
		s["status"] == "resolved" && (s["kind"] != "question" || s["resolution"] == nil),
		(s["status"] == "superseded") != (s["superseded_by"] != nil):
		c.fault("§6.5 %v", s)
	}
	c.seen[fmt.Sprint("statement ", s["kind"], " ", s["status"])] = true
	c.seen[fmt.Sprint("statement ", s["kind"], " ", origin["type"])] = true
	c.seen[fmt.Sprint("statement ", s["kind"], " ", verification["state"])] = true
	if by, ok := s["superseded_by"].(string); ok {
		kind := c.objects[by]["kind"]
		confirmed := s["kind"] == "hypothesis" && kind == "observation"
		if by == s["id"] || kind != s["kind"] && !confirmed {
			c.fault("S007 %v", s)
		}
		c.seen[fmt.Sprint("superseded ", s["kind"], " by ", kind)] = true
	}
}

// operation checks §6.6 and OCP-S006.
func (c *checker) operation(o map[string]any, taskCompleted bool) {
	decided := o["status"] == "approved" || o["status"] == "rejected"
	open := o["status"] == "planned" || o["status"] == "awaiting" || o["status"] == "uncertain"
	repeatable := o["effect"] == "none" || o["effect"] == "idempotent"
	approval, _ := o["approval"].(map[string]any)
	evidence, _ := approval["evidence"].([]any)
	switch {
	case decided && (o["kind"] != "approval" || len(evidence) == 0),
		approval != nil && len(evidence) == 0,
		open && taskCompleted,
		o["status"] == "uncertain" && !repeatable && (o["resume"] == nil || o["resume"] == "retry"):
		c.fault("§6.6 %v", o)
	}
	c.seen[fmt.Sprint("operation ", o["kind"], " ", o["status"])] = true
	c.seen[fmt.Sprint("operation ", o["status"], " ", o["effect"])] = true
}
