package client

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// shells are what a client may hand a command to, and what /bin/sh may be; those that are there are tried.
var shells = [][]string{{"/bin/sh", "-c"}, {"dash", "-c"}, {"bash", "-c"}, {"busybox", "sh", "-c"}, {"zsh", "-c"}, {"ksh", "-c"}, {"mksh", "-c"}, {"fish", "-c"}}

func eachShell(t *testing.T, f func(t *testing.T, shell []string)) {
	for _, shell := range shells {
		if _, err := exec.LookPath(shell[0]); err != nil {
			continue // /bin/sh is always there
		}
		t.Run(strings.Join(shell, " "), func(t *testing.T) { f(t, shell) })
	}
}

// stub writes a program under a name that needs quotes, beside a folder for what it leaves.
func stub(t *testing.T, body string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), `o'c "p" $x;`, "ocp")
	os.MkdirAll(filepath.Dir(name), 0o755)
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

type ran struct {
	status      int
	out, errors string
}

// run runs a line as a client does.
func run(t *testing.T, shell []string, line, stdin string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(shell[0], append(shell[1:len(shell):len(shell)], line)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ran{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

var stubs = map[string]string{
	"usage":     "echo 'ocp hook: why' >&2; exit 2",
	"silent":    "exit 2",
	"failure":   "exit 1",
	"internal":  "echo trace >&2; exit 70",
	"killed":    "kill -9 $$",
	"crashed":   "kill -SEGV $$",
	"the guard": "kill -9 $PPID", // the inner shell is killed
	"hangs":     "exec sleep 100",
	"stopped":   "kill -STOP $$",
}

func TestWrapperTurnsEveryFailureIntoABlock(t *testing.T) {
	eachShell(t, func(t *testing.T, shell []string) {
		for name, body := range stubs {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				got := run(t, shell, soon(lineFor(t, codex, "PreToolUse", stub(t, body))), "{}")
				if got.status != 2 || !strings.Contains(got.errors, "ocp hook: this call was not run") {
					t.Errorf("%+v", got)
				}
			})
		}
	})
}

func TestWrapperReportsEveryFailureElsewhere(t *testing.T) {
	eachShell(t, func(t *testing.T, shell []string) {
		for name, body := range stubs {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				got := run(t, shell, soon(lineFor(t, claudeCode, "Stop", stub(t, body))), "{}")
				if got.status != 0 || got.out != `{"systemMessage":"`+failure(TurnEnd)+"\"}\n" {
					t.Errorf("%+v", got)
				}
			})
		}
	})
}

func TestWrapperAtEachEvent(t *testing.T) {
	each(t, func(t *testing.T, c *Client) {
		if c.plugin {
			return // the plugin has its own
		}
		program := stub(t, stubs["killed"])
		for _, e := range c.events {
			got := run(t, shells[0], c.command(e, program), "{}")
			if (got.status == 2) != e.kind.Guards() || (got.status == 0) == e.kind.Guards() || (got.out == "") != e.kind.Guards() {
				t.Errorf("%s: %+v", e.word, got)
			}
			if e.kind == After && got.out != string(c.Stop(After, failure(After)).Stdout) {
				t.Errorf("%s: %s", e.word, got.out)
			}
		}
	})
}

func TestWrapperWithoutAProgram(t *testing.T) {
	eachShell(t, func(t *testing.T, shell []string) {
		for _, program := range []string{filepath.Join(t.TempDir(), "gone"), t.TempDir(), "no-such-ocp"} {
			if got := run(t, shell, lineFor(t, codex, "PreToolUse", program), "{}"); got.status != 2 || !strings.Contains(got.errors, "ocp hook: this call was not run") {
				t.Errorf("%+v", got)
			}
		}
	})
}

