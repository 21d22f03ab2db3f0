package main

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

var digestVerb = verb{
	name:    "digest",
	summary: "print or verify the digests of documents",
	usage:   "digest [--verify DIGEST] [FILE...]",
	about: `
Prints DIGEST  NAME for each document: the SHA-256 of its canonical form (RFC 8785), so reformatting does not change it.
With --verify it says instead which form of the document the digest belongs to: the canonical one, the bytes, or the
bytes without the final line end. sha-256:HEX, sha256:HEX, ni:///sha-256;..., sha256-BASE64 and
{"algorithm":...,"value":...} are read.`,
	example: "  ocp digest parent.ocp.json\n  ocp digest --verify sha-256:2c26... parent.ocp.json\n",
	flags: func(set *pflag.FlagSet) runner {
		verify := set.String("verify", "", "the `DIGEST` that each document must have")
		return func(c *command, args []string) { c.digest(*verify, args) }
	},
}

func (c *command) digest(verify string, files []string) {
	print := c.printDigest
	if verify != "" {
		want, err := digest.Parse(verify)
		if err != nil {
			c.fail(digestError(verify, err))
			return
		}
		print = func(in *input, doc []byte, _ digest.Digest) error { return c.verifyDigest(in, doc, want) }
	}
	c.each(files, false, func(in *input, text []byte) (int, error) {
		sum, n, err := digest.First(text)
		if err == nil {
			err = checkpoint.CheckVersion(text[:n])
		}
		if err != nil {
			return n, err
		}
		return n, print(in, text[:n], sum)
	})
}

// digestError explains a digest that a person typed.
func digestError(text string, err error) error {
	var algorithm *digest.AlgorithmError
	f := usageError("--verify %q: %v", text, err)
	if errors.As(err, &algorithm) {
		f.hint = "only SHA-256 proves anything here"
	} else {
		f.hint = "write it as sha-256: and 64 hexadecimal digits"
	}
	return f
}

func (c *command) printDigest(in *input, _ []byte, sum digest.Digest) error {
	c.print(c.streams.out, fmt.Sprintf("%s  %s\n", sum, visible(in.document())))
	return nil
}

func (c *command) verifyDigest(in *input, doc []byte, want digest.Digest) error {
	match, err := want.Verify(doc)
	if err != nil {
		return err
	}
	if match == digest.None {
		return &failure{exitInvalid, in.document(), "the digest is that of another document", ""}
	}
	c.print(c.streams.out, fmt.Sprintf("%s: the digest matches %s\n", visible(in.document()), match))
	return nil
}
