// Package digest computes and verifies the digests of OpenCheckpoint documents: SHA-256 over the canonical form of RFC 8785, so that
// reformatting a document never changes its digest, named as RFC 6920 names it.
//
// Section 6 of the specification says "digest of its bytes" and fixes no form; this package writes the canonical one and verifies
// both (see Match).
package digest

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// SyntaxError is a text that is no I-JSON message (RFC 7493).
type SyntaxError = jsonspan.SyntaxError

// Digest is a SHA-256 digest. Only Of, OfBytes and Parse make one; the zero value is no digest.
type Digest struct {
	sum [sha256.Size]byte
	set bool
}

// Of returns the digest of the canonical form of src, one JSON text with nothing but white space around it. An error is that of a text that is
// no I-JSON message, a *SyntaxError.
func Of(src []byte) (Digest, error) { return of(src, false) }

// Lenient is Of for a text that may have numbers which a double rounds: the canonical form has them rounded, so other texts have the
// same digest.
func Lenient(src []byte) (Digest, error) { return of(src, true) }

func of(src []byte, lenient bool) (Digest, error) {
	d, n, err := first(src, lenient)
	if err != nil {
		return Digest{}, err
	}
	rest := jsonspan.Cursor{Src: src, Pos: n}
	if rest.End(); rest.Err != nil {
		rest.Err.Locate(src)
		return Digest{}, rest.Err
	}
	return d, nil
}

// First returns the digest of the canonical form of the JSON text that src begins with, and how many bytes of src that is.
func First(src []byte) (Digest, int, error) { return first(src, false) }

// FirstLenient is First as Lenient is Of.
func FirstLenient(src []byte) (Digest, int, error) { return first(src, true) }

func first(src []byte, lenient bool) (Digest, int, error) {
	h := sha256.New()
	n, err := jsonspan.WriteCanonical(h, src, lenient)
	if err != nil {
		err.Locate(src)
		return Digest{}, 0, err
	}
	return sumOf(h), n, nil
}

// sumOf is the digest of what was written to h.
func sumOf(h hash.Hash) Digest { return Digest{[sha256.Size]byte(h.Sum(nil)), true} }

// OfBytes returns the digest of b as it is.
func OfBytes(b []byte) Digest { return Digest{sha256.Sum256(b), true} }

// OfReader returns the digest of the bytes of r.
func OfReader(r io.Reader) (Digest, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return Digest{}, err
	}
	return sumOf(h), nil
}

// IsZero says whether d is no digest.
func (d Digest) IsZero() bool { return !d.set }

// String returns "sha-256:" and 64 lower-case hexadecimal digits, "" for the zero value.
func (d Digest) String() string {
	if !d.set {
		return ""
	}
	return "sha-256:" + hex.EncodeToString(d.sum[:])
}

// AlgorithmError is a digest of an algorithm that proves nothing here: unknown, or weak. Such a digest is never verified.
type AlgorithmError struct{ Algorithm string }

// Error names the algorithm.
func (e *AlgorithmError) Error() string {
	return fmt.Sprintf("digest algorithm %q is not SHA-256", e.Algorithm)
}

// ErrMalformed is a text that is a digest in none of the forms that Parse reads.
var ErrMalformed = errors.New("not a digest")

// Parse reads a digest in one of the forms that are in use:
//
//	sha-256:HEX, sha256:HEX      as written by this package, and by OCI
//	ni:///sha-256;BASE64URL      RFC 6920
//	sha256-BASE64                Subresource Integrity
//	{"algorithm":…,"value":…}    as JSON; the value in hexadecimal or base64
//
// The error is an *AlgorithmError or ErrMalformed.
func Parse(s string) (Digest, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "{") {
		return parseObject(s)
	}
	if rest, ok := strings.CutPrefix(s, "ni://"); ok {
		_, name, _ := strings.Cut(rest, "/")
		name, _, _ = strings.Cut(name, "?")
		algorithm, value, found := strings.Cut(name, ";")
		return parse(algorithm, value, found)
	}
	if algorithm, value, found := strings.Cut(s, ":"); found {
		return parse(algorithm, value, true)
	}
	return parseIntegrity(s)
}

// parseIntegrity reads ALGORITHM-BASE64, where "sha-256" and the value may hold a '-' of their own.
func parseIntegrity(s string) (Digest, error) {
	algorithm, value, found := strings.Cut(s, "-")
	if strings.EqualFold(algorithm, "sha") {
		var size string
		size, value, found = strings.Cut(value, "-")
		algorithm += "-" + size
	}
	return parse(algorithm, value, found)
}

func parseObject(s string) (Digest, error) {
	var object struct{ Algorithm, Value string }
	if err := json.Unmarshal([]byte(s), &object); err != nil {
		return Digest{}, ErrMalformed
	}
	return parse(object.Algorithm, object.Value, true)
}

func parse(algorithm, value string, complete bool) (Digest, error) {
	switch name := strings.ToLower(algorithm); {
	case !complete || name == "":
		return Digest{}, ErrMalformed
	case name != "sha-256" && name != "sha256":
		return Digest{}, &AlgorithmError{algorithm}
	}
	if b, err := hex.DecodeString(value); err == nil && len(b) == sha256.Size {
		return Digest{[sha256.Size]byte(b), true}, nil
	}
	unpadded := strings.NewReplacer("+", "-", "/", "_").Replace(strings.TrimRight(value, "="))
	if b, err := base64.RawURLEncoding.DecodeString(unpadded); err == nil && len(b) == sha256.Size {
		return Digest{[sha256.Size]byte(b), true}, nil
	}
	return Digest{}, ErrMalformed
}

// Match says which form of a document a digest belongs to.
type Match uint8

// The forms.
const (
	None      Match = iota
	Canonical       // the RFC 8785 form
	Raw             // the bytes as they are, or with a line end behind them if they have none
	Trimmed         // the bytes without one final line end
)

// String names the form in a few words.
func (m Match) String() string {
	return [...]string{"nothing", "the canonical form (RFC 8785)", "the bytes", "the bytes without the final line end"}[m]
}

// Verify says which form of src, one JSON text, the digest belongs to; None if it belongs to none of them.
func (d Digest) Verify(src []byte) (Match, error) { return d.verify(src, false) }

// VerifyLenient is Verify with the canonical form that Lenient takes.
func (d Digest) VerifyLenient(src []byte) (Match, error) { return d.verify(src, true) }

func (d Digest) verify(src []byte, lenient bool) (Match, error) {
	canonical, err := of(src, lenient)
	if err != nil {
		return None, err
	}
	trimmed := trimLineEnd(src)
	switch {
	case d.equal(canonical):
		return Canonical, nil
	case d.equal(OfBytes(src)):
		return Raw, nil
	case len(trimmed) < len(src) && d.equal(OfBytes(trimmed)):
		return Trimmed, nil
	case len(trimmed) == len(src) && (d.equal(ofBytes(src, "\n")) || d.equal(ofBytes(src, "\r\n"))):
		return Raw, nil // a document taken out of a stream has left its line end behind
	}
	return None, nil
}

func ofBytes(b []byte, lineEnd string) Digest {
	h := sha256.New()
	h.Write(b)
	h.Write([]byte(lineEnd))
	return sumOf(h)
}

func (d Digest) equal(e Digest) bool {
	return d.set && e.set && subtle.ConstantTimeCompare(d.sum[:], e.sum[:]) == 1
}

func trimLineEnd(src []byte) []byte {
	if b, ok := bytes.CutSuffix(src, []byte("\r\n")); ok {
		return b
	}
	return bytes.TrimSuffix(src, []byte("\n"))
}
