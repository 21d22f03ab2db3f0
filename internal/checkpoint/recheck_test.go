package checkpoint

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// TestRecheck derives documents without care, right ones and wrong ones, and compares the quick check with one that reads everything.
func TestRecheck(t *testing.T) {
	right, wrong := 0, 0
	for seed := range uint64(testdoc.Few(1500)) {
		parent, err := ParseOne(testdoc.Random(seed), Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := jsonspan.Edits{Src: parent.Src}
		if !deriveCarelessly(rand.New(rand.NewPCG(seed, 1)), parent, &e) {
			continue
		}
		out := e.AppendTo(nil)
		_, got := Recheck(parent, out, e.Runs(), Options{}, nil)
		want := fullCheck(parent, out)
		if (got == nil) != (want == nil) {
			t.Errorf("seed %d: %v, a full check says %v", seed, got, want)
		}
		if want == nil {
			right++
		} else {
			wrong++
		}
	}
	if right < testdoc.Few(100) || wrong < testdoc.Few(100) {
		t.Errorf("%d right and %d wrong documents prove little", right, wrong)
	}
}

func fullCheck(parent *Document, out []byte) error {
	child, err := ParseOne(out, Options{})
	if err != nil {
		return err
	}
	if broken := CheckPair(parent, child); len(broken) > 0 {
		return &broken[0]
	}
	return nil
}

// deriveCarelessly drops some entries, whatever refers to them, adds entries that may be wrong, and changes members.
func deriveCarelessly(r *rand.Rand, d *Document, e *jsonspan.Edits) bool {
	now := time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
	if r.IntN(8) == 0 {
		now = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	stamp, err := d.NewStamp("forked", "", now)
	if err != nil {
		return false
	}
	if r.IntN(8) == 0 {
		stamp.CreatedAt = "1990-01-01T00:00:00Z" // before what is recorded
	}
	stamp.Digest = "sha-256:00"
	c := Derived{Stamp: stamp}
	gone := map[int32]bool{}
	for i := range d.Objects {
		if t := d.Objects[i].Type; lists[t].name != "" && r.IntN(40) == 0 {
			gone[int32(i)] = true
		}
	}
	c.Drop = func(i int32) bool { return gone[i] }
	id := "new.id"
	if len(d.Objects) > 3 && r.IntN(3) == 0 {
		if taken := d.ID(int32(r.IntN(len(d.Objects)))); taken != nil {
			id = string(taken)
		}
	}
	status := []string{"active", "superseded", "retracted", "nonsense"}[r.IntN(4)]
	if r.IntN(2) == 0 {
		c.Last[Statement] = [][]byte{[]byte(`{"id":"` + id + `","kind":"constraint","text":"t","origin":{"type":"user"},"status":"` + status + `"}`)}
	}
	if n := len(d.Objects); n > 2 && r.IntN(3) == 0 {
		if i := int32(1 + r.IntN(n-1)); !gone[i] && (d.Objects[i].Type == Statement || d.Objects[i].Type == Operation) {
			c.Set = append(c.Set, NewMember{i, "status", `"` + []string{"active", "completed", "planned"}[r.IntN(3)] + `"`})
		}
	}
	d.Edit(e, &c)
	return true
}