func TestWrapperPassesInputAnswerAndArguments(t *testing.T) {
	eachShell(t, func(t *testing.T, shell []string) {
		program := stub(t, `echo "$# $1 $2 $3"; cat; echo note >&2`)
		large := strings.Repeat("0123456789", 100_000)
		got := run(t, shell, lineFor(t, codex, "PreToolUse", program), large)
		if got.status != 0 || got.out != "3 hook codex PreToolUse\n"+large || got.errors != "note\n" {
			t.Errorf("status %d, %d bytes, %q", got.status, len(got.out), got.errors)
		}
	})
}

// Nothing that a client waits on is held when the line is over, and neither a hook nor a watch outlives a guard that was killed. The guard starts
// the watch right after the hook, which waits for it here.
func TestNothingOutlivesTheGuard(t *testing.T) {
	eachShell(t, func(t *testing.T, shell []string) {
		left, watch := filepath.Join(t.TempDir(), "pid"), filepath.Join(t.TempDir(), "watch")
		program := stub(t, "echo $$ >'"+left+"'; until [ -e '"+watch+"' ]; do :; done; kill -9 $PPID; exec sleep 1000 >/dev/null 2>&1")
		line := strings.NewReplacer("(i=0;", "(: >"+watch+"; i=0;", " -lt 10 ", " -lt 100000 ").Replace(lineFor(t, codex, "PreToolUse", program))
		if got := run(t, shell, line, ""); got.status != 2 {
			t.Errorf("%+v", got)
		}
		pid := strings.TrimSpace(read(t, left))
		for exec.Command("kill", "-0", pid).Run() == nil {
			if text, _ := os.ReadFile("/proc/" + pid + "/stat"); bytes.Contains(text, []byte(") Z ")) {
				return // ended, and nobody has asked for its status
			}
		}
	})
}

// The line is what Codex trusts, and a newer version must not change it for nothing.
func TestTheLineIsStable(t *testing.T) {
	e, _ := codex.event("PreToolUse")
	const want = `/bin/sh -c 'exec 3<&0; "$0" "$@" <&3 3<&- & h=$!; (i=0; while [ $i -lt 10 ] && kill -0 $$; do sleep 1; i=$((i+1)); done; kill -9 $h) </dev/null 3<&- >/dev/null 2>&1 & w=$!; exec 3<&-; wait $h; s=$?; kill $w 2>/dev/null; exit $s' ` +
		`'/usr/local/bin/ocp' hook codex PreToolUse || /bin/sh -c 'echo "$0" >&2; exit 2' 'ocp hook: this call was not run, because it could not be recorded first (see: ocp hook status)'`
	if got := codex.command(e, "/usr/local/bin/ocp"); got != want {
		t.Errorf("got %s", got)
	}
	if !strings.Contains(pluginSource, "const deadline = "+strconv.Itoa(deadline*1000)) {
		t.Error("the deadline is not that of the code")
	}
}

func TestOursKnowsItsLine(t *testing.T) {
	for _, program := range []string{"ocp", program, `a' 'b`, `'`, `''`, ` `, `x' hook codex PreToolUse || '`} {
		for _, e := range codex.events {
			if got, ok := codex.ours(codex.command(e, program), e); !ok || got != program {
				t.Errorf("%s: %q, %v", program, got, ok)
			}
			if _, ok := claudeCode.ours(codex.command(e, program), e); ok {
				t.Errorf("%s: taken for another client's", program)
			}
		}
	}
	for _, line := range []string{"", "ocp hook codex Stop", "/bin/sh -c 'x' hook codex Stop || true", "echo 'ocp hook: ' hook codex Stop || true"} {
		if _, ok := codex.ours(line, event{word: "Stop"}); ok {
			t.Errorf("%q", line)
		}
	}
}

func lineFor(t *testing.T, c *Client, word, program string) string {
	t.Helper()
	e, err := c.event(word)
	if err != nil {
		t.Fatal(err)
	}
	return c.command(e, program)
}

// soon is a line with a deadline of one second.
func soon(line string) string { return strings.Replace(line, " -lt 10 ", " -lt 1 ", 1) }
