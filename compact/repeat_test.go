package compact_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/compact"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// foreign are records that are not ours to fold, some of which look like it, and one of ours that withholds something sensitive.
var foreign = []string{
	`{"id":"foreign.sensitive","description":"The customer's file","reason":"sensitive"}`,
	`{"id":"foreign.size","description":"3 omitted: 3 observations","reason":"size"}`,
	`{"id":"ocp.omitted.size.77","description":"3 omitted: 4 observations","reason":"size"}`,
	`{"id":"ocp.omitted.size.78","description":"3 omitted: 3 observations","reason":"irrelevant"}`,
	`{"id":"ocp.omitted.unavailable","description":"3 omitted: 3 observations","reason":"unavailable"}`,
	`{"id":"ocp.omitted.superseded.9","description":"about 2 omitted: 2 observations","reason":"superseded"}`,
	`{"description":"2 omitted: 2 observations","reason":"size"}`,
	`{"id":"ocp.omitted.sensitive.5","description":"1 omitted: 1 excerpt","reason":"sensitive","recoverable_from":"ocp.input.55"}`,
}

// foreignResource is where the last of them can be recovered from.
const foreignResource = `{"id":"ocp.input.55","uri":"urn:example:vault","media_type":"application/vnd.opencheckpoint+json"}`

// foreignStep looks like a transformation of ours, and is none.
const foreignTransformation = `{"id":"ocp.condensed.66","description":"12 completed steps condensed into the first","affected":[]}`

// withForeign adds the foreign records to a document.
func withForeign(src []byte) []byte {
	for _, o := range foreign {
		src = withItem(src, "derivation", "omissions", o)
	}
	src = withItem(src, "derivation", "transformations", foreignTransformation)
	return withItem(src, "", "resources", foreignResource)
}

// withItem adds an element to a list, which may be missing.
func withItem(src []byte, owner, list, item string) []byte {
	v := mustDecode(src)
	if owner != "" {
		if v.get(owner) == nil {
			method := ""
			if owner == "derivation" {
				method = `"method":"captured"`
			}
			src = added(src, v, fmt.Sprintf(`"%s":{%s}`, owner, method))
			v = mustDecode(src)
		}
		v = v.get(owner)
	}
	if v.get(list) == nil {
		return added(src, v, fmt.Sprintf(`"%s":[%s]`, list, item))
	}
	return added(src, v.get(list), item)
}

// journey is a document that is compacted again and again, and edited by an agent between.
type journey struct {
	random *rand.Rand
	round  int
	doc    []byte
	now    time.Time
	edits  bool
}

// start prepares a document for a journey.
func start(seed uint64, edits bool) *journey {
	j := &journey{random: rand.New(rand.NewPCG(seed, 9)), now: later, edits: edits}
	j.doc = testdoc.Random(seed)
	if seed%4 == 0 {
		j.doc = testdoc.Large(seed, 20_000+int(seed)*17, seed%8 == 0)
	}
	j.doc = withForeign(marked(bytes.Trim(j.doc, " \t\r\n")))
	return j
}

// subject is the document as it is now.
func (j *journey) subject() *subject {
	return &subject{src: j.doc, in: mustDocument(j.doc), random: j.random,
		opts: compact.Options{ID: fmt.Sprintf("urn:uuid:0198a000-0000-7000-8000-%012d", j.round+1), Now: j.now}}
}

// step compacts to a budget between the floor and a shrinking part of the way to the document's size.
func (j *journey) step() (*trial, []error) {
	j.round++
	j.now = j.now.Add(time.Hour)
	s := j.subject()
	floor, err := s.floor()
	if err != nil {
		return nil, []error{err}
	}
	room := len(j.doc) - floor.Floor
	if room <= 0 {
		return nil, nil
	}
	budget := floor.Floor + room*(20-min(j.round, 20))/20
	if j.edits {
		budget = floor.Floor + j.random.IntN(room)
	}
	t, err := s.run(compact.Budget{N: budget, Unit: compact.Bytes})
	if err != nil {
		return nil, []error{err}
	}
	j.doc = t.result.Bytes()
	return t, nil
}

// TestSteady is law 11 without edits, the budgets shrinking to the floor.
func TestSteady(t *testing.T) {
	testdoc.Seeds(t, 60, func(seed uint64) (errs []error) {
		j := start(seed, false)
		first, err := j.subject().floor()
		if err != nil {
			return []error{err}
		}
		whole := len(j.doc)
		errs = j.travel(20)
		last, err := j.subject().floor()
		if err != nil {
			return append(errs, err)
		}
		// Each of our records that withholds something sensitive stays, with the resource that it can be recovered from.
		limit := min(first.Floor, whole) + 100 + 450*(j.sensitive()-1)
		if last.Floor > limit {
			errs = append(errs, fmt.Errorf("law 11 steady: the floor was %d and is %d bytes", first.Floor, last.Floor))
		}
		if len(j.doc) > limit {
			errs = append(errs, fmt.Errorf("law 11 steady: in steps it became %d bytes, at once %d", len(j.doc), first.Floor))
		}
		return errs
	})
}

