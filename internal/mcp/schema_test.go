package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// declared is a tool as the client sees it.
type declared struct {
	Name         string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	Annotations  struct {
		ReadOnlyHint    bool
		DestructiveHint *bool
		IdempotentHint  bool
		OpenWorldHint   *bool
	}
}

func (s *session) tools() map[string]declared {
	s.t.Helper()
	var list struct{ Tools []declared }
	if err := json.Unmarshal(s.ask("tools/list", object{}).Result, &list); err != nil {
		s.t.Fatal(err)
	}
	tools := map[string]declared{}
	for _, d := range list.Tools {
		tools[d.Name] = d
	}
	return tools
}

// judge holds a structured result against the schema that the tool declares, as a strict client does.
type judge map[string]*jsonschema.Schema

func (s *session) judge() judge {
	s.t.Helper()
	j := judge{}
	for name, d := range s.tools() {
		schema, err := jsonschema.UnmarshalJSON(strings.NewReader(string(d.OutputSchema)))
		if err != nil {
			s.t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("test:"+name, schema); err != nil {
			s.t.Fatal(err)
		}
		if j[name], err = c.Compile("test:" + name); err != nil {
			s.t.Fatal(err)
		}
	}
	return j
}

func (j judge) check(tool string, data string) error {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(data))
	if err != nil {
		return err
	}
	return j[tool].Validate(value)
}

// documents are small arguments for every tool, and whether it is to succeed.
func documents(t *testing.T) []struct {
	tool string
	args object
	ok   bool
} {
	doc := json.RawMessage(sample(t))
	id := "urn:uuid:019a8f20-4c00-7b11-9d3e-6a2f51c0de01"
	child := json.RawMessage(strings.Replace(strings.Replace(string(doc), id, "urn:x:child", 1), `"source"`, `"parent":{"id":"`+id+`"},"source"`, 1))
	return []struct {
		tool string
		args object
		ok   bool
	}{
		{"checkpoint_list", object{}, true},
		{"checkpoint_resume", object{"agent_id": "a", "on_missing": "empty"}, true},
		{"checkpoint_resume", object{"agent_id": "a"}, false},
		{"checkpoint_resume", object{"agent_id": "a", "on_missing": "error"}, false},
		{"checkpoint_save", object{"agent_id": "a", "checkpoint": doc}, true},
		{"checkpoint_save", object{"agent_id": "a", "checkpoint": doc}, true},
		{"checkpoint_save", object{"agent_id": "a", "checkpoint": child, "expect": strings.Repeat("0", 64)}, false},
		{"checkpoint_save", object{"agent_id": "a", "checkpoint": child, "expect": "sha-256:" + strings.Repeat("0", 64)}, false},
		{"checkpoint_save", object{"agent_id": "a", "checkpoint": object{}}, false},
		{"checkpoint_save", object{"agent_id": "a", "checkpoint": child}, true},
		{"checkpoint_resume", object{"agent_id": "a"}, true},
		{"checkpoint_resume", object{"agent_id": "a", "on_missing": "empty"}, true},
		{"checkpoint_list", object{"agent_id": "a"}, true},
		{"checkpoint_validate", object{"checkpoint": doc}, true},
		{"checkpoint_validate", object{"ref": id}, true},
		{"checkpoint_validate", object{"checkpoint": object{"opencheckpoint": "0.1"}}, true},
		{"checkpoint_validate", object{"checkpoint": "{"}, true},
		{"checkpoint_validate", object{"checkpoint": child, "parent": doc, "strict": true}, true},
		{"checkpoint_validate", object{"checkpoint": child, "parent_ref": "urn:x:none"}, false},
		{"checkpoint_compact", object{"checkpoint": doc, "budget": 2300}, true},
		{"checkpoint_compact", object{"checkpoint": doc, "budget": json.RawMessage("2300.0")}, true},
		{"checkpoint_compact", object{"checkpoint": doc, "budget": json.RawMessage("23e2")}, true},
		{"checkpoint_compact", object{"checkpoint": doc, "budget": "1MiB"}, true},
		{"checkpoint_compact", object{"ref": id, "budget": "min", "keep_kinds": []string{"observation"}}, true},
		{"checkpoint_compact", object{"checkpoint": doc, "budget": 3}, false},
		{"checkpoint_fork", object{"checkpoint": doc, "n": 2, "constraints": []object{{"fork": "1", "text": "c"}}}, true},
		{"checkpoint_fork", object{"checkpoint": doc, "n": json.RawMessage("2.0"), "owner": nil}, true},
		{"checkpoint_fork", object{"checkpoint": doc, "n": 0}, false},
		{"checkpoint_merge", object{"checkpoints": []any{doc, child}}, true},
		{"checkpoint_merge", object{"checkpoints": []any{child}, "refs": []string{id}}, true},
		{"checkpoint_merge", object{"checkpoints": []any{doc}}, false},
		{"checkpoint_digest", object{"checkpoint": doc}, true},
		{"checkpoint_digest", object{"ref": id, "verify": "sha-256:" + strings.Repeat("0", 64)}, false},
		{"checkpoint_digest", object{"ref": "urn:x:none"}, false},
	}
}

