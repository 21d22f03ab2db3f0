package fork_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gowebpki/jcs"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/fork"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// law is a law of §9.3 or of transforms.md §1 and §3 about one fork.
type law struct {
	name  string
	holds func(*sibling) error
}

var laws = []law{
	{"valid", valid},
	{"identity", identity},
	{"inputs", inputs},
	{"carried", carried},
	{"actionable", actionable},
	{"guards", guards},
	{"entry", extensionEntry},
	{"W004", actionableWarnings},
	{"removal", removal},
	{"statements", statements},
	{"transformation", transformation},
	{"result", result},
}

// hold checks all laws on the forks of one parent.
func (t *trial) hold() (errs []error) {
	for _, s := range t.forks {
		for _, l := range laws {
			if err := l.holds(s); err != nil {
				errs = append(errs, fmt.Errorf("fork %d: law %s: %w", s.i+1, l.name, err))
			}
		}
	}
	for _, err := range []error{t.siblings(), t.atMostOnce(), t.deterministic()} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func TestLaws(t *testing.T) {
	var parents, forks, effects, guarded, removed, repaired, superseded, inherited, dropped atomic.Int64
	testdoc.Seeds(t, 540, func(seed uint64) []error {
		return generations(seed, func(t *trial) []error {
			parents.Add(1)
			effects.Add(int64(len(t.owners)))
			for _, s := range t.forks {
				forks.Add(1)
				guarded.Add(int64(len(s.dueGuarded())))
				removed.Add(int64(len(s.removed)))
				repaired.Add(int64(len(s.repaired())))
				superseded.Add(int64(len(s.undo.superseded)))
				dropped.Add(int64(min(len(s.undo.inputsGone), 1)))
			}
			for id := range t.parent.forbidden {
				if hasEffect(t.parent.byID[id]) {
					inherited.Add(1)
				}
			}
			return t.hold()
		})
	})
	t.Logf("%d parents, %d forks; %d effects: %d times guarded, %d times removed, %d forbidden in the parent; %d entries repaired, %d statements superseded, inputs dropped %d times",
		parents.Load(), forks.Load(), effects.Load(), guarded.Load(), removed.Load(), inherited.Load(), repaired.Load(), superseded.Load(), dropped.Load())
}

// valid: T001 and T002 and what references need, by the validator and by this oracle. Level 1 and 2 are checked where a fork is read.
func valid(s *sibling) error {
	if broken := checkpoint.CheckPair(s.trial.doc, s.doc); len(broken) > 0 {
		return &broken[0]
	}
	if faults := s.faults(); len(faults) > 0 {
		return errors.New(strings.Join(faults, "; "))
	}
	for _, op := range s.parent.operations {
		if now := s.byID[op.id]; terminal(op) && (now == nil || now.str("status") != op.str("status")) {
			return fmt.Errorf("T001 %s", op.id)
		}
	}
	return nil
}

// identity is transforms.md §1.
func identity(s *sibling) error {
	switch {
	case s.str("id") != s.opts.IDs[s.i] || s.result.ID != s.opts.IDs[s.i]:
		return fmt.Errorf("id %q", s.str("id"))
	case s.str("parent", "id") != s.parent.str("id") || s.str("parent", "digest") != s.sum:
		return fmt.Errorf("parent %s", s.get("parent").raw())
	case s.str("derivation", "method") != "forked":
		return fmt.Errorf("derivation %s", s.get("derivation").raw())
	case s.get("source", "producer").plain() != fmt.Sprintf(`{"name":"ocp","version":%q,}`, checkpoint.ProducerVersion):
		return fmt.Errorf("producer %s", s.get("source", "producer").raw())
	}
	return created(s)
}

// created: now, or the parent's own time, as it is spelled, where the clock is behind.
func created(s *sibling) error {
	want := s.opts.Now.Format("2006-01-02T15:04:05.999Z")
	at, err := time.Parse(time.RFC3339Nano, s.parent.str("created_at"))
	if err != nil {
		return nil // such as a leap second, which time cannot read
	}
	if at.After(s.opts.Now.Truncate(time.Millisecond)) {
		want = s.parent.str("created_at")
	}
	if got := s.str("created_at"); got != want {
		return fmt.Errorf("created_at %q, not %q", got, want)
	}
	return nil
}

// sumOf is the digest of a document, by gowebpki/jcs too where all numbers are exact.
func sumOf(src []byte, lenient bool) (string, error) {
	if lenient {
		sum, err := digest.Lenient(src)
		return sum.String(), err
	}
	sum, err := digest.Of(src)
	if err != nil {
		return "", err
	}
	canonical, err := jcs.Transform(src)
	if want := fmt.Sprintf("sha-256:%x", sha256.Sum256(canonical)); err != nil || sum.String() != want {
		return "", fmt.Errorf("digest %s, not %s: %v", sum, want, err)
	}
	return sum.String(), nil
}

func isObject(v *value, members map[string]string) bool {
	var got map[string]string
	return v != nil && json.Unmarshal([]byte(v.raw()), &got) == nil && maps.Equal(got, members)
}

// inputs: the parent with its digest, then the parent's own inputs, at most 64 checkpoints, the oldest gone and recorded.
func inputs(s *sibling) error {
	list := s.items("derivation", "inputs")
	if len(list) == 0 || !isObject(list[0], map[string]string{"id": s.parent.str("id"), "digest": s.str("parent", "digest")}) {
		return errors.New("the parent is not the first input")
	}
	count := map[string]int{}
	for _, v := range list {
		if isCheckpoint(v) {
			count[v.str("id")]++
		}
		if len(count) > 64 && isCheckpoint(v) && !s.parent.isBase(v.str("id")) {
			return fmt.Errorf("%d checkpoints", len(count))
		}
	}
	had, times := map[string]bool{}, map[string]int{s.parent.str("id"): 1}
	for _, v := range s.parent.items("derivation", "inputs") {
		had[v.plain()] = true
		if isCheckpoint(v) {
			times[v.str("id")]++
		}
	}
	for id, n := range count {
		if n > times[id] { // a parent that lists one twice, or itself, keeps what it says
			return fmt.Errorf("input %q stands %d times", id, n)
		}
	}
	for _, v := range list[1:] {
		if !had[v.plain()] {
			return fmt.Errorf("input %s appeared", v.raw())
		}
	}
	return nil
}

// carried: without what the fork added and with what it replaced, it is the parent, byte for byte.
func carried(s *sibling) error {
	if len(s.undo.faults) > 0 {
		return errors.New(strings.Join(s.undo.faults, "; "))
	}
	for path := range s.undo.added {
		if !slices.Contains(growing, path) && path != "derivation/inputs" {
			return fmt.Errorf("elements were added to %s", path)
		}
	}
	return nil
}

// actionable: what can act in this fork is what it owns and nothing else, and nothing that could not act in the parent.
func actionable(s *sibling) error {
	var due []string
	for _, id := range s.parent.pending() {
		if s.owners[id] == s.i {
			due = append(due, id)
		}
	}
	if got := s.pending(); !slices.Equal(got, due) {
		return fmt.Errorf("%v are actionable, %v should be", got, due)
	}
	for id := range s.parent.forbidden {
		if !s.forbidden[id] && s.byID[id] != nil {
			return fmt.Errorf("%s was forbidden and is not", id)
		}
	}
	return nil
}

// guards: one new stop condition for each effect that this fork must leave alone and has, in the form that software can read.
func guards(s *sibling) error {
	due := s.dueGuarded()
	added := s.undo.added["continuation/stop_conditions"]
	if len(added) != len(due) {
		return fmt.Errorf("%d stop conditions for %v", len(added), due)
	}
	for i, g := range added {
		id := fmt.Sprintf("[%q,]", due[i])
		if !slices.Equal(g.names(), []string{"applies_to", "description", "id", "refs"}) || g.get("applies_to").plain() != id || g.get("refs").plain() != id {
			return fmt.Errorf("guard %s for %s", g.raw(), due[i])
		}
		if s.parent.byID[g.str("id")] != nil || !strings.HasPrefix(g.str("id"), "fork-guard."+due[i][:min(len(due[i]), 80)]) {
			return fmt.Errorf("guard %s for %s", g.raw(), due[i])
		}
		if who := s.ownerName(due[i]); !strings.Contains(g.str("description"), due[i]) || !strings.Contains(g.str("description"), who) {
			return fmt.Errorf("guard %s does not say that %s owns %s", g.raw(), who, due[i])
		}
	}
	return nil
}

// ownerName is how the owner of an effect is told to people: its id; "no fork" without one.
func (s *sibling) ownerName(operation string) string {
	if owner := s.owners[operation]; owner >= 0 {
		return s.opts.IDs[owner]
	}
	return "no fork"
}

// extensionEntry: whose sibling it is, and what its own guards are.
func extensionEntry(s *sibling) error {
	type guard struct {
		Operation     string  `json:"operation"`
		StopCondition string  `json:"stop_condition"`
		Owner         *string `json:"owner"`
	}
	var got struct {
		Parent   string   `json:"parent"`
		Index    int      `json:"index"`
		Label    string   `json:"label"`
		Siblings []string `json:"siblings"`
		Guards   []guard  `json:"guards"`
	}
	data := s.get("extensions", forkKey)
	names := []string{"guards", "index", "label", "parent", "siblings"}
	if outer := s.parent.get("extensions", forkKey); outer != nil {
		names = []string{"guards", "index", "label", "of", "parent", "siblings"}
		if data.get("of") == nil || data.get("of").raw() != outer.raw() {
			return fmt.Errorf("the parent's entry %s is not in %s", outer.raw(), data.raw())
		}
	}
	if err := json.Unmarshal([]byte(data.raw()), &got); err != nil {
		return err
	}
	if !slices.Equal(data.names(), names) || got.Parent != s.parent.str("id") || got.Index != s.i+1 || got.Label != s.label(s.i) || !slices.Equal(got.Siblings, s.opts.IDs) {
		return fmt.Errorf("entry %s", data.raw())
	}
	added := s.undo.added["continuation/stop_conditions"]
	if len(got.Guards) != len(added) {
		return fmt.Errorf("%d guards are listed for %d", len(got.Guards), len(added))
	}
	for i, g := range got.Guards {
		owner := "no fork"
		if g.Owner != nil {
			owner = *g.Owner
		}
		if !slices.Equal(data.items("guards")[i].names(), []string{"operation", "owner", "stop_condition"}) || g.StopCondition != added[i].str("id") ||
			g.Operation != added[i].items("applies_to")[0].text() || owner != s.ownerName(g.Operation) {
			return fmt.Errorf("entry %s for guard %s", data.items("guards")[i].raw(), added[i].raw())
		}
	}
	return nil
}

// actionableWarnings: only what a fork owns may be reported as actionable.
func actionableWarnings(s *sibling) error {
	for _, v := range s.doc.Findings.List {
		if v.Rule != "OCP-W004" {
			continue
		}
		i := slices.IndexFunc(s.operations, func(op *entry) bool { return op.at[0] == v.Offset })
		if i < 0 || s.owners[s.operations[i].id] != s.i {
			return fmt.Errorf("%s", v.Error())
		}
	}
	return nil
}

// repaired are the entries with an id, not transformations, that lost a reference to a removed operation.
func (s *sibling) repaired() (ids []string) {
	for _, e := range s.parent.entries {
		lost := slices.ContainsFunc(e.refs, func(r ref) bool { return s.removed[r.to] })
		if lost && !s.removed[e.id] && e.id != "" && e.path != "derivation/transformations" {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// removal: what is removed is recorded, with where it can be found, and so is what there was no place for.
func removal(s *sibling) error {
	for _, op := range s.parent.operations {
		if gone := s.byID[op.id] == nil; gone != s.removed[op.id] {
			return fmt.Errorf("%s: gone is %v, which it should not be", op.id, gone)
		}
	}
	omissions := slices.Clone(s.undo.added["derivation/omissions"])
	for _, o := range omissions {
		if err := s.recoverable(o); err != nil {
			return err
		}
	}
	if n := len(s.undo.inputsGone); n > 0 {
		if len(omissions) == 0 {
			return fmt.Errorf("%d inputs are gone and no omission says so", n)
		}
		last := omissions[len(omissions)-1]
		if !strings.HasPrefix(last.str("description"), fmt.Sprintf("%d derivation input", n)) || last.str("reason") != "size" {
			return fmt.Errorf("%d inputs are gone: %s", n, last.raw())
		}
		omissions = omissions[:len(omissions)-1]
	}
	if len(omissions) != min(len(s.removed), 1) {
		return fmt.Errorf("%d omissions for %v", len(omissions), s.removed)
	}
	if len(omissions) == 0 {
		return nil
	}
	text := omissions[0].str("description")
	for id := range s.removed {
		if !strings.Contains(text, id) || !strings.HasPrefix(text, fmt.Sprint(len(s.removed), " operation")) {
			return fmt.Errorf("%q does not record %s", text, id)
		}
	}
	return nil
}

// recoverable: an omission names the one new resource, which is the parent.
func (s *sibling) recoverable(omission *value) error {
	resources := s.undo.added["resources"]
	if len(resources) != 1 || omission.str("recoverable_from") != resources[0].str("id") || omission.str("reason") == "" {
		return fmt.Errorf("omission %s and %d new resources", omission.raw(), len(resources))
	}
	uri := s.opts.ParentURI
	if uri == "" {
		uri = s.parent.str("id")
	}
	members := map[string]string{"id": resources[0].str("id"), "uri": uri, "media_type": "application/vnd.opencheckpoint+json",
		"digest": s.str("parent", "digest"), "observed_at": s.str("created_at")}
	if strings.Contains(uri, "//user@") { // OCP-S008
		if resources[0].get("uri") == nil && resources[0].str("locator", "key") == uri {
			return nil
		}
		return fmt.Errorf("resource %s", resources[0].raw())
	}
	if !isObject(resources[0], members) {
		return fmt.Errorf("resource %s", resources[0].raw())
	}
	return nil
}

// statements: the new ones as they were wished for, and the marks on those that they replace (OCP-S007).
func statements(s *sibling) error {
	added := s.undo.added["statements"]
	firstOf := map[string]string{}
	for _, wish := range s.opts.Statements {
		if s.place(wish.Fork) != s.i {
			continue
		}
		if len(added) == 0 {
			return fmt.Errorf("no statement for %v", wish)
		}
		origin := fmt.Sprintf(`{"type":%q,}`, wish.By.Type)
		if wish.By.Name != "" {
			origin = fmt.Sprintf(`{"type":%q,"name":%q,}`, wish.By.Type, wish.By.Name)
		}
		a := added[0]
		if !slices.Equal(a.names(), []string{"id", "kind", "origin", "recorded_at", "text"}) || a.str("kind") != wish.Kind || a.str("text") != wish.Text ||
			a.get("origin").plain() != origin || a.str("recorded_at") != s.str("created_at") || s.parent.byID[a.str("id")] != nil {
			return fmt.Errorf("statement %s for %v", a.raw(), wish)
		}
		if firstOf[wish.Kind] == "" {
			firstOf[wish.Kind] = a.str("id")
		}
		added = added[1:]
	}
	if len(added) > 0 {
		return fmt.Errorf("statement %s appeared", added[0].raw())
	}
	for id := range s.undo.superseded {
		if e := s.byID[id]; e.str("status") != "superseded" || e.str("superseded_by") != firstOf[e.str("kind")] {
			return fmt.Errorf("statement %s", e.raw())
		}
	}
	return nil
}

// transformation: one new record, which names the objects that carry what the fork changed (§9.3).
func transformation(s *sibling) error {
	added := s.undo.added["derivation/transformations"]
	if len(added) != 1 || added[0].str("description") == "" {
		return fmt.Errorf("%d transformations", len(added))
	}
	if n := len(s.removed); n > 0 && !strings.Contains(added[0].str("description"), fmt.Sprint(n, " operation")) {
		return fmt.Errorf("%s does not say that %d operations are gone", added[0].raw(), n)
	}
	due := s.repaired()
	for _, path := range []string{"continuation/stop_conditions", "statements"} {
		for _, v := range s.undo.added[path] {
			due = append(due, v.str("id"))
		}
	}
	for id := range s.undo.superseded {
		due = append(due, id)
	}
	got := slices.Sorted(slices.Values(texts(added[0].items("affected"))))
	if slices.Sort(due); !slices.Equal(got, due) {
		return fmt.Errorf("%s does not record %v", added[0].raw(), due)
	}
	return nil
}

// result: the facts in the result are those of the document.
func result(s *sibling) error {
	var owns []string
	for _, id := range s.parent.pending() {
		if s.owners[id] == s.i {
			owns = append(owns, id)
		}
	}
	var kept []string
	for _, id := range s.dueGuarded() {
		if s.opts.Remove && s.owners[id] >= 0 {
			kept = append(kept, id)
		}
	}
	r := s.result
	if !slices.Equal(r.Kept, kept) {
		return fmt.Errorf("kept %v, not %v", r.Kept, kept)
	}
	if r.Label != s.label(s.i) || !slices.Equal(r.Owns, owns) || !slices.Equal(r.Guarded, s.dueGuarded()) ||
		!slices.Equal(slices.Sorted(slices.Values(r.Removed)), slices.Sorted(maps.Keys(s.removed))) {
		return fmt.Errorf("%+v", []any{r.Label, r.Owns, r.Guarded, r.Removed})
	}
	return nil
}

// siblings: n forks, each with an id of its own that is not the parent's.
func (t *trial) siblings() error {
	seen := map[string]bool{t.parent.str("id"): true}
	for _, s := range t.forks {
		if seen[s.str("id")] {
			return fmt.Errorf("id %q twice", s.str("id"))
		}
		seen[s.str("id")] = true
	}
	if len(t.forks) != t.n {
		return fmt.Errorf("%d forks", len(t.forks))
	}
	return nil
}

// atMostOnce: no effect is actionable in two forks; groups are whole; where there are owners, it is in one.
func (t *trial) atMostOnce() error {
	in := map[string][]int{}
	for _, s := range t.forks {
		for _, id := range s.pending() {
			in[id] = append(in[id], s.i)
		}
	}
	for _, group := range t.parent.groups() {
		for _, id := range group {
			switch {
			case len(in[id]) > 1:
				return fmt.Errorf("%s is actionable in the forks %v", id, in[id])
			case (t.opts.Owner != "" || t.opts.Spread) && len(in[id]) != 1:
				return fmt.Errorf("%s is actionable in no fork", id)
			case !slices.Equal(in[id], in[group[0]]):
				return fmt.Errorf("the group %v is split: %v", group, in)
			}
		}
	}
	return nil
}

// deterministic: the same wishes make the same bytes, whatever fork is made first.
func (t *trial) deterministic() error {
	forks, n, err := fork.First(t.src, t.n, t.opts)
	if err != nil || n != len(t.src) || forks.Len() != t.n {
		return fmt.Errorf("First: %d bytes, %v", n, err)
	}
	for i := t.n - 1; i >= 0; i-- {
		if r, err := forks.At(i); err != nil || !bytes.Equal(r.Bytes(), t.forks[i].result.Bytes()) {
			return fmt.Errorf("the second time fork %d is another document: %v", i+1, err)
		}
	}
	i := 0
	for r, err := range forks.All() {
		if err != nil || !bytes.Equal(r.Bytes(), t.forks[i].result.Bytes()) {
			return fmt.Errorf("among all, fork %d is another document: %v", i+1, err)
		}
		i++
	}
	if i != t.n {
		return fmt.Errorf("all are %d forks", i)
	}
	return nil
}
