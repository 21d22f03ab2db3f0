package fork_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/opencheckpoint/ocp/compact"
	"github.com/opencheckpoint/ocp/fork"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// TestCompacted: fork | compact keeps every guard, its operation and what that refers to, at every budget from the size down to the floor.
func TestCompacted(t *testing.T) {
	var forks, compactions, guards atomic.Int64
	testdoc.Seeds(t, 300, func(seed uint64) (errs []error) {
		src, lenient := document(seed + 30_000)
		if len(src) > 30_000 {
			return nil
		}
		d := newDice(seed, 14)
		for range 1 + d.IntN(2) { // forks, or forks of forks
			n, opts := wishes(d, mustModel(src))
			opts.Lenient = lenient
			list, err := fork.Fork(src, n, opts)
			if err != nil {
				return append(errs, err)
			}
			src = pick(d, list).Bytes()
		}
		forks.Add(1)
		m := mustModel(src)
		guards.Add(int64(len(guardsIn(m))))
		n, err := eachBudget(src, lenient, func(out []byte) error { return guardsStay(m, mustModel(out)) })
		compactions.Add(int64(n))
		if err != nil {
			errs = append(errs, err)
		}
		return errs
	})
	t.Logf("%d forks with %d guards, %d compactions", forks.Load(), guards.Load(), compactions.Load())
}

// eachBudget compacts to every size that some budget leads to. The shortest prefix that fits a budget is also the one for every smaller budget
// down to its size, so that the next budget to try is one byte less than that.
func eachBudget(src []byte, lenient bool, check func(out []byte) error) (n int, err error) {
	opts := compact.Options{Now: later, Lenient: lenient}
	for budget := len(src) - 1; ; {
		opts.Budget = compact.Budget{N: budget, Unit: compact.Bytes}
		r, err := compact.Compact(src, opts)
		if errors.As(err, new(*compact.BudgetError)) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n++
		if err := check(r.Bytes()); err != nil {
			return n, fmt.Errorf("%d bytes: %w", budget, err)
		}
		budget = len(r.Bytes()) - 1
	}
}

// guardsIn are the stop conditions in force that a fork added: by their shape, and by what the fork entries say of them.
func guardsIn(m *model) (guards []*entry) {
	for data := m.get("extensions", forkKey); data != nil; data = data.get("of") {
		for _, g := range data.items("guards") {
			if e := m.byID[g.str("stop_condition")]; e != nil && e.path == "continuation/stop_conditions" {
				guards = append(guards, e)
			}
		}
	}
	return guards
}

// mayGo are members that a compaction may take from what is protected: a resource's excerpt, and extension data.
var mayGo = []string{"excerpt", "extensions"}

func guardsStay(before, after *model) error {
	if was, is := before.get("extensions", forkKey), after.get("extensions", forkKey); is == nil || is.plain() != was.plain() {
		return errors.New("the fork's entry changed")
	}
	for _, g := range guardsIn(before) {
		is := after.byID[g.id]
		if is == nil || is.raw() != tight(g.value) && is.raw() != g.raw() {
			return fmt.Errorf("guard %s is gone or changed", g.id)
		}
		for id := range before.needs(g.id) {
			was, is := before.byID[id], after.byID[id]
			if is == nil || is.plain(mayGo...) != was.plain(mayGo...) {
				return fmt.Errorf("%s, which guard %s needs, is gone or changed", id, g.id)
			}
			for _, k := range is.kids {
				if old := was.get(k.name); old == nil || k.raw() != old.raw() && k.name != "extensions" && k.plain() != old.plain() {
					return fmt.Errorf("%s of %s changed", k.name, id)
				}
			}
		}
	}
	for id := range before.forbidden {
		if after.byID[id] != nil && !after.forbidden[id] {
			return fmt.Errorf("%s may run again", id)
		}
	}
	for _, id := range after.pending() {
		if !slices.Contains(before.pending(), id) {
			return fmt.Errorf("%s may run again", id)
		}
	}
	return nil
}

// needs are the ids of what an object refers to, of what that refers to, and so on.
func (m *model) needs(id string) map[string]bool {
	needs := map[string]bool{}
	for open := []string{id}; len(open) > 0; open = open[1:] {
		for _, r := range m.byID[open[0]].refs {
			if !needs[r.to] && r.field != "evidence" {
				needs[r.to] = true
				open = append(open, r.to)
			}
		}
	}
	return needs
}

// tight is a value without white space, its strings as they are spelled.
func tight(v *value) string {
	var b strings.Builder
	quoted := false
	for i := v.at[0]; i < v.at[1]; i++ {
		c := v.src[i]
		switch {
		case quoted && c == '\\':
			b.WriteByte(c)
			i++
			c = v.src[i]
		case c == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte(" \t\r\n", c) >= 0:
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
