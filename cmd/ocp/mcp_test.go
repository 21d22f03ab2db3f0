package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// handshake is what a client writes first.
const handshake = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// toolResult is what a tool returned.
type toolResult struct {
	IsError bool
	Content []struct{ Text string }
	Data    json.RawMessage `json:"structuredContent"`
}

// callTool calls one tool of ocp mcp.
func callTool(t *testing.T, tool string, arguments map[string]any, flags ...string) toolResult {
	t.Helper()
	call, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments}})
	if err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(t.TempDir(), "in")
	writeFile(t, in, append([]byte(handshake), call...))
	got := runCase(t, append([]string{"mcp"}, flags...), openFile(t, in))
	lines := bytes.Split(bytes.TrimSpace(got.stdout), []byte("\n"))
	if got.exit != 0 || len(got.stderr) > 0 || len(lines) != 2 {
		t.Fatalf("exit %d, %d lines\n%s%.500s", got.exit, len(lines), got.stderr, got.stdout)
	}
	var answer struct{ Result toolResult }
	if err := json.Unmarshal(lines[1], &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Result
}

// TestToolFailsAsTheCommand: a tool that fails says the line that the command says of a file with the argument's name.
func TestToolFailsAsTheCommand(t *testing.T) {
	good, err := os.ReadFile(filepath.Join(goldenDir, "sample.ocp.json"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	broken := strings.Replace(string(good), `"task"`, "\"task\": {,", 1)
	invalid := strings.Replace(string(good), `"id"`, `"id": "urn:x:i", "identifier"`, 1)
	for i, c := range []struct {
		verb, document, tool string
		flags                []string
		args                 map[string]any
	}{
		{"compact", broken, "checkpoint_compact", []string{"--budget", "9B"}, map[string]any{"budget": "9B"}},
		{"compact", invalid, "checkpoint_compact", []string{"--budget", "9B"}, map[string]any{"budget": "9B"}},
		{"compact", string(good), "checkpoint_compact", []string{"--budget", "9B"}, map[string]any{"budget": "9B"}},
		{"compact", string(good), "checkpoint_compact", []string{"--budget", "9kB", "--keep", "no"}, map[string]any{"budget": "9kB", "keep": []string{"no"}}},
		{"fork", broken, "checkpoint_fork", []string{"-n", "2"}, map[string]any{"n": 2}},
		{"fork", invalid, "checkpoint_fork", []string{"-n", "2"}, map[string]any{"n": 2}},
		{"fork", string(good), "checkpoint_fork", []string{"-n", "2", "--assign", "no=1"}, map[string]any{"n": 2, "assign": []any{map[string]any{"operation": "no", "fork": "1"}}}},
		{"digest", broken, "checkpoint_digest", nil, nil},
		{"digest", string(good), "checkpoint_digest", []string{"--verify", zeroDigest}, map[string]any{"verify": zeroDigest}},
		{"save", broken, "checkpoint_save", []string{"--agent", "a"}, map[string]any{"agent_id": "a"}},
		{"save", invalid, "checkpoint_save", []string{"--agent", "a"}, map[string]any{"agent_id": "a"}},
		{"save", string(good), "checkpoint_save", []string{"--agent", "a", "--expect", zeroDigest}, map[string]any{"agent_id": "a", "expect": zeroDigest}},
		{"save", string(good), "checkpoint_save", []string{"--agent", "a", "--expect", "x"}, map[string]any{"agent_id": "a", "expect": "x"}},
		{"save", string(good), "checkpoint_save", []string{"--agent", "a\x01"}, map[string]any{"agent_id": "a\x01"}},
		{"save", string(good), "checkpoint_save", []string{"--agent", "a", "--store", "absent"}, map[string]any{"agent_id": "a"}},
		{"resume", "", "checkpoint_resume", []string{"--agent", "nobody"}, map[string]any{"agent_id": "nobody"}},
		{"resume", "", "checkpoint_resume", []string{"--agent", "a", "--store", "absent"}, map[string]any{"agent_id": "a"}},
	} {
		t.Run(fmt.Sprint(i, c.verb), func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			args, tool := append([]string{c.verb}, c.flags...), map[string]any{}
			for name, value := range c.args {
				tool[name] = value
			}
			if c.document != "" {
				writeFile(t, "checkpoint", []byte(c.document))
				args, tool["checkpoint"] = append(args, "checkpoint"), c.document
			}
			command := runCase(t, args, openFile(t, os.DevNull))
			said, _, _ := strings.Cut(string(command.stderr), "\n")
			said = strings.TrimPrefix(said, "ocp "+c.verb+": ")
			var store []string
			if i := len(c.flags) - 2; i >= 0 && c.flags[i] == "--store" {
				store = c.flags[i:]
			}
			r := callTool(t, c.tool, tool, store...)
			if command.exit == 0 || !r.IsError || r.Data != nil || len(r.Content) != 1 || withoutSizes(r.Content[0].Text) != withoutSizes(said) {
				t.Errorf("the command (exit %d) says\n%s\nand the tool\n%+v", command.exit, said, r)
			}
		})
	}
}

// withoutSizes is a message without its numbers: those of a floor differ by the digits of the time at which it was found.
func withoutSizes(message string) string {
	return regexp.MustCompile(`[0-9]+`).ReplaceAllString(message, "N")
}

// zeroDigest is that of nothing that exists.
var zeroDigest = "sha-256:" + strings.Repeat("0", 64)

// TestToolAndCommandShareTheStore: what one saves, the other resumes, to the byte.
func TestToolAndCommandShareTheStore(t *testing.T) {
	document, err := os.ReadFile(filepath.Join(goldenDir, "sample.ocp.json"))
	if err != nil {
		t.Fatal(err)
	}
	document = bytes.TrimSpace(document)
	t.Setenv(storeVariable, filepath.Join(t.TempDir(), "store"))
	file := filepath.Join(t.TempDir(), "document")
	writeFile(t, file, document)
	if got := runCase(t, []string{"save", "--init", "--agent", "a", file}, openFile(t, os.DevNull)); got.exit != 0 {
		t.Fatalf("%s", got.stderr)
	}
	if r := callTool(t, "checkpoint_resume", map[string]any{"agent_id": "a"}); r.IsError || r.Content[1].Text != string(document) {
		t.Errorf("the tool resumes %+v", r)
	}
	if r := callTool(t, "checkpoint_save", map[string]any{"agent_id": "b", "checkpoint": string(document)}); r.IsError {
		t.Errorf("the tool cannot save: %+v", r)
	}
	got := runCase(t, []string{"resume", "--agent", "b"}, openFile(t, os.DevNull))
	if got.exit != 0 || !bytes.Equal(bytes.TrimSpace(got.stdout), document) {
		t.Errorf("the command resumes %.300s%s", got.stdout, got.stderr)
	}
}

// TestServerOnFullDisk: answers that cannot be written end the server with one line that says where.
func TestServerOnFullDisk(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in")
	writeFile(t, in, []byte(handshake))
	var said bytes.Buffer
	exit := run([]string{"mcp"}, streams{in: openFile(t, in), out: fullDisk{}, err: &said})
	if exit != exitIO || said.String() != "ocp mcp: standard output: no space left on device\n" {
		t.Errorf("exit %d: %s", exit, said.String())
	}
}

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }
