package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Prune prunes as Store.Prune says, in one transaction.
func (d *database) Prune(ctx context.Context, opts PruneOptions) (entries []Entry, err error) {
	if opts.Agent != "" {
		if err := checkAgent(opts.Agent); err != nil {
			return nil, err
		}
	}
	err = d.within(ctx, func(ctx context.Context) error {
		if err := d.prepare(ctx, d.create); err != nil {
			return err
		}
		return d.transaction(ctx, func(tx pgx.Tx) error {
			entries, err = d.prune(ctx, tx, opts)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return entries, nil
}

func (d *database) prune(ctx context.Context, tx pgx.Tx, opts PruneOptions) ([]Entry, error) {
	if opts.Apply {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, pruning); err != nil {
			return nil, err
		}
	}
	all, err := histories(ctx, tx)
	if err != nil {
		return nil, err
	}
	retain(all, opts)
	entries := gone(all)
	if !opts.Apply || len(entries) == 0 {
		return entries, nil
	}
	var agents []string
	var sums [][]byte
	for _, e := range entries {
		agents = append(agents, e.Agent)
		sums = append(sums, sumBytes(e.Digest))
	}
	_, err = tx.Exec(ctx, `DELETE FROM ocp.saves s USING unnest($1::text[], $2::bytea[]) AS g (agent, digest) WHERE s.agent = g.agent AND s.digest = g.digest`, agents, sums)
	if err == nil {
		_, err = tx.Exec(ctx, `DELETE FROM ocp.objects o WHERE o.digest = ANY($1) AND NOT EXISTS (SELECT FROM ocp.saves s WHERE s.digest = o.digest)`, sums)
	}
	return entries, err
}

// histories reads what every agent saved.
func histories(ctx context.Context, tx pgx.Tx) (all []history, err error) {
	var records []record
	var last row
	add := func() {
		if len(records) > 0 {
			all = append(all, newHistory(last.agent, last.head, records))
		}
		records = nil
	}
	err = each(ctx, tx, `ORDER BY s.agent COLLATE "C", s.number`, nil, func(r row) bool {
		if r.agent != last.agent {
			add()
		}
		last = r
		records = append(records, r.record)
		return true
	})
	add()
	return all, err
}
