package checkpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// This file prints level 1 (§8.1) as a JSON Schema. It adds no rule to the table. What the table marks as inferred yields only warnings,
// so the schema accepts it and says in a $comment what is expected. It uses no format: those are annotations (§8.1), and where
// the form matters the table has a pattern.

// The head of the schema. Its $id names it and is no place to find it at: the schema that §1 mentions is another one.
const (
	schemaDialect     = "https://json-schema.org/draft/2020-12/schema"
	schemaID          = "urn:opencheckpoint:ocp:schema:" + Version
	schemaTitle       = "OpenCheckpoint " + Version + " checkpoint"
	schemaDescription = "Level 1 of OpenCheckpoint " + Version + " (§8.1) as ocp checks it. Not expressible here are level 0, that the document " +
		"is an I-JSON message (§3), and level 2, the semantic rules of §8.2 such as unique local ids and resolving references."
	schemaDefs = "#/$defs/"
)

// jsonSchema is a schema of Draft 2020-12 with the keywords that level 1 needs, in the order in which they are printed.
type jsonSchema struct {
	Dialect              string        `json:"$schema,omitempty"`
	ID                   string        `json:"$id,omitempty"`
	Title                string        `json:"title,omitempty"`
	Description          string        `json:"description,omitempty"`
	Comment              string        `json:"$comment,omitempty"`
	Ref                  string        `json:"$ref,omitempty"`
	Type                 string        `json:"type,omitempty"`
	Const                string        `json:"const,omitempty"`
	Enum                 []string      `json:"enum,omitempty"`
	Pattern              string        `json:"pattern,omitempty"`
	MaxLength            int           `json:"maxLength,omitempty"` // in code points, as the table counts
	MinItems             int           `json:"minItems,omitempty"`
	Items                *jsonSchema   `json:"items,omitempty"`
	Properties           namedSchemas  `json:"properties,omitempty"`
	Required             []string      `json:"required,omitempty"`
	PropertyNames        *jsonSchema   `json:"propertyNames,omitempty"`
	AdditionalProperties *bool         `json:"additionalProperties,omitempty"`
	AllOf                []*jsonSchema `json:"allOf,omitempty"`
	AnyOf                []*jsonSchema `json:"anyOf,omitempty"`
	Not                  *jsonSchema   `json:"not,omitempty"`
	If                   *jsonSchema   `json:"if,omitempty"`
	Then                 *jsonSchema   `json:"then,omitempty"`
	Defs                 namedSchemas  `json:"$defs,omitempty"`
}

type namedSchema struct {
	name   string
	schema *jsonSchema
}

// namedSchemas is a JSON object of schemas that keeps its order.
type namedSchemas []namedSchema

// MarshalJSON writes the schemas under their names, in order.
func (list namedSchemas) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for i, n := range list {
		text, err := json.Marshal(n.schema)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%c%q:%s", "{,"[min(i, 1)], n.name, text)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// JSONSchema returns level 1 as a JSON Schema of Draft 2020-12, indented by two spaces. A document is valid against it exactly
// if Parse, with no options, finds no error of level 1 in it.
func JSONSchema() []byte {
	root := jsonSchema{Dialect: schemaDialect, ID: schemaID, Title: schemaTitle, Description: schemaDescription, Ref: schemaDefs + topObject.name}
	for _, t := range topObject.reachable() {
		root.Defs = append(root.Defs, namedSchema{t.name, t.schema()})
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetIndent("", "  ")
	if err := e.Encode(root); err != nil {
		panic(err) // the fields above are all that is encoded
	}
	return out.Bytes()
}

// reachable lists t and the object types in it, each once, in the order of the table.
func (t *objectType) reachable() (list []*objectType) {
	eachObjectType(t, func(inner *objectType) {
		if !slices.Contains(list, inner) {
			list = append(list, inner)
		}
	})
	return list
}

// schema is a core object: it has no members but its own (§6).
func (t *objectType) schema() *jsonSchema {
	s := &jsonSchema{Type: "object", AdditionalProperties: new(false)}
	var implied []string
	for i := range t.members {
		m := &t.members[i]
		s.Properties = append(s.Properties, namedSchema{m.name, m.value.schema()})
		switch {
		case m.requiredInferred:
			implied = append(implied, m.name)
		case m.required:
			s.Required = append(s.Required, m.name)
		}
	}
	if implied != nil {
		s.Comment = inferredComment(strings.Join(implied, ", ") + " as a required member")
	}
	for i := range t.rules {
		s.AllOf = append(s.AllOf, t.rules[i].schema())
	}
	return s
}

// inferredComment says what is expected where a schema does not insist on it.
func inferredComment(expected string) string {
	return "Expected: " + expected + ". No clause states it, so a breach is only a warning."
}

func (v *value) schema() *jsonSchema {
	if v.inferred {
		return &jsonSchema{Comment: inferredComment(v.expected())}
	}
	switch v.shape {
	case anything:
		return &jsonSchema{}
	case object:
		return v.objectSchema()
	case list:
		s := &jsonSchema{Type: "array", Items: v.items.schema()}
		if v.nonEmpty {
			s.MinItems = 1
		}
		return s
	case extensionMap:
		return &jsonSchema{Type: "object", PropertyNames: &jsonSchema{Pattern: extensionPattern}}
	}
	return v.stringSchema()
}

// expected describes an inferred value, which is an object or a word.
func (v *value) expected() string {
	switch {
	case v.shape == word:
		return "one of " + strings.Join(v.words, ", ")
	case v.orText:
		return "a string, or an object as in " + schemaDefs + v.object.name
	}
	return "an object as in " + schemaDefs + v.object.name
}

func (v *value) objectSchema() *jsonSchema {
	s := &jsonSchema{Ref: schemaDefs + v.object.name}
	if v.orText {
		return &jsonSchema{AnyOf: []*jsonSchema{{Type: "string"}, s}}
	}
	return s
}

// stringSchema is a value that is a string. What a reference names is level 2.
func (v *value) stringSchema() *jsonSchema {
	s := &jsonSchema{Type: "string", MaxLength: v.max}
	switch v.shape {
	case localID:
		s.Pattern = idPattern
	case instant:
		s.Pattern = instantPattern
	case word:
		return wordSchema(v.words)
	}
	return s
}

func wordSchema(words []string) *jsonSchema {
	if len(words) == 1 {
		return &jsonSchema{Const: words[0]}
	}
	return &jsonSchema{Enum: words}
}

// schema is a schema-level rule (§8.2, last paragraph).
func (r *rule) schema() *jsonSchema {
	s := &jsonSchema{Comment: r.clause + ": " + r.text, If: r.premises[0].schema(), Then: r.conclusion.schema()}
	if len(r.premises) > 1 {
		s.If = &jsonSchema{}
		for _, p := range r.premises {
			s.If.AllOf = append(s.If.AllOf, p.schema())
		}
	}
	return s
}

func (c condition) schema() *jsonSchema {
	first, rest, nested := strings.Cut(c.path, "/")
	s := &jsonSchema{Required: []string{first}}
	switch {
	case nested:
		s.Properties = namedSchemas{{first, is(rest, c.words...).schema()}}
	case c.words != nil:
		s.Properties = namedSchemas{{first, wordSchema(c.words)}}
	}
	if c.negated {
		return &jsonSchema{Not: s}
	}
	return s
}
