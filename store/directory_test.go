package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/disk"
)

// made is a store in a directory with two checkpoints of agent "a" and one of "b".
func made(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store")
	s := open(t, path)
	save(t, s, "a", document("1", ""), SaveOptions{})
	save(t, s, "a", document("2", "1"), SaveOptions{})
	save(t, s, "b", document("3", ""), SaveOptions{})
	return path
}

// change rewrites a file; nil removes it.
func change(t *testing.T, name string, edit func(string) string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err == nil && edit == nil {
		err = os.RemoveAll(name)
	} else if err == nil {
		err = os.WriteFile(name, []byte(edit(string(text))), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDamage: whatever part of a store is not as it was written, resuming, listing and saving say so, and none of them says absent. Another agent's
// checkpoint can still be resumed.
func TestDamage(t *testing.T) {
	agent := filepath.Join("agents", keyOf("a"))
	cut := func(s string) string { return s[:len(s)-9] }
	for name, damage := range map[string]struct {
		file string
		edit func(string) string
	}{
		"head gone":    {agent + "/head", nil},
		"head empty":   {agent + "/head", func(string) string { return "" }},
		"head cut":     {agent + "/head", cut},
		"head altered": {agent + "/head", func(s string) string { return strings.Replace(s, `"id":"2"`, `"id":"3"`, 1) }},
		"head names nothing": {agent + "/head", func(s string) string {
			return reseal(t, s, func(st *state) { st.Head.Digest = sumPrefix + strings.Repeat("0", 64) })
		}},
		"head names no sum": {agent + "/head", func(s string) string { return reseal(t, s, func(st *state) { st.Head.Digest = "../../x" }) }},
		"head of another":   {agent + "/head", func(s string) string { return reseal(t, s, func(st *state) { st.Agent = "b" }) }},
		"log gone":          {agent + "/log.1", nil},
		"log cut":           {agent + "/log.1", cut},
		"log altered":       {agent + "/log.1", func(s string) string { return strings.Replace(s, `"id":"2"`, `"id":"3"`, 1) }},
	} {
		t.Run(name, func(t *testing.T) {
			path := made(t)
			change(t, filepath.Join(path, damage.file), damage.edit)
			s := open(t, path)
			_, err := s.Resume(t.Context(), "a")
			for _, listed := range s.List(t.Context(), "a") {
				if err == nil {
					err = listed
				}
			}
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) {
				t.Errorf("%v", err)
			}
			resumes(t, s, "b", document("3", ""))
			if _, err := s.Prune(t.Context(), PruneOptions{Keep: 1, Apply: true}); !errors.As(err, &corrupt) {
				t.Errorf("prune: %v", err)
			}
			resumes(t, s, "b", document("3", ""))
		})
	}
}

// TestDamagedLine: what a damaged line of a log holds is corrupt, and not absent, by whatever name it is asked for. What other lines hold is found.
func TestDamagedLine(t *testing.T) {
	first := document("1", "")
	sum := digest.OfBytes(first).String()
	for name, edit := range map[string]func(string) string{
		"the id":     func(s string) string { return strings.Replace(s, `"id":"1"`, `"id":"7"`, 1) },
		"the digest": func(s string) string { return strings.ReplaceAll(s, sum[:20], sum[:19]+"x") },
		"the quotes": func(s string) string {
			return strings.ReplaceAll(strings.Replace(s, `"1"`, `'1"`, 1), sum+`"`, sum+`'`)
		},
		"the line feed": func(s string) string { return strings.Replace(strings.Replace(s, `"1"`, `"7"`, 1), "\n", " ", 1) },
		"NUL bytes": func(s string) string {
			return strings.Repeat("\x00", strings.Index(s, "\n")) + s[strings.Index(s, "\n"):]
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := made(t)
			change(t, filepath.Join(path, "agents", keyOf("a"), "log.1"), edit)
			s := open(t, path)
			lost := false
			for _, ref := range []string{"1", sum, "urn:x:none"} {
				_, err := s.Get(t.Context(), ref)
				lost = lost || errors.As(err, new(*CorruptError))
				if err == ErrNoCheckpoint {
					t.Errorf("%s: %v", ref, err)
				}
			}
			if !lost {
				t.Error("nothing is corrupt")
			}
			if c, err := s.Get(t.Context(), "3"); err != nil || c.Agent != "b" {
				t.Errorf("another's: %v", err)
			}
		})
	}
}

// TestSaveOverDamage: a save behind a log that is not all there fails, and changes nothing.
func TestSaveOverDamage(t *testing.T) {
	agent := filepath.Join("agents", keyOf("a"))
	for name, damage := range map[string]struct {
		file string
		edit func(string) string
	}{
		"log cut":   {agent + "/log.1", func(s string) string { return s[:len(s)-9] }},
		"log empty": {agent + "/log.1", func(string) string { return "" }},
		"log gone":  {agent + "/log.1", nil},
		"head gone": {agent + "/head", nil},
	} {
		t.Run(name, func(t *testing.T) {
			path := made(t)
			change(t, filepath.Join(path, damage.file), damage.edit)
			before := files(t, path)
			for _, text := range [][]byte{document("4", "2"), document("2", "1")} {
				_, err := open(t, path).Save(t.Context(), "a", text, SaveOptions{})
				if !errors.As(err, new(*CorruptError)) {
					t.Errorf("%v", err)
				}
			}
			if after := files(t, path); !maps.Equal(before, after) {
				t.Errorf("%d files before, %d after", len(before), len(after))
			}
		})
	}
}

// TestMissingParts: what is not there of a store is named, by who saves as by who reads. What is within it is not.
func TestMissingParts(t *testing.T) {
	for part, missing := range map[string]string{"agents": "agents", "objects": "objects", "objects/*": "objects/"} {
		for _, text := range [][]byte{document("4", "2"), document("9", "")} {
			path := made(t)
			s := open(t, path)
			found, err := filepath.Glob(filepath.Join(path, part))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range found {
				remove(t, name)
			}
			for _, agent := range []string{"a", "new"} {
				_, err := s.Save(t.Context(), agent, text, SaveOptions{})
				var corrupt *CorruptError
				if !errors.As(err, &corrupt) || !strings.HasPrefix(corrupt.Part, missing) || len(corrupt.Part) > len(missing)+1 || corrupt.Why != "it is missing" {
					t.Errorf("%s, agent %s: %v", part, agent, err)
				}
			}
		}
	}
}

// busy is a disk of which no lock is free in time.
type busy struct{ disk.OS }

func (busy) Lock(context.Context, string, bool) (func(), error) {
	return nil, context.DeadlineExceeded
}

// TestBusy: who has waited too long is told so, and that it can be done again; nobody knows who had the lock.
func TestBusy(t *testing.T) {
	path := made(t)
	d := &directory{path: path, name: path, named: true, disk: busy{}}
	_, saved := d.Save(t.Context(), "a", document("4", "2"), SaveOptions{})
	_, pruned := d.Prune(t.Context(), PruneOptions{Keep: 1, Apply: true})
	for _, err := range []error{saved, pruned} {
		if !errors.As(err, new(*IOError)) || !strings.Contains(err.Error(), "locks/store was not to be had within 30s") || !strings.Contains(err.Error(), "it can be done again") {
			t.Errorf("%v", err)
		}
	}
}

// TestCopied: a store that a tool copied which takes no empty directories is whole. Who changes it first makes them.
func TestCopied(t *testing.T) {
	copied := func() string {
		path := made(t)
		remove(t, filepath.Join(path, "locks"))
		empty, err := filepath.Glob(filepath.Join(path, "objects", "?"))
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range append(empty, filepath.Join(path, "tmp")) {
			os.Remove(dir) // unless it is full
		}
		return path
	}
	s := open(t, copied())
	resumes(t, s, "a", document("2", "1"))
	for i := range 40 {
		save(t, s, "a", document(fmt.Sprint("n", i), ""), SaveOptions{})
	}
	s = open(t, copied())
	if _, err := s.Prune(t.Context(), PruneOptions{Keep: 1, Apply: true}); err != nil {
		t.Error(err)
	}
	resumes(t, s, "a", document("2", "1"))
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.RemoveAll(name); err != nil {
		t.Fatal(err)
	}
}

// files are the contents of a directory by name.
func files(t *testing.T, path string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// reseal changes a head file and sums it anew.
func reseal(t *testing.T, line string, edit func(*state)) string {
	t.Helper()
	var s state
	if err := decodeLine([]byte(line), &s); err != nil {
		t.Fatal(err)
	}
	edit(&s)
	return string(encodeLine(s))
}

// TestLostFormat: a store without its format is corrupt, one of a later version is said to be so, and a directory of something else is left alone.
func TestLostFormat(t *testing.T) {
	ways := map[string]struct {
		edit func(string) string
		is   func(error) bool
	}{
		"gone":  {nil, func(err error) bool { return errors.As(err, new(*CorruptError)) }},
		"other": {func(string) string { return "x" }, func(err error) bool { return errors.As(err, new(*CorruptError)) }},
		"later": {func(string) string { return "ocp store 2\n" }, func(err error) bool { return errors.As(err, new(*VersionError)) }},
	}
	for name, way := range ways {
		path := made(t)
		before := open(t, path)
		change(t, filepath.Join(path, "format"), way.edit)
		_, opened := Open(t.Context(), path, Options{Create: true})
		_, resumed := before.Resume(t.Context(), "nobody")
		_, saved := before.Save(t.Context(), "a", document("4", "2"), SaveOptions{})
		for _, err := range []error{opened, resumed, saved} {
			if !way.is(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "thesis"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), other, Options{Create: true}); !errors.As(err, new(*AddressError)) {
		t.Errorf("%v", err)
	}
}

// TestUnmounted: a store whose disk goes away while it is open is missing, and what is in its place is left empty.
func TestUnmounted(t *testing.T) {
	path := made(t)
	s := open(t, path)
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	for _, mountPoint := range []bool{false, true} {
		if mountPoint {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		_, resumed := s.Resume(t.Context(), "a")
		_, saved := s.Save(t.Context(), "a", document("4", "2"), SaveOptions{})
		_, opened := Open(t.Context(), path, Options{})
		for _, err := range []error{resumed, saved, opened} {
			if !errors.As(err, new(*MissingStoreError)) {
				t.Errorf("%v", err)
			}
		}
	}
	if entries, err := os.ReadDir(path); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestDefaultDirectory: nothing is there, so nothing is saved; it is made when something is. A file in its place is an error.
func TestDefaultDirectory(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for state, want := range map[string]string{"": filepath.Join(home, ".local", "state", "ocp"), "relative": filepath.Join(home, ".local", "state", "ocp"), filepath.Join(home, "x"): filepath.Join(home, "x", "ocp")} {
		t.Setenv("XDG_STATE_HOME", state)
		if err := os.RemoveAll(want); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), "", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Resume(t.Context(), "a"); err != ErrNoCheckpoint {
			t.Errorf("%v", err)
		}
		wantIDs(t, list(t, s, ""))
		if _, err := s.Prune(t.Context(), PruneOptions{Keep: 1, Apply: true}); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(want); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("reading made %s", want)
		}
		save(t, s, "a", document("1", ""), SaveOptions{})
		resumes(t, open(t, want), "a", document("1", ""))
		if err := os.RemoveAll(want); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(want, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), "", Options{}); !errors.As(err, new(*IOError)) {
			t.Errorf("%v", err)
		}
	}
}

// TestModes: nobody else can read what is saved.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes")
	}
	path := made(t)
	err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		want := fs.FileMode(0o600)
		if entry.IsDir() {
			want = 0o700
		}
		if err == nil && info.Mode().Perm() != want {
			t.Errorf("%s: %v", name, info.Mode())
		}
		if strings.Contains(name, "..") {
			t.Errorf("%s", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSweep: pruning removes what saves that were killed have left.
func TestSweep(t *testing.T) {
	path := made(t)
	s := open(t, path)
	left := []string{"tmp/0123", filepath.Join("agents", keyOf("a"), "log.7"), filepath.Join("agents", keyOf("a"), "head.new"), "objects/0/" + strings.Repeat("0", 64)}
	for _, name := range left {
		if err := os.WriteFile(filepath.Join(path, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Prune(t.Context(), PruneOptions{Keep: 1, Apply: true}); err != nil {
		t.Fatal(err)
	}
	for _, name := range left {
		if _, err := os.Stat(filepath.Join(path, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left", name)
		}
	}
	wantIDs(t, list(t, s, ""), "2=head", "3=head")
	resumes(t, s, "a", document("2", "1"))
}

// TestReadWhilePruned: who reads while another saves and prunes never sees something missing.
func TestReadWhilePruned(t *testing.T) {
	path := made(t)
	writer, reader := open(t, path), open(t, path)
	done := make(chan bool)
	go func() {
		defer close(done)
		parent := "2"
		for i := range 40 {
			id := strings.Repeat("x", i+1)
			if _, err := writer.Save(t.Context(), "a", document(id, parent), SaveOptions{}); err != nil {
				t.Error(err)
			}
			if _, err := writer.Prune(t.Context(), PruneOptions{Keep: 1, Apply: true}); err != nil {
				t.Error(err)
			}
			parent = id
		}
	}()
	for {
		select {
		case <-done:
			return
		default:
		}
		if _, err := reader.Resume(t.Context(), "a"); err != nil {
			t.Errorf("resume: %v", err)
			time.Sleep(time.Millisecond)
		}
		list(t, reader, "a")
	}
}

// TestAddresses: what an address means.
func TestAddresses(t *testing.T) {
	path := made(t)
	for _, address := range []string{path, "file://" + path, "file://localhost" + path, "FILE:" + path} {
		s, err := Open(t.Context(), address, Options{})
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		resumes(t, s, "b", document("3", ""))
	}
	for _, address := range []string{"ftp://u:secret@host/x", "file://host/x", "postgres://u:secret@[/x", "s3://bucket"} {
		_, err := Open(t.Context(), address, Options{})
		if !errors.As(err, new(*AddressError)) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestNeeds: what a checkpoint names as a place of recovery is known from its document.
func TestNeeds(t *testing.T) {
	text := documentWith("1", "", `,"resources":[{"id":"r","uri":"ocp://checkpoints/urn%3Ax","digest":"sha256:`+strings.Repeat("AB", 32)+`"},{"id":"q","uri":"urn:other"}],`+
		`"derivation":{"method":"compacted","omissions":[{"description":"1","reason":"size","recoverable_from":"r"},{"description":"2","reason":"size","recoverable_from":"r"}]}`)
	d, err := newDraft(text, SaveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(d.Needs, " "); got != "ocp://checkpoints/urn%3Ax sha-256:"+strings.Repeat("ab", 32)+" urn:x" {
		t.Errorf("%s", got)
	}
	if _, err := newDraft([]byte("{}"), SaveOptions{}); !errors.As(err, new(*checkpoint.InvalidError)) {
		t.Errorf("%v", err)
	}
}
