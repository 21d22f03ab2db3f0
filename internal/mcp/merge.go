package mcp

import (
	"context"
	"errors"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/opencheckpoint/ocp/merge"
)

// mergeArgs are the arguments of checkpoint_merge. Conflicts are resolved, and guards lifted against what is known, by a person with the command.
type mergeArgs struct {
	Checkpoints []document `json:"checkpoints,omitempty" jsonschema:"the documents to merge, in any order"`
	Refs        []string   `json:"refs,omitempty" jsonschema:"ids or digests of others that are saved"`
	Base        document   `json:"base,omitempty" jsonschema:"their common ancestor, if it is at hand; it may also be among them"`
	BaseRef     string     `json:"base_ref,omitempty" jsonschema:"instead of base: the id or the digest of one that is saved"`
	Unrelated   bool       `json:"unrelated,omitempty" jsonschema:"merge documents that name no common ancestor"`
	Lenient     bool       `json:"lenient,omitempty" jsonschema:"accept undefined members, and numbers that a double rounds"`
}

// merged is what checkpoint_merge returns.
type merged struct {
	merge.Report
	Checkpoint embedded `json:"checkpoint"`
}

func mergeTool() tool {
	return newTool(sdk.Tool{
		Name: "checkpoint_merge", Title: "Merge checkpoints", Annotations: reads(),
		Description: fmt.Sprintf("Make one document of 2 to %d that were continued in parallel. What they disagree on becomes an open question with the competing terms; "+
			"nothing is lost and nothing is chosen silently. Nothing is saved.", MaxInputs),
	}, schemaOf[merged](), mergeAll)
}

func mergeAll(ctx context.Context, s *server, a *mergeArgs) (*answer, error) {
	inputs, names, err := a.inputs(ctx, s)
	if err != nil {
		return nil, err
	}
	opts := merge.Options{Unrelated: a.Unrelated, Lenient: a.Lenient}
	if a.Base != nil || a.BaseRef != "" {
		if opts.Base, _, err = s.read(ctx, "base", a.Base, "base_ref", a.BaseRef); err != nil {
			return nil, err
		}
	}
	r, err := merge.Merge(inputs, opts)
	if err != nil {
		return nil, aboutInput(names, err)
	}
	if err := checkSize("the merged document", len(r.Bytes())); err != nil {
		return nil, err
	}
	line := "merged"
	if n := len(r.Conflicts); n > 0 {
		line += fmt.Sprintf(", with %s open: each is a question of the document, which a person settles with ocp merge --resolve", count(n, "conflict"))
	}
	data := &merged{r.Report(), embed(r.Bytes())}
	return show(data, mergeFacts(&data.Report), [][]byte{r.Bytes()}, "%s", line)
}

// inputs reads the documents to merge, and what messages call each.
func (a *mergeArgs) inputs(ctx context.Context, s *server) (inputs [][]byte, names []string, err error) {
	if n := len(a.Checkpoints) + len(a.Refs); n > MaxInputs {
		return nil, nil, wrong("", "%d documents are given; %d can be merged here", n, MaxInputs)
	}
	size := 0
	add := func(text []byte, name string, err error) error {
		if size += len(text); err == nil && size > MaxAnswer {
			err = wrong("", "the documents have more than %d bytes together; ocp merge has no such limit", MaxAnswer)
		}
		inputs, names = append(inputs, text), append(names, name)
		return err
	}
	for i, d := range a.Checkpoints {
		name := fmt.Sprintf("checkpoints[%d]", i)
		text, err := d.checked(name)
		if err := add(text, name, err); err != nil {
			return nil, nil, err
		}
	}
	for _, ref := range a.Refs {
		text, err := s.saved(ctx, ref)
		if err := add(text, ref, err); err != nil {
			return nil, nil, err
		}
	}
	return inputs, names, nil
}

// aboutInput says which document an error is about.
func aboutInput(names []string, err error) error {
	var d *merge.DocumentError
	if errors.As(err, &d) && d.Role == "input" {
		return about(names[d.Index], d.Err)
	}
	return err
}
