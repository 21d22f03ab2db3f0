package compact_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gowebpki/jcs"

	"github.com/opencheckpoint/ocp/compact"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// law is one law of transforms.md §2, for one compaction.
type law struct {
	name  string
	holds func(*trial) error
}

// laws are those that one compaction shows. The others need several, see below.
var laws = []law{
	{"1 fits", fits},
	{"2 no-op", noOp},
	{"4 protected", protectedStays},
	{"5 epistemics", epistemics},
	{"6 accounting", accounting},
	{"7 closure", closure},
	{"derived", derived},
}

// hold checks all laws on one compaction.
func (t *trial) hold() (errs []error) {
	if t.result.Unchanged {
		return nil
	}
	for _, fault := range t.faults {
		errs = append(errs, fmt.Errorf("%v: carried: %s", t.budget, fault))
	}
	for _, l := range laws {
		if err := l.holds(t); err != nil {
			errs = append(errs, fmt.Errorf("%v: law %s: %w", t.budget, l.name, err))
		}
	}
	return errs
}

func TestLaws(t *testing.T) {
	var compactions, unchanged, pretty atomic.Int64
	documents(t, 500, func(s *subject) (errs []error) {
		floor, err := s.floor()
		if err != nil {
			return []error{err}
		}
		var trials []*trial
		for _, budget := range s.budgets(floor.Floor, 2) {
			trial, err := s.run(budget)
			if err != nil {
				return append(errs, fmt.Errorf("%v: %w", budget, err))
			}
			trials = append(trials, trial)
			errs = append(errs, trial.hold()...)
			compactions.Add(1)
			if trial.result.Unchanged {
				unchanged.Add(1)
			}
		}
		if strings.Contains(s.in.raw(), "\n") {
			pretty.Add(1)
		}
		errs = append(errs, deterministic(trials[s.random.IntN(len(trials))])...)
		return slices.Concat(errs, s.fitsAlready(), s.floorHolds(floor), nested(trials), s.tight(trials, floor))
	})
	t.Logf("%d compactions, %d of them at the floor without a change; %d documents in lines", compactions.Load(), unchanged.Load(), pretty.Load())
}

// fits is law 1: the output has the size that is claimed, within the budget, and is no larger than the input.
func fits(t *trial) error {
	n := len(t.result.Bytes())
	switch {
	case t.result.Unit == compact.Bytes && n != t.result.Size:
		return fmt.Errorf("%d bytes, %d claimed", n, t.result.Size)
	case t.budget.N > 0 && t.budget.Unit == compact.Bytes && n > t.budget.N:
		return fmt.Errorf("%d bytes", n)
	case t.budget.Unit == compact.Bytes && n > len(t.src):
		return fmt.Errorf("%d bytes of %d", n, len(t.src))
	}
	return nil
}

// noOp is law 2: to compact once more to the same budget changes nothing.
func noOp(t *trial) error {
	opts := t.opts
	opts.Budget, opts.Keep, opts.ID = t.budget, nil, newID+"f"
	if opts.Budget.N == 0 {
		opts.Budget.N = len(t.result.Bytes())
	}
	again, err := compact.Compact(t.result.Bytes(), opts)
	if err != nil {
		return err
	}
	if !again.Unchanged || !bytes.Equal(again.Bytes(), t.result.Bytes()) {
		return errors.New("a document that fits changed")
	}
	return nil
}

// fitsAlready is law 2 for the input itself.
func (s *subject) fitsAlready() (errs []error) {
	for _, n := range []int{len(s.src), len(s.src) + 1, 1 << 30} {
		r, err := s.run(compact.Budget{N: n, Unit: compact.Bytes})
		if err != nil || !r.result.Unchanged || !bytes.Equal(r.result.Bytes(), s.src) || r.result.Size != len(s.src) {
			errs = append(errs, fmt.Errorf("law 2 no-op: a budget of %d B changes a document of %d: %v", n, len(s.src), err))
		}
	}
	return errs
}

