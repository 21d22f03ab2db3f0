package main

import (
	"net/url"
	"path/filepath"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// sarifReport is a SARIF 2.1.0 log, written result by result.
type sarifReport struct {
	write   func(string)
	results int
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
}

func (r *sarifReport) begin() {
	r.write(`{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{"name":"ocp","version":"` +
		checkpoint.ProducerVersion + `"}},"columnKind":"unicodeCodePoints","results":[`)
}

func (r *sarifReport) end() { r.write("]}]}\n") }

func (r *sarifReport) verdict(d *judged) {
	artifact := sarifArtifact{(&url.URL{Path: filepath.ToSlash(d.File)}).String()}
	for _, f := range d.Findings {
		location := sarifLocation{Physical: sarifPhysical{artifact, sarifRegion{f.Line, f.Column}}}
		if f.Pointer != "" {
			location.Logical = []sarifLogical{{f.Pointer}}
		}
		text := f.Msg
		if f.Hint != "" {
			text += "; " + f.Hint
		}
		if r.results > 0 {
			r.write(",")
		}
		r.results++
		r.write("\n" + marshal(sarifResult{f.Rule, f.Severity.String(), sarifText{text}, []sarifLocation{location}}))
	}
}
