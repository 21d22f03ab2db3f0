package compact_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/compact"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// sweep holds all laws against a document at many budgets, all of them if it has few bytes to lose. A changed document comes out.
func (s *subject) sweep() (last *trial, errs []error) {
	floor, err := s.floor()
	if err != nil {
		return nil, []error{err}
	}
	errs = s.floorHolds(floor)
	var trials []*trial
	for n := len(s.src) - 1; n >= floor.Floor; n -= 1 + (len(s.src)-floor.Floor)/150 {
		trial, err := s.run(compact.Budget{N: n, Unit: compact.Bytes})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, trial.hold()...)
		trials = append(trials, trial)
	}
	if last, err = s.run(compact.Budget{Unit: compact.Bytes}); err != nil {
		return nil, append(errs, err)
	}
	errs = append(errs, last.hold()...)
	return last, append(errs, nested(append(trials, last))...)
}

// mustSweep sweeps a document of a test's own.
func mustSweep(t *testing.T, name string, src []byte) *trial {
	t.Helper()
	s := newSubject(1, src)
	s.opts, s.wishes = compact.Options{ID: newID, Now: later}, wishes{}
	last, errs := s.sweep()
	for _, err := range errs {
		t.Errorf("%s: %v", name, err)
	}
	if last == nil {
		t.FailNow()
	}
	return last
}

// head begins a checkpoint of required members.
const head = `{"opencheckpoint":"0.1","id":"urn:x","created_at":"2026-01-01T00:00:00Z","source":{},"task":{"objective":"o","status":"active"}`

// spaced puts white space between all tokens, so that there is something to lose.
func spaced(src, space string) []byte {
	var out []byte
	inString := false
	for i := range len(src) {
		if c := src[i]; c == '"' && src[max(i-1, 0)] != '\\' {
			inString = !inString
		} else if !inString && strings.IndexByte("{}[],:", c) >= 0 {
			out = append(append(append(out, space...), c), space...)
			continue
		}
		out = append(out, src[i])
	}
	return bytes.Trim(out, " \t\r\n")
}

// TestFewMembers: documents that lack the members to which a compaction adds, and such whose members are empty.
func TestFewMembers(t *testing.T) {
	long := strings.Repeat("word ", 200)
	tails := map[string]string{
		"required":    `}`,
		"empty lists": `,"progress":{"completed":[],"next":[]},"statements":[],"resources":[],"application_context":[],"operations":[],"continuation":{"recovery":[]},"derivation":{"method":"captured","inputs":[],"omissions":[],"transformations":[]},"extensions":{}}`,
		"empty":       `,"progress":{},"continuation":{},"extensions":{}}`,
		"one step":    `,"progress":{"completed":[{"description":"%s"}]}}`,
		"steps":       `,"progress":{"completed":[{"description":"%[1]s"},{"id":"a","description":"%[1]s"}],"extensions":{"com.example":1e2}}}`,
		"statement":   `,"statements":[{"id":"a","kind":"observation","text":"%s","origin":{"type":"tool"}}]}`,
		"resource":    `,"resources":[{"id":"a","uri":"urn:a","excerpt":"%s"}]}`,
		"sensitive":   `,"resources":[{"id":"a","uri":"urn:a","sensitivity":"s","excerpt":"%s"}]}`,
		"extensions":  `,"extensions":{"com.example":"%s"}}`,
		"only ext":    `,"progress":{"extensions":{"com.example":"%[1]s"}},"continuation":{"extensions":{"com.example":"%[1]s","com.example/b":[1.50]}}}`,
		"context":     `,"application_context":[{"application":"a","drafts":[{"status":"saved","content":"%s"}]}]}`,
		"state":       `,"application_context":[{"state":{"a":"%s"},"state_schema":"s","application":"a"},{"state_schema":"%[1]s","application":"b"}]}`,
		"recovery":    `,"continuation":{"recovery":[{"description":"%s"}]}}`,
		"operation":   `,"operations":[{"id":"a","kind":"wait","status":"completed","description":"%s"}]}`,
	}
	for name, tail := range tails {
		text := tail
		if strings.Contains(tail, "%") {
			text = fmt.Sprintf(tail, long)
		}
		for _, space := range []string{"", "  ", "\r\n\t\t"} {
			mustSweep(t, name, marked(spaced(head+text, space)))
		}
	}
}

