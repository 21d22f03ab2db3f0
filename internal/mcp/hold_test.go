package mcp

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	outside "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// TestHold: arguments are held to the schema that is advertised, as another validator reads it. No null is among the members: here it is absence.
func TestHold(t *testing.T) {
	for _, tool := range tools() {
		in := tool.declaration.InputSchema.(*jsonschema.Schema)
		judge := compiled(t, in)
		verdicts := map[bool]int{}
		for text := range variants(in) {
			value, err := outside.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			allowed := judge.Validate(value) == nil
			verdicts[allowed]++
			if held := hold([]byte(text), jsonspan.Span{End: len(text)}, in, ""); (held == nil) != allowed {
				t.Errorf("%s: %s: allowed: %v, but %v", tool.declaration.Name, text, allowed, held)
			}
		}
		if verdicts[true] == 0 || verdicts[false] == 0 {
			t.Errorf("%s: %v", tool.declaration.Name, verdicts)
		}
	}
}

func compiled(t *testing.T, schema *jsonschema.Schema) *outside.Schema {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	value, err := outside.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := outside.NewCompiler()
	if err := c.AddResource("test:in", value); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("test:in")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// scalars are values of every type, some in spellings of their own. None is an integer that a double does not count: that is refused whatever the schema says.
var scalars = []string{`7`, `7.0`, `-70E-1`, `7.5`, `1e-300`, `"x"`, `"\u0078"`, `""`, `"error"`, `"decision"`, `true`, `[]`, `[null]`, `[[]]`, `["",7]`, `["constraint"]`, `{}`, `{"x":{"y":[1]}}`, `[{}]`}

// variants are values near to what a schema allows, not all of which it does.
func variants(s *jsonschema.Schema) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, text := range scalars {
			if s.AdditionalProperties == nil && !yield(text) {
				return
			}
		}
		if s.Items != nil {
			for text := range variants(s.Items) {
				if !yield("["+text+"]") || !yield("["+text+","+text+"]") {
					return
				}
			}
		}
		if s.AdditionalProperties != nil {
			objects(s)(yield)
		}
	}
}

// objects have the members that are required, and one that is any value, is missing, or has a name of no member.
func objects(s *jsonschema.Schema) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			rest := required(s, name)
			if !yield("{"+strings.Join(rest, ",")+"}") || !yield("{"+strings.Join(append(rest, fmt.Sprintf("%q:{}", strings.ToUpper(name))), ",")+"}") {
				return
			}
			for text := range variants(s.Properties[name]) {
				if !yield("{" + strings.Join(append(rest, fmt.Sprintf("%q:%s", name, text)), ",") + "}") {
					return
				}
			}
		}
	}
}

// required are the members that are, but for one.
func required(s *jsonschema.Schema, but string) (members []string) {
	for _, name := range s.Required {
		if name != but {
			value := map[string]string{"integer": "1", "string": `"a"`, "": "{}"}[s.Properties[name].Type]
			if name == "budget" {
				value = "1"
			}
			members = append(members, fmt.Sprintf("%q:%s", name, value))
		}
	}
	return slices.Clip(members)
}
