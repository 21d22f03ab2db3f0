package client

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// A generator of settings: any members, other programs' hooks, any white space, and comments where the client reads them.
type generator struct {
	*rand.Rand
	comments bool
	newline  string
	depth    int
}

func (g *generator) white() string {
	switch g.IntN(6) {
	case 0:
		return ""
	case 1:
		return " "
	case 2:
		return g.newline + strings.Repeat("\t", g.depth)
	case 3:
		if g.comments {
			return " // it's a \"comment\" }" + g.newline
		}
	case 4:
		if g.comments {
			return "/* , ] */ "
		}
	}
	return g.newline + strings.Repeat("  ", g.depth)
}

func (g *generator) value() string {
	switch g.IntN(8) {
	case 0:
		return `"tê\u0301xt \\ \"{"`
	case 1:
		return "12345678901234567890.5e3"
	case 2:
		return "null"
	case 3:
		return "true"
	case 4, 5:
		return g.array(g.IntN(3), g.value)
	}
	return g.object(g.IntN(3), func(i int) string { return fmt.Sprintf(`"m%d":`, i) + g.white() + g.value() })
}

func (g *generator) array(n int, item func() string) string {
	return g.container("[", "]", n, func(int) string { return item() })
}

func (g *generator) object(n int, member func(int) string) string {
	return g.container("{", "}", n, member)
}

func (g *generator) container(open, end string, n int, item func(int) string) string {
	g.depth++
	defer func() { g.depth-- }()
	text := open
	for i := range n {
		text += g.white() + item(i) + g.white()
		if i < n-1 {
			text += ","
		}
	}
	return text + g.white() + end
}

// group is another program's.
func (g *generator) group() string {
	return g.object(2, func(i int) string {
		if i == 0 {
			return `"matcher": "Bash"`
		}
		return `"hooks":` + g.array(g.IntN(3), func() string { return `{"type": "command", "command": "/bin/sh -c 'lint' hook || true"}` })
	})
}

func (g *generator) hooks(c *Client) string {
	words := append([]string{"Notification"}, c.Words()...)
	g.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return g.object(g.IntN(4), func(i int) string { return quoted(words[i]) + ":" + g.white() + g.array(g.IntN(3), g.group) })
}

func (g *generator) settings(c *Client) string {
	if g.IntN(12) == 0 {
		return []string{"", "\n", " ", "\r\n", "\n\n\t"}[g.IntN(5)]
	}
	n := g.IntN(4)
	at := g.IntN(4)
	return g.white() + g.object(n, func(i int) string {
		if i == at {
			return `"hooks":` + g.white() + g.hooks(c)
		}
		return fmt.Sprintf(`"s%d":`, i) + g.white() + g.value()
	}) + g.white() + g.last()
}

// last is what ends the text: at times a comment with no line feed behind it.
func (g *generator) last() string {
	if g.comments && g.IntN(4) == 0 {
		return "// last"
	}
	return ""
}

func generated(seed uint64, c *Client) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7)), comments: c.files.comments, newline: "\n"}
	if g.IntN(4) == 0 {
		g.newline = "\r\n"
	}
	text := g.settings(c)
	if c.files.mark && g.IntN(8) == 0 {
		text = byteOrderMark + text
	}
	return text
}

// inSettings checks a law for many settings.
func inSettings(t *testing.T, law func(t *testing.T, c *Client, text string)) {
	each(t, func(t *testing.T, c *Client) {
		if c.plugin {
			return // which is no settings file
		}
		for seed := range uint64(testdoc.Few(500)) {
			text := generated(seed, c)
			law(t, c, text)
			if t.Failed() {
				t.Fatalf("seed %d: %q", seed, text)
			}
		}
	})
}

func install(t *testing.T, c *Client, text, program string) string {
	t.Helper()
	got, err := c.installed(&file{text: []byte(text)}, "settings", program)
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return string(got)
}

func uninstall(t *testing.T, c *Client, text string) string {
	t.Helper()
	s, err := c.without(parsed(t, c, text), "settings")
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return string(s.text)
}

func parsed(t *testing.T, c *Client, text string) *settings {
	t.Helper()
	s, err := parseSettings("settings", &file{text: []byte(text)}, c.files)
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return s
}

