package capture

import (
	"encoding/json"
	"slices"
)

// codexState is what is left of a reader whose events were passed on.
type codexState struct {
	Subagent, HasKinds, Settled bool
	Typed, Item                 typedText
	Ends                        map[string]outcome
	Waiting                     map[string]string
	Outside                     map[string]bool
}

// settle passes on the events of all turns. If the person takes one of them back later, the log is read as a whole.
func (c *codex) settle() {
	for _, e := range slices.Concat(c.held, c.left) {
		c.emit(e)
	}
	c.settled = c.settled || len(c.turns) > 0
	c.held, c.left, c.turns, c.gone = nil, nil, nil, nil
}

func (c *codex) keep() (any, []int) {
	s := codexState{Subagent: c.subagent, HasKinds: c.hasKinds, Settled: c.settled, Typed: c.typed, Item: c.item,
		Ends: ofOpen(c.mapper, c.ends), Waiting: ofOpen(c.mapper, c.waiting), Outside: ofOpen(c.mapper, c.outside)}
	return s, []int{c.typed.Rec, c.item.Rec}
}

// ofOpen are those of some facts about calls that are about open ones.
func ofOpen[T any](m *mapper, facts map[string]T) map[string]T {
	open := map[string]T{}
	for id, fact := range facts {
		if len(m.open[id]) > 0 {
			open[id] = fact
		}
	}
	return open
}

func (c *codex) resume(state json.RawMessage) error {
	s := codexState{Ends: c.ends, Waiting: c.waiting, Outside: c.outside}
	err := json.Unmarshal(state, &s)
	c.subagent, c.hasKinds, c.settled, c.typed, c.item = s.Subagent, s.HasKinds, s.Settled, s.Typed, s.Item
	c.ends, c.waiting, c.outside = s.Ends, s.Waiting, s.Outside
	return err
}
