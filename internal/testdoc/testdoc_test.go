package testdoc

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestDeterminism holds the bytes of a few seeds fast, so that no Go version and no platform changes them unseen.
func TestDeterminism(t *testing.T) {
	for seed := range uint64(20) {
		doc := Random(seed)
		if !bytes.Equal(doc, Random(seed)) || !bytes.Equal(Mutate(doc, seed), Mutate(doc, seed)) {
			t.Errorf("seed %d gives different bytes", seed)
		}
	}
	if !bytes.Equal(Large(1, 20000, true), Large(1, 20000, true)) {
		t.Error("Large gives different bytes")
	}
	hash := sha256.New()
	for seed := range uint64(100) {
		doc := Random(seed)
		hash.Write(doc)
		hash.Write(Mutate(doc, seed))
	}
	hash.Write(Large(1, 50000, false))
	const want = "0f0041c873be5a3dcc282c88286ba4a7ee205f2c48851159b9aa287889222d6a"
	if got := fmt.Sprintf("%x", hash.Sum(nil)); got != want {
		t.Errorf("bytes changed: %s, want %s", got, want)
	}
}

// TestRandomValid checks documents against the table of shapes and the rules.
func TestRandomValid(t *testing.T) {
	for seed := range uint64(Few(600)) {
		doc := Random(seed)
		if fault := jsonFault(doc); fault != "" {
			t.Fatalf("seed %d: %s", seed, fault)
		}
		if faults := check(doc).faults; len(faults) > 0 {
			t.Errorf("seed %d: %s", seed, faults)
		}
	}
}

// TestRandomCoverage checks that 400 documents show everything that the specification has.
func TestRandomCoverage(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(400) {
		maps.Copy(seen, check(Random(seed)).seen)
	}
	for _, want := range everything() {
		if !seen[want] {
			t.Errorf("never seen: %s", want)
		}
	}
}

// everything lists what a few hundred documents must show.
func everything() []string {
	out := []string{
		"session input", "checkpoint input", "source.producer text", "continuation.incompatibilities text", "hurdle.description",
		"next.blocked_by->statement", "next.blocked_by->operation", "next.blocked_by->resource", "next.blocked_by->requirement",
		"superseded hypothesis by observation",
	}
	for shape, members := range shapes {
		for name, kind := range members {
			where := shape + "." + strings.TrimSuffix(name, "!")
			out = append(out, where)
			kind, arg, _ := strings.Cut(kind, ":")
			switch kind {
			case "word":
				for word := range strings.SplitSeq(arg, ",") {
					out = append(out, where+"="+word)
				}
			case "ref", "refs":
				out = append(out, targets(where, arg)...)
			}
		}
	}
	return append(out, combinations()...)
}

// targets lists the kinds of local object that a reference field must point to once.
func targets(where, kinds string) []string {
	if kinds == "" {
		kinds = "statement,resource,operation,requirement,criterion,step,next,context,draft,precondition,stop,recovery,hurdle,omission,transformation"
		if where == "focus.refs" {
			kinds = "statement,operation"
		}
	}
	var out []string
	for kind := range strings.SplitSeq(kinds, ",") {
		out = append(out, where+"->"+kind)
	}
	return out
}

// combinations lists the pairs of values that are valid together.
func combinations() []string {
	var out []string
	for _, kind := range statementKinds {
		for _, status := range []string{"<nil>", "active", "superseded", "retracted"} {
			out = append(out, "statement "+kind+" "+status)
		}
		for _, origin := range originsOf(kind) {
			out = append(out, "statement "+kind+" "+origin)
		}
		for _, state := range verificationStates {
			if kind != "hypothesis" || state != "verified" {
				out = append(out, "statement "+kind+" "+state)
			}
		}
		out = append(out, "superseded "+kind+" by "+kind)
	}
	for _, status := range operationStatuses {
		for _, effect := range append([]string{"<nil>"}, effects...) {
			out = append(out, "operation "+status+" "+effect)
		}
		for _, kind := range operationKinds {
			if kind == "approval" || status != "approved" && status != "rejected" {
				out = append(out, "operation "+kind+" "+status)
			}
		}
	}
	return out
}

// TestRandomText checks that documents are spelled in all the ways that a reader must cope with.
func TestRandomText(t *testing.T) {
	var all bytes.Buffer
	sizes := map[string]int{}
	for seed := range uint64(400) {
		doc := Random(seed)
		all.Write(doc)
		switch objects := len(check(doc).kinds); {
		case objects == 0:
			sizes["tiny"]++
		case objects >= 60:
			sizes["60+"]++
		}
	}
	for _, want := range []string{
		"\r\n", "\n\t", "\n  \"", `\/`, `\u0041`, `st\u0061tus`, "\u2028", "\u2029", "漢字", "🚢", `\ud83d\ude`, "e\u0301", `\u0000`, `\"`, `\\`,
		"1.50", "1e2", "1E+2", "-0", "9007199254740991", "__proto__", "ocp.omitted.size", `""`, "com.acme.ledger/run.v2", "\ufeff",
	} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("never seen: %q", want)
		}
	}
	if sizes["tiny"] == 0 || sizes["60+"] == 0 {
		t.Errorf("sizes %v", sizes)
	}
}

