package mcp

import (
	"context"
	"errors"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/secret"
	"github.com/opencheckpoint/ocp/internal/verdict"
)

// validateArgs are the arguments of checkpoint_validate.
type validateArgs struct {
	source
	Parent    document `json:"parent,omitempty" jsonschema:"hold the document against this parent, too"`
	ParentRef string   `json:"parent_ref,omitempty" jsonschema:"instead of parent: the id or the digest of one that is saved"`
	Strict    bool     `json:"strict,omitempty" jsonschema:"what rests on an inference, or breaks a law of compaction, is an error"`
}

// validated is what checkpoint_validate returns. That a document is invalid is no failure of the tool.
type validated struct {
	Valid    bool              `json:"valid" jsonschema:"levels 1 and 2 of the specification, which say nothing about what a destination may do"`
	SetAside bool              `json:"set_aside" jsonschema:"lenient set errors aside"`
	Findings []verdict.Finding `json:"findings"`
	More     int               `json:"more" jsonschema:"findings that are not listed"`
	Notes    []string          `json:"notes"`
}

func validateTool() tool {
	return newTool(sdk.Tool{
		Name: "checkpoint_validate", Title: "Validate a checkpoint", Annotations: reads(),
		Description: "Check an OpenCheckpoint document at levels 1 and 2, and against its parent if that is given. Reports every finding.",
	}, schemaOf[validated](), validate)
}

func validate(ctx context.Context, s *server, a *validateArgs) (*answer, error) {
	if a.Strict && a.Lenient {
		return nil, wrong("", "strict and lenient exclude each other")
	}
	text, _, err := a.read(ctx, s)
	if err != nil {
		return nil, err
	}
	opts := checkpoint.Options{Strict: a.Strict, Lenient: a.Lenient}
	parent, err := a.parent(ctx, s, opts)
	if err != nil {
		return nil, err
	}
	v, n, err := verdict.First(text, opts, parent, func(n int) []secret.Match { return secret.Find(text[:n]) })
	if err == nil {
		err = nothingBehind(text, n)
	}
	var syntax *jsonspan.SyntaxError
	if errors.As(err, &syntax) {
		v.Valid, v.Findings = false, append(v.Findings[:0:0], checkpoint.SyntaxViolation(syntax))
	}
	notes := append([]string{}, v.Notes...)
	return say(&validated{v.Valid && !v.SetAside, v.SetAside, v.Report(), v.More, notes}, "%s", v.Summary())
}

// parent reads the parent, nil without one.
func (a *validateArgs) parent(ctx context.Context, s *server, opts checkpoint.Options) (*verdict.Parent, error) {
	if a.Parent == nil && a.ParentRef == "" {
		return nil, nil
	}
	text, name, err := s.read(ctx, "parent", a.Parent, "parent_ref", a.ParentRef)
	if err != nil {
		return nil, err
	}
	p, err := verdict.NewParent(text, opts)
	return p, about(name, err)
}

// nothingBehind refuses what stands behind the first n bytes of the document in text.
func nothingBehind(text []byte, n int) error {
	c := jsonspan.Cursor{Src: text, Pos: len(text) - len(jsonspan.TrimWhite(text)) + n}
	if c.End(); c.Err != nil {
		c.Err.Locate(text)
		return c.Err
	}
	return nil
}

// digestArgs are the arguments of checkpoint_digest.
type digestArgs struct {
	source
	Verify string `json:"verify,omitempty" jsonschema:"a digest that the document must have, of its bytes or of its canonical form"`
}

// digested is what checkpoint_digest returns.
type digested struct {
	Digest  string `json:"digest" jsonschema:"SHA-256 of the canonical form (RFC 8785)"`
	Matches string `json:"matches,omitempty" jsonschema:"what the digest to verify is of"`
}

func digestTool() tool {
	return newTool(sdk.Tool{
		Name: "checkpoint_digest", Title: "Digest a checkpoint", Annotations: reads(),
		Description: "The SHA-256 of a document's canonical form, which reformatting does not change, or whether a digest is that of a document.",
	}, schemaOf[digested](), digestOf)
}

func digestOf(ctx context.Context, s *server, a *digestArgs) (*answer, error) {
	text, name, err := a.read(ctx, s)
	if err != nil {
		return nil, err
	}
	of := digest.Of
	if a.Lenient {
		of = digest.Lenient
	}
	sum, err := of(text)
	if err == nil {
		err = checkpoint.CheckVersion(jsonspan.TrimWhite(text))
	}
	if err != nil {
		return nil, about(name, err)
	}
	result := &digested{Digest: sum.String()}
	if a.Verify == "" {
		return say(result, "%s", sum)
	}
	result.Matches, err = matches(a, text)
	if err != nil {
		return nil, err
	}
	return say(result, "the digest matches %s", result.Matches)
}

// matches says which form of the text has the digest to verify.
func matches(a *digestArgs, text []byte) (string, error) {
	want, err := digest.Parse(a.Verify)
	if err != nil {
		return "", wrong("verify", "%q: %v", a.Verify, err)
	}
	verify := want.Verify
	if a.Lenient {
		verify = want.VerifyLenient
	}
	match, err := verify(text)
	if err == nil && match == digest.None {
		return "", wrong("checkpoint", "the digest is that of another document")
	}
	return match.String(), err
}
