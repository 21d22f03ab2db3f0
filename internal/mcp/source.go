package mcp

import (
	"context"
	"fmt"
)

// source is a document among the arguments: the text of one, or one that is saved, so that a model need not repeat it.
type source struct {
	Checkpoint document `json:"checkpoint,omitempty" jsonschema:"the document"`
	Ref        string   `json:"ref,omitempty" jsonschema:"instead of checkpoint: the id or the digest of one that is saved"`
	Lenient    bool     `json:"lenient,omitempty" jsonschema:"accept undefined members, and numbers that a double rounds"`
}

// read returns the one document that is meant, and what messages call it.
func (a *source) read(ctx context.Context, s *server) (text []byte, name string, err error) {
	switch {
	case a.Checkpoint != nil && a.Ref != "":
		return nil, "", wrong("", "checkpoint and ref exclude each other")
	case a.Ref != "":
		text, err = s.saved(ctx, a.Ref)
		return text, a.Ref, err
	case a.Checkpoint != nil:
		text, err = a.Checkpoint.checked("checkpoint")
		return text, "checkpoint", err
	}
	return nil, "", wrong("checkpoint", "it is missing, and so is ref")
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
	if err != nil {
		return nil, about(fmt.Sprintf("%q", ref), err)
	}
	return c.Bytes, checkSize(ref, len(c.Bytes))
}
