package store

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/opencheckpoint/ocp/internal/disk"
)

// Prune prunes as Store.Prune says, and sweeps up what saves that never finished have left. Nobody saves meanwhile.
func (d *directory) Prune(ctx context.Context, opts PruneOptions) ([]Entry, error) {
	if opts.Agent != "" {
		if err := checkAgent(opts.Agent); err != nil {
			return nil, err
		}
	}
	agents, err := d.agents(ctx)
	if err != nil || len(agents) == 0 {
		return nil, err
	}
	if opts.Apply {
		if err := d.refill(); err != nil {
			return nil, err
		}
		release, err := d.lockStore(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
		if agents, err = d.agents(ctx); err != nil {
			return nil, err
		}
	}
	all, err := d.histories(ctx, agents)
	if err != nil {
		return nil, err
	}
	retain(all, opts)
	if !opts.Apply {
		return gone(all), nil
	}
	return gone(all), d.apply(ctx, agents, all)
}

func (d *directory) histories(ctx context.Context, agents []*agentDir) (all []history, err error) {
	for _, a := range agents {
		h, err := again(func() (history, error) { return d.historyOf(ctx, a.key) })
		if err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return all, nil
}

// apply forgets what is gone, and then removes the objects that nothing names any more.
func (d *directory) apply(ctx context.Context, agents []*agentDir, all []history) error {
	used := map[string]bool{}
	for i, h := range all {
		if err := d.stopped(ctx); err != nil {
			return err
		}
		for _, k := range h.saved {
			used[objectPart(k.Digest)] = used[objectPart(k.Digest)] || !k.gone
		}
		if len(gone(all[i:i+1])) == 0 {
			continue
		}
		if err := agents[i].forget(h); err != nil {
			return err
		}
	}
	return d.sweep(agents, used)
}

// forget writes the log anew, without what is gone, beside the old one. It holds when the head names it.
func (a *agentDir) forget(h history) error {
	old, err := a.find(nil)
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, k := range h.saved {
		gone[k.Digest] = k.gone
	}
	var log bytes.Buffer
	for _, r := range old {
		if !gone[r.Digest] {
			log.Write(encodeLine(r))
		}
	}
	next := a.state
	next.Log, next.Size = following(a.state.Log), int64(log.Len())
	if err := disk.WriteFile(a.disk, a.file(next.Log), log.Bytes()); err != nil {
		return a.failed(err)
	}
	if err := a.disk.SyncDir(a.file("")); err != nil {
		return a.failed(err)
	}
	return a.commit(next)
}

// following is the name of the log after one.
func following(log string) string {
	var n int
	fmt.Sscanf(log, "log.%d", &n)
	return fmt.Sprintf("log.%d", n+1)
}

// sweep removes files that nothing names. One that cannot be removed stays for the next time.
func (d *directory) sweep(agents []*agentDir, used map[string]bool) error {
	for _, a := range agents {
		err := d.sweepDir(a.part(""), func(name string) bool { return name == "head" || name == a.state.Log })
		if err != nil {
			return err
		}
	}
	for _, shard := range shards {
		dir := filepath.Join("objects", string(shard))
		err := d.sweepDir(dir, func(name string) bool { return used[filepath.Join(dir, name)] || strings.HasPrefix(name, ".") })
		if err != nil {
			return err
		}
	}
	return d.sweepDir("tmp", func(string) bool { return false })
}

func (d *directory) sweepDir(dir string, stays func(name string) bool) error {
	entries, err := d.disk.ReadDir(d.at(dir))
	if err != nil {
		return d.failed(err)
	}
	for _, entry := range entries {
		if !stays(entry.Name()) {
			d.removeAll(d.at(dir, entry.Name()))
		}
	}
	return nil
}
