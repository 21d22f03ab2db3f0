package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// nameIn is the database that an address of the tests' server names.
func nameIn(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(u.Path, "/")
}

// TestDatabaseErrors: a database that does not exist is a missing store; one that may not be used, does not answer, or has another's tables is an error.
func TestDatabaseErrors(t *testing.T) {
	server := needsServer(t)
	isMissing := func(err error) bool { return errors.As(err, new(*MissingStoreError)) }
	isIO := func(err error) bool { return errors.As(err, new(*IOError)) }
	server.exec(t, "postgres", `CREATE ROLE stranger LOGIN`)
	locked := newDatabase(t)
	save(t, open(t, locked), "a", document("1", ""), SaveOptions{})
	later := newDatabase(t)
	save(t, open(t, later), "a", document("1", ""), SaveOptions{})
	execAt(t, later, `UPDATE ocp.format SET version = 1000`)
	others := newDatabase(t)
	execAt(t, others, `CREATE SCHEMA ocp`, `CREATE TABLE ocp.agents (x int)`)
	torn := newDatabase(t)
	save(t, open(t, torn), "a", document("1", ""), SaveOptions{})
	execAt(t, torn, `DROP TABLE ocp.agents CASCADE`)
	for name, c := range map[string]struct {
		address string
		is      func(error) bool
		saves   func(error) bool
	}{
		"no database":     {server.address("nowhere"), isMissing, isMissing},
		"no server":       {"postgres://u:secret@127.0.0.1:1/x", isIO, isIO},
		"no host":         {"postgres://u:secret@host.invalid/x", isIO, isIO},
		"no role":         {strings.Replace(locked, "postgres@", "nobody:secret@", 1), isIO, isIO},
		"no right":        {strings.Replace(locked, "postgres@", "stranger:secret@", 1), isIO, isIO},
		"no right, empty": {strings.Replace(newDatabase(t), "postgres@", "stranger@", 1), isMissing, isIO},
		"a later version": {later, func(err error) bool { return errors.As(err, new(*VersionError)) }, func(err error) bool { return errors.As(err, new(*VersionError)) }},
		"another's":       {others, isMissing, isIO},
		"a table is gone": {torn, func(err error) bool { return errors.As(err, new(*CorruptError)) }, func(err error) bool { return errors.As(err, new(*CorruptError)) }},
	} {
		t.Run(name, func(t *testing.T) {
			if err := resumeAt(t, c.address); !c.is(err) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
				t.Errorf("resume: %v", err)
			}
			if err := saveAt(t.Context(), c.address, document("2", "")); !c.saves(err) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
				t.Errorf("save: %v", err)
			}
		})
	}
}

func resumeAt(t *testing.T, address string) error {
	s, err := Open(t.Context(), address, Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Resume(t.Context(), "nobody")
	return err
}

func saveAt(ctx context.Context, address string, text []byte) error {
	s, err := Open(ctx, address, Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Save(ctx, "a", text, SaveOptions{})
	return err
}

// TestFirstUse: the first save makes the schema, also if many come first at the same time.
func TestFirstUse(t *testing.T) {
	address := newDatabase(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if err := saveAt(t.Context(), address, document(fmt.Sprint(i), "")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if entries := list(t, open(t, address), "a"); len(entries) != 8 {
		t.Errorf("%v", ids(entries))
	}
}

// TestMigration: a schema of an earlier version is brought up to date, and what it holds stays.
func TestMigration(t *testing.T) {
	address := newDatabase(t)
	save(t, open(t, address), "a", document("1", ""), SaveOptions{})
	released := migrations
	t.Cleanup(func() { migrations = released })
	migrations = append(migrations[:len(migrations):len(migrations)], `ALTER TABLE ocp.agents ADD COLUMN note text`)
	s := open(t, address)
	resumes(t, s, "a", document("1", ""))
	execAt(t, address, `UPDATE ocp.agents SET note = 'x'`)
	resumes(t, open(t, address), "a", document("1", ""))
	migrations = append(migrations, `ALTER TABLE ocp.nothing ADD COLUMN note text`)
	if _, err := Open(t.Context(), address, Options{}); !errors.As(err, new(*IOError)) && !errors.As(err, new(*MissingStoreError)) {
		t.Errorf("a migration that fails: %v", err)
	}
	migrations = migrations[:len(migrations)-1]
	resumes(t, open(t, address), "a", document("1", ""))
}

// TestDatabaseGoesAway: the connections of savers are cut again and again. What they were told is saved is there, what was not is there or not, and the
// next attempt goes on.
func TestDatabaseGoesAway(t *testing.T) {
	address := newDatabase(t)
	s := open(t, address)
	stop := make(chan bool)
	var cutting sync.WaitGroup
	cutting.Go(func() { cutConnections(t, address, stop) })
	saved, failed, parent := 0, 0, ""
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); {
		text := document(fmt.Sprint("n", saved), parent)
		if _, err := s.Save(t.Context(), "a", text, SaveOptions{}); err != nil {
			failed++
			if !errors.As(err, new(*IOError)) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
			continue // the same again
		}
		parent = fmt.Sprint("n", saved)
		saved++
	}
	close(stop)
	cutting.Wait()
	entries := list(t, open(t, address), "a")
	if len(entries) < saved || len(entries) > saved+1 || failed == 0 {
		t.Errorf("%d are listed, %d were saved, %d attempts failed", len(entries), saved, failed)
	}
	for i, e := range entries {
		if e.ID != fmt.Sprint("n", i) || e.Branch {
			t.Errorf("%+v", e)
		}
	}
	t.Logf("%d saved, %d attempts failed", saved, failed)
}

// cutConnections ends the server's side of every connection to a database but its own.
func cutConnections(t *testing.T, address string, stop <-chan bool) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(15 * time.Millisecond):
			execAt(t, address, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		}
	}
}

// TestServerCrash: the server is killed while a store is open. Until it is back, errors; then all is there.
func TestServerCrash(t *testing.T) {
	needsServer(t)
	server, err := startServer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.remove() })
	s := open(t, server.address("postgres"))
	save(t, s, "a", document("1", ""), SaveOptions{})
	server.stop(syscall.SIGQUIT)
	if _, err := s.Resume(t.Context(), "nobody"); !errors.As(err, new(*IOError)) {
		t.Errorf("%v", err)
	}
	if _, err := s.Save(t.Context(), "a", document("2", "1"), SaveOptions{}); !errors.As(err, new(*IOError)) {
		t.Errorf("%v", err)
	}
	if err := server.start(); err != nil {
		t.Fatal(err)
	}
	resumes(t, s, "a", document("1", ""))
	save(t, s, "a", document("2", "1"), SaveOptions{})
}

// TestSynchronous: a save is committed durably even where the default is not.
func TestSynchronous(t *testing.T) {
	address := newDatabase(t)
	execAt(t, address, fmt.Sprintf(`ALTER DATABASE %s SET synchronous_commit = off`, nameIn(t, address)))
	d := open(t, address).(*database)
	var setting string
	err := d.transaction(t.Context(), func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `SHOW synchronous_commit`).Scan(&setting)
	})
	if err != nil || setting != "on" {
		t.Errorf("%q, %v", setting, err)
	}
}
