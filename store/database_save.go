package store

import (
	"context"
	"encoding/hex"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/opencheckpoint/ocp/digest"
)

// Save saves as Store.Save says, in one transaction.
func (d *database) Save(ctx context.Context, agent string, src []byte, opts SaveOptions) (saved *Saved, err error) {
	if err := checkAgent(agent); err != nil {
		return nil, err
	}
	draft, err := newDraft(src, opts)
	if err != nil {
		return nil, err
	}
	err = d.within(ctx, func(ctx context.Context) error {
		if err := d.prepare(ctx, true); err != nil {
			return err
		}
		return d.transaction(ctx, func(tx pgx.Tx) error {
			saved, err = (&transaction{ctx, d, tx, agent}).save(draft, opts)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return saved, nil
}

// transaction does work that is committed durably, whatever the server's default is.
func (d *database) transaction(ctx context.Context, work func(pgx.Tx) error) error {
	committing := false
	err := pgx.BeginFunc(ctx, d.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`)
		if err == nil {
			err = work(tx)
		}
		committing = err == nil
		return err
	})
	if err != nil && committing {
		return &uncertainError{err}
	}
	return err
}

// uncertainError is a connection that was lost while the server was to commit.
type uncertainError struct{ err error }

// Error says what to do: a save can be made again.
func (e *uncertainError) Error() string {
	return brief(e.err).Error() + "; whether it was done is not known, and doing it again does no harm"
}

// transaction is one save for an agent.
type transaction struct {
	context.Context
	*database
	pgx.Tx
	agent string
}

func (t *transaction) save(draft *draft, opts SaveOptions) (*Saved, error) {
	head, err := t.lockAgent()
	if err != nil {
		return nil, err
	}
	s := step{agent: t.agent, head: head}
	s.load = func() ([]byte, error) { return t.body(head.Digest) }
	if draft.Head, err = s.advances(draft, opts); err != nil {
		return nil, err
	}
	if err := t.putObject(draft); err != nil {
		return nil, err
	}
	return t.record(draft, head)
}

// lockAgent waits until nobody else saves for the agent, or prunes, and returns its head.
func (t *transaction) lockAgent() (*record, error) {
	if _, err := t.Exec(t, `SELECT pg_advisory_xact_lock_shared($1)`, pruning); err != nil {
		return nil, err
	}
	if _, err := t.Exec(t, `INSERT INTO ocp.agents (agent) VALUES ($1) ON CONFLICT DO NOTHING`, t.agent); err != nil {
		return nil, err
	}
	var head []byte
	if err := t.QueryRow(t, `SELECT head FROM ocp.agents WHERE agent = $1 FOR UPDATE`, t.agent).Scan(&head); err != nil || head == nil {
		return nil, err
	}
	var id, canonical []byte
	err := t.QueryRow(t, `SELECT id, canonical FROM ocp.saves WHERE agent = $1 AND digest = $2`, t.agent, head).Scan(&id, &canonical)
	return &record{ID: string(id), Digest: sumText(head), Canonical: sumText(canonical)}, err
}

func (t *transaction) body(sum string) ([]byte, error) {
	var text []byte
	err := t.QueryRow(t, `SELECT body FROM ocp.objects WHERE digest = $1`, sumBytes(sum)).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, t.corrupt(sum, "it is missing")
	}
	return text, err
}

// putObject keeps the checkpoint. One that is there and corrupt is mended.
func (t *transaction) putObject(d *draft) error {
	_, err := t.Exec(t, `
INSERT INTO ocp.objects AS o (digest, body) VALUES ($1, $2)
ON CONFLICT (digest) DO UPDATE SET body = $2 WHERE sha256(o.body) <> o.digest`, sumBytes(d.Digest), d.text)
	return err
}

// record notes the save and moves the head.
func (t *transaction) record(draft *draft, head *record) (*Saved, error) {
	saved := draft.saved(t.agent)
	err := t.QueryRow(t, `SELECT saved_at FROM ocp.saves WHERE agent = $1 AND digest = $2`, t.agent, sumBytes(draft.Digest)).Scan(&saved.SavedAt)
	saved.Known = err == nil
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, err
	}
	saved.SavedAt = saved.SavedAt.UTC()
	if err := t.note(draft); err != nil {
		return nil, err
	}
	if !draft.Head {
		saved.Current = head.Digest
		return saved, nil
	}
	saved.Current = draft.Digest
	_, err = t.Exec(t, `UPDATE ocp.agents SET head = $2 WHERE agent = $1 AND head IS DISTINCT FROM $2`, t.agent, sumBytes(draft.Digest))
	return saved, err
}

// note adds the save, or notes that it has become the head.
func (t *transaction) note(d *draft) error {
	needs := [][]byte{}
	for _, place := range d.Needs {
		needs = append(needs, []byte(place))
	}
	_, err := t.Exec(t, `
INSERT INTO ocp.saves AS s (agent, digest, saved_at, was_head, canonical, id, parent, parent_digest, needs, size) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (agent, digest) DO UPDATE SET was_head = true WHERE excluded.was_head AND NOT s.was_head`,
		t.agent, sumBytes(d.Digest), d.SavedAt, d.Head, sumBytes(d.Canonical), []byte(d.ID), []byte(d.Parent), d.ParentDigest, needs, d.Size)
	return err
}

func (d *database) corrupt(sum, why string) error {
	return &CorruptError{ObjectPart, d.name, "object " + sum, why}
}

// sumBytes is the value of a digest that digest.Digest has spelled.
func sumBytes(sum string) []byte {
	b, err := hex.DecodeString(sum[len(sumPrefix):])
	if err != nil {
		panic(err)
	}
	return b
}

// sumText is the opposite of sumBytes.
func sumText(sum []byte) string { return sumPrefix + hex.EncodeToString(sum) }

const sumPrefix = "sha-256:"

// checkBody returns a checkpoint if its bytes are those that were saved.
func (d *database) checkBody(agent string, sum, id, body []byte, savedAt time.Time) (*Checkpoint, error) {
	if digest.OfBytes(body).String() != sumText(sum) {
		return nil, d.corrupt(sumText(sum), "its bytes have another digest")
	}
	return &Checkpoint{ID: string(id), Agent: agent, Digest: sumText(sum), SavedAt: savedAt.UTC(), Bytes: body}, nil
}