// sensitive counts our records of what was sensitive.
func (j *journey) sensitive() (n int) {
	for _, e := range mustDocument(j.doc).entries {
		if e.shape == "omission" && e.v.str("reason") == "sensitive" && strings.HasPrefix(e.id, "ocp.omitted.sensitive") {
			n++
		}
	}
	return n
}

// TestSteadyWithEdits is law 11 for a document that an agent goes on with.
func TestSteadyWithEdits(t *testing.T) {
	testdoc.Seeds(t, 40, func(seed uint64) []error { return start(seed, true).travel(20) })
}

// TestSteadyAtTheFloor: asked for the floor again and again, a document comes to rest.
func TestSteadyAtTheFloor(t *testing.T) {
	testdoc.Seeds(t, 60, func(seed uint64) (errs []error) {
		j := start(seed, false)
		for range 6 {
			j.round++
			j.now = j.now.Add(time.Hour)
			trial, err := j.subject().run(compact.Budget{Unit: compact.Bytes})
			if err != nil {
				return []error{err}
			}
			if len(trial.result.Bytes()) > len(j.doc) {
				errs = append(errs, fmt.Errorf("round %d: %d bytes from %d", j.round, len(trial.result.Bytes()), len(j.doc)))
			}
			if j.round > 4 && !trial.result.Unchanged {
				errs = append(errs, fmt.Errorf("round %d: it still changes, from %d to %d bytes", j.round, len(j.doc), trial.result.Size))
			}
			j.doc = trial.result.Bytes()
		}
		return errs
	})
}

// travel goes some rounds and holds all laws against each.
func (j *journey) travel(rounds int) (errs []error) {
	at := func(err error) error { return fmt.Errorf("round %d: %w", j.round, err) }
	want := j.foreign()
	for range rounds {
		if j.edits {
			j.edit()
		}
		before := j.doc
		t, failures := j.step()
		for _, err := range failures {
			errs = append(errs, at(err))
		}
		if t == nil {
			continue
		}
		for _, err := range j.hold(t) {
			errs = append(errs, at(err))
		}
		if got := j.foreign(); !maps.Equal(got, want) {
			errs = append(errs, at(fmt.Errorf("foreign records were %v and are %v", want, got)))
		}
		if len(errs) > 0 {
			return append(errs, fmt.Errorf("the input of the last round: %.90000s", before))
		}
	}
	return errs
}

// hold checks the laws and that records do not pile up.
func (j *journey) hold(t *trial) (errs []error) {
	if !t.result.Unchanged {
		errs = append(errs, t.holdCarried()...)
	}
	var omissions, resources, transformations, sensitive, bytes int
	for _, e := range t.out.entries {
		ours := false
		switch {
		case e.shape == "omission" && isOurOmission(e.v):
			omissions++
			ours = true
		case e.shape == "omission" && strings.HasPrefix(e.id, "ocp.omitted.sensitive"):
			sensitive++
		case e.shape == "resource" && strings.HasPrefix(e.id, "ocp.input") && strings.HasPrefix(e.v.str("uri"), "urn:uuid:0198a000"):
			resources++
			ours = true
		case e.shape == "transformation" && t.out.condensedStep(e) != nil:
			transformations++
			ours = true
		}
		if ours {
			bytes += len(e.v.raw())
		}
	}
	if omissions > 3 || resources > 1+sensitive || transformations > 1 || bytes > 2500+300*sensitive {
		errs = append(errs, fmt.Errorf("law 11 steady: records pile up: %d omissions, %d resources, %d transformations, %d sensitive, %d bytes",
			omissions, resources, transformations, sensitive, bytes))
	}
	return errs
}

// holdCarried checks the laws about what is carried and recorded.
func (t *trial) holdCarried() (errs []error) {
	for _, fault := range t.faults {
		errs = append(errs, fmt.Errorf("%v: carried: %s", t.budget, fault))
	}
	for _, l := range laws {
		if l.name == "derived" {
			continue
		}
		if err := l.holds(t); err != nil {
			errs = append(errs, fmt.Errorf("%v: law %s: %w", t.budget, l.name, err))
		}
	}
	return errs
}

// foreign are the foreign records as they are.
func (j *journey) foreign() map[string]string {
	records := map[string]string{}
	for i, text := range append(slices.Clone(foreign), foreignResource, foreignTransformation) {
		want := mustDecode([]byte(text)).spelled(plainest)
		for _, e := range mustDocument(j.doc).entries {
			if e.v.spelled(plainest) == want {
				records[fmt.Sprint(i)] = want
			}
		}
	}
	return records
}

// edit does some of what an agent does that goes on with the work.
func (j *journey) edit() {
	for n := range 1 + j.random.IntN(4) {
		name := fmt.Sprintf("r%dn%d", j.round, n)
		edits[j.random.IntN(len(edits))](j, name)
	}
	if faults := mustDocument(j.doc).check(); len(faults) > 0 {
		panic(fmt.Sprint("an edit made the document invalid: ", faults))
	}
}