func installedHooks(t *testing.T, c *Client, text string) []hook {
	t.Helper()
	s := parsed(t, c, text)
	_, lists, err := s.eventLists("settings")
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return c.hooks(s, lists)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	os.MkdirAll(filepath.Dir(name), 0o755)
	if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func changes(t *testing.T, want bool, changed bool, err error) {
	t.Helper()
	if err != nil || changed != want {
		t.Errorf("changed %v, error %v; want changed %v", changed, err, want)
	}
}

const program = `/opt/o'c p/"ocp"`

func each(t *testing.T, f func(t *testing.T, c *Client)) {
	for _, c := range clients {
		t.Run(c.Name, func(t *testing.T) { f(t, c) })
	}
}

func TestRemoveUndoesInstallToTheByte(t *testing.T) {
	inSettings(t, func(t *testing.T, c *Client, text string) {
		if got := uninstall(t, c, install(t, c, text, program)); got != text {
			t.Errorf("got %q", got)
		}
		if got := uninstall(t, c, text); got != text {
			t.Errorf("took %q", got)
		}
	})
}

func TestInstallAddsAndTakesNothing(t *testing.T) {
	inSettings(t, func(t *testing.T, c *Client, text string) {
		if got := install(t, c, text, program); !isSubsequence(text, got) {
			t.Errorf("not all of it is in %q", got)
		}
	})
}

func TestAddedLinesEndAsTheOthersDo(t *testing.T) {
	inSettings(t, func(t *testing.T, c *Client, text string) {
		got := install(t, c, text, program)
		if strings.Contains(text, "\r\n") && strings.Count(got, "\n") != strings.Count(got, "\r\n") {
			t.Errorf("got %q", got)
		}
		if !strings.Contains(text, "\r") && strings.Contains(got, "\r") {
			t.Errorf("got %q", got)
		}
	})
}

func isSubsequence(part, whole string) bool {
	for i := 0; part != "" && i < len(whole); i++ {
		if whole[i] == part[0] {
			part = part[1:]
		}
	}
	return part == ""
}

func TestInstallIsIdempotentAndWhole(t *testing.T) {
	inSettings(t, func(t *testing.T, c *Client, text string) {
		first := install(t, c, text, program)
		if got := install(t, c, first, program); got != first {
			t.Errorf("%q became %q", first, got)
		}
		if !c.complete(installedHooks(t, c, first), program) {
			t.Errorf("not complete: %s", first)
		}
		if got := install(t, c, install(t, c, text, "/old/ocp"), program); got != first {
			t.Errorf("over another program: %q", got)
		}
	})
}

// The places of the hooks that are there are what Codex knows them by.
func TestInstallKeepsThePlacesOfOthers(t *testing.T) {
	inSettings(t, func(t *testing.T, c *Client, text string) {
		was, is := commands(t, c, text), commands(t, c, install(t, c, text, program))
		for place, command := range was {
			if is[place] != command {
				t.Errorf("%s: %q became %q", place, command, is[place])
			}
		}
	})
}

// commands are all hooks by event, group and place in it.
func commands(t *testing.T, c *Client, text string) map[string]string {
	t.Helper()
	s := parsed(t, c, text)
	_, lists, err := s.eventLists("settings")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, l := range lists {
		for g, group := range jsonspan.Items(s.plain, l.Value) {
			entries, _ := s.find(group.Value, "hooks")
			for i, e := range jsonspan.Items(s.plain, entries.Value) {
				all[fmt.Sprint(s.name(l), g, i)] = s.command(e.Value)
			}
		}
	}
	return all
}

func TestRemoveTakesOnlyItsOwnAfterOthersHaveWritten(t *testing.T) {
	inSettings(t, func(t *testing.T, c *Client, text string) {
		start := quoted(c.events[3].word) + ": ["
		other := `{"hooks":[{"type":"command","command":"other"}]}`
		before := strings.Replace(install(t, c, text, program), start, start+" "+other+",", 1)
		got := uninstall(t, c, before)
		if strings.Count(got, other) != strings.Count(before, other) || len(installedHooks(t, c, got)) > 0 {
			t.Errorf("got %q", got)
		}
	})
}

func TestWhereThereWasNoFileThereIsNoneAgain(t *testing.T) {
	each(t, func(t *testing.T, c *Client) {
		p := Place{File: filepath.Join(t.TempDir(), "a", "b", c.files.name)}
		changed, err := c.Remove(p)
		changes(t, false, changed, err)
		changed, err = c.Install(p, program)
		changes(t, true, changed, err)
		if s := status(t, c, p); s.Program != program || !s.AllTools {
			t.Errorf("%+v", s)
		}
		changed, err = c.Install(p, program)
		changes(t, false, changed, err)
		changed, err = c.Remove(p)
		changes(t, true, changed, err)
		if left, _ := os.ReadDir(filepath.Dir(p.File)); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
}

func TestAHookBesideOursInOneGroupStays(t *testing.T) {
	p := Place{File: filepath.Join(t.TempDir(), "settings.json")}
	claudeCode.Install(p, program)
	text := strings.Replace(read(t, p.File), `"hooks": [
          {`, `"hooks": [
          {"type": "command", "command": "other"},
          {`, 1)
	write(t, p.File, text)
	if s := status(t, claudeCode, p); s.State != Damaged {
		t.Errorf("%+v", s)
	}
	claudeCode.Remove(p)
	if got, want := strings.Join(strings.Fields(read(t, p.File)), ""), `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"other"}]}]}}`; got != want {
		t.Errorf("got %s", got)
	}
}

// Codex knows a hook by its place, so one that is as it should be is not moved behind what came later.
func TestInstallLeavesAndMends(t *testing.T) {
	text := install(t, codex, `{}`, program)
	later := strings.Replace(text, `"Stop": [`, `"Stop": [{"hooks": []}, `, 1)
	later = strings.Replace(later, "\n      }\n    ],", "\n      }, {\"hooks\": []}\n    ],", 1)
	if got := install(t, codex, later, program); got != later || later == text {
		t.Errorf("%q became %q", later, got)
	}
	for old, changed := range map[string]string{`"timeout": 60`: `"timeout": 600`, ` -lt 10 `: ` -lt 1000 `, `"command": "/bin/sh`: `"async": true, "command": "/bin/sh`} {
		broken := strings.Replace(text, old, changed, 1)
		if got := install(t, codex, broken, program); broken == text || got != text {
			t.Errorf("%s stayed in %s", changed, got)
		}
	}
}

func TestAHookForAnEventOfAnotherVersionGoes(t *testing.T) {
	text := strings.ReplaceAll(install(t, codex, `{"a": 1}`, program), "PreCompact", "Former")
	if got := uninstall(t, codex, text); got != `{"a": 1}` {
		t.Errorf("got %s", got)
	}
	if got := install(t, codex, text, program); strings.Contains(got, "Former") || !strings.Contains(got, "PreCompact") {
		t.Errorf("got %s", got)
	}
}

func TestEntriesSayWhatTheClientReads(t *testing.T) {
	for _, d := range []struct {
		c          *Client
		word, tail string
	}{
		{claudeCode, "PreToolUse", `,"timeout":60,"onFailure":"block"}]}`},
		{claudeCode, "PostToolUse", `,"timeout":60}]}`},
		{codex, "PreToolUse", `,"timeout":60}]}`},
		{codex, "SessionEnd", `,"timeout":3}]}`},
		{geminiCLI, "BeforeTool", `,"timeout":60000,"name":"ocp hook"}]}`},
	} {
		e, err := d.c.event(d.word)
		want := `{"hooks":[{"type":"command","command":` + quoted(d.c.command(e, program)) + d.tail
		if got := d.c.group(e, program); err != nil || got != want {
			t.Errorf("%s %s: %s", d.c.Name, d.word, got)
		}
	}
}

func TestSettingsThatAreNotRead(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"a\": }":               ":2:8: ",
		`[]`:                          ":1:1: the settings are not an object",
		`{"hooks": []}`:               ":1:11: hooks is not an object",
		"{\"hooks\": {\n\"Stop\":3}}": ":2:8: hooks.Stop is not an array",
		`{"a":1,"a":2}`:               ":1:8: ",
		"{} // comment":               ":1:4: ",
		`{"a":[1,],}`:                 ":1:9: ",
	} {
		p := Place{File: filepath.Join(t.TempDir(), "settings.json")}
		write(t, p.File, text)
		_, err := claudeCode.Install(p, program)
		if err == nil || !strings.Contains(err.Error(), p.File+want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
		if got := read(t, p.File); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestACommentMayEndTheText(t *testing.T) {
	for _, c := range clients {
		if !c.files.comments {
			continue
		}
		for _, text := range []string{"{} // comment", "{} //", "// a\n{\"a\": 1} // b\r", "{\"hooks\": {}}\n/* a */ // b", "// a\n{\n}\n// b \u00e9"} {
			for _, text := range []string{text, text + "\n"} {
				if got := uninstall(t, c, install(t, c, text, program)); got != text {
					t.Errorf("%s: %q became %q", c.Name, text, got)
				}
			}
		}
	}
}

// The first comment is not the one that is wrong.
func TestAWrongTextAmongComments(t *testing.T) {
	for text, want := range map[string]string{
		"// a\n{\n\"a\": 1 /* b\n}":        "s:3:8: parsing comment: unexpected EOF",
		"// a\n{} // b\u2028 c":            "s:2:8: ",
		"// a\n{\"a\": }":                  "s:2:7: ",
		"// a\n{\"a\": 1,\n\"a\": 2} // b": "s:3:1: ",
		"// a\n{} 1 // b":                  "s:2:4: ",
		"// a\n{\"a\": // b":               "s:2:11: ",
	} {
		if _, err := parseSettings("s", &file{text: []byte(text)}, geminiCLI.files); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}

func TestACommaBehindTheLastItemIsNotRead(t *testing.T) {
	for text, want := range map[string]string{"{\"a\": 1, // c\n}": "s:2:1: there is a comma behind the last item", "// c\n{\"a\": [[1,]]}": "s:2:11: "} {
		if _, err := parseSettings("s", &file{text: []byte(text)}, geminiCLI.files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAnEditKeepsModeAndLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "dot", "settings.json"), filepath.Join(dir, "settings.json")
	write(t, target, "{}")
	if err := os.Symlink(filepath.Join("dot", "settings.json"), link); err != nil {
		t.Fatal(err)
	}
	claudeCode.Install(Place{File: link}, program)
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if info, _ := os.Stat(target); info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	os.Remove(target)
	if changed, err := claudeCode.Install(Place{File: link}, program); !changed || err != nil || read(t, target) == "" {
		t.Errorf("a link to nothing: %v", err)
	}
}

func TestAFileChangedMeanwhileIsNotWrittenOver(t *testing.T) {
	name := filepath.Join(t.TempDir(), "settings.json")
	write(t, name, "{}")
	f, err := openFile(name)
	if err != nil {
		t.Fatal(err)
	}
	write(t, name, `{"a":1}`)
	if err := f.replace([]byte("{}\n")); err == nil || read(t, name) != `{"a":1}` {
		t.Errorf("written over: %v", err)
	}
	left, _ := os.ReadDir(filepath.Dir(name))
	if len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

func TestAnotherPluginIsNotWrittenOver(t *testing.T) {
	p := Place{File: filepath.Join(t.TempDir(), "ocp-hook.js")}
	write(t, p.File, "export const Mine = 1\n")
	if _, err := openCode.Install(p, program); err == nil {
		t.Error("written over")
	}
	changed, err := openCode.Remove(p)
	changes(t, false, changed, err)
	if got := read(t, p.File); got != "export const Mine = 1\n" {
		t.Errorf("got %q", got)
	}
}

func TestPluginNamesItsProgram(t *testing.T) {
	text := plugin(program)
	if bytes.Contains(text, []byte(pluginProgram)) || runBy(text) != program {
		t.Errorf("runs %q", runBy(text))
	}
}

func TestPlaces(t *testing.T) {
	env := map[string]string{"HOME": "/home/u"}
	getenv := func(name string) string { return env[name] }
	moved := map[string]string{"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "GEMINI_CLI_HOME": "/g", "XDG_CONFIG_HOME": "/o"}
	want := map[string][3]string{
		"claude-code": {"/home/u/.claude/settings.json", "/c/settings.json", "/p/.claude/settings.json"},
		"codex":       {"/home/u/.codex/hooks.json", "/x/hooks.json", "/p/.codex/hooks.json"},
		"gemini-cli":  {"/home/u/.gemini/settings.json", "/g/.gemini/settings.json", "/p/.gemini/settings.json"},
		"opencode":    {"/home/u/.config/opencode/plugins/ocp-hook.js", "/o/opencode/plugins/ocp-hook.js", "/p/.opencode/plugins/ocp-hook.js"},
	}
	each(t, func(t *testing.T, c *Client) {
		user, err := c.UserPlace(getenv)
		there, err2 := c.UserPlace(func(name string) string { return moved[name] })
		project, err3 := c.ProjectPlace("/p", getenv)
		got := [3]string{filepath.ToSlash(user.File), filepath.ToSlash(there.File), filepath.ToSlash(project.File)}
		if got != want[c.Name] || err != nil || err2 != nil || err3 != nil {
			t.Errorf("%v %v %v %v", got, err, err2, err3)
		}
		if _, err := c.UserPlace(func(string) string { return "" }); err == nil {
			t.Error("no home and no error")
		}
	})
	if p, _ := codex.ProjectPlace("/p", getenv); filepath.ToSlash(p.Trust) != "/home/u/.codex/config.toml" {
		t.Errorf("trust in %s", p.Trust)
	}
}
