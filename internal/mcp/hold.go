package mcp

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/nearest"
)

// hold refuses a value of an accepted text that the advertised schema does not allow, with a line that says where it is and what is wrong. The schema's
// own package says neither in few words, and repeats the document. It knows the keywords that schemaOf makes. A member that is null is absent.
func hold(src []byte, value jsonspan.Span, schema *jsonschema.Schema, path string) error {
	text := src[value.Start:value.End]
	kind := kindOf(text)
	forms := formsOf(schema)
	i := slices.IndexFunc(forms, func(s *jsonschema.Schema) bool { return s.Type == kind })
	if i < 0 {
		return wrong(path, "%s is wanted, not %s", wanted(forms), described(kind, text))
	}
	switch kind {
	case "object":
		return holdMembers(src, value, forms[i], path)
	case "array":
		return holdElements(src, value, forms[i], path)
	case "string":
		return holdText(string(jsonspan.AppendPlain(nil, text)), forms[i], path)
	}
	return nil
}

// formsOf are the schemas of which a value must meet one.
func formsOf(schema *jsonschema.Schema) []*jsonschema.Schema {
	if schema.AnyOf != nil {
		return schema.AnyOf
	}
	return []*jsonschema.Schema{schema}
}

// holdMembers looks at the members of an object, and at which are missing. Of a document, which is open, it looks at none.
func holdMembers(src []byte, object jsonspan.Span, schema *jsonschema.Schema, path string) (err error) {
	if schema.AdditionalProperties == nil {
		return nil
	}
	given := map[string]bool{}
	jsonspan.EachItem(src, object, func(m jsonspan.Item) bool {
		name := string(jsonspan.Plain(src, m.Name))
		member, known := schema.Properties[name]
		switch {
		case src[m.Value.Start] == 'n':
		case !known:
			err = unknown(name, schema, path)
		default:
			given[name] = true
			err = hold(src, m.Value, member, memberPath(path, name))
		}
		return err == nil
	})
	for _, name := range schema.Required {
		if err == nil && !given[name] {
			err = wrong(memberPath(path, name), "it is missing")
		}
	}
	return err
}

func memberPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// unknown says that there is no such argument, or no such member of one.
func unknown(name string, schema *jsonschema.Schema, path string) error {
	what := "argument"
	if path != "" {
		what = "member"
	}
	if near := nearest.Name(name, slices.Sorted(maps.Keys(schema.Properties))); near != "" {
		return wrong(path, "there is no %s %q; %s is near", what, name, near)
	}
	return wrong(path, "there is no %s %q", what, name)
}

func holdElements(src []byte, array jsonspan.Span, schema *jsonschema.Schema, path string) (err error) {
	i := 0
	jsonspan.EachItem(src, array, func(e jsonspan.Item) bool {
		err = hold(src, e.Value, schema.Items, fmt.Sprintf("%s[%d]", path, i))
		i++
		return err == nil
	})
	return err
}

// holdText refuses a text that is empty where none may be, and one that is none of those that the schema lists.
func holdText(text string, schema *jsonschema.Schema, path string) error {
	switch {
	case text == "" && schema.MinLength != nil:
		return wrong("", "%s is empty", path)
	case schema.Enum != nil && !slices.Contains(schema.Enum, any(text)):
		return wrong(path, "%q is none of %s", text, strings.Trim(fmt.Sprint(schema.Enum), "[]"))
	}
	return nil
}

// kindOf is the type of a value in the words of JSON Schema.
func kindOf(value []byte) string {
	if _, ok := whole(value); ok {
		return "integer"
	}
	return checkpoint.JSONType(value[0])
}

// whole is the integer that a number is, however it is spelled: 2.0 is one by JSON Schema. What a double does not count exactly is none.
func whole(number []byte) (n int64, ok bool) {
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// kindNames are the types as messages say them.
var kindNames = map[string]string{"object": "an object", "array": "a list", "string": "a string", "boolean": "true or false", "integer": "an integer"}

// wanted lists the forms that a value may have. Where there are several, each says what it is.
func wanted(forms []*jsonschema.Schema) string {
	var list []string
	for _, s := range forms {
		name := kindNames[s.Type]
		if len(forms) > 1 {
			name += " (" + s.Description + ")"
		}
		list = append(list, name)
	}
	return strings.Join(list, " or ")
}

// described is a value that is not wanted.
func described(kind string, text []byte) string {
	switch kind {
	case "array", "object":
		return "an " + kind
	case "null":
		return kind
	case "number":
		return fmt.Sprintf("the number %.40s", text)
	case "integer":
		return "a number"
	}
	return "a " + kind
}
