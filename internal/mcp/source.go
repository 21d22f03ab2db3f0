package mcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencheckpoint/ocp/store"
)

// source is a document among the arguments: the text of one, or one that is saved, so that a model need not repeat it.
type source struct {
	Checkpoint document `json:"checkpoint,omitempty" jsonschema:"the document"`
	Ref        string   `json:"ref,omitempty" jsonschema:"instead of checkpoint: the id or the digest of one that is saved"`
	Lenient    bool     `json:"lenient,omitempty" jsonschema:"accept undefined members, and numbers that a double rounds"`
}

// read returns the one document that is meant, and what messages call it.
func (a *source) read(ctx context.Context, s *server) (text []byte, name string, err error) {
	return s.read(ctx, "checkpoint", a.Checkpoint, "ref", a.Ref)
}

// read returns the document that an argument has, or that is saved under the ref which another argument has.
func (s *server) read(ctx context.Context, argument string, given document, refArgument, ref string) (text []byte, name string, err error) {
	switch {
	case given != nil && ref != "":
		return nil, "", wrong("", "%s and %s exclude each other", argument, refArgument)
	case ref != "":
		text, err = s.saved(ctx, ref)
		return text, ref, err
	case given != nil:
		text, err = given.checked(argument)
		return text, argument, err
	}
	return nil, "", wrong(argument, "it is missing, and so is %s", refArgument)
}

// checked returns the text of a document that is not too large.
func (d document) checked(name string) ([]byte, error) {
	return d, checkSize(name, len(d))
}

func checkSize(name string, size int) error {
	if size > MaxDocument {
		return wrong(name, "it has %d bytes; a document has %d at most here, and ocp takes larger ones", size, MaxDocument)
	}
	return nil
}

// saved returns a document of the store.
func (s *server) saved(ctx context.Context, ref string) ([]byte, error) {
	st, err := s.store(ctx)
	if err != nil {
		return nil, err
	}
	c, err := st.Get(ctx, ref)
	if errors.Is(err, store.ErrNoCheckpoint) {
		return nil, &unsavedError{ref}
	}
	if err != nil {
		return nil, about(fmt.Sprintf("%q", ref), err)
	}
	return c.Bytes, checkSize(ref, len(c.Bytes))
}