// floorHolds is law 3: below the floor there is nothing but an error that says what the floor is; at the floor it succeeds.
func (s *subject) floorHolds(floor *compact.BudgetError) (errs []error) {
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf("law 3 floor: "+format, args...)) }
	sum := 0
	for i, part := range floor.Parts {
		sum += part.Size
		if part.Size <= 0 || part.Name == "" || i > 0 && part.Size > floor.Parts[i-1].Size {
			fault("parts %v", floor.Parts)
		}
	}
	if sum <= 0 || sum > floor.Floor || floor.Budget != 1 || floor.Unit != compact.Bytes {
		fault("%+v", floor)
	}
	if floor.Floor > len(s.src) {
		fault("the floor of %d bytes is above the document's %d, which fit as they are", floor.Floor, len(s.src))
		return errs
	}
	if r, err := s.run(compact.Budget{N: floor.Floor, Unit: compact.Bytes}); err != nil || r.result.Size != floor.Floor {
		fault("at the floor: %v", err)
	}
	_, err := s.run(compact.Budget{N: floor.Floor - 1, Unit: compact.Bytes})
	below, ok := err.(*compact.BudgetError)
	if !ok || below.Floor != floor.Floor || below.Budget != floor.Floor-1 || !slices.Equal(below.Parts, floor.Parts) {
		fault("below the floor: %v", err)
	}
	return errs
}

// protectedStays is law 4. That what is carried is as it was, compare has seen to.
func protectedStays(t *trial) error {
	shields := t.in.protected(t.wishes)
	for e, s := range shields {
		if s.stays && (t.gone[e.v] || e.owner != nil && t.gone[e.owner.v]) {
			return fmt.Errorf("%s is gone", e.key)
		}
		if !s.stays || s.bare {
			continue
		}
		for _, inner := range e.inside {
			if e.shape == "context" && t.gone[inner.v] {
				return fmt.Errorf("%s of %s is gone", inner.key, e.key)
			}
		}
	}
	for _, e := range t.in.entries {
		if e.shape == "input" && t.gone[e.v] && (e.v.get("protocol") != nil || t.in.isBase(e.v.str("id"))) {
			return fmt.Errorf("%s is gone", e.key)
		}
	}
	byValue := map[*value]*shield{}
	for e, s := range shields {
		byValue[e.v] = s
	}
	for _, p := range t.lost {
		if !mayLose(byValue[p.owner], p) {
			return fmt.Errorf("%s lost its %s", p.key, p.name)
		}
		if p.isKey && t.in.requiredKey(p.name) {
			return fmt.Errorf("%s lost the extension data %q", p.key, p.name)
		}
	}
	return nil
}

// epistemics is law 5. compare has seen to it that a verification only becomes stale and all else of a statement stays as it was.
func epistemics(t *trial) error {
	for _, s := range t.added["statement"] {
		return fmt.Errorf("statement %s appeared", s.raw())
	}
	for _, e := range t.out.entries {
		if e.shape != "statement" {
			continue
		}
		was := t.in.byID[e.id]
		for _, path := range []string{"kind", "origin/type", "origin/name", "status", "superseded_by"} {
			if !slices.EqualFunc(e.v.path(path), was.v.path(path), func(a, b *value) bool { return a.chars == b.chars }) {
				return fmt.Errorf("%s of %s changed", path, e.key)
			}
		}
	}
	return t.staleMarks()
}

// staleMarks: each verified statement with evidence is stale, unless the evidence was checked and all of it is carried.
func (t *trial) staleMarks() error {
	var want []string
	for _, e := range t.out.entries {
		was := t.in.byID[e.id]
		if e.shape != "statement" || was.v.get("verification").str("state") != "verified" || len(was.v.items("evidence")) == 0 {
			continue
		}
		if !t.opts.AssumeChecked || e.v.get("evidence") == nil {
			want = append(want, e.id)
		}
	}
	if got := t.result.Stale; !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		return fmt.Errorf("stale: %v are reported and %v are due", got, want)
	}
	if got := slices.Sorted(maps.Keys(t.stale)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		return fmt.Errorf("stale: %v are marked and %v are due", got, want)
	}
	return nil
}

