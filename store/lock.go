package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// patience is how long a lock, or a database, is waited for.
const patience = 30 * time.Second

// retry is how long to wait before a lock is tried again.
const retry = 2 * time.Millisecond

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
	l := flock.New(d.at("locks", name), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	try := l.TryLockContext
	if shared {
		try = l.TryRLockContext
	}
	_, err := try(waiting, retry)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("locks/%s was held by another process for %v", name, patience)
	}
	if err != nil {
		l.Close()
		return nil, d.failed(err)
	}
	return func() { l.Close() }, nil
}
