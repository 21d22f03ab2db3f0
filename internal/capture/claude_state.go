package capture

import (
	"encoding/json"
	"maps"
	"slices"
)

// mostTyped is how many texts of the person are remembered for their copies, mostCopies how many copies without a turn, mostLeaves how many leaves of summaries.
const (
	mostTyped  = 256
	mostCopies = 256
	mostLeaves = 256
)

// claudeState is what is left of a reader whose events were passed on.
type claudeState struct {
	Tree            treeState
	Begun, Subagent bool
	Outside         []string
	Typed           []string
	Forgot          bool
	Copies          []claudeCopy
	Elsewhere       []string
}

// hasTyped notes what the person typed, by its digest.
func (c *claude) hasTyped(sum string) {
	if !c.typed[sum] {
		c.typed[sum] = true
		c.order = append(c.order, sum)
	}
}

func (c *claude) settle() {
	c.copies = slices.DeleteFunc(c.copies, func(p claudeCopy) bool {
		if c.typed[p.Text] {
			c.ledger.set(p.Rec, copied)
		} else if c.forgot && p.Rec > c.ledger.before {
			c.restart()
		}
		return c.typed[p.Text]
	})
	c.tree.settle()
	for _, s := range c.summaries {
		if c.tree.byID[s.leaf] != nil {
			c.emit(said{rec: s.rec, by: summary, text: s.text})
			continue
		}
		if c.tree.forgot {
			c.restart() // it may be a leaf that is not remembered
		}
		c.ledger.set(s.rec, elsewhere)
		c.elsewhere[s.leaf] = true
	}
	c.summaries = nil
}

func (c *claude) keep() (any, []int) {
	if len(c.copies) > mostCopies || len(c.elsewhere) > mostLeaves {
		return nil, nil
	}
	s := claudeState{Tree: c.tree.keep(), Begun: c.begun, Subagent: c.subagent, Copies: c.copies, Elsewhere: slices.Sorted(maps.Keys(c.elsewhere)),
		Typed: c.order[max(len(c.order)-mostTyped, 0):]}
	s.Forgot = c.forgot || len(s.Typed) < len(c.order)
	var records []int
	for _, p := range c.copies {
		records = append(records, p.Rec)
	}
	for id, outside := range c.outside {
		if outside && len(c.mapper.open[id]) > 0 {
			s.Outside = append(s.Outside, id)
		}
	}
	return s, records
}

func (c *claude) resume(state json.RawMessage) error {
	var s claudeState
	err := json.Unmarshal(state, &s)
	c.tree.resume(s.Tree)
	c.begun, c.subagent, c.copies, c.forgot = s.Begun, s.Subagent, s.Copies, s.Forgot
	for _, sum := range s.Typed {
		c.hasTyped(sum)
	}
	for _, id := range s.Outside {
		c.outside[id] = true
	}
	for _, leaf := range s.Elsewhere {
		c.elsewhere[leaf] = true
	}
	return err
}