// TestCRLF: where white space stays, what is added stands on lines of its own as the rest does, and no line end is changed.
func TestCRLF(t *testing.T) {
	src := crlfDocument(90)
	s := newSubject(1, src)
	s.opts, s.wishes = compact.Options{ID: newID, Now: later}, wishes{}
	trial, err := s.run(compact.Budget{N: len(src) - 1, Unit: compact.Bytes})
	if err != nil {
		t.Fatal(err)
	}
	out := trial.result.Bytes()
	if bytes.Count(out, []byte("\n")) < 60 || bytes.Count(out, []byte("\r\n")) != bytes.Count(out, []byte("\n")) {
		t.Errorf("line ends: %s", out)
	}
	for _, line := range strings.Split(string(out), "\r\n") {
		if strings.Count(line, `{"id":`) > 1 && !strings.Contains(line, "derivation") && !strings.Contains(line, "omissions") && !strings.Contains(line, "resources") {
			t.Errorf("two items on one line: %s", line)
		}
	}
}

// crlfDocument is a document in lines with n earlier checkpoints among its inputs, the newest first, and two sessions.
func crlfDocument(n int) []byte {
	b := []byte(strings.ReplaceAll(head, ",", ",\r\n  ") + ",\r\n  \"derivation\": {\r\n    \"method\": \"merged\",\r\n    \"inputs\": [\r\n      {\"protocol\": \"a2a\", \"id\": \"first\"},\r\n")
	for i := range n {
		b = fmt.Appendf(b, "      {\"id\": \"urn:input:%d\", \"digest\": \"sha-256:%064d\"},\r\n", i, i)
	}
	return append(b, "      {\"protocol\": \"a2a\", \"id\": \"last\"}\r\n    ]\r\n  }\r\n}"...)
}

// TestManyInputs: derivation.inputs keeps 64 checkpoints, the direct one included, drops the oldest, counts them, and keeps sessions and
// what a fork names.
func TestManyInputs(t *testing.T) {
	for _, n := range []int{1, 62, 63, 64, 65, 90, 200} {
		src := crlfDocument(n)
		if n > 70 {
			src = withKey(src, ourKeys+"fork", `{"parent":"urn:input:80","siblings":["urn:input:71"]}`)
		}
		last := mustSweep(t, fmt.Sprint(n), src)
		s := last.subject
		for budget := len(src) - 1; budget >= last.result.Size; budget -= 97 * 10 / testdoc.Few(10) {
			trial, err := s.run(compact.Budget{N: budget, Unit: compact.Bytes})
			if err != nil {
				t.Fatal(err)
			}
			var checkpoints []string
			sessions := 0
			for _, in := range trial.out.get("derivation").items("inputs") {
				if in.get("protocol") != nil {
					sessions++
				} else if !s.in.isBase(in.str("id")) {
					checkpoints = append(checkpoints, in.str("id"))
				}
			}
			if sessions != 2 || len(checkpoints) > 64 || checkpoints[0] != "urn:x" {
				t.Errorf("%d inputs, %d B: %d sessions, %d checkpoints", n, budget, sessions, len(checkpoints))
			}
			if n > 70 && len(trial.out.path("derivation/inputs/id")) < 5 {
				t.Errorf("%d inputs: the bases of a fork are gone", n)
			}
			if len(checkpoints) > 1 && checkpoints[1] != "urn:input:0" {
				t.Errorf("%d inputs, %d B: the newest went first: %v", n, budget, checkpoints)
			}
		}
	}
}

// TestRequiredExtension: extension data stays where its object stays, if a requirement names its key or it is ours.
func TestRequiredExtension(t *testing.T) {
	data := `{"com.example/needed":{"n":1.50},"com.example/spare":"` + strings.Repeat("x", 400) + `","` + ourKeys + `fork":{"a":"\u0041"}}`
	src := []byte(head + `,"operations":[{"id":"op","kind":"wait","status":"awaiting","description":"d","extensions":` + data + `}],
		"continuation":{"requirements":[{"id":"r","kind":"extension","name":"com.example\/needed","necessity":"optional"},{"id":"t","kind":"tool","name":"com.example/spare","necessity":"required"}]},
		"extensions":` + data + `}`)
	last := mustSweep(t, "required", src)
	for _, owner := range []*value{last.out.value, last.out.byID["op"].v} {
		e := owner.get("extensions")
		if e.get("com.example/needed") == nil || e.get(ourKeys+"fork") == nil || e.get("com.example/spare") != nil {
			t.Errorf("extensions %s", e.raw())
		}
	}
}

