package compact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/compact"
)

// ladderDocument has something for every rung.
const ladderDocument = `,"progress":{"completed":[{"id":"step-1","description":"%[1]s"},{"id":"step-2","description":"%[1]s"}]},
	"statements":[
		{"id":"retracted","kind":"observation","text":"%[1]s","origin":{"type":"tool","ref":"only-dead"},"status":"retracted"},
		{"id":"replaced","kind":"decision","text":"%[1]s","rationale":"r","origin":{"type":"agent"},"status":"superseded","superseded_by":"decision"},
		{"id":"decision","kind":"decision","text":"d","rationale":"r","origin":{"type":"user","ref":"live"},"evidence":["proof"]},
		{"id":"secret","kind":"constraint","text":"c","origin":{"type":"user","ref":"sensitive"}},
		{"id":"external","kind":"external","text":"%[1]s","origin":{"type":"tool"}},
		{"id":"hypothesis","kind":"hypothesis","text":"%[1]s","origin":{"type":"tool"}},
		{"id":"unverified-new","kind":"observation","text":"%[1]s","origin":{"type":"tool"},"recorded_at":"2025-12-02T00:00:00Z"},
		{"id":"unverified-old","kind":"observation","text":"%[1]s","origin":{"type":"tool"},"recorded_at":"2025-12-02T00:00:00+01:00"},
		{"id":"resolved","kind":"question","text":"%[1]s","origin":{"type":"tool"},"status":"resolved","resolution":"r"},
		{"id":"verified","kind":"observation","text":"%[1]s","origin":{"type":"tool"},"verification":{"state":"verified"}},
		{"id":"disputed","kind":"observation","text":"%[1]s","origin":{"type":"tool"},"verification":{"state":"disputed"}}],
	"resources":[
		{"id":"spare","uri":"urn:a","description":"%[1]s","excerpt":"%[1]s","observed_at":"2025-12-01T00:00:00Z"},
		{"id":"only-dead","uri":"urn:b","description":"%[1]s","excerpt":"%[1]s"},
		{"id":"sensitive","uri":"urn:c","sensitivity":"internal","excerpt":"%[1]s %[1]s"},
		{"id":"live","uri":"urn:d","excerpt":"%[1]s"},
		{"id":"proof","uri":"urn:e","description":"%[1]s"},
		{"id":"criterion","uri":"urn:f","description":"%[1]s"}],
	"application_context":[
		{"id":"bare","application":"%[1]s","filters":["%[1]s"],"view":"%[1]s","state":{"a":"%[1]s"},"state_schema":"s"},
		{"id":"drafting","application":"%[1]s","drafts":[{"id":"draft","status":"unsaved","content":"%[1]s"}]}],
	"operations":[
		{"id":"read","kind":"action","status":"completed","effect":"none","description":"%[1]s"},
		{"id":"sent","kind":"action","status":"completed","description":"%[1]s"}],
	"continuation":{"recovery":[{"id":"recovery","description":"%[1]s"}]},
	"extensions":{"com.example":"%[1]s"}}`

// TestOrder is the table of rungs: what goes before what.
func TestOrder(t *testing.T) {
	src := fmt.Appendf(nil, strings.Replace(head, `"objective":"o",`, `"objective":"o","success_criteria":[{"id":"c","description":"c","status":"met","evidence":["criterion"]}],`, 1)+
		ladderDocument, strings.Repeat("word ", 60))
	r, err := compact.Compact(src, compact.Options{ID: newID, Now: later, DropDone: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range r.Steps() {
		if s.Rung > 0 {
			got = append(got, strings.TrimSpace(fmt.Sprintf("%d %s %s %s %s", s.Rung, s.Action, s.Noun, s.Object, s.Reason)))
		}
	}
	want := []string{
		"2 omitted excerpt spare size", "2 omitted excerpt sensitive sensitive", "2 omitted excerpt only-dead size",
		"3 omitted decision replaced superseded", "3 omitted observation retracted irrelevant", "3 omitted excerpt live size",
		"4 omitted resource only-dead size", "4 omitted resource spare size",
		"4 omitted state bare size", "4 omitted state schema bare size", "4 omitted view bare size", "4 omitted filters bare size",
		"5 omitted hypothesis hypothesis size", "5 omitted external statement external size", "5 omitted observation unverified-old size", "5 omitted observation unverified-new size",
		"6 condensed completed step step-1", "6 condensed completed step step-2",
		"7 omitted question resolved size", "7 omitted observation disputed size", "7 omitted observation verified size",
		"8 omitted list of evidence decision size", "8 omitted resource proof size",
		"9 omitted application context entry bare size", "9 omitted draft draft size",
		"9 omitted list of evidence c size", "9 omitted resource criterion size", "9 omitted recovery step recovery size", "9 omitted operation read size",
		"9 omitted application context entry drafting size",
		"10 omitted extension entry  size", "11 omitted operation sent size",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the steps are\n%s\nand should be\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
