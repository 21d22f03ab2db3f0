package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"
)

// script is what the model does, and what must come of it.
type script struct {
	document []byte
	steps    []step
}

// step is one call.
type step struct {
	name  string
	turn  turn
	shown func(text string) bool    // what the model is shown
	wire  func(r gjson.Result) bool // what the server answered
}

// The agents of the script.
const (
	agent    = "gate"
	verbatim = "gate/verbatim"
	nobody   = "gate/nobody"
)

var foundFalse = regexp.MustCompile(`\\*"found\\*":\s*false`)

// isAbsent: the sentence where a model is shown the text, the member where it is shown the structure.
func isAbsent(text string) bool {
	return strings.Contains(text, "No checkpoint saved for agent") || foundFalse.MatchString(text)
}

func newScript(document []byte) *script {
	var compact bytes.Buffer
	if json.Compact(&compact, document) != nil {
		panic("the sample is no JSON")
	}
	s := &script{document: document}
	id := gjson.GetBytes(document, "id").Str
	objective := gjson.GetBytes(document, "task.objective").Str
	isDocument := func(text string) bool { return strings.Contains(text, id) && strings.Contains(text, objective) }
	isSaved := func(text string) bool { return strings.Contains(text, id) && strings.Contains(text, "head") }
	isFailure := func(text string) bool {
		return strings.Contains(text, "no checkpoint saved") && !strings.Contains(text, "found")
	}
	found := func(want string) func(gjson.Result) bool {
		return func(r gjson.Result) bool {
			return !r.Get("isError").Bool() && r.Get("structuredContent.found").Raw == want
		}
	}
	structured := func(r gjson.Result) bool { return !r.Get("isError").Bool() && r.Get("structuredContent.head").Bool() }
	textOnly := func(r gjson.Result) bool { return r.Get("isError").Bool() && !r.Get("structuredContent").Exists() }
	resume := func(agent, onMissing string) turn {
		args := object{"agent_id": agent}
		if onMissing != "" {
			args["on_missing"] = onMissing
		}
		return turn{tool: "checkpoint_resume", args: args}
	}
	save := func(agent string, document any) turn {
		return turn{tool: "checkpoint_save", args: object{"agent_id": agent, "checkpoint": document}}
	}
	s.steps = []step{
		{"absent", resume(agent, "empty"), isAbsent, found("false")},
		{"save", save(agent, json.RawMessage(compact.Bytes())), isSaved, structured},
		{"save the text", save(verbatim, string(document)), isSaved, structured},
		{"resume", resume(agent, "empty"), isDocument, found("true")},
		{"absent by default", resume(nobody, ""), isFailure, textOnly},
		{"absent is an error", resume(nobody, "error"), isFailure, textOnly},
		{"resume by default", resume(verbatim, ""), isDocument, found("true")},
	}
	return s
}

func (s *script) plan() (plan []turn) {
	for _, step := range s.steps {
		plan = append(plan, step.turn)
	}
	return plan
}

// check holds what was seen against the script.
func (s *script) check(o *observed) error {
	answers := o.answers()
	if len(answers) != len(s.steps) || len(o.shown) != len(s.steps) {
		return fmt.Errorf("%d answers passed and %d results were shown, of %d", len(answers), len(o.shown), len(s.steps))
	}
	for i, step := range s.steps {
		if !step.wire(answers[i]) {
			return fmt.Errorf("%s: the server answered %.500s", step.name, answers[i].Raw)
		}
		if !step.shown(o.shown[i]) {
			return fmt.Errorf("%s: the model was shown %.500s", step.name, o.shown[i])
		}
	}
	return nil
}

// checkStore holds what is saved against the document, and to the byte against what the server was given: a client may make an object of a text.
func (s *script) checkStore(o *observed) error {
	given := o.documents()
	for _, agent := range []string{agent, verbatim} {
		c, err := saved(o.store, agent)
		if err != nil {
			return err
		}
		if !same(c.Bytes, s.document) || string(c.Bytes) != given[agent] {
			return fmt.Errorf("what is saved for %s is another document than what was given", agent)
		}
	}
	return nil
}

// checkForged says what a client made of an answer that no branch of the schema allows.
func (s *script) checkForged(o *observed, strict bool) (string, error) {
	answers := o.answers()
	if len(answers) != 1 || answers[0].Get("structuredContent.found").Raw != "true" {
		return "", errors.New("the answer was not forged")
	}
	if len(o.shown) != 1 {
		return "", fmt.Errorf("the forged answer was shown %d times", len(o.shown))
	}
	rejected := regexp.MustCompile(`(?i)schema|validat|oneOf|-32602`).MatchString(o.shown[0])
	switch {
	case rejected:
		return "rejected", nil
	case strict:
		return "", fmt.Errorf("the forged answer was not rejected; the model was shown %.500s", o.shown[0])
	}
	return "not checked by this client", nil
}