// TestOpenMerge: what the entry of an open merge names stays, with what that needs; what it does not name goes.
func TestOpenMerge(t *testing.T) {
	text := strings.Repeat("word ", 60)
	src := fmt.Appendf(nil, head+`,"statements":[
		{"id":"term-a","kind":"observation","text":"%[1]s","origin":{"type":"tool","ref":"input-a"},"status":"retracted","evidence":["variant"]},
		{"id":"term-b","kind":"observation","text":"%[1]s","origin":{"type":"tool"}},
		{"id":"other","kind":"observation","text":"%[1]s","origin":{"type":"tool"}}],
		"resources":[{"id":"input-a","uri":"urn:a"},{"id":"variant","uri":"urn:v","description":"%[1]s"},{"id":"spare","uri":"urn:s","description":"%[1]s"}],
		"extensions":{"io.github.opencheckpoint/merge":{"conflicts":[{"question":"q","terms":["term-a",{"id":"t\u0065rm-b"},"term-c"],"before":"other status"}]}}}`, text)
	last := mustSweep(t, "merge", src)
	for id, there := range map[string]bool{"term-a": true, "term-b": true, "input-a": true, "other": false, "spare": false} {
		if got := last.out.byID[id] != nil; got != there {
			t.Errorf("%s there: %v", id, got)
		}
	}
}

// lenientDocument adds members that the specification does not define, and numbers that a double rounds, anywhere.
func lenientDocument(seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 11))
	src := marked(testdoc.Random(seed))
	var edits []edit
	number := []string{"1.50", "-0.0", "0.1000000000000000055511151231257827", "12345678901234567890"}[seed%4]
	for i, e := range mustDocument(src).entries {
		if e.v.kind != '{' || len(e.v.kids) == 0 || random.IntN(3) > 0 {
			continue
		}
		name := []string{"undefined", "excerpt", "evidence", "priority", "filters", "drafts", "protocol"}[random.IntN(7)]
		if e.v.get(name) != nil || e.shape == "input" || slices.Contains([]string{"statement excerpt", "resource evidence", "step excerpt"}, e.shape+" "+name) ||
			policies[e.shape][name] != "" || name == "evidence" && references[e.shape] != nil || e.shape == "context" {
			name = fmt.Sprint("undefined", i)
		}
		at := e.v.at[asItStood][0] + 1
		edits = append(edits, edit{at, at, fmt.Sprintf("\r\n\"%s\" : [ \"\\u0041\\/\", {\"id\":\"none\",\"refs\":[\"none\"]} , %s ],", name, number)})
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	return edited(src, edits)
}

// TestLenient: undefined members and imprecise numbers are carried as they are, if they are accepted at all.
func TestLenient(t *testing.T) {
	testdoc.Seeds(t, 300, func(seed uint64) (errs []error) {
		s := newSubject(seed, lenientDocument(seed))
		s.opts.Lenient = true
		floor, err := s.floor()
		if err != nil {
			return []error{err}
		}
		for _, budget := range s.budgets(floor.Floor, 1) {
			trial, err := s.run(budget)
			if err != nil {
				errs = append(errs, fmt.Errorf("%v: %w", budget, err))
				continue
			}
			if seed%4 < 2 {
				errs = append(errs, trial.hold()...)
			} else if !trial.result.Unchanged { // RFC 8785 has no form for such a number, so no digest is checked
				errs = append(errs, trial.holdCarried()...)
			}
		}
		return errs
	})
}

// TestOddIDs: the id of a checkpoint is any text. Whatever it is, the records are valid.
func TestOddIDs(t *testing.T) {
	for _, id := range []string{"https://user:secret@example.org/1", "//a:b@c", "x", "ocp.input", " ", "urn:x?\\u0000", "%zz", "ssh://git@host/x", ":", "a b\\n"} {
		src := strings.Replace(head, "urn:x", id, 1) + `,"statements":[{"id":"a","kind":"external","text":"` + strings.Repeat("word ", 200) + `","origin":{"type":"tool"}}]}`
		_, err := compact.Compact([]byte(src), compact.Options{})
		if err != nil {
			t.Errorf("id %q: %v", id, err)
		}
	}
}

