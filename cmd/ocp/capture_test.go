package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/golden"
)

// goldenLog is the log of a golden case of capture.
func goldenLog(t *testing.T, name string) []byte {
	t.Helper()
	log, err := golden.FS.ReadFile("capture/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// TestCapturePipe is the example of the help: a real session becomes forks in one pipe.
func TestCapturePipe(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "session.jsonl")
	writeFile(t, log, goldenLog(t, "claude-code-killed/session.jsonl"))
	captured := runCase(t, []string{"capture", "-q", log}, openFile(t, os.DevNull))
	small := runCase(t, []string{"compact", "--budget", "20000"}, asFile(t, captured.stdout))
	forks := runCase(t, []string{"fork", "-n", "3"}, asFile(t, small.stdout))
	if captured.exit != 0 || small.exit != 0 || forks.exit != 0 || bytes.Count(forks.stdout, []byte("\n")) != 3 {
		t.Fatalf("%d %d %d: %s%s", captured.exit, small.exit, forks.exit, captured.stderr, forks.stderr)
	}
	for _, f := range decodeStream(t, forks.stdout) {
		if ids := f.actionable(); len(ids) > 0 {
			t.Errorf("%v are actionable in a fork", ids)
		}
	}
}

func asFile(t *testing.T, text []byte) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "in")
	writeFile(t, name, text)
	return openFile(t, name)
}

// TestCaptureOutput writes to a file that appears only when all went well.
func TestCaptureOutput(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.ocp.json")
	args := []string{"capture", "--id", "urn:example:1", "--now", "2026-02-01T00:00:00Z", "-o", out}
	if got := runCase(t, args, asFile(t, []byte("no log"))); got.exit != exitInvalid || exists(out) {
		t.Errorf("exit %d, %s", got.exit, got.stderr)
	}
	got := runCase(t, args, asFile(t, goldenLog(t, "pi-session/session.jsonl")))
	text, err := os.ReadFile(out)
	if got.exit != 0 || err != nil || !json.Valid(text) || len(got.stdout) > 0 {
		t.Errorf("exit %d, %v, %s", got.exit, err, got.stderr)
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// TestCaptureBeside finds the history of a fork in the log beside it, by its name or by what its first record says, and in no other.
func TestCaptureBeside(t *testing.T) {
	record := func(ordinal int, kind, payload string) string {
		return fmt.Sprintf(`{"timestamp":"2026-01-10T09:00:00Z","ordinal":%d,"type":%q,"payload":%s}`+"\n", ordinal, kind, payload)
	}
	typed := func(ordinal int, text string) string {
		return record(ordinal, "event_msg", `{"type":"user_message","message":"`+text+`"}`)
	}
	base := record(0, "session_meta", `{"id":"base-1"}`) + typed(1, "before")
	fork := record(2, "session_meta", `{"id":"fork-1","history_base":{"thread_id":"base-1","end_ordinal_exclusive":2}}`) + typed(3, "own")
	for name, found := range map[string]bool{"rollout-base-1.jsonl": true, "a.jsonl": true, "a.txt": false, "sub/base-1.jsonl": false} {
		dir := filepath.Join(t.TempDir(), "a[b]c*")
		if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o777); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, name), []byte(base))
		writeFile(t, filepath.Join(dir, "other.jsonl"), []byte(typed(0, "another")))
		writeFile(t, filepath.Join(dir, "fork.jsonl"), []byte(fork))
		got := runCase(t, []string{"capture", "-q", filepath.Join(dir, "fork.jsonl")}, openFile(t, os.DevNull))
		if got.exit != 0 || strings.Contains(string(got.stdout), `"before"`) != found || strings.Contains(string(got.stdout), "another") {
			t.Errorf("%s: exit %d, %s%s", name, got.exit, got.stdout, got.stderr)
		}
	}
}

// TestCaptureRealSessions captures the logs of real clients, with no error, and twice to the same bytes.
func TestCaptureRealSessions(t *testing.T) {
	logs, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "sessions", "*", "*.json*"))
	if err != nil || len(logs) == 0 {
		t.Log("no real logs are beside the repository")
	}
	for _, log := range logs {
		args := []string{"capture", "--id", "urn:example:1", "--now", "2026-12-01T00:00:00Z", log}
		first, second := runCase(t, args, openFile(t, os.DevNull)), runCase(t, append(args[:5:5], "-"), openFile(t, log))
		if first.exit != 0 || second.exit != 0 {
			t.Errorf("%s: exit %d, %d: %s", log, first.exit, second.exit, first.stderr)
		}
		if !bytes.Equal(first.stdout, second.stdout) && !strings.Contains(log, "fork-2") { // whose history only a file has beside it
			t.Errorf("%s: other bytes from standard input", log)
		}
		valid := runCase(t, []string{"validate", "--strict", "-q"}, asFile(t, first.stdout))
		if valid.exit != 0 {
			t.Errorf("%s: %s", log, valid.stdout)
		}
	}
}
