package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// patience is how long a lock, or a database, is waited for.
const patience = 30 * time.Second

// lockAgent lets one process at a time save for the agents that share the lock, and none while the store is pruned. A process that dies
// has given its locks back.
func (d *directory) lockAgent(ctx context.Context, key string) (release func(), err error) {
	all, err := d.lock(ctx, "store", true)
	if err != nil {
		return nil, err
	}
	one, err := d.lock(ctx, key[:2], false)
	if err != nil {
		all()
		return nil, err
	}
	return func() { one(); all() }, nil
}

// lockStore lets nobody save.
func (d *directory) lockStore(ctx context.Context) (release func(), err error) {
	return d.lock(ctx, "store", false)
}

func (d *directory) lock(ctx context.Context, name string, shared bool) (func(), error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	release, err := d.disk.Lock(waiting, d.at("locks", name), shared)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("locks/%s was not to be had within %v, since others save or prune; nothing was done, and it can be done again", name, patience)
	}
	return release, d.failed(err)
}