// TestTakenIDs: local ids that our records would have may be those of anything.
func TestTakenIDs(t *testing.T) {
	text := strings.Repeat("word ", 100)
	src := fmt.Appendf(nil, head+`,"progress":{"completed":[{"id":"ocp.input","description":"%[1]s"},{"id":"ocp.condensed","description":"%[1]s"}],"focus":{"description":"f","refs":["ocp.done","ocp.omitted.size","ocp.done.3"]}},
		"statements":[{"id":"ocp.done","kind":"external","text":"t","origin":{"type":"tool"}},{"id":"a","kind":"external","text":"%[1]s","origin":{"type":"tool"}},
			{"id":"b","kind":"external","text":"%[1]s","origin":{"type":"tool"},"status":"retracted"},{"id":"c","kind":"external","text":"%[1]s","origin":{"type":"tool"},"status":"superseded","superseded_by":"a"}],
		"resources":[{"id":"ocp.omitted.size","uri":"urn:a"},{"id":"ocp.omitted.size.2","uri":"urn:b","excerpt":"%[1]s","sensitivity":"s"},{"id":"ocp.omitted.irrelevant","uri":"urn:c"},{"id":"ocp.done.3","uri":"urn:d"}],
		"operations":[{"id":"ocp.omitted.superseded","kind":"wait","status":"planned","description":"d"},{"id":"ocp.omitted.sensitive","kind":"wait","status":"planned","description":"d"},{"id":"ocp.input.2","kind":"wait","status":"planned","description":"d"}]}`, text)
	mustSweep(t, "taken", src)
}

// TestRepeatedInputs: an input that is listed more than once, and the document's own id among its inputs, are no reason to fail.
func TestRepeatedInputs(t *testing.T) {
	src := []byte(strings.Replace(string(crlfDocument(70)), `"urn:input:3"`, `"urn:x"`, 1))
	src = bytes.Replace(src, []byte(`"urn:input:5"`), []byte(`"urn:input:4"`), 1)
	mustSweep(t, "repeated", src)
}

// TestRefused: errors are of the kinds that are documented.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		opts compact.Options
	}{
		"not JSON":   {"{", compact.Options{}},
		"nothing":    {"", compact.Options{}},
		"two":        {head + "}" + head + "}", compact.Options{}},
		"no member":  {"{}", compact.Options{}},
		"undefined":  {head + `,"notes":1}`, compact.Options{}},
		"no instant": {strings.Replace(head, "01-01T", "02-30T", 1) + `,"extensions":{"com.example":"` + strings.Repeat("x", 999) + `"}}`, compact.Options{}},
		"its own id": {head + `,"extensions":{"com.example":"` + strings.Repeat("x", 999) + `"}}`, compact.Options{ID: "urn:x"}},
		"tokenizer":  {head + "}", compact.Options{Tokenizer: "words"}},
	} {
		r, err := compact.Compact([]byte(c.src), c.opts)
		var internal *compact.InternalError
		if err == nil || r != nil || errors.As(err, &internal) {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

// TestFirst: of a stream, the first checkpoint.
func TestFirst(t *testing.T) {
	first, second := spaced(head+"}", " "), []byte(head+`,"statements":[]}`)
	stream := slices.Concat(first, []byte("\n"), second)
	r, n, err := compact.First(stream, compact.Options{ID: newID, Now: later})
	if err != nil || n != len(first) || !bytes.Equal(bytes.Trim(r.Bytes(), " "), r.Bytes()) {
		t.Errorf("%v after %d of %d bytes", err, n, len(first))
	}
	want, err := compact.Compact(first, compact.Options{ID: newID, Now: later})
	if err != nil || !bytes.Equal(r.Bytes(), want.Bytes()) {
		t.Errorf("%s is not %s: %v", r.Bytes(), want.Bytes(), err)
	}
	var b bytes.Buffer
	if n, err := want.WriteTo(&b); err != nil || int(n) != b.Len() || !bytes.Equal(b.Bytes(), want.Bytes()) {
		t.Errorf("WriteTo wrote %d bytes: %v", n, err)
	}
}
