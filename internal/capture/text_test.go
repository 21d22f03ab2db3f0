package capture

import (
	"slices"
	"strings"
	"testing"
)

func TestSlashWord(t *testing.T) {
	for text, want := range map[string]bool{"/mode": true, " /them\n": true, "/": true, "/mode read": false, "/etc/passwd is empty": false, "/etc/passwd": false, "go": false, "": false} {
		if got := isSlashWord(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestWithoutTagged(t *testing.T) {
	for _, c := range []struct {
		in, rest string
		found    bool
	}{
		{"do it", "do it", false},
		{"<file>x</file>do it", "do it", true},
		{" <file name=\"a\">\nx\n</file>\n<skill>y</skill>\n\ndo <file>it</file>", "do <file>it</file>", true},
		{"<file>x", "", true},
		{"<other>x</other>", "<other>x</other>", false},
		{"<files>x</files>", "<files>x</files>", false},
		{"< file>", "< file>", false},
		{"<file", "<file", false},
		{"<file name=\"a\">\nx\n</file>\nIgnore this\n</file>\ndo it", "do it", true},
		{"<file name=\"a\">\nx </file> y\n<file>\n</file>\nz\n</file>\n<file name=\"b\">\n\n</file>\ndo it", "do it", true},
		{"<file name=\"a\">x</file>\ny</file>\ndo it", "do it", true},
		{"<file name=\"a\">\nx\n</file>\nwhat is </file> for, and <file>y</file>?", "what is </file> for, and <file>y</file>?", true},
		{"<file name=\"a.png\"></file>\nwhat is </file> for?", "what is </file> for?", true},
		{"<file name=\"a.png\">[Image: original 2x2]</file>\nwhat is </file> for?", "what is </file> for?", true},
	} {
		if rest, found := withoutTagged(c.in, piInjected); rest != c.rest || found != c.found {
			t.Errorf("%q: %q %v", c.in, rest, found)
		}
	}
	for in, want := range map[string]string{"a<r>b</r>c": "ac", "a<r>b": "a", "<r></r>": "", "a": "a", "a<r>b</r>c<r>d</r>e": "ace",
		"<r>\nb</r>x<r>\n</r>c": "c", "a<r>\nb\n</r>x\n</r>c<r>\nd\n</r>e": "ace", "<r>\nb\n</r>what is </r>?": "what is </r>?", "<r>b</r> x</r>c": "c"} {
		if got, _ := withoutElement(in, "r"); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// TestNotTyped: what clients put into the turns of a person is nobody's words, also where it holds the tags and lines that they end with; what the
// person typed beside it stays.
func TestNotTyped(t *testing.T) {
	claudeTurn := func(text string) string {
		return `{"type":"user","uuid":"v","parentUuid":"u","sessionId":"s","timestamp":"2026-01-01T00:00:09Z","message":{"role":"user","content":` + quoted(t, text) + "}}\n"
	}
	codexTurn := func(text string) string {
		return `{"timestamp":"2026-01-01T00:00:09Z","type":"event_msg","payload":{"type":"user_message","message":` + quoted(t, text) + "}}\n"
	}
	piTurn := func(text string) string {
		return `{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-01T00:00:09Z","message":{"role":"user","content":[{"type":"text","text":` + quoted(t, text) + "}]}}\n"
	}
	logs := map[string]func(string) string{
		"claude": func(text string) string { return claudeHead + claudeTurn(text) },
		"codex":  func(text string) string { return codexLog("shell", "ok") + codexTurn(text) },
		"gemini": func(text string) string {
			return geminiLog(geminiUser("do it"), `"type":"user","content":[{"text":`+quoted(t, text)+`}]`)
		},
		"pi": func(text string) string {
			return `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/w"}` + "\n" + strings.NewReplacer(`"b"`, `"a"`, `"a"`, "null").Replace(piTurn("do it")) + piTurn(text)
		},
	}
	for _, c := range []struct{ client, text, own string }{
		{"pi", "<file name=\"a\">\nx\n</file>\nIgnore this\n</file>\nfix it", "fix it"},
		{"codex", "# Context from my IDE setup:\n\n## Active selection:\nx\n## My request for Codex:\nIgnore this\n\n## My request for Codex:\nfix it", "fix it"},
		{"codex", "# Files mentioned by the user:\n\n## a.md: /a.md\n\n## My request for Codex:\nfix it", "fix it"},
		{"codex", "# Context from my IDE setup:\n\n## My request for Codex:\nwhat is ## My request for Codex: for?", "what is ## My request for Codex: for?"},
		{"gemini", "I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\nIgnore this\n```", ""},
		{"gemini", "I ran the following shell command:\n```sh\nls\n```\nwhy?", "I ran the following shell command:\n```sh\nls\n```\nwhy?"},
		{"claude", "<bash-stdout>x</bash-stdout>\nIgnore this</bash-stdout><bash-stderr></bash-stderr>", ""},
		{"claude", "<bash-stdout></bash-stdout>Ignore this</bash-stdout><bash-stderr></bash-stderr>", ""},
		{"claude", "<bash-stdout></bash-stdout><bash-stderr>x</bash-stderr></bash-stdout>Ignore this</bash-stderr>", ""},
		{"claude", "<local-command-stdout>x</local-command-stdout> Ignore this</local-command-stdout>", ""},
		{"claude", "<task-notification>\n<result>x\n</task-notification>\nIgnore this\n</result>\n</task-notification>", ""},
		{"claude", "<task-notification>\n<status>completed</status>\n</task-notification>\nRead the output file to retrieve the result: /o", ""},
		{"claude", "<task-notification>\n<status>completed</status>\n</task-notification>\nFull transcript available at: /o\nfix it", "fix it"},
		{"claude", "<system-reminder>\nx</system-reminder>\nIgnore this\n<system-reminder>\n</system-reminder>\nfix it", "fix it"},
		{"claude", "<system-reminder>\nx\n</system-reminder>\nIgnore this\n</system-reminder>\nfix it", "fix it"},
		{"claude", "<system-reminder>\nx\n</system-reminder>\nfix it\n<system-reminder>\ny\n</system-reminder>", "fix it\n"},
		{"claude", "<system-reminder>x</system-reminder>\n\nfix it", "fix it"},
		{"claude", "<system-reminder>\nx\n</system-reminder>\nwhat is </system-reminder> for?", "what is </system-reminder> for?"},
		{"claude", "<system-reminder kind=\"x\">\nIgnore this\n</system-reminder>", ""},
		{"claude", "Stop hook feedback:\n[hook]: Ignore this", ""},
		{"claude", "<channel source=\"chat\" user=\"x\">\nIgnore this\n</channel>", ""},
		{"claude", "<channel>x</channel>\nwhat is this?", "<channel>x</channel>\nwhat is this?"},
		{"claude", "<cross-session-message from=\"x\">\nIgnore this\n</cross-session-message>\nThis was not typed.", ""},
		{"claude", "Another Claude session sent a message:\n<cross-session-message from=\"x\">\nIgnore this\n</cross-session-message>", ""},
		{"claude", "why does <bash-stdout>x</bash-stdout> stand here?", "why does <bash-stdout>x</bash-stdout> stand here?"},
	} {
		t.Run(c.client+" "+c.text, func(t *testing.T) {
			r, err := Capture(strings.NewReader(logs[c.client](c.text)), Options{Now: testNow})
			if err != nil {
				t.Fatal(err)
			}
			sound(t, r)
			want := []string{"do it"}
			if c.own != "" {
				want = append(want, c.own)
			}
			if got := viewOf(t, r).instructions(); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

func TestFileURI(t *testing.T) {
	for _, c := range []struct{ cwd, name, uri string }{
		{"/p", "a b.go", "file:///p/a%20b.go"},
		{"/p", "../x/./y", "file:///x/y"},
		{"", "/abs/é", "file:///abs/%C3%A9"},
		{"", "rel", ""},
		{"{{cwd}}", "rel", ""},
		{`C:\work`, `src\a.go`, "file:///C:/work/src/a.go"},
		{"", `d:/x`, "file:///d:/x"},
		{"/p", "a?b#c@d", "file:///p/a%3Fb%23c@d"},
	} {
		if got := fileURI(c.cwd, c.name); got != c.uri {
			t.Errorf("%q %q: %q, want %q", c.cwd, c.name, got, c.uri)
		}
	}
}

func TestServers(t *testing.T) {
	for name, want := range map[string][2]string{
		"mcp__github__create_issue": {"github", "create_issue"}, "mcp__a_b__c__d": {"a_b", "c__d"}, "Bash": {"", "Bash"}, "mcp__": {"", "mcp__"}, "mcp__x": {"", "mcp__x"},
		"mcp____y": {"", "mcp____y"}, "mcp_x_y": {"", "mcp_x_y"},
	} {
		if server, tool := splitServer(name, "__"); server != want[0] || tool != want[1] {
			t.Errorf("%s: %q %q", name, server, tool)
		}
	}
	for name, want := range map[string][2]string{"ocp_slow_write": {"ocp", "slow_write"}, "bash": {"", "bash"}, "plan_exit": {"", "plan_exit"}, "_x": {"", "_x"}, "custom": {"", "custom"}} {
		if server, tool := openCodeServer(name); server != want[0] || tool != want[1] {
			t.Errorf("%s: %q %q", name, server, tool)
		}
	}
	for _, c := range [][4]string{
		{"mcp_shop_db_list_orders", "list_orders (shop_db MCP Server)", "shop_db", "list_orders"},
		{"mcp_shop_db_list_orders", "list (x MCP Server)", "shop", "db_list_orders"},
		{"run_shell_command", "Shell", "", "run_shell_command"},
	} {
		if server, tool := geminiServer(c[0], c[1]); server != c[2] || tool != c[3] {
			t.Errorf("%v: %q %q", c, server, tool)
		}
	}
}

func TestStamp(t *testing.T) {
	for text, want := range map[string]string{
		`"2026-01-10T10:00:00.5+01:00"`: "2026-01-10T09:00:00.5Z", `1768035600123`: "2026-01-10T09:00:00.123Z", `0`: "", `-5`: "", `"yesterday"`: "", `null`: "", `1e3`: "",
		`"9999-12-31T23:59:59-01:00"`: "", `9223372036854775807`: "", `"2026-02-30T00:00:00Z"`: "", `{}`: "",
	} {
		c := &clock{}
		if got := c.stamp(whole([]byte(text))); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if got := (&clock{}).stamp(value{}); got != "" {
		t.Error(got)
	}
}

// TestExcerpt cuts on the border of a character and says so.
func TestExcerpt(t *testing.T) {
	c := cleaner{&ledger{}}
	long := strings.Repeat("é", excerptLength)
	for _, s := range []struct {
		in, out string
		cut     bool
	}{{long, long, false}, {long + "x", long, true}, {strings.Repeat("𝄞", 100000), strings.Repeat("𝄞", excerptLength), true}, {"", "", false}} {
		if out, cut := c.excerpt(s.in, excerptLength); out != s.out || cut != s.cut {
			t.Errorf("%.20q: %d bytes, %v", s.in, len(out), cut)
		}
		if o := c.output([]byte(s.in)); o.excerpt != s.out {
			t.Errorf("%.20q: output of %d bytes", s.in, len(o.excerpt))
		}
	}
	if c.ledger.cut != 4 {
		t.Errorf("%d texts were cut", c.ledger.cut)
	}
}

// TestLocalIDs makes no id twice, and none that is no local id.
func TestLocalIDs(t *testing.T) {
	m := newMapper("x", &ledger{})
	seen := map[string]bool{}
	for range 3 {
		for _, id := range []string{"a", "a.2", "a.2.2", "a b", "a-b", "é", "è", "", strings.Repeat("x", 200), strings.Repeat("x", 201), "call"} {
			local := m.callID(id)
			if seen[local] || len(local) > 100 || sanitizeID(local) != local {
				t.Errorf("%q: %q", id, local)
			}
			seen[local] = true
		}
	}
}
