package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// hooked is a project whose client has the hook, and its environment.
type hooked struct {
	dir, settings string
	env           []string
}

func newHooked(tb testing.TB) *hooked {
	tb.Helper()
	dir := tb.TempDir()
	h := &hooked{dir: dir, settings: filepath.Join(dir, ".claude", "settings.json")}
	h.env = append(os.Environ(), "HOME="+dir, "CLAUDE_CONFIG_DIR=", "XDG_STATE_HOME="+filepath.Join(dir, "state"), "OCP_STORE=", "OCP_JOURNAL=")
	h.ocp(tb, "", "hook", "install", "claude-code", "--project")
	return h
}

// ocp runs the program in the project.
func (h *hooked) ocp(tb testing.TB, in string, args ...string) (out string, status int) {
	tb.Helper()
	c := exec.Command(program(), args...)
	return h.run(tb, c, in)
}

func (h *hooked) run(tb testing.TB, c *exec.Cmd, in string) (out string, status int) {
	tb.Helper()
	var both bytes.Buffer
	c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr = h.dir, h.env, strings.NewReader(in), &both, &both
	if err := c.Run(); err != nil && c.ProcessState == nil {
		tb.Fatal(err)
	}
	return both.String(), c.ProcessState.ExitCode()
}

// command is what the settings have for an event.
func (h *hooked) command(tb testing.TB, word string) string {
	tb.Helper()
	text, err := os.ReadFile(h.settings)
	if err != nil {
		tb.Fatal(err)
	}
	var settings struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	if err := json.Unmarshal(text, &settings); err != nil {
		tb.Fatal(err)
	}
	return settings.Hooks[word][0].Hooks[0].Command
}

func (h *hooked) event(word, call string) string {
	return fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s","transcript_path":"%s/log.jsonl","cwd":%q,"prompt":"go","tool_name":"Bash","tool_use_id":%q,"tool_input":{"command":"true"}}`,
		word, h.dir, h.dir, call)
}

// TestHookInstalled: what install writes runs the program at the client's event, and status says so; remove leaves nothing.
func TestHookInstalled(t *testing.T) {
	h := newHooked(t)
	for _, word := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"} {
		if out, status := h.run(t, exec.Command("sh", "-c", h.command(t, word)), h.event(word, "c")); status != 0 || out != "" {
			t.Errorf("%s: status %d, %s", word, status, out)
		}
	}
	files, err := filepath.Glob(filepath.Join(h.dir, "state", "ocp-journal", "*.journal"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"event":"active"`, `"event":"prompt"`, `"covers":"*"`, `"event":"dispatch"`, `"event":"result"`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if out, _ := h.ocp(t, "", "hook", "status", "claude-code", "--project"); !strings.HasPrefix(out, "claude-code  installed  ") {
		t.Errorf("%s", out)
	}
	if out, status := h.ocp(t, "", "hook", "install", "claude-code", "--project", "--remove"); status != 0 {
		t.Errorf("%s", out)
	}
	if _, err := os.Stat(h.settings); !os.IsNotExist(err) {
		t.Errorf("the settings are left: %v", err)
	}
}

// TestHookBlocks: an event that cannot be recorded, and a call of the hook that is no event, end with status 2 and a line.
func TestHookBlocks(t *testing.T) {
	h := newHooked(t)
	if err := os.WriteFile(filepath.Join(h.dir, "state"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		in   string
		args []string
	}{
		{h.event("PreToolUse", "c"), []string{"hook", "claude-code", "PreToolUse"}},
		{h.event("UserPromptSubmit", "c"), []string{"hook", "claude-code", "UserPromptSubmit"}},
		{"", []string{"hook", "claude-code", "PreToolUse"}},
		{"{}", []string{"hook", "claude-code", "NoEvent"}},
		{"{}", []string{"hook", "no-client", "PreToolUse"}},
		{"{}", []string{"hook", "claude-code", "PreToolUse", "--no-flag"}},
		{"{}", []string{"hook", "claude-code"}},
		{"{}", []string{"hook"}},
	} {
		if out, status := h.ocp(t, c.in, c.args...); status != 2 || strings.TrimSpace(out) == "" {
			t.Errorf("%q: status %d, %q", c.args, status, out)
		}
	}
	if out, status := h.ocp(t, h.event("Stop", "c"), "hook", "claude-code", "Stop"); status != 0 || !strings.Contains(out, "systemMessage") {
		t.Errorf("a turn's end: status %d, %q", status, out)
	}
}

// BenchmarkHook is one event as a client runs it: the wrapper, the program, a synced record. A directory that is synced, by itself, is what the disk takes.
func BenchmarkHook(b *testing.B) {
	h := newHooked(b)
	for _, word := range []string{"PreToolUse", "PostToolUse"} {
		command := h.command(b, word)
		b.Run(word, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if out, status := h.run(b, exec.Command("sh", "-c", command), h.event(word, fmt.Sprint(i))); status != 0 {
					b.Fatal(out)
				}
			}
		})
	}
	b.Run("sh", func(b *testing.B) {
		for b.Loop() {
			h.run(b, exec.Command("sh", "-c", "sh -c 'exit 0' || exit 2"), "")
		}
	})
}