// span is the least and the most that a record may count: a member that went before its object did may be counted.
type span struct{ least, most int }

// counts are by reason and noun.
type counts map[string]map[string]span

func (c counts) add(reason, noun string, least, most int) {
	if c[reason] == nil {
		c[reason] = map[string]span{}
	}
	s := c[reason][noun]
	c[reason][noun] = span{s.least + least, s.most + most}
}

// accounting is law 6: what is missing is what the new records count, less what the folded ones did.
func accounting(t *trial) error {
	due := counts{}
	keys := map[string]bool{}
	mayName := map[string]bool{}
	var steps []*entry
	for _, e := range t.goneEntries() {
		switch {
		case e.shape == "step":
			steps = append(steps, e)
		case e.shape == "omission":
			if err := due.fold(e, keys); err != nil {
				return err
			}
		case e.shape == "transformation":
			if step := t.in.condensedStep(e); step == nil || !t.gone[step.v] {
				return fmt.Errorf("%s is gone", e.key)
			}
		case e.shape == "resource" && t.isFoldedInput(e):
		default:
			due.add(reasonOf(e), nounOf(e), 1, 1)
		}
		for _, p := range partsOf(e) {
			due.add(reasonOfPart(p), nounOfPart(p), 0, 1)
			mayName[p.name] = true
		}
	}
	for _, p := range t.lost {
		due.add(reasonOfPart(p), nounOfPart(p), 1, 1)
		if p.isKey {
			keys[p.name] = true
		}
	}
	if err := t.condensed(steps); err != nil {
		return err
	}
	return t.recorded(due, keys, mayName)
}

// fold adds what an earlier record counts.
func (c counts) fold(e *entry, keys map[string]bool) error {
	r, err := readRecord(e.v.str("description"))
	if !isOurOmission(e.v) || err != nil {
		return fmt.Errorf("%s is gone: %v", e.key, err)
	}
	for noun, n := range r.counts {
		c.add(e.v.str("reason"), noun, n, n)
	}
	for _, key := range r.keys {
		keys[key] = true
	}
	return nil
}

// isFoldedInput says whether a resource stands for the input of an earlier compaction, and only folded records refer to it.
func (t *trial) isFoldedInput(resource *entry) bool {
	if !strings.HasPrefix(resource.id, "ocp.input") || resource.v.str("media_type") != "application/vnd.opencheckpoint+json" {
		return false
	}
	folded := false
	for _, e := range t.in.entries {
		for _, r := range e.refs {
			if r.to != resource.id || r.path == "affected" {
				continue
			}
			if e.shape != "omission" || !t.gone[e.v] {
				return false
			}
			folded = true
		}
	}
	return folded
}

// recorded compares what is due with the new omissions.
func (t *trial) recorded(due counts, keys, mayName map[string]bool) error {
	seen := map[string]bool{}
	for _, o := range t.added["omission"] {
		reason := o.str("reason")
		r, err := readRecord(o.str("description"))
		if err != nil {
			return err
		}
		if seen[reason] {
			return fmt.Errorf("two new records with reason %s", reason)
		}
		seen[reason] = true
		for noun, n := range r.counts {
			if s := due[reason][noun]; n < s.least || n > s.most {
				return fmt.Errorf("%s: %d to %d of %s are missing, %q says", reason, s.least, s.most, noun, o.str("description"))
			}
			delete(due[reason], noun)
		}
		named := slices.Sorted(slices.Values(r.keys))
		if len(slices.Compact(named)) != len(r.keys) {
			return fmt.Errorf("a key twice in %q", o.str("description"))
		}
		for _, key := range r.keys {
			if !keys[key] && !mayName[key] {
				return fmt.Errorf("%q is named and not missing", key)
			}
			delete(keys, key)
		}
	}
	for key := range keys {
		return fmt.Errorf("extension data %q is gone and no record names it", key)
	}
	for reason, nouns := range due {
		for noun, s := range nouns {
			if s.least > 0 {
				return fmt.Errorf("%s: %d of %s are missing and no record says so", reason, s.least, noun)
			}
		}
	}
	return nil
}

