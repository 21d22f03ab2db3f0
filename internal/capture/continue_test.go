package capture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// continueOptions fix all that is not the log's. Beginnings of a log need not say what the work is about.
func continueOptions(n int) Options {
	return Options{ID: fmt.Sprintf("urn:example:captured-%d", n), Now: testNow, Objective: "x"}
}

// sameObjects says whether two checkpoints say the same, whatever they derive from.
func sameObjects(t testing.TB, name string, got, want []byte) {
	t.Helper()
	var a, b map[string]json.RawMessage
	if json.Unmarshal(got, &a) != nil || json.Unmarshal(want, &b) != nil {
		t.Fatal("no JSON")
	}
	for _, member := range []string{"source", "task", "progress", "statements", "resources", "operations", "application_context", "continuation", "extensions"} {
		if !bytes.Equal(a[member], b[member]) {
			t.Fatalf("%s: %s differ\n%s\nwant\n%s", name, member, difference(a[member], b[member]), difference(b[member], a[member]))
		}
	}
	var c, d struct{ Omissions, Transformations json.RawMessage }
	json.Unmarshal(a["derivation"], &c)
	json.Unmarshal(b["derivation"], &d)
	if !bytes.Equal(c.Omissions, d.Omissions) || !bytes.Equal(c.Transformations, d.Transformations) {
		t.Fatalf("%s: derivation\n%s\nwant\n%s", name, a["derivation"], b["derivation"])
	}
}

// difference is the part of a text around where it begins to differ from another.
func difference(a, b []byte) []byte {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return a[max(i-300, 0):min(i+300, len(a))]
}

// follows checks that a checkpoint is valid beside its parent.
func follows(t testing.TB, head, child []byte) {
	t.Helper()
	parent, err := checkpoint.ParseOne(head, checkpoint.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := checkpoint.ParseOne(child, checkpoint.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	if broken := checkpoint.CheckPair(parent, doc); len(broken) > 0 {
		t.Fatal(broken)
	}
	want, _ := parent.Digest()
	item, ok := doc.ParentDigest()
	if !ok || !bytes.Contains(child[item.Value.Start:item.Value.End], []byte(want.String())) {
		t.Errorf("the parent's digest is not in it: %.300s", child)
	}
}

// continued captures a log in pieces that end at some places. It returns nil where one of them says that it cannot go on.
func continued(t testing.TB, log []byte, cuts ...int) *Result {
	t.Helper()
	r, err := Capture(bytes.NewReader(log[:cuts[0]]), continueOptions(0))
	for i, end := range append(cuts[1:], len(log)) {
		if errors.Is(err, ErrRestart) || errors.Is(err, ErrFormat) || errors.Is(err, ErrNoRecord) || errors.Is(err, ErrEmpty) {
			return nil
		}
		if err != nil {
			t.Fatal(cuts, err)
		}
		var next *Result
		if next, err = Continue(r.Bytes(), r.State(), bytes.NewReader(log[:end]), continueOptions(i+1)); err == nil {
			follows(t, r.Bytes(), next.Bytes())
			sound(t, next)
			r = next
		}
	}
	if err != nil {
		return nil
	}
	return r
}

// ends are the offsets behind each line of a log.
func ends(log []byte) (list []int) {
	for i, b := range log {
		if b == '\n' {
			list = append(list, i+1)
		}
	}
	return list
}

// TestContinueLaw holds that what is captured in two pieces is what is captured at once, wherever the log was cut.
func TestContinueLaw(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			whole, err := Capture(bytes.NewReader(s.log), continueOptions(9))
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(1, 2))
			cuts := ends(s.log)
			random.Shuffle(len(cuts), func(i, j int) { cuts[i], cuts[j] = cuts[j], cuts[i] })
			cuts = cuts[:min(len(cuts), 60)]
			for range 30 {
				cuts = append(cuts, 1+random.IntN(len(s.log)-1))
			}
			if len(s.log) > 200<<10 {
				cuts = cuts[:8]
			}
			done := 0
			for _, n := range cuts {
				if r := continued(t, s.log, n); r != nil {
					sameObjects(t, fmt.Sprintf("cut at %d of %d", n, len(s.log)), r.Bytes(), whole.Bytes())
					done++
				}
			}
			t.Logf("%d of %d cuts", done, len(cuts))
		})
	}
}

var _ = jsonspan.Span{}

// TestContinueChain goes on several times, and says that it can wherever no branch is left.
func TestContinueChain(t *testing.T) {
	for _, s := range samples(t) {
		if len(s.log) > 200<<10 || isExport(s.log) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			whole, err := Capture(bytes.NewReader(s.log), continueOptions(9))
			if err != nil {
				t.Fatal(err)
			}
			if r := continued(t, s.log, ends(s.log)...); r != nil {
				sameObjects(t, s.name, r.Bytes(), whole.Bytes())
			} else if !leavesBranch[s.name] {
				t.Error("it cannot be continued")
			}
		})
	}
}

// leavesBranch are the samples in which a branch is left, so that what was settled changes.
var leavesBranch = map[string]bool{"claude-code-rewound": true, "codex-rolled-back": true, "gemini-cli-rewound": true, "pi-tree": true}
