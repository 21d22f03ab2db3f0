package compact_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/compact"
	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// TestKeepUnknown: an id to keep must be one of the document's local ids.
func TestKeepUnknown(t *testing.T) {
	src := []byte(`{"opencheckpoint":"0.1","id":"urn:x","created_at":"2026-01-01T00:00:00Z","source":{},"task":{"objective":"o","status":"active"},
		"progress":{"completed":[{"id":"done","description":"d"}]},"derivation":{"method":"captured","inputs":[{"id":"in"}]},"extensions":{"com.example":{"id":"opaque"}}}`)
	for _, id := range []string{"urn:x", "in", "opaque", "", "Done"} {
		_, err := compact.Compact(src, compact.Options{Keep: []string{"done", id}})
		var unknown *compact.UnknownIDError
		if !errors.As(err, &unknown) || unknown.ID != id {
			t.Errorf("keep %q: %v", id, err)
		}
	}
	if _, err := compact.Compact(src, compact.Options{Keep: []string{"done", "done"}}); err != nil {
		t.Error(err)
	}
}

// TestKeepEverything: what is kept loses no member, so a document that is kept whole loses nothing but what is nobody's member.
func TestKeepEverything(t *testing.T) {
	documents(t, 300, func(s *subject) (errs []error) {
		s.opts.Keep = slices.Sorted(maps.Keys(s.in.byID))
		s.wishes.keep = s.opts.Keep
		floor, err := s.floor()
		if err != nil {
			return []error{err}
		}
		if floor.Floor > len(s.src) {
			return nil
		}
		trial, err := s.run(compact.Budget{N: floor.Floor, Unit: compact.Bytes})
		if err != nil {
			return []error{err}
		}
		if !trial.result.Unchanged {
			errs = trial.hold()
		}
		for _, e := range trial.in.entries {
			if e.id != "" && trial.out.byID[e.id] == nil {
				errs = append(errs, fmt.Errorf("%s is gone", e.key))
			}
		}
		return errs
	})
}

// TestKeepKinds: statements of the kinds to keep stay, those that no longer hold too.
func TestKeepKinds(t *testing.T) {
	documents(t, 300, func(s *subject) (errs []error) {
		s.opts.Keep, s.opts.KeepKinds, s.wishes = nil, nil, wishes{dropDone: s.opts.DropDone}
		s.opts.KeepKinds = []string{"observation", "external", "hypothesis"}
		s.wishes.keepKinds = s.opts.KeepKinds
		more, err := s.run(compact.Budget{Unit: compact.Bytes})
		if err != nil {
			return []error{err}
		}
		for _, e := range more.in.entries {
			if e.shape == "statement" && slices.Contains(s.opts.KeepKinds, e.v.str("kind")) && more.out.byID[e.id] == nil {
				errs = append(errs, fmt.Errorf("%s is gone", e.key))
			}
		}
		if more.result.Unchanged {
			return errs
		}
		return append(errs, more.hold()...)
	})
}

// doneDocument has work that is done, or was refused, and little else to give up.
const doneDocument = `{"opencheckpoint":"0.1","id":"urn:x","created_at":"2026-01-01T00:00:00Z","source":{},"task":{"objective":"o","status":"active"},
	"resources":[{"id":"record","uri":"urn:r"},{"id":"proof","uri":"urn:p"},{"id":"spare","uri":"urn:s","description":"%[1]s"}],
	"operations":[
		{"id":"refused","kind":"approval","status":"rejected","description":"%[1]s","effect":"none","approval":{"decided_by":"d","decided_at":"2025-12-31T00:00:00Z","evidence":["proof"]}},
		{"id":"sent","kind":"action","status":"completed","description":"%[1]s","idempotency_key":"k","call":{"tool":"t","arguments":{"n":1.0}},"record":"record","extensions":{"com.example":"%[1]s"}},
		{"id":"stopped","kind":"action","status":"cancelled","description":"%[1]s","effect":"unknown","depends_on":["sent","looped"]},
		{"id":"looped","kind":"action","status":"completed","description":"%[1]s","effect":"idempotent","depends_on":["stopped"]},
		{"id":"read","kind":"action","status":"completed","description":"%[1]s","effect":"none"},
		{"id":"granted","kind":"approval","status":"approved","description":"%[1]s","approval":{"decided_by":"d","decided_at":"2025-12-31T00:00:00Z","evidence":["proof"]}},
		{"id":"answered","kind":"input","status":"completed","description":"%[1]s"},
		{"id":"waited","kind":"wait","status":"cancelled","description":"%[1]s"}]}`