// shortName is how a condensed step is named: one line, at most 40 characters.
func shortName(description string) string {
	name := []rune(strings.Join(strings.Fields(description), " "))
	if len(name) > 40 {
		name = append(name[:39], '…')
	}
	return string(name)
}

// condensed compares the missing steps with the one that stands for them: their number, their names in order, the latest instant.
func (t *trial) condensed(steps []*entry) error {
	if len(t.added["step"]) != min(len(steps), 1) || len(t.added["transformation"]) != min(len(steps), 1) {
		return fmt.Errorf("%d steps are gone, %d new ones and %d transformations", len(steps), len(t.added["step"]), len(t.added["transformation"]))
	}
	if len(steps) == 0 {
		return nil
	}
	count := 0
	var names []string
	latest := ""
	for _, e := range steps {
		description := e.v.str("description")
		name, folded := shortName(description), 1
		if n, text, found := strings.Cut(description, " done: "); found && strings.HasPrefix(e.id, "ocp.done") {
			if number, err := strconv.Atoi(n); err == nil {
				name, folded = text, number
			}
		}
		names = append(names, name)
		count += folded
		if at := e.v.str("completed_at"); at != "" && (latest == "" || parseTime(at).After(parseTime(latest))) {
			latest = at
		}
	}
	step, transformation := t.added["step"][0], t.added["transformation"][0]
	got, want := step.str("description"), fmt.Sprintf("%d done: %s", count, strings.Join(names, "; "))
	for _, name := range names {
		if !strings.Contains(got, name) || len(got) != len(want) || got[:strings.Index(got, ": ")] != want[:strings.Index(want, ": ")] {
			return fmt.Errorf("condensed: %q where %q is due, in any order", got, want)
		}
	}
	if got := step.str("completed_at"); got != latest && !parseTime(got).Equal(parseTime(latest)) {
		return fmt.Errorf("condensed: completed_at %q, the latest is %q", got, latest)
	}
	if t.out.get("progress").items("completed")[0] != step {
		return errors.New("the condensed step is not the first")
	}
	if got := transformation.path("affected"); len(got) != 1 || got[0].chars != step.str("id") || !strings.HasPrefix(transformation.str("description"), fmt.Sprint(count, " ")) {
		return fmt.Errorf("transformation %s for step %s", transformation.raw(), step.str("id"))
	}
	return nil
}

// closure is law 7: every reference resolves and levels 1 and 2 hold, by this oracle and by the validator; T001 and T002 with the parent.
func closure(t *trial) error {
	if faults := t.out.check(); len(faults) > 0 {
		return errors.New(strings.Join(faults, "; "))
	}
	if _, err := checkpoint.ParseOne(t.result.Bytes(), checkpoint.Options{Lenient: t.opts.Lenient}); err != nil {
		return err
	}
	for _, e := range t.out.entries {
		if was := t.in.byID[e.id]; e.shape == "operation" && was.v.str("status") != e.v.str("status") {
			return fmt.Errorf("T001 %s", e.key)
		}
	}
	if t.out.get("parent").str("id") != t.in.str("id") || parseTime(t.out.str("created_at")).Before(parseTime(t.in.str("created_at"))) {
		return fmt.Errorf("T002 %s", t.out.str("created_at"))
	}
	return nil
}

// deterministic is law 8.
func deterministic(t *trial) []error {
	again, err := t.run(t.budget)
	if err != nil || !bytes.Equal(again.result.Bytes(), t.result.Bytes()) {
		return []error{fmt.Errorf("%v: law 8 deterministic: the second time it is another document: %v", t.budget, err)}
	}
	return nil
}

