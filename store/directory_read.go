package store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
)

// Resume reads as Store.Resume says.
func (d *directory) Resume(ctx context.Context, agent string) (*Checkpoint, error) {
	if err := checkAgent(agent); err != nil {
		return nil, err
	}
	return again(func() (*Checkpoint, error) { return d.resume(ctx, agent) })
}

func (d *directory) resume(ctx context.Context, agent string) (*Checkpoint, error) {
	if err := d.stopped(ctx); err != nil {
		return nil, err
	}
	a, err := d.openAgent(keyOf(agent))
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, d.absent()
	}
	if a.state.Head == nil {
		return nil, ErrNoCheckpoint // its first save was never finished
	}
	return d.checkpoint(agent, a.state.Head)
}

// again reads once more what is corrupt: it may have been pruned between two steps of reading.
func again[T any](read func() (T, error)) (T, error) {
	result, err := read()
	if errors.As(err, new(*CorruptError)) {
		return read()
	}
	return result, err
}

func (d *directory) checkpoint(agent string, r *record) (*Checkpoint, error) {
	text, err := d.object(r.Digest)
	if err != nil {
		return nil, err
	}
	return &Checkpoint{ID: r.ID, Agent: agent, Digest: r.Digest, SavedAt: r.SavedAt, Bytes: text}, nil
}

// Get reads as Store.Get says.
func (d *directory) Get(ctx context.Context, ref string) (*Checkpoint, error) {
	return again(func() (*Checkpoint, error) { return d.get(ctx, ref) })
}

func (d *directory) get(ctx context.Context, ref string) (*Checkpoint, error) {
	wanted := newReference(ref)
	agents, err := d.agents(ctx)
	if err != nil {
		return nil, err
	}
	var found matches
	for _, a := range agents {
		if err := d.stopped(ctx); err != nil {
			return nil, err
		}
		for _, text := range wanted.texts() {
			records, err := a.find(quoted(text))
			if err != nil {
				return nil, err
			}
			for i := range records {
				found.add(wanted, a.state.Agent, &records[i])
			}
		}
	}
	best, err := found.best(wanted)
	if err == ErrNoCheckpoint {
		err = d.notFound(ctx, agents)
	}
	if err != nil {
		return nil, err
	}
	return d.checkpoint(best.agent, best.record)
}

// notFound is ErrNoCheckpoint once every line of every log was seen to be whole: what a damaged one held would not have been found.
func (d *directory) notFound(ctx context.Context, agents []*agentDir) error {
	for _, a := range agents {
		if err := d.stopped(ctx); err != nil {
			return err
		}
		if _, err := a.find(nil); err != nil {
			return err
		}
	}
	return ErrNoCheckpoint
}

// agents opens every agent, ordered by id. Without a store it fails, unless that means absence.
func (d *directory) agents(ctx context.Context) (agents []*agentDir, err error) {
	entries, err := d.disk.ReadDir(d.at("agents"))
	if errors.Is(err, fs.ErrNotExist) {
		if err := d.absent(); err != ErrNoCheckpoint {
			return nil, err
		}
		return nil, nil
	}
	if err != nil {
		return nil, d.failed(err)
	}
	if found, err := d.present(); err != nil || !found && d.named {
		return nil, cmp.Or(err, error(&MissingStoreError{d.name}))
	}
	for _, entry := range entries {
		if len(entry.Name()) != len(keyOf("")) {
			continue // a file system's own
		}
		a, err := d.openAgent(entry.Name())
		if err != nil {
			return nil, err
		}
		agents = append(agents, a)
	}
	slices.SortFunc(agents, func(a, b *agentDir) int { return cmp.Compare(a.state.Agent, b.state.Agent) })
	return agents, d.stopped(ctx)
}

// List lists as Store.List says.
func (d *directory) List(ctx context.Context, agent string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		agents, err := d.listed(ctx, agent)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		for _, a := range agents {
			h, err := again(func() (history, error) { return d.historyOf(ctx, a.key) })
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, k := range h.saved {
				if !yield(k.Entry, nil) {
					return
				}
			}
		}
	}
}

// listed opens the agents that a list is about.
func (d *directory) listed(ctx context.Context, agent string) ([]*agentDir, error) {
	if agent == "" {
		return d.agents(ctx)
	}
	if err := checkAgent(agent); err != nil {
		return nil, err
	}
	a, err := d.openAgent(keyOf(agent))
	if a == nil && err == nil {
		err = d.absent()
	}
	if err == ErrNoCheckpoint {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []*agentDir{a}, nil
}

// historyOf reads what an agent saved.
func (d *directory) historyOf(ctx context.Context, key string) (history, error) {
	if err := d.stopped(ctx); err != nil {
		return history{}, err
	}
	a, err := d.openAgent(key)
	if err != nil {
		return history{}, err
	}
	if a == nil {
		return history{}, d.corrupt(OtherPart, "agents", "an agent is gone")
	}
	records, err := a.find(nil)
	if err != nil {
		return history{}, err
	}
	head := ""
	if a.state.Head != nil {
		head = a.state.Head.Digest
	}
	h := newHistory(a.state.Agent, head, records)
	if head != "" && !slices.ContainsFunc(h.saved, func(k *kept) bool { return k.Head }) {
		return history{}, a.corruptHead("it names what the log does not")
	}
	return h, nil
}
