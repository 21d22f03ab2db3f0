package mcp

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/opencheckpoint/ocp/compact"
)

// special are the types whose JSON is not what Go makes of their kind. They are made when a server starts: every other verb has to start, too.
func special() *jsonschema.ForOptions {
	return &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[document](): {AnyOf: []*jsonschema.Schema{
			{Type: "object", Description: "an OpenCheckpoint document"},
			{Type: "string", Description: "the text of one, which keeps its bytes"},
		}},
		reflect.TypeFor[embedded]():        {Type: "object"},
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[budget](): {AnyOf: []*jsonschema.Schema{
			{Type: "integer", Description: "tokens"},
			{Type: "string", MinLength: new(1), Description: `such as "8000", "32KiB", or "min"`},
		}},
		reflect.TypeFor[integer]():       {Type: "integer"},
		reflect.TypeFor[onMissing]():     {Type: "string", Enum: []any{"error", "empty"}, Default: json.RawMessage(`"error"`)},
		reflect.TypeFor[statementKind](): {Type: "string", Enum: kinds()},
	}}
}

func kinds() (list []any) {
	for _, k := range compact.Kinds() {
		list = append(list, k)
	}
	return list
}

// schemaOf makes the schema of a type. That one cannot be made is a defect that any test shows.
func schemaOf[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](special())
	if err != nil {
		panic(err)
	}
	neverNull(s)
	return s
}

// neverNull takes back that a list may be null: none that is written is, and of an argument null means that it is absent.
func neverNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	neverNull(s.Items)
	for _, p := range s.Properties {
		neverNull(p)
	}
}

// neverEmpty forbids the empty string in arguments: a variable that is not set must not turn a check off that was asked for. A document says more itself.
func neverEmpty(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Type == "string" && s.Enum == nil {
		s.MinLength = new(1)
	}
	neverEmpty(s.Items)
	for _, p := range s.Properties {
		neverEmpty(p)
	}
}

// fixed makes a member one that has always the same value.
func fixed(s *jsonschema.Schema, member string, value any) *jsonschema.Schema {
	s.Properties[member].Enum = []any{value}
	return s
}

// either is a result of one of two forms. The root has no properties of its own: a client would hold every form against them.
func either(a, b *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", OneOf: []*jsonschema.Schema{a, b}}
}
