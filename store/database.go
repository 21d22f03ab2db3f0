package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// database is a store in the schema "ocp" of a PostgreSQL database. A save is one transaction that is committed durably; who saves for an agent
// holds the row of the agent.
type database struct {
	name   string // the address, without what is secret
	pool   *pgxpool.Pool
	create bool

	mu    sync.Mutex
	ready bool // the schema was seen to be there
}

var _ Store = (*database)(nil)

// connecting is how long a connection may take, unless the address says something else.
const connecting = 10 * time.Second

// The codes of PostgreSQL that mean something of their own (its manual, appendix A).
const (
	codeNoDatabase  = "3D000"
	codeNoSchema    = "3F000"
	codeNoTable     = "42P01"
	codeUnencodable = "22P05"
)

// openDatabase connects, and makes the schema with create.
func openDatabase(ctx context.Context, address string, create bool) (Store, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, &AddressError{redacted(address), "it is no address of a PostgreSQL database"}
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connecting
	}
	config.MinConns = 0
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, &IOError{redacted(address), err}
	}
	d := &database{name: redacted(address), pool: pool, create: create}
	if err := d.within(ctx, func(ctx context.Context) error { return d.prepare(ctx, create) }); err != nil {
		pool.Close()
		return nil, err
	}
	return d, nil
}

// redacted is an address as messages show it: without password and parameters.
func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "postgres:"
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if u.User != nil {
		shown.User = url.User(u.User.Username())
	}
	return shown.String()
}

// prepare looks at the schema. Without one it is made, or there is no store yet; an old one is migrated.
func (d *database) prepare(ctx context.Context, create bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ready {
		return nil
	}
	version, err := schemaVersion(ctx, d.pool)
	if isCode(err, codeNoTable, codeNoSchema) {
		if !create {
			return nil // whoever reads finds out
		}
		version, err = 0, nil
	}
	switch {
	case err != nil:
		return err
	case version > len(migrations):
		return &VersionError{d.name, fmt.Sprint(version)}
	case version < len(migrations):
		if err := pgx.BeginFunc(ctx, d.pool, func(tx pgx.Tx) error { return migrate(ctx, tx) }); err != nil {
			return err
		}
	}
	d.ready = true
	return nil
}

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func schemaVersion(ctx context.Context, q querier) (version int, err error) {
	return version, q.QueryRow(ctx, `SELECT version FROM ocp.format`).Scan(&version)
}

// migrate makes the schema or brings it up to date; one process at a time does.
func migrate(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, migrating); err != nil {
		return err
	}
	var exists bool
	if err := tx.QueryRow(ctx, `SELECT to_regclass('ocp.format') IS NOT NULL`).Scan(&exists); err != nil {
		return err
	}
	version := 0
	if exists {
		var err error
		if version, err = schemaVersion(ctx, tx); err != nil {
			return err
		}
	}
	for ; version < len(migrations); version++ {
		if _, err := tx.Exec(ctx, migrations[version]); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, `UPDATE ocp.format SET version = $1`, version)
	return err
}

// within does work that may take as long as patience allows, and explains its error.
func (d *database) within(ctx context.Context, work func(ctx context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := work(limited)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("no answer within %v", patience)
	}
	return d.explain(err)
}

// explain says what an error of the database means. What is no answer of the store's own is an *IOError.
func (d *database) explain(err error) error {
	switch {
	case err == nil || err == ErrNoCheckpoint || isOwn(err):
		return err
	case isCode(err, codeNoDatabase), isCode(err, codeNoTable, codeNoSchema) && !d.isReady():
		return &MissingStoreError{d.name}
	case isCode(err, codeNoTable, codeNoSchema):
		return &CorruptError{OtherPart, d.name, "the schema", "a table is missing"}
	}
	return &IOError{d.name, brief(err)}
}

func (d *database) isReady() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ready
}

// isOwn says whether an error is one of this package's.
func isOwn(err error) bool {
	var (
		corrupt   *CorruptError
		conflict  *ConflictError
		expect    *ExpectError
		ambiguous *AmbiguousError
		version   *VersionError
	)
	return errors.As(err, &corrupt) || errors.As(err, &conflict) || errors.As(err, &expect) || errors.As(err, &ambiguous) || errors.As(err, &version)
}

func isCode(err error, codes ...string) bool {
	var answer *pgconn.PgError
	if !errors.As(err, &answer) {
		return false
	}
	for _, code := range codes {
		if answer.Code == code {
			return true
		}
	}
	return false
}

// brief is an error of the database as one short line: what the server says, or what the network does.
func brief(err error) error {
	var answer *pgconn.PgError
	var dialing *net.OpError
	switch {
	case isCode(err, codeUnencodable):
		return errors.New("its encoding cannot hold the agent id; a database for this has the encoding UTF8")
	case errors.As(err, &answer):
		return fmt.Errorf("%s (SQLSTATE %s)", answer.Message, answer.Code)
	case errors.As(err, &dialing):
		return dialing
	}
	return errors.New(strings.Join(strings.Fields(err.Error()), " "))
}

// Close gives the connections back.
func (d *database) Close() error {
	d.pool.Close()
	return nil
}
