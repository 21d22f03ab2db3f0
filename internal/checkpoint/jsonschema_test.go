package checkpoint

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/testdoc"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// judge is JSONSchema compiled by an implementation that is not ours.
var judge = sync.OnceValues(func() (*jsonschema.Schema, error) {
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(JSONSchema()))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(schemaID, schema); err != nil {
		return nil, err
	}
	return c.Compile(schemaID)
})

// agree fails unless the schema rejects src exactly if the findings hold an error of level 1. Src is an I-JSON message that Parse
// read without options.
func agree(t *testing.T, src []byte, findings []Violation) {
	t.Helper()
	schema, err := judge()
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	verdict := schema.Validate(value)
	if (verdict != nil) != slices.ContainsFunc(findings, isLevel1Error) {
		t.Errorf("the schema says %v, Parse says %v\n%s", verdict, findings, src)
	}
}

func isLevel1Error(v Violation) bool { return v.Level == 1 && v.Severity == Error }

func TestSchemaIsValid(t *testing.T) {
	meta, err := jsonschema.NewCompiler().Compile(schemaDialect)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	if err := meta.Validate(schema); err != nil {
		t.Error(err)
	}
	if _, err := judge(); err != nil {
		t.Error(err)
	}
}

// TestSchemaText: the text is always the same, an object type stands in it once, and nothing in it asserts a format (§8.1).
func TestSchemaText(t *testing.T) {
	text := string(JSONSchema())
	if text != string(JSONSchema()) {
		t.Error("two texts differ")
	}
	if strings.Contains(text, `"format"`) {
		t.Error("the schema has a format")
	}
	var names []string
	for _, o := range topObject.reachable() {
		names = append(names, o.name)
	}
	slices.Sort(names)
	if distinct := slices.Compact(slices.Clone(names)); len(distinct) != len(names) {
		t.Errorf("two object types have one name: %s", names)
	}
}

// TestSchemaAgrees: over random documents and their mutations the schema and Parse say the same of level 1.
func TestSchemaAgrees(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(testdoc.Few(600)) {
		doc := testdoc.Random(seed)
		if len(doc) > 20_000 {
			continue // a long document says little more than a short one
		}
		agreeOn(t, doc, seen)
		for i := range uint64(3) {
			mutated := testdoc.Mutate(doc, 3*seed+i)
			agreeOn(t, mutated, seen)
			agreeOn(t, testdoc.Mutate(mutated, i), seen)
		}
	}
	for _, rule := range []string{"OCX-V", "OCX-I", "OCX-L-required", "OCX-L-type", "OCX-L-enum", "OCX-L-pattern", "OCX-L-length",
		"OCX-L-undefined", "OCX-L-rule"} {
		if seen[rule] == 0 {
			t.Errorf("no document has a finding %s", rule)
		}
	}
	if seen["valid"] < testdoc.Few(800) || seen["invalid"] < testdoc.Few(800) || seen["valid"]+seen["invalid"] < testdoc.Few(2000) {
		t.Errorf("%d documents pass level 1 and %d do not; 800 of each are wanted, and 2000 in all", seen["valid"], seen["invalid"])
	}
}

// agreeOn counts the rules that an I-JSON message breaks.
func agreeOn(t *testing.T, src []byte, seen map[string]int) {
	t.Helper()
	if jsonspan.Check(src) != nil {
		return
	}
	d, err := Parse(src, Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	agree(t, src, d.Findings.List)
	if slices.ContainsFunc(d.Findings.List, isLevel1Error) {
		seen["invalid"]++
	} else {
		seen["valid"]++
	}
	for _, v := range d.Findings.List {
		seen[v.Rule]++
	}
}
