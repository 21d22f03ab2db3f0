package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/nearest"
)

// decode reads the arguments of a call as strictly as documents are read, and what the schema asks of them. A null is an argument that is absent.
func decode(arguments json.RawMessage, schema *jsonschema.Schema, into any) error {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	cursor := jsonspan.Cursor{Src: arguments, Lenient: true} // a document may be read so
	cursor.Start()
	span := cursor.Skip()
	if cursor.Err != nil {
		cursor.Err.Locate(arguments)
		return about("arguments", cursor.Err)
	}
	if arguments[span.Start] != '{' {
		return wrong("arguments", "an object is wanted")
	}
	if err := checkMembers(arguments, span, schema); err != nil {
		return err
	}
	if err := json.Unmarshal(arguments, into); err != nil {
		return wrongType(err)
	}
	return nil
}

// checkMembers refuses arguments that the tool does not have or whose value it does not know, and finds out which are missing.
func checkMembers(src []byte, object jsonspan.Span, schema *jsonschema.Schema) (err error) {
	given := map[string]bool{}
	jsonspan.EachMember(src, object, func(m jsonspan.Item) {
		name, value := string(jsonspan.Plain(src, m.Name)), src[m.Value.Start:m.Value.End]
		given[name] = string(value) != "null"
		if err == nil && given[name] {
			err = checkMember(name, value, schema)
		}
	})
	for _, name := range schema.Required {
		if err == nil && !given[name] {
			err = wrong(name, "it is missing")
		}
	}
	return err
}

func checkMember(name string, value []byte, schema *jsonschema.Schema) error {
	s, known := schema.Properties[name]
	if !known {
		err := wrong("", "there is no argument %q", name)
		if near := nearest.Name(name, slices.Sorted(maps.Keys(schema.Properties))); near != "" {
			err = wrong("", "there is no argument %q; %s is near", name, near)
		}
		return err
	}
	if s.Items != nil {
		var elements []json.RawMessage
		_ = json.Unmarshal(value, &elements) // what is no list is found when all arguments are read
		for _, e := range elements {
			if err := checkWord(name, e, s.Items); err != nil {
				return err
			}
		}
	}
	return checkWord(name, value, s)
}

// checkWord refuses a string that is none of those that the schema lists.
func checkWord(name string, value []byte, schema *jsonschema.Schema) error {
	var text string
	if schema.Enum != nil && json.Unmarshal(value, &text) == nil && !slices.Contains(schema.Enum, any(text)) {
		return wrong(name, "%q is none of %s", text, strings.Trim(fmt.Sprint(schema.Enum), "[]"))
	}
	return nil
}

// wrongType says which argument has a value of the wrong type.
func wrongType(err error) error {
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return wrong(strings.TrimPrefix(mismatch.Field, "source."), "%s is wanted, not %s", typeName(mismatch.Type), article(mismatch.Value))
	}
	return err
}

func typeName(t reflect.Type) string {
	if t == reflect.TypeFor[document]() {
		return "a document, as an object or as a string that holds its text,"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}

// article puts one before a JSON type, which may have a value behind it.
func article(kind string) string {
	if kind == "object" || kind == "array" {
		return "an " + kind
	}
	return "a " + kind
}

func jsonKind(first byte) string {
	switch first {
	case '[':
		return "array"
	case 't', 'f':
		return "bool"
	}
	return "number"
}

// document is a checkpoint among the arguments, an object or a string that holds its text.
type document []byte

// UnmarshalJSON takes the text, of an object to the byte.
func (d *document) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case 'n':
		return nil
	case '{':
		*d = bytes.Clone(b)
		return nil
	case '"':
		var text string
		err := json.Unmarshal(b, &text)
		*d = document(text)
		return err
	}
	return &json.UnmarshalTypeError{Value: jsonKind(b[0]), Type: reflect.TypeFor[document]()}
}

// embedded is a document in a result, to the byte but for white space.
type embedded struct{ json.RawMessage }

// budget is what a document may be made to fit, as the command reads it.
type budget string

// UnmarshalJSON takes a number for tokens.
func (d *budget) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, (*string)(d))
	}
	if b[0] != 'n' {
		*d = budget(b)
	}
	return nil
}

// onMissing says what a resume with nothing saved is: "error", or "empty", a success that says so.
type onMissing string

// statementKind is a word of §6.5 of the specification.
type statementKind string