// TestStructured: every success has structured content that the schema which its tool declares allows, and every failure is text alone.
func TestStructured(t *testing.T) {
	s := connect(t, inDirectory(t))
	j := s.judge()
	seen := map[string]bool{}
	for i, c := range documents(t) {
		t.Run(fmt.Sprint(i, c.tool), func(t *testing.T) {
			r := s.call(c.tool, c.args)
			if !c.ok {
				t.Log(r.failure(t))
				return
			}
			if r.IsError || len(r.Content) == 0 {
				t.Fatalf("it failed: %.500s", r.wire)
			}
			if err := j.check(c.tool, string(r.Data)); err != nil {
				t.Errorf("%v: %.500s", err, r.Data)
			}
			seen[c.tool] = true
		})
	}
	for name := range j {
		if !seen[name] {
			t.Errorf("no success of %s was judged", name)
		}
	}
}

// TestConflictIsStructured: a merge with conflicts, whose values are any JSON.
func TestConflictIsStructured(t *testing.T) {
	s := connect(t, never)
	base := string(sample(t))
	var checkpoints []json.RawMessage
	for i, objective := range []string{"one", "two"} {
		child := strings.Replace(base, `019a8f20-4c00-7b11-9d3e-6a2f51c0de01`, fmt.Sprint("child-", i), 1)
		child = strings.Replace(child, `"source"`, `"parent":{"id":"urn:uuid:019a8f20-4c00-7b11-9d3e-6a2f51c0de01"},"source"`, 1)
		at := strings.Index(child, `"objective"`)
		end := at + strings.Index(child[at:], `",`)
		checkpoints = append(checkpoints, json.RawMessage(child[:at]+`"objective":"`+objective+child[end:]))
	}
	r := s.call("checkpoint_merge", object{"checkpoints": checkpoints, "base": json.RawMessage(base)})
	var merged struct{ Conflicts []struct{ Path string } }
	r.success(t, &merged)
	if len(merged.Conflicts) == 0 || !strings.Contains(r.Content[0].Text, "open") {
		t.Errorf("no conflict: %.500s", r.wire)
	}
	if err := s.judge().check("checkpoint_merge", string(r.Data)); err != nil {
		t.Error(err)
	}
}

// TestAbsence: that nothing is saved is on the wire as it must be, to the byte, and the schema says exactly that.
func TestAbsence(t *testing.T) {
	s := connect(t, inDirectory(t))
	r := s.call("checkpoint_resume", object{"agent_id": "a", "on_missing": "empty"})
	if !strings.Contains(r.wire, `"structuredContent":{"found":false,"agent_id":"a"}`) {
		t.Errorf("on the wire: %s", r.wire)
	}
	if len(r.Content) != 1 || r.Content[0].Text != `No checkpoint saved for agent "a" yet` {
		t.Errorf("the text is %v", r.Content)
	}
	var root struct {
		Type                                       string
		Properties, Required, AdditionalProperties json.RawMessage
		OneOf                                      []json.RawMessage
	}
	if err := json.Unmarshal(s.tools()["checkpoint_resume"].OutputSchema, &root); err != nil {
		t.Fatal(err)
	}
	if root.Type != "object" || root.Properties != nil || root.Required != nil || root.AdditionalProperties != nil || len(root.OneOf) != 2 {
		t.Errorf("the root is %+v", root)
	}
	want := `{"type":"object","properties":{"found":{"type":"boolean","enum":[false]},"agent_id":{"type":"string"}},"required":["found","agent_id"],"additionalProperties":false}`
	if string(root.OneOf[1]) != want {
		t.Errorf("the branch of absence is %s", root.OneOf[1])
	}
}

// TestForged: the schema of resume allows nothing between the two answers.
func TestForged(t *testing.T) {
	s := connect(t, never)
	j := s.judge()
	found := `{"found":true,"agent_id":"a","id":"i","digest":"d","saved_at":"t","checkpoint":{}}`
	for _, good := range []string{found, `{"found":false,"agent_id":"a"}`} {
		if err := j.check("checkpoint_resume", good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{`{"found":true,"agent_id":"a"}`, `{"agent_id":"a"}`, `{"found":false}`, `{}`, strings.Replace(found, "true", "false", 1),
		`{"found":false,"agent_id":"a","id":"i"}`, strings.Replace(found, `{}`, `null`, 1), `{"found":null,"agent_id":"a"}`} {
		if j.check("checkpoint_resume", bad) == nil {
			t.Errorf("%s is allowed", bad)
		}
	}
}

// TestHints: only save changes anything, and it destroys nothing.
func TestHints(t *testing.T) {
	for name, d := range connect(t, never).tools() {
		a := d.Annotations
		if a.ReadOnlyHint == (name == "checkpoint_save") || a.DestructiveHint == nil || *a.DestructiveHint || a.OpenWorldHint == nil || *a.OpenWorldHint || !a.IdempotentHint {
			t.Errorf("%s: %+v", name, a)
		}
		if strings.Contains(string(d.InputSchema)+string(d.OutputSchema), `"null"`) {
			t.Errorf("%s: a list that is never null may be", name)
		}
	}
}
