package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// needServer is the variable by which the absence of PostgreSQL is a failure.
const needServer = "OCP_TEST_POSTGRES"

var databaseKind = kind{name: "database", place: newDatabase, damage: damageRow}

// server is a PostgreSQL server of the tests' own, reached by a socket in a directory.
type server struct {
	programs, dir string
	process       *exec.Cmd
}

// sharedServer is started when a test first asks for it.
var sharedServer = sync.OnceValues(func() (*server, error) {
	s, err := startServer()
	if err == nil {
		started.Store(s)
	}
	return s, err
})

var errNoPrograms = errors.New("initdb and postgres are not on this machine")

func TestMain(m *testing.M) {
	if os.Getenv(childStore) != "" {
		saveUntilKilled()
	}
	status := m.Run()
	stopShared()
	os.Exit(status)
}

// started holds the shared server once it runs.
var started atomic.Pointer[server]

func stopShared() {
	if s := started.Load(); s != nil {
		s.remove()
	}
}

// remove ends the server and removes its data.
func (s *server) remove() {
	s.stop(syscall.SIGQUIT)
	os.RemoveAll(s.dir)
}

// programsDir is where PostgreSQL's programs are.
func programsDir() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(real), nil
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", errNoPrograms
	}
	return filepath.Dir(found[len(found)-1]), nil
}

func startServer() (*server, error) {
	programs, err := programsDir()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ocp-postgres")
	if err != nil {
		return nil, err
	}
	s := &server{programs: programs, dir: dir}
	if os.Getuid() == 0 {
		if err := os.Chown(dir, nobody, nobody); err != nil {
			return nil, err
		}
	}
	if out, err := s.program("initdb", "-D", s.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %v\n%s", err, out)
	}
	return s, s.start()
}

func (s *server) data() string { return filepath.Join(s.dir, "data") }

const nobody = 65534

// program runs a program of the server as a user who is not root, whom it refuses.
func (s *server) program(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.programs, name), args...)
	cmd.Dir = s.dir
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return cmd
}

func (s *server) start() error {
	s.process = s.program("postgres", "-D", s.data(), "-k", s.dir, "-c", "listen_addresses=", "-c", "max_connections=300")
	if err := s.process.Start(); err != nil {
		return err
	}
	for range 600 {
		conn, err := pgx.Connect(context.Background(), s.address("postgres"))
		if err == nil {
			return conn.Close(context.Background())
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.New("the server does not answer")
}

// stop ends the server: SIGQUIT at once, as a crash would; SIGINT in order.
func (s *server) stop(how syscall.Signal) {
	s.process.Process.Signal(how)
	s.process.Wait()
}

func (s *server) address(database string) string {
	return "postgres://postgres@/" + database + "?host=" + s.dir
}

// exec runs statements in a database.
func (s *server) exec(t testing.TB, database string, statements ...string) {
	t.Helper()
	execAt(t, s.address(database), statements...)
}

func execAt(t testing.TB, address string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, statement := range statements {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

var databases atomic.Int64

// newDatabase makes an empty database, or skips the test where there is no PostgreSQL and none is required.
func newDatabase(t testing.TB) string {
	t.Helper()
	s := needsServer(t)
	name := "ocp" + strconv.FormatInt(databases.Add(1), 10)
	s.exec(t, "postgres", "CREATE DATABASE "+name)
	return s.address(name)
}

func needsServer(t testing.TB) *server {
	t.Helper()
	s, err := sharedServer()
	if errors.Is(err, errNoPrograms) && os.Getenv(needServer) == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// damageRow cuts a saved checkpoint short, or removes it although it is referred to.
func damageRow(t *testing.T, address, sum string, remove bool) {
	t.Helper()
	statement := `UPDATE ocp.objects SET body = substr(body, 2) WHERE digest = '\x` + sum[len(sumPrefix):] + `'`
	if remove {
		statement = `DELETE FROM ocp.objects WHERE digest = '\x` + sum[len(sumPrefix):] + `'`
	}
	execAt(t, address, "SET session_replication_role = replica", statement)
}
