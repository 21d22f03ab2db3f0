package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// decode reads the arguments of a call as strictly as documents are read, and as the schema has them. A null is an argument that is absent.
func decode(arguments json.RawMessage, schema *jsonschema.Schema, into any) error {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	cursor := jsonspan.Cursor{Src: arguments, Lenient: true} // a document may be read so
	cursor.Start()
	span := cursor.Skip()
	cursor.End()
	if cursor.Err != nil {
		cursor.Err.Locate(arguments)
		return about("arguments", cursor.Err)
	}
	if arguments[span.Start] != '{' {
		return wrong("arguments", "an object is wanted")
	}
	if err := hold(arguments, span, schema, ""); err != nil {
		return err
	}
	if err := json.Unmarshal(arguments, into); err != nil {
		return &defectError{err.Error()} // the schema was made from the type
	}
	return nil
}

// document is a checkpoint among the arguments, an object or a string that holds its text.
type document []byte

// UnmarshalJSON takes the text, of an object to the byte.
func (d *document) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '{':
		*d = bytes.Clone(b)
	case '"':
		var text string
		err := json.Unmarshal(b, &text)
		*d = document(text)
		return err
	}
	return nil
}

// embedded is a document in a result, to the byte but for white space.
type embedded struct{ json.RawMessage }

// integer is one however it is spelled.
type integer int

// UnmarshalJSON takes 2.0 for 2.
func (d *integer) UnmarshalJSON(b []byte) error {
	if n, ok := whole(b); ok {
		*d = integer(n)
	}
	return nil
}

// budget is what a document may be made to fit, as the command reads it.
type budget string

// UnmarshalJSON takes a number for tokens.
func (d *budget) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, (*string)(d))
	}
	if n, ok := whole(b); ok {
		*d = budget(strconv.FormatInt(n, 10))
	}
	return nil
}

// onMissing says what a resume with nothing saved is: "error", or "empty", a success that says so.
type onMissing string

// statementKind is a word of §6.5 of the specification.
type statementKind string
