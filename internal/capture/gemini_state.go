package capture

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
)

// mostPassed is how many ids of messages that were passed on are remembered, and mostHeld how long the record of the last message may be that is held
// back, in bytes.
const (
	mostPassed = 256
	mostHeld   = 256 << 10
)

// geminiState is what is left of a reader whose events were passed on, all but those of the last message: it is logged again when its calls have results.
type geminiState struct {
	Subagent, Settled bool
	Passed            []string
	Rec               int    // of the last message, 0 without one
	Text              []byte // of its record
}

// keepable is the text of a record, nil for one that is too long to be held back, or that was mended.
func (r record) keepable() []byte {
	if len(r.flaws) > 0 || len(r.src) > mostHeld {
		return nil
	}
	return bytes.Clone(r.src)
}

// pass passes on the first n messages.
func (g *gemini) pass(n int) {
	for i, message := range g.messages[:n] {
		for _, e := range message.events {
			g.emit(e)
		}
		if i < len(g.messages)-1 && message.empty && (message.wasLast || g.messages[i+1].typed) {
			g.emit(lost{message.rec, message.at}) // that the log, or the person, went on does not say what was called
		}
		g.passed, g.settled, g.latest = append(g.passed, message.id), true, message
		delete(g.places, message.id)
	}
	g.messages = slices.Delete(g.messages, 0, n)
	for id := range g.places {
		g.places[id] -= n
	}
	g.passed = slices.Delete(g.passed, 0, max(len(g.passed)-mostPassed, 0))
}

func (g *gemini) settle() { g.pass(max(len(g.messages)-1, 0)) }

func (g *gemini) keep() (any, []int) {
	s := geminiState{Subagent: g.subagent, Settled: g.settled, Passed: g.passed}
	if len(g.messages) == 0 {
		return s, nil
	}
	last := g.messages[len(g.messages)-1]
	if last.text == nil {
		return nil, nil
	}
	s.Rec, s.Text = last.rec, last.text
	return s, []int{last.rec}
}

func (g *gemini) resume(state json.RawMessage) error {
	var s geminiState
	if err := json.Unmarshal(state, &s); err != nil {
		return err
	}
	g.subagent, g.settled, g.passed = s.Subagent, s.Settled, s.Passed
	if s.Rec == 0 {
		return nil
	}
	r, ok := readRecord(s.Text)
	if !ok {
		return ErrRestart
	}
	g.again(func() { g.put(g.message(s.Rec, r, r.members())) })
	g.messages[0].wasLast = true
	return nil
}

// again reads a record that was counted before: it counts nothing.
func (r *run) again(read func()) {
	before := *r.ledger
	*r.ledger = ledger{before: math.MaxInt}
	read()
	*r.ledger = before
}