// TestDropDone: rejected approvals and terminal actions with an effect go only if that is asked for, and last.
func TestDropDone(t *testing.T) {
	src := fmt.Appendf(nil, doneDocument, strings.Repeat("word ", 60))
	done := []string{"refused", "sent", "stopped", "looped"}
	s := newSubject(1, src)
	s.opts, s.wishes = compact.Options{ID: newID, Now: later}, wishes{}
	without, err := s.run(compact.Budget{Unit: compact.Bytes})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range append(done, "granted", "record", "proof") {
		if without.out.byID[id] == nil {
			t.Errorf("%s is gone", id)
		}
	}
	for _, id := range []string{"read", "answered", "waited", "spare"} {
		if without.out.byID[id] != nil {
			t.Errorf("%s is there", id)
		}
	}
	s.opts.DropDone, s.wishes.dropDone = true, true
	with, err := s.run(compact.Budget{Unit: compact.Bytes})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range append(done, "record") {
		if with.out.byID[id] != nil {
			t.Errorf("--drop-done: %s is there", id)
		}
	}
	if with.out.byID["granted"] == nil || with.out.byID["proof"] == nil {
		t.Error("--drop-done: an approval that holds is gone")
	}
	for n := with.result.Size; n < len(src); n += 7 {
		trial, err := s.run(compact.Budget{N: n, Unit: compact.Bytes})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range trial.hold() {
			t.Errorf("%d: %v", n, err)
		}
		for _, id := range done {
			if trial.out.byID[id] == nil && (trial.out.byID["read"] != nil || trial.out.get("operations").path("extensions") != nil) {
				t.Errorf("%d: %s went before the last rung", n, id)
			}
		}
	}
}

// checkedDocument is a document with verified statements whose evidence are files, most with a digest.
func checkedDocument(random *rand.Rand) []byte {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	var resources, statements []string
	hex := func(n int) string { return strings.Repeat(fmt.Sprintf("%02x", n), 32) }
	for i := range 6 {
		uri := pick("file:", "file:///", "FILE:/", "file:", "https://x.example/") + fmt.Sprint("f", i)
		sum := pick("sha-256:"+hex(i), "sha-256:"+hex(i), "sha-256:"+hex(i), "SHA256:"+hex(i), "sha-1:"+hex(i)[:40], "md5", "")
		if sum != "" {
			sum = fmt.Sprintf(`,"digest":"%s"`, sum)
		}
		resources = append(resources, fmt.Sprintf(`{"id":"r%d","uri":"%s"%s,"excerpt":"%s"}`, i, uri, sum, strings.Repeat("x", random.IntN(300))))
	}
	for i := range 8 {
		var evidence []string
		for range random.IntN(4) {
			evidence = append(evidence, fmt.Sprintf(`"r%d"`, random.IntN(6)))
		}
		statements = append(statements, fmt.Sprintf(`{"id":"s%d","kind":"%s","text":"%s","rationale":"r","origin":{"type":"user"},"evidence":[%s],"verification":{"state":"%s"%s}}`,
			i, pick("observation", "observation", "decision", "constraint"), strings.Repeat("y", random.IntN(300)), strings.Join(evidence, ","),
			pick("verified", "verified", "verified", "verified", "stale", "disputed", "unverified"), pick("", `,"revalidate":"never"`, `,"revalidate" : "before_action"`, `,"method":"m"`)))
	}
	return fmt.Appendf(nil, `{"opencheckpoint":"0.1","id":"urn:x","created_at":"2026-01-01T00:00:00Z","source":{},"task":{"objective":"o","status":"active"},
		"statements":[%s],"resources":[%s]}`, strings.Join(statements, ","), strings.Join(resources, ","))
}