// derived is §1: the identity of a derived checkpoint, its records and where they can be recovered from.
func derived(t *trial) error {
	canonical, err := jcs.Transform(t.src)
	if err != nil {
		return err
	}
	sum := fmt.Sprintf("sha-256:%x", sha256.Sum256(canonical))
	direct := map[string]string{"id": t.in.str("id"), "digest": sum}
	created := t.out.str("created_at")
	var inputs []*value
	if d := t.out.get("derivation"); d != nil {
		inputs = d.items("inputs")
	}
	switch {
	case t.out.str("id") != newID || t.result.ID != newID:
		return fmt.Errorf("id %q", t.out.str("id"))
	case t.out.get("derivation").str("method") != "compacted":
		return fmt.Errorf("derivation.method %q", t.out.get("derivation").str("method"))
	case t.out.get("parent").str("id") != direct["id"] || t.out.get("parent").str("digest") != sum:
		return fmt.Errorf("parent %s", t.out.get("parent").raw())
	case len(t.added["input"]) != 1 || len(inputs) == 0 || inputs[0] != t.added["input"][0] || !isObject(inputs[0], direct):
		return errors.New("the direct input is not the first of derivation.inputs")
	case t.out.get("source").get("producer").str("name") != "ocp":
		return errors.New("another producer")
	case t.result.ClockBehind != "" && created != t.result.ClockBehind, t.result.ClockBehind == "" && created != t.opts.Now.Format("2006-01-02T15:04:05.999Z"):
		return fmt.Errorf("created_at %q", created)
	}
	return t.recoverable(sum)
}

func isObject(v *value, members map[string]string) bool {
	var got map[string]string
	return v != nil && json.Unmarshal([]byte(v.raw()), &got) == nil && maps.Equal(got, members)
}

// recoverable: new omissions name one resource, which is the input. New entries stand behind the others.
func (t *trial) recoverable(sum string) error {
	resources, omissions := t.added["resource"], t.added["omission"]
	if len(resources) != min(len(omissions), 1) || len(omissions) > 4 {
		return fmt.Errorf("%d new omissions and %d new resources", len(omissions), len(resources))
	}
	for shape, list := range t.added {
		if !slices.Contains([]string{"input", "step", "omission", "resource", "transformation"}, shape) && len(list) > 0 {
			return fmt.Errorf("a new %s: %s", shape, list[0].raw())
		}
	}
	for i, o := range omissions {
		all := t.out.get("derivation").items("omissions")
		if o.str("recoverable_from") != resources[0].str("id") || !strings.HasPrefix(o.str("id"), "ocp.omitted."+o.str("reason")) || all[len(all)-len(omissions)+i] != o {
			return fmt.Errorf("omission %s", o.raw())
		}
	}
	if len(resources) == 0 {
		return nil
	}
	uri := t.opts.ParentURI
	if uri == "" {
		uri = t.in.str("id")
	}
	all := t.out.items("resources")
	if all[len(all)-1] != resources[0] || !isObject(resources[0], map[string]string{
		"id": resources[0].str("id"), "uri": uri, "media_type": "application/vnd.opencheckpoint+json", "digest": sum, "observed_at": t.out.str("created_at")}) {
		return fmt.Errorf("resource %s", resources[0].raw())
	}
	return nil
}

// nested is law 9: what survives a budget survives every larger one.
func nested(trials []*trial) (errs []error) {
	sorted := slices.SortedFunc(slices.Values(trials), func(a, b *trial) int { return len(b.result.Bytes()) - len(a.result.Bytes()) })
	var larger *trial
	lost := map[string]bool{}
	for _, t := range sorted {
		if t.result.Unchanged {
			continue
		}
		losses := t.losses()
		for what := range lost {
			if !losses[what] {
				errs = append(errs, fmt.Errorf("law 9 nested: %s is there at %d bytes and not at %d", what, len(t.result.Bytes()), len(larger.result.Bytes())))
			}
		}
		larger, lost = t, losses
	}
	return errs
}
