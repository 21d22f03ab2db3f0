package store

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"
)

// Resume reads as Store.Resume says. The head and the checkpoint are read at one time.
func (d *database) Resume(ctx context.Context, agent string) (c *Checkpoint, err error) {
	if err := checkAgent(agent); err != nil {
		return nil, err
	}
	err = d.read(ctx, func(ctx context.Context) error {
		var head, id, body []byte
		var savedAt *time.Time
		err := d.pool.QueryRow(ctx, `
SELECT a.head, s.id, o.body, s.saved_at FROM ocp.agents a
LEFT JOIN ocp.objects o ON o.digest = a.head
LEFT JOIN ocp.saves s ON s.agent = a.agent AND s.digest = a.head
WHERE a.agent = $1`, agent).Scan(&head, &id, &body, &savedAt)
		switch {
		case errors.Is(err, pgx.ErrNoRows), err == nil && head == nil:
			return ErrNoCheckpoint
		case err != nil:
			return err
		case body == nil || savedAt == nil:
			return d.corrupt(sumText(head), "it is missing")
		}
		c, err = d.checkBody(agent, head, id, body, *savedAt)
		return err
	})
	return c, err
}

// read does work that reads, once the schema is known to be there.
func (d *database) read(ctx context.Context, work func(context.Context) error) error {
	return d.within(ctx, func(ctx context.Context) error {
		if err := d.prepare(ctx, d.create); err != nil {
			return err
		}
		return work(ctx)
	})
}

// rowColumns are the columns that scanRow reads, and the tables that have them.
const rowColumns = `s.agent, s.digest, s.canonical, s.id, s.parent, s.parent_digest, s.needs, s.size, s.saved_at, s.was_head, a.head
FROM ocp.saves s JOIN ocp.agents a ON a.agent = s.agent`

// row is a save as the database tells it.
type row struct {
	agent, head string
	record      record
}

// scanRow reads one row of rowColumns.
func scanRow(rows pgx.Rows) (row, error) {
	var r row
	var sum, canonical, id, parent, head []byte
	var needs [][]byte
	err := rows.Scan(&r.agent, &sum, &canonical, &id, &parent, &r.record.ParentDigest, &needs, &r.record.Size, &r.record.SavedAt, &r.record.Head, &head)
	if err != nil {
		return row{}, err
	}
	r.head = sumText(head)
	r.record.ID, r.record.Digest, r.record.Canonical, r.record.Parent = string(id), sumText(sum), sumText(canonical), string(parent)
	r.record.SavedAt = r.record.SavedAt.UTC()
	for _, place := range needs {
		r.record.Needs = append(r.record.Needs, string(place))
	}
	return r, nil
}

type rowser interface {
	Query(context.Context, string, ...any) (pgx.Rows, error)
}

// each calls f for every row that a condition selects.
func each(ctx context.Context, q rowser, rest string, args []any, f func(row) bool) error {
	rows, err := q.Query(ctx, "SELECT "+rowColumns+" "+rest, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		r, err := scanRow(rows)
		if err != nil {
			return err
		}
		if !f(r) {
			return nil
		}
	}
	return rows.Err()
}

// Get reads as Store.Get says.
func (d *database) Get(ctx context.Context, ref string) (*Checkpoint, error) {
	return again(func() (*Checkpoint, error) { return d.get(ctx, ref) })
}

func (d *database) get(ctx context.Context, ref string) (c *Checkpoint, err error) {
	wanted := newReference(ref)
	err = d.read(ctx, func(ctx context.Context) error {
		var found matches
		var sum []byte
		if wanted.digest != "" {
			sum = sumBytes(wanted.digest)
		}
		err := each(ctx, d.pool, `WHERE sha256(s.id) = sha256($1) OR s.digest = $2 OR s.canonical = $2 ORDER BY s.agent COLLATE "C", s.number`,
			[]any{[]byte(ref), sum}, func(r row) bool {
				found.add(wanted, r.agent, &r.record)
				return true
			})
		if err != nil {
			return err
		}
		best, err := found.best(wanted)
		if err != nil {
			return err
		}
		c, err = d.checkpoint(ctx, best)
		return err
	})
	return c, err
}

func (d *database) checkpoint(ctx context.Context, m *match) (*Checkpoint, error) {
	sum := sumBytes(m.record.Digest)
	var body []byte
	err := d.pool.QueryRow(ctx, `SELECT body FROM ocp.objects WHERE digest = $1`, sum).Scan(&body)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, d.corrupt(m.record.Digest, "it is missing")
	}
	if err != nil {
		return nil, err
	}
	return d.checkBody(m.agent, sum, []byte(m.record.ID), body, m.record.SavedAt)
}

// List lists as Store.List says, from one snapshot. It may take as long as the caller does.
func (d *database) List(ctx context.Context, agent string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if agent != "" {
			if err := checkAgent(agent); err != nil {
				yield(Entry{}, err)
				return
			}
		}
		err := d.within(ctx, func(ctx context.Context) error { return d.prepare(ctx, d.create) })
		if err == nil {
			err = d.explain(each(ctx, d.pool, `WHERE $1 = '' OR s.agent = $1 ORDER BY s.agent COLLATE "C", s.number`, []any{agent}, func(r row) bool {
				return yield(r.entry(), nil)
			}))
		}
		if err != nil {
			yield(Entry{}, err)
		}
	}
}

func (r *row) entry() Entry {
	e := r.record.entry(r.agent)
	e.Head = r.record.Digest == r.head
	e.Branch = !r.record.Head
	return e
}
