package store

import (
	"context"

	"github.com/opencheckpoint/ocp/internal/disk"
)

// Save saves as Store.Save says: the object, then its line in the log, then the head, each durable before the next.
func (d *directory) Save(ctx context.Context, agent string, src []byte, opts SaveOptions) (*Saved, error) {
	if err := checkAgent(agent); err != nil {
		return nil, err
	}
	draft, err := newDraft(src, opts)
	if err != nil {
		return nil, err
	}
	if err := d.ensure(); err != nil {
		return nil, err
	}
	release, err := d.lockAgent(ctx, keyOf(agent))
	if err != nil {
		return nil, err
	}
	defer release()
	if err := d.stopped(ctx); err != nil {
		return nil, err
	}
	return d.save(agent, draft, opts)
}

// save saves while nobody else does.
func (d *directory) save(agent string, draft *draft, opts SaveOptions) (*Saved, error) {
	a, err := d.openAgent(keyOf(agent))
	if err != nil {
		return nil, err
	}
	if a != nil {
		if err := a.checkLog(); err != nil {
			return nil, err
		}
	}
	s := step{agent: agent}
	if a != nil && a.state.Head != nil {
		s.head = a.state.Head
		s.load = func() ([]byte, error) { return d.object(s.head.Digest) }
	}
	if draft.Head, err = s.advances(draft, opts); err != nil {
		return nil, err
	}
	there, err := d.putObject(draft)
	if err != nil {
		return nil, err
	}
	if a == nil {
		if a, err = d.newAgent(agent); err != nil {
			return nil, err
		}
	}
	return a.record(draft, there)
}

// record notes a checkpoint whose object is in place, and moves the head.
func (a *agentDir) record(draft *draft, there bool) (*Saved, error) {
	saved := draft.saved(a.state.Agent)
	next := a.state
	if draft.Head {
		next.Head = &draft.record
	}
	saved.Current = next.Head.Digest
	if there {
		known, err := a.find(quoted(draft.Digest))
		if err != nil {
			return nil, err
		}
		if saved.Known = len(known) > 0; saved.Known {
			draft.SavedAt, saved.SavedAt = known[0].SavedAt, known[0].SavedAt
		}
	}
	if saved.Known && (!draft.Head || a.state.Head.Digest == draft.Digest) {
		saved.Head = a.state.Head.Digest == draft.Digest
		return saved, a.failed(a.disk.SyncDir(a.file("")))
	}
	if err := a.extend(&next, encodeLine(draft.record)); err != nil {
		return nil, err
	}
	return saved, a.commit(next)
}

// extend writes a line behind what was acknowledged of the log, over what was not.
func (a *agentDir) extend(next *state, line []byte) error {
	f, err := a.disk.OpenWriter(a.file(a.state.Log))
	if err == nil {
		err = disk.WriteSynced(f, line, a.state.Size)
	}
	for _, dir := range []string{"agents", ""} { // whoever made the agent, or the store, may have been killed
		if err == nil && a.state.Size == 0 {
			err = a.disk.SyncDir(a.at(dir))
		}
	}
	next.Size += int64(len(line))
	return a.failed(err)
}

// saved is the outcome of a save that keeps the draft anew.
func (d *draft) saved(agent string) *Saved {
	return &Saved{Agent: agent, ID: d.ID, Digest: d.Digest, Canonical: d.Canonical, Head: d.Head, SavedAt: d.SavedAt, Size: d.Size}
}