// TestLarge checks size, validity and how much is protected.
func TestLarge(t *testing.T) {
	for _, size := range []int{10000, 30000, 100000, 1 << 20} {
		for seed := range uint64(3) {
			for _, pretty := range []bool{false, true} {
				doc := Large(seed, size, pretty)
				if off := len(doc) - size; off*off > (size/50)*(size/50) {
					t.Errorf("%d bytes, want %d", len(doc), size)
				}
				c := check(doc)
				if fault := jsonFault(doc); fault != "" || len(c.faults) > 0 {
					t.Fatalf("seed %d, size %d: %s %s", seed, size, fault, c.faults)
				}
				if size >= 1<<20 {
					checkProtected(t, c)
				}
			}
		}
	}
}

// checkProtected checks that 3 to 7 % of the statements are active instructions, constraints and decisions.
func checkProtected(t *testing.T, c *checker) {
	t.Helper()
	statements, protected := 0, 0
	for id, o := range c.objects {
		if c.kinds[id] != "statement" {
			continue
		}
		statements++
		if o["status"] == nil && slices.Contains([]any{"instruction", "constraint", "decision"}, o["kind"]) {
			protected++
		}
	}
	if share := 100 * protected / statements; share < 3 || share > 7 {
		t.Errorf("%d of %d statements are protected", protected, statements)
	}
}

// TestMutate checks that mutants are I-JSON, other than their original and mostly faulty.
func TestMutate(t *testing.T) {
	same, valid, total := 0, 0, 0
	for seed := range uint64(Few(100)) {
		doc := Random(seed)
		for n := range uint64(20) {
			total++
			mutant := Mutate(doc, seed*1000+n)
			if fault := jsonFault(mutant); fault != "" {
				t.Fatalf("seed %d, mutation %d: %s", seed, n, fault)
			}
			if bytes.Equal(mutant, doc) {
				same++
			}
			if len(check(mutant).faults) == 0 {
				valid++
			}
		}
	}
	if same*100 > total {
		t.Errorf("%d of %d mutants are their original", same, total)
	}
	if valid*3 > total {
		t.Errorf("%d of %d mutants are valid", valid, total)
	}
	t.Logf("%d mutants, %d same, %d valid", total, same, valid)
}

// TestMutateAnything checks Mutate on texts that are no checkpoints.
func TestMutateAnything(t *testing.T) {
	for _, doc := range []string{"", "{", "{}", "[]", "1", `"a"`, " [1,2] ", `{"a":{"b":[]}}`, "null"} {
		for seed := range uint64(Few(50)) {
			mutant := Mutate([]byte(doc), seed)
			if json.Valid([]byte(doc)) != json.Valid(mutant) {
				t.Errorf("%q became %q", doc, mutant)
			}
		}
	}
}

// jsonFault tells why a text is not I-JSON in the sense of this project; empty if it is.
func jsonFault(doc []byte) string {
	if !utf8.Valid(doc) || !json.Valid(doc) {
		return "not JSON"
	}
	for _, n := range scan(doc) {
		text := string(doc[n.start:n.end])
		switch text[0] {
		case '"':
			if lone(text) || hasNoncharacter(decoded([]byte(text))) {
				return "bad string " + text
			}
		case '{':
			if name := repeated(n); name != "" {
				return "repeated name " + name
			}
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			if !exact(text) {
				return "imprecise number " + text
			}
		}
	}
	return ""
}

// lone reports a surrogate escape that decodes to the replacement character, which no generator writes.
func lone(text string) bool {
	return strings.ContainsRune(decoded([]byte(text)), utf8.RuneError)
}

// hasNoncharacter reports a Unicode noncharacter.
func hasNoncharacter(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r&0xFFFE == 0xFFFE || r >= 0xFDD0 && r <= 0xFDEF })
}

// repeated returns a name that an object has twice.
func repeated(n *node) string {
	names := map[string]bool{}
	for _, child := range n.children {
		if names[child.name] {
			return strconv.Quote(child.name)
		}
		names[child.name] = true
	}
	return ""
}

var significant = regexp.MustCompile(`^-?[0.]*([0-9.]*)`)

// exact reports a number that a double holds: finite, no underflow, at most 17 digits, and exact if it is an integer.
func exact(text string) bool {
	f, err := strconv.ParseFloat(text, 64)
	digits := strings.ReplaceAll(significant.FindStringSubmatch(text)[1], ".", "")
	value, ok := new(big.Rat).SetString(text)
	if err != nil || !ok || len(digits) > 17 || f == 0 && value.Sign() != 0 {
		return false
	}
	return !value.IsInt() || new(big.Rat).SetFloat64(f).Cmp(value) == 0
}
