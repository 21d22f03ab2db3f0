package client

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func status(t *testing.T, c *Client, p Place) Status {
	t.Helper()
	s, err := c.Status(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// installed puts hooks into a new place whose program can be run.
func installed(t *testing.T, c *Client) (p Place, program string) {
	t.Helper()
	dir := t.TempDir()
	p = c.files.place(dir, dir)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Install(p, program); err != nil {
		t.Fatal(err)
	}
	return p, program
}

func TestStatus(t *testing.T) {
	each(t, func(t *testing.T, c *Client) {
		if s := status(t, c, Place{File: filepath.Join(t.TempDir(), "x")}); s.State != NotInstalled || s.AllTools {
			t.Errorf("nothing: %+v", s)
		}
		p, program := installed(t, c)
		s := status(t, c, p)
		want := Installed
		if c == codex {
			want = NotTrusted
		}
		if s.State != want || s.Program != program || s.AllTools != (want == Installed) {
			t.Errorf("installed: %+v", s)
		}
	})
}

func TestStatusSeesDamage(t *testing.T) {
	for name, d := range map[string]struct {
		c        *Client
		old, new string
		allTools bool
		problem  string
	}{
		"no event":        {claudeCode, `"PreToolUse"`, `"Other"`, false, "the hook for PreToolUse is missing"},
		"no other event":  {claudeCode, `"PreCompact"`, `"Other"`, true, "the hook for PreCompact is missing"},
		"a matcher":       {geminiCLI, "\"BeforeTool\": [\n      {", "\"BeforeTool\": [\n      {\"matcher\": \"write_.*\",", false, "the hook for BeforeTool is not as it was written"},
		"a short timeout": {geminiCLI, "60000", "60", true, "is not as it was written"},
		"turned off":      {claudeCode, "{\n  \"hooks\"", "{\"disableAllHooks\": true,\n  \"hooks\"", false, "hooks are turned off by disableAllHooks"},
		"off in Gemini":   {geminiCLI, "{\n  \"hooks\"", "{\"hooksConfig\": {\"enabled\": false},\n  \"hooks\"", false, "hooks are turned off by hooksConfig.enabled"},
		"no program":      {claudeCode, filepath.Base(os.Args[0]), "gone", true, "the program cannot be run"},
		"plugin changed":  {openCode, "10000", "100000", false, "the plugin is not as it was written"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := installed(t, d.c)
			text := read(t, p.File)
			if !strings.Contains(text, d.old) {
				t.Fatalf("%q is not in %s", d.old, text)
			}
			n := 1
			if name == "no program" {
				n = -1
			}
			write(t, p.File, strings.Replace(text, d.old, d.new, n))
			s := status(t, d.c, p)
			if s.State != Damaged || s.AllTools != d.allTools || !strings.Contains(strings.Join(s.Problems, "\n"), d.problem) {
				t.Errorf("%+v", s)
			}
		})
	}
}

// The hashes are those that Codex 0.171.0 gave for these commands.
func TestHashIsThatOfCodex(t *testing.T) {
	for _, h := range seenHashes {
		e, err := codex.event(h.word)
		if err != nil {
			t.Fatal(err)
		}
		if got := codex.hash(hook{event: e, program: "/usr/local/bin/ocp"}); got != h.hash {
			t.Errorf("%s: %s", h.word, got)
		}
	}
}

func TestTrust(t *testing.T) {
	p, program := installed(t, codex)
	config := ""
	for _, e := range codex.events {
		h := hook{event: e, program: program}
		config += "[hooks.state.\"" + p.File + ":" + snake(e.word) + ":0:0\"]\ntrusted_hash = \"" + codex.hash(h) + "\"\n"
	}
	for name, d := range map[string]struct {
		old, new string
		state    State
		all      bool
		problem  string
	}{
		"all":         {"", "", Installed, true, ""},
		"one is not":  {"pre_tool_use:0:0", "pre_tool_use:1:0", NotTrusted, false, "the hook for PreToolUse is not trusted yet"},
		"one changed": {codex.hash(hook{event: codex.events[4], program: program}), "sha256:00", NotTrusted, true, "the hook for Stop is not the one that was trusted"},
		"one is off":  {"post_tool_use:0:0\"]\n", "post_tool_use:0:0\"]\nenabled = false\n", Damaged, false, "the hook for PostToolUse is turned off"},
		"all are off": {"[hooks", "[features]\nhooks = false\n[hooks", Damaged, false, "hooks are turned off by features.hooks"},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, p.Trust, strings.Replace(config, d.old, d.new, 1))
			s := status(t, codex, p)
			if s.State != d.state || s.AllTools != d.all || !strings.Contains(strings.Join(s.Problems, "\n"), d.problem) {
				t.Errorf("%+v", s)
			}
		})
	}
	write(t, p.Trust, "[hooks\n")
	if _, err := codex.Status(p); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("broken: %v", err)
	}
}

func TestAProjectIsTrustedFirst(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	p, err := codex.ProjectPlace(project, func(name string) string { return map[string]string{"CODEX_HOME": home}[name] })
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	codex.Install(p, program)
	for config, trusted := range map[string]bool{
		"": false,
		"[projects.\"" + project + "\"]\ntrust_level = \"untrusted\"\n":             false,
		"[projects.\"" + project + "\"]\ntrust_level = \"trusted\"\n":               true,
		"[projects.\"" + filepath.Dir(project) + "\"]\ntrust_level = \"trusted\"\n": true,
	} {
		write(t, p.Trust, config)
		s := status(t, codex, p)
		if got := !strings.Contains(strings.Join(s.Problems, "\n"), "the project is not trusted"); got != trusted || s.State != NotTrusted {
			t.Errorf("%s: %+v", config, s)
		}
	}
}
