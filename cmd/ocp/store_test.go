package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestStoreDenied: a store that may not be read or written is an error in both modes, and never an absence.
func TestStoreDenied(t *testing.T) {
	dir := openDir(t)
	path := filepath.Join(dir, "store")
	if c := (child{args: []string{"save", "--agent=a", "--init", "--store", path}, in: strings.NewReader(smallDoc(1, "")), plain: true}).run(t); c.exit != 0 {
		t.Fatalf("%s", c.stderr)
	}
	for _, part := range []string{"", "agents", "objects"} {
		name := filepath.Join(path, part)
		if err := os.Chmod(name, 0); err != nil {
			t.Fatal(err)
		}
		for _, mode := range []string{"error", "empty"} {
			child{args: []string{"resume", "--agent=a", "--store", path, "--on-missing", mode}, plain: true}.run(t).expect(t, exitIO)
		}
		child{args: []string{"save", "--agent=a", "--store", path}, in: strings.NewReader(smallDoc(2, "")), plain: true}.run(t).expect(t, exitIO)
		if err := os.Chmod(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	child{args: []string{"resume", "--agent=a", "--store", path}, plain: true}.run(t).expect(t, 0)
}

// TestStoreOutput: a reader that closes the pipe ends a list quietly, and a full disk is one line.
func TestStoreOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	var docs strings.Builder
	for n := range 400 {
		docs.WriteString(smallDoc(n, ""))
	}
	saved := child{args: []string{"save", "--quiet", "--agent=a", "--init", "--store", path}, in: strings.NewReader(docs.String())}.run(t)
	if saved.expect(t, 0); strings.Count(string(saved.stdout), "\n") != 400 {
		t.Errorf("%.300s", saved.stdout)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if e := (child{args: []string{"list", "--store", path}, out: w}).run(t); e.signal != syscall.SIGPIPE && e.exit != exitIO || e.signal == syscall.SIGPIPE && len(e.stderr) > 0 {
		t.Errorf("exit %d, %v, %s", e.exit, e.signal, e.stderr)
	}
	w.Close()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range [][]string{{"list"}, {"resume", "--agent=a"}, {"prune", "--keep=1"}} {
		e := child{args: append(args, "--store", path, "--quiet"), out: full}.run(t)
		e.expect(t, exitIO)
	}
}

// TestStoreVariable: OCP_STORE names the store, and --store goes before it.
func TestStoreVariable(t *testing.T) {
	dir := t.TempDir()
	named, env := filepath.Join(dir, "named"), []string{"OCP_STORE=" + filepath.Join(dir, "variable")}
	child{args: []string{"resume", "--agent=a"}, env: env}.run(t).expect(t, exitIO)
	child{args: []string{"save", "--agent=a", "--init"}, env: env, in: strings.NewReader(smallDoc(1, ""))}.run(t).expect(t, 0)
	child{args: []string{"resume", "--agent=a"}, env: env}.run(t).expect(t, 0)
	child{args: []string{"save", "--agent=b", "--init", "--store", named}, env: env, in: strings.NewReader(smallDoc(1, ""))}.run(t).expect(t, 0)
	child{args: []string{"resume", "--agent=a", "--store", named}, env: env}.run(t).expect(t, exitAbsent)
	home := []string{"HOME=" + dir, "XDG_STATE_HOME=", "OCP_STORE="}
	child{args: []string{"resume", "--agent=a"}, env: home}.run(t).expect(t, exitAbsent)
	child{args: []string{"save", "--agent=a"}, env: home, in: strings.NewReader(smallDoc(1, ""))}.run(t).expect(t, 0)
	child{args: []string{"resume", "--agent=a"}, env: home}.run(t).expect(t, 0)
}

// TestMending: what the hint behind a corrupt part says works.
func TestMending(t *testing.T) {
	first, second := smallDoc(1, ""), smallDoc(2, `,"parent":{"id":"urn:x:1"}`)
	moveAway := func(t *testing.T, s, part string) {
		if err := os.Rename(filepath.Dir(part), s+".away"); err != nil {
			t.Fatal(err)
		}
		objects, err := filepath.Glob(filepath.Join(s, "objects", "*", "*"))
		if err != nil || len(objects) != 2 {
			t.Fatalf("%v, %v", objects, err)
		}
		for _, name := range objects {
			child{args: []string{"save", "--quiet", "--agent=a", "--store", s, "--force", name}}.run(t).expect(t, 0)
		}
	}
	for name, c := range map[string]struct {
		part string
		hint string
		mend func(t *testing.T, s, part string)
	}{
		"object": {"objects/*/*", "saving the same document again mends it", func(t *testing.T, s, _ string) {
			child{args: []string{"save", "--quiet", "--agent=a", "--store", s}, in: strings.NewReader(first + second)}.run(t).expect(t, 0)
		}},
		"head": {"agents/*/head", "move it out of the store and", moveAway},
		"log":  {"agents/*/log.1", "ocp resume still returns the head; ", moveAway},
		"format": {"format", "copy the file from a backup, or from any store of this version", func(t *testing.T, s, part string) {
			other := filepath.Join(filepath.Dir(s), "other")
			child{args: []string{"save", "--agent=a", "--init", "--store", other}, in: strings.NewReader(first)}.run(t).expect(t, 0)
			if err := os.Rename(filepath.Join(other, "format"), part); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := filepath.Join(t.TempDir(), "store")
			child{args: []string{"save", "--agent=a", "--init", "--store", s}, in: strings.NewReader(first + second)}.run(t).expect(t, 0)
			parts, err := filepath.Glob(filepath.Join(s, c.part))
			if err != nil || len(parts) == 0 {
				t.Fatal(err)
			}
			for _, part := range parts {
				if err := os.WriteFile(part, []byte("x"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			e := child{args: []string{"show", "urn:x:1", "--store", s}}.run(t)
			if e.expect(t, exitIO); !strings.Contains(string(e.stderr), c.hint) {
				t.Errorf("%s", e.stderr)
			}
			if e := (child{args: []string{"resume", "--agent=a", "--store", s}}).run(t); (e.exit == 0) != (name == "log") {
				t.Errorf("resume: exit %d, %s", e.exit, e.stderr)
			}
			c.mend(t, s, parts[0])
			for _, id := range []string{"urn:x:1", "urn:x:2"} {
				child{args: []string{"show", id, "--store", s}}.run(t).expect(t, 0)
			}
			child{args: []string{"resume", "--agent=a", "--store", s}}.run(t).expect(t, 0)
			child{args: []string{"list", "--store", s}}.run(t).expect(t, 0)
		})
	}
}

// TestConflictHint: who does what the hint behind a conflict says has the head, with the work of both; after a further save there is a conflict again.
func TestConflictHint(t *testing.T) {
	dir := t.TempDir()
	s := filepath.Join(dir, "store")
	run := func(in string, args ...string) ended {
		return child{args: append(args, "--store", s), in: strings.NewReader(in)}.run(t)
	}
	observed := func(n int) string {
		return smallDoc(n, fmt.Sprintf(`,"parent":{"id":"urn:x:1"},"statements":[{"id":"s%d","kind":"observation","text":"t%d","origin":{"type":"user"}}]`, n, n))
	}
	first := strings.TrimSpace(string(run(smallDoc(1, ""), "save", "--agent=a", "--init").stdout))
	run(observed(2), "save", "--agent=a").expect(t, 0)
	head := string(run("", "resume", "--agent=a").stdout)
	for _, order := range []string{observed(3) + head, head + observed(4)} {
		refused := run(observed(3), "save", "--agent=a", "--expect", first)
		refused.expect(t, exitRefused)
		_, flags, _ := strings.Cut(string(refused.stderr), "and ocp save ")
		flags, _, _ = strings.Cut(flags, " makes that the head")
		merged := child{args: []string{"merge", "--quiet"}, in: strings.NewReader(order)}.run(t)
		merged.expect(t, 0)
		saving := append([]string{"save", "--agent=a"}, strings.Fields(flags)...)
		run(string(merged.stdout), saving...).expect(t, 0)
		if head = string(run("", "resume", "--agent=a").stdout); head != string(merged.stdout) {
			t.Errorf("%s\nis the head, not\n%s", head, merged.stdout)
		}
		run(observed(5), saving...).expect(t, exitRefused)
	}
	if e := run(smallDoc(1, ""), "save", "--agent=b", "--expect", first); !strings.Contains(string(e.stderr), "--expect none") {
		t.Errorf("%s", e.stderr)
	}
}

// TestSavedBefore: a save that is made again of what is the head no more says so, and does not call it a branch.
func TestSavedBefore(t *testing.T) {
	s := filepath.Join(t.TempDir(), "store")
	save := func(doc string, args ...string) ended {
		return child{args: append([]string{"save", "--agent=a", "--init", "--store", s}, args...), in: strings.NewReader(doc)}.run(t)
	}
	save(smallDoc(1, "")+smallDoc(2, `,"parent":{"id":"urn:x:1"}`)).expect(t, 0)
	again := save(smallDoc(1, ""))
	if text := string(again.stderr); again.exit != 0 || !strings.Contains(text, "it was saved before, and the head is another, sha-256:") || strings.Contains(text, "branch") {
		t.Errorf("exit %d, %s", again.exit, text)
	}
	save(smallDoc(1, ""), "--force").expect(t, 0)
	save(smallDoc(1, "")).expect(t, 0)
}

// TestParseAge: ages with units of days and weeks besides those of durations.
func TestParseAge(t *testing.T) {
	for text, want := range map[string]string{"12h": "12h0m0s", "30d": "720h0m0s", "8w": "1344h0m0s", "0.5d": "12h0m0s", "0s": "0s"} {
		if age, ok := parseAge(text); !ok || age.String() != want {
			t.Errorf("%s: %v, %v", text, age, ok)
		}
	}
	for _, text := range []string{"", "d", "-1d", "-1h", "30", "soon", "NaNd", "1e300w", "Infd"} {
		if age, ok := parseAge(text); ok {
			t.Errorf("%s: %v", text, age)
		}
	}
}