// TestRecheck: a verified statement stays verified exactly if all of its evidence is carried, is a file, and has the SHA-256 that is recorded.
// What has another one is reported, once.
func TestRecheck(t *testing.T) {
	testdoc.Seeds(t, 500, func(seed uint64) (errs []error) {
		random := rand.New(rand.NewPCG(seed, 10))
		s := newSubject(seed, checkedDocument(random))
		s.opts, s.wishes = compact.Options{ID: newID, Now: later}, wishes{}
		outcome := map[string]int{} // of a uri: 0 as recorded, 1 another, 2 not there
		asked := map[string]bool{}
		for _, r := range s.in.items("resources") {
			outcome[r.str("uri")] = max(0, random.IntN(5)-2)
		}
		s.opts.Recheck = func(uri string) (digest.Digest, error) {
			asked[uri] = true
			if !strings.HasPrefix(strings.ToLower(uri), "file:") || outcome[uri] == 2 {
				return digest.Digest{}, errors.New("not there")
			}
			n := int(uri[len(uri)-1] - '0')
			if outcome[uri] == 1 {
				n += 100
			}
			return digest.Parse("sha-256:" + strings.Repeat(fmt.Sprintf("%02x", n), 32))
		}
		good := func(id string) bool {
			v := s.in.byID[id].v
			uri, sum := v.str("uri"), strings.ToLower(v.str("digest"))
			return strings.HasPrefix(strings.ToLower(uri), "file:") && (strings.HasPrefix(sum, "sha-256:") || strings.HasPrefix(sum, "sha256:")) && outcome[uri] == 0
		}
		floor, err := s.floor()
		if err != nil {
			return []error{err}
		}
		for _, budget := range s.budgets(floor.Floor, 3) {
			trial, err := s.run(budget)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			if trial.result.Unchanged {
				continue
			}
			for _, fault := range trial.faults {
				errs = append(errs, errors.New(fault))
			}
			for _, e := range trial.out.entries {
				was := s.in.byID[e.id]
				if e.shape != "statement" || was.v.get("verification").str("state") != "verified" || len(was.v.items("evidence")) == 0 {
					continue
				}
				stays := e.v.get("evidence") != nil
				for _, id := range was.v.items("evidence") {
					stays = stays && good(id.chars)
				}
				if state := e.v.get("verification").str("state"); stays != (state == "verified") || stays == trial.stale[e.id] {
					errs = append(errs, fmt.Errorf("%v: %s is %s, evidence %s", budget, e.key, state, was.v.get("evidence").raw()))
				}
			}
			var mismatched []string
			for _, e := range s.in.entries {
				sum := strings.ToLower(e.v.str("digest"))
				if e.shape == "resource" && outcome[e.v.str("uri")] == 1 && asked[e.v.str("uri")] && strings.Contains(sum, "256:") {
					mismatched = append(mismatched, e.id)
				}
			}
			if got := slices.Sorted(slices.Values(trial.result.Mismatched)); !slices.Equal(got, mismatched) {
				errs = append(errs, fmt.Errorf("%v: mismatched %v, %v are reported", budget, mismatched, got))
			}
		}
		return errs
	})
}

// TestExplained: Steps names what went, each object once, and nothing else; Kept counts what is there.
func TestExplained(t *testing.T) {
	documents(t, 300, func(s *subject) (errs []error) {
		for _, budget := range []compact.Budget{{Unit: compact.Bytes}, {N: len(s.src) * 3 / 4, Unit: compact.Bytes}} {
			trial, err := s.run(budget)
			var below *compact.BudgetError
			if errors.As(err, &below) {
				continue
			}
			if err != nil {
				return append(errs, err)
			}
			if trial.result.Unchanged {
				if trial.result.Steps() != nil || trial.result.Kept() != nil {
					errs = append(errs, errors.New("a document that did not change is explained"))
				}
				continue
			}
			errs = append(errs, trial.explained()...)
		}
		return errs
	})
}

func (t *trial) explained() (errs []error) {
	gone := map[*entry]bool{}
	for _, e := range t.goneEntries() {
		gone[e] = true
	}
	named := map[string]bool{}
	for _, step := range t.result.Steps() {
		isPart := slices.Contains([]string{"excerpt", "list of evidence", "filters", "view", "state", "state schema", "extension entry"}, step.Noun)
		if step.Object == "" || isPart || step.Action == "rewritten" {
			continue
		}
		if named[step.Object] {
			errs = append(errs, fmt.Errorf("%v: %s went twice", t.budget, step.Object))
		}
		named[step.Object] = true
		if e := t.in.byID[step.Object]; e != nil && !gone[e] {
			errs = append(errs, fmt.Errorf("%v: %s went and is there", t.budget, e.key))
		}
	}
	for e := range gone {
		if e.id != "" && !named[e.id] && !(t.gone[e.owner.v] && e.shape == "draft") && !(e.shape == "transformation") {
			errs = append(errs, fmt.Errorf("%v: %s is gone and no step says so", t.budget, e.key))
		}
	}
	kept := 0
	for _, k := range t.result.Kept() {
		if k.Noun == "statement" || k.Why == "" || k.Count <= 0 || k.Bytes <= 0 {
			errs = append(errs, fmt.Errorf("%v: kept %+v", t.budget, k))
		}
		if slices.Contains(compact.Kinds(), strings.TrimSuffix(k.Noun, " statement")) {
			kept += k.Count
		}
	}
	if n := len(t.out.items("statements")); kept != n {
		errs = append(errs, fmt.Errorf("%v: %d statements are there, %d are counted as kept", t.budget, n, kept))
	}
	return errs
}
