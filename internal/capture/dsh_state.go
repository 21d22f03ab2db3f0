package capture

import (
	"encoding/json"
	"maps"
	"slices"
)

// mostChunks is how many records of a message that is not complete are remembered.
const mostChunks = 1 << 12

// dshState is what the reader knows of what is not over.
type dshState struct {
	Subagent bool
	Chunks   []int
	Rejected map[string]bool
	Requests map[string]string
	Waiting  map[string]int
}

func (d *dsh) settle() {}

func (d *dsh) keep() (any, []int) {
	if len(d.chunks)+len(d.waiting) > mostChunks {
		return nil, nil
	}
	s := dshState{d.subagent, d.chunks, ofOpen(d.mapper, d.rejected), d.requests, d.waiting}
	return s, slices.Concat(d.chunks, slices.Collect(maps.Values(d.waiting)))
}

func (d *dsh) resume(state json.RawMessage) error {
	s := dshState{Rejected: d.rejected, Requests: d.requests, Waiting: d.waiting}
	err := json.Unmarshal(state, &s)
	d.subagent, d.chunks, d.rejected, d.requests, d.waiting = s.Subagent, s.Chunks, s.Rejected, s.Requests, s.Waiting
	return err
}