// edits are what an agent does.
var edits = []func(*journey, string){
	(*journey).observe, (*journey).observe, (*journey).observe, (*journey).finish, (*journey).finish, (*journey).operate, (*journey).draft,
	(*journey).replaceObservation, (*journey).recheck, (*journey).suppose, (*journey).refer, (*journey).cite,
}

func (j *journey) put(owner, list, format string, args ...any) {
	j.doc = withItem(j.doc, owner, list, fmt.Sprintf(format, args...))
}

func (j *journey) stamp() string {
	return later.Add(-time.Duration(100-j.round) * time.Minute).Format(time.RFC3339)
}

// observe adds an observation with a resource that it was found in.
func (j *journey) observe(name string) {
	j.claim()
	j.put("", "resources", `{"id":"res-%s","uri":"file:///logs/%s","excerpt":"%s"%s}`, name, name, strings.Repeat("line ", j.random.IntN(60)),
		[]string{"", `,"sensitivity":"internal"`}[j.random.IntN(10)/9])
	j.put("", "statements", `{"id":"st-%s","kind":"observation","text":"What %s shows","origin":{"type":"agent"},"evidence":["res-%s"],"verification":{"state":"%s"}}`,
		name, name, name, []string{"verified", "unverified", "disputed"}[j.random.IntN(3)])
}

// suppose adds a hypothesis, a question that is resolved, or a decision.
func (j *journey) suppose(name string) {
	more := []string{`"hypothesis"`, `"question","status":"resolved","resolution":"so"`, `"decision","rationale":"why"`}[j.random.IntN(3)]
	j.put("", "statements", `{"id":"st-%s","kind":%s,"text":"%s","origin":{"type":"agent"}}`, name, more, name)
}

// finish adds a completed step.
func (j *journey) finish(name string) {
	j.claim()
	j.put("progress", "completed", `{"id":"done-%s","description":"Step %s of the work, which took a while to do","completed_at":"%s"}`, name, name, j.stamp())
}

// operate adds an action that is done.
func (j *journey) operate(name string) {
	j.put("", "operations", `{"id":"op-%s","kind":"action","status":"completed","description":"%s","effect":"%s"}`, name, name,
		[]string{"none", "non_idempotent"}[j.random.IntN(2)])
}

// draft adds an application's entry with a draft.
func (j *journey) draft(name string) {
	j.put("", "application_context", `{"id":"app-%s","application":"mail","drafts":[{"id":"draft-%s","status":"unsaved","content":"Dear"}]}`, name, name)
}

// replaceObservation supersedes an observation, or retracts it.
func (j *journey) replaceObservation(name string) {
	doc := mustDocument(j.doc)
	for _, e := range doc.entries {
		if e.shape == "statement" && e.v.str("kind") == "observation" && e.v.get("status") == nil && j.random.IntN(3) == 0 {
			status := `"status":"retracted"`
			if j.random.IntN(2) == 0 {
				status = fmt.Sprintf(`"status":"superseded","superseded_by":"st-%s"`, name)
				defer j.put("", "statements", `{"id":"st-%s","kind":"observation","text":"%s instead","origin":{"type":"tool"}}`, name, name)
			}
			j.doc = added(j.doc, e.v, status)
			return
		}
	}
}

// recheck verifies what became stale.
func (j *journey) recheck(string) {
	doc := mustDocument(j.doc)
	for _, e := range doc.entries {
		if e.shape != "statement" || e.v.get("verification").str("state") != "stale" || e.v.str("kind") == "hypothesis" {
			continue
		}
		state := e.v.get("verification").get("state").at[asItStood]
		j.doc = edited(j.doc, []edit{{state[0], state[1], `"verified"`}})
		return
	}
}

// refer names any objects in a next step, so that they are needed.
func (j *journey) refer(name string) {
	j.claim()
	doc := mustDocument(j.doc)
	for _, e := range doc.entries {
		if e.id != "" && !strings.HasPrefix(e.id, "ocp.") && j.random.IntN(len(doc.entries)) == 0 {
			j.put("progress", "next", `{"id":"next-%s","description":"%s","refs":["%s"]}`, name, name, e.id)
			return
		}
	}
}

// cite makes an omission of the agent's own, with a place to recover it from.
func (j *journey) cite(name string) {
	j.put("", "resources", `{"id":"res-%s","uri":"file:///archive/%s"}`, name, name)
	j.put("derivation", "omissions", `{"id":"om-%s","description":"%s","reason":"size","recoverable_from":"res-%s"}`, name, name, name)
}

// claim sets created_at: the agent's checkpoint is from now.
func (j *journey) claim() {
	created := mustDecode(j.doc).get("created_at").at[asItStood]
	j.doc = edited(j.doc, []edit{{created[0], created[1], `"` + j.now.Format(time.RFC3339Nano) + `"`}})
}
