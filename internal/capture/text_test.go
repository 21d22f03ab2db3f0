package capture

import (
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
	} {
		if rest, found := withoutTagged(c.in, piInjected); rest != c.rest || found != c.found {
			t.Errorf("%q: %q %v", c.in, rest, found)
		}
	}
	for in, want := range map[string]string{"a<r>b</r>c": "ac", "a<r>b": "a", "<r></r>": "", "a": "a", "a<r>b</r>c<r>d</r>e": "ace"} {
		if got, _ := withoutElement(in, "r"); got != want {
			t.Errorf("%q: %q", in, got)
		}
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
