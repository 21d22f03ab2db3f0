package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/fork"
	"github.com/opencheckpoint/ocp/golden"
	"github.com/opencheckpoint/ocp/merge"
)

// update rewrites what the vectors expect with what the program does. Read the diff before you commit it.
var update = flag.Bool("update", false, "rewrite the expected outputs of the golden cases")

// goldenDir is where golden.FS comes from.
const goldenDir = "../../golden"

// vector is one case: a directory of golden.FS.
type vector struct {
	dir   string // GROUP/CASE
	files map[string][]byte
	args  []string
}

// outcome is what a run leaves behind.
type outcome struct {
	exit           int
	stdout, stderr []byte
}

// reserved are the file names that the format defines; every other file of a case is named by its args.
var reserved = []string{"args", "stdin", "in.ocp.json", "stdout", "out.ocp.json", "stderr", "exit", "why"}

// TestGolden runs every case twice, with standard input from a file and from a pipe.
func TestGolden(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "")
	for _, v := range readVectors(t) {
		t.Run(v.dir, func(t *testing.T) {
			if *update {
				v.rewrite(t)
			}
			want := v.wanted(t)
			extract(t, v)
			differ(t, "with a file as standard input", v.runFile(t), want)
			extract(t, v) // what is saved twice is not saved anew
			differ(t, "with a pipe as standard input", v.runPipe(t), want)
		})
	}
}

// TestGoldenFormat holds the case directories to the format that golden/README.md states.
func TestGoldenFormat(t *testing.T) {
	for _, v := range readVectors(t) {
		for _, fault := range v.faults() {
			t.Errorf("%s: %s", v.dir, fault)
		}
	}
}

// TestGoldenDocuments holds every document that a case expects against levels 1 and 2 and, where the case says what it was made from,
// against its parent: no vector may ask for an invalid document.
func TestGoldenDocuments(t *testing.T) {
	for _, v := range readVectors(t) {
		out, made := v.files["out.ocp.json"]
		if !made || slices.Contains(v.args, "--lenient") || v.args[0] == "fork" || v.args[0] == "merge" { // TestGoldenForks and TestGoldenMerges have those
			continue
		}
		t.Run(v.dir, func(t *testing.T) {
			extract(t, v)
			args := []string{"validate", "--quiet", "--strict", "out.ocp.json"}
			if in, ok := v.files["in.ocp.json"]; ok && !bytes.Equal(bytes.TrimSpace(in), bytes.TrimSpace(out)) {
				args = append(args, "--parent", "in.ocp.json")
			}
			got := runCase(t, args, openFile(t, os.DevNull))
			if got.exit != 0 {
				t.Errorf("exit %d\n%s%s", got.exit, got.stdout, got.stderr)
			}
		})
	}
}

// TestGoldenForks holds the forks that a case expects against levels 1 and 2, against their parent, and against the third clause of §9.3: what
// is a side effect of the parent is actionable in at most one of them.
func TestGoldenForks(t *testing.T) {
	for _, v := range readVectors(t) {
		made := slices.Concat(v.files["stdout"], v.files["out.ocp.json"])
		if v.args == nil || v.args[0] != "fork" || !bytes.HasPrefix(made, []byte("{")) || slices.Contains(v.args, "--lenient") {
			continue
		}
		t.Run(v.dir, func(t *testing.T) {
			forks := decodeStream(t, made)
			for _, parent := range decodeStream(t, cmp.Or(string(v.files["stdin"]), string(v.files["in.ocp.json"]))) {
				var mine []*forkView
				for _, f := range forks {
					if f.Parent.ID == parent.ID {
						checkFork(t, parent, f)
						mine = append(mine, f)
					}
				}
				checkSiblings(t, parent, mine)
			}
		})
	}
}

// forkView is what the tests look at of a checkpoint, its bytes included.
type forkView struct {
	text         []byte
	ID           string
	Parent       struct{ ID, Digest string }
	Operations   []struct{ ID, Kind, Status, Effect string }
	Continuation struct {
		StopConditions []struct {
			AppliesTo []string `json:"applies_to"`
			Until     any
		} `json:"stop_conditions"`
	}
	Derivation struct {
		Method string
		Inputs []struct{ ID, Digest string }
	}
	Extensions map[string]json.RawMessage
}

func decodeStream[T string | []byte](t *testing.T, text T) (list []*forkView) {
	t.Helper()
	for d := json.NewDecoder(strings.NewReader(string(text))); ; {
		f := &forkView{}
		if err := d.Decode((*json.RawMessage)(&f.text)); err == io.EOF {
			return list
		} else if err != nil {
			return list // the case is about what is wrong with the input
		}
		if json.Unmarshal(f.text, f) == nil {
			list = append(list, f)
		}
	}
}

// actionable are the actions that may change the world and that nothing forbids for good.
func (f *forkView) actionable() (ids []string) {
	forbidden := map[string]bool{}
	for _, s := range f.Continuation.StopConditions {
		for _, id := range s.AppliesTo {
			forbidden[id] = forbidden[id] || s.Until == nil
		}
	}
	for _, o := range f.Operations {
		over := o.Status == "completed" || o.Status == "cancelled" || o.Status == "rejected"
		if o.Kind == "action" && o.Effect != "none" && !over && !forbidden[o.ID] {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// checkFork holds one fork against its parent.
func checkFork(t *testing.T, parent, f *forkView) {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "parent"), parent.text)
	writeFile(t, filepath.Join(dir, "fork"), f.text)
	args := []string{"validate", "--quiet", "--parent", filepath.Join(dir, "parent"), filepath.Join(dir, "fork")}
	if got := runCase(t, args, openFile(t, os.DevNull)); got.exit != 0 {
		t.Errorf("exit %d\n%s%s", got.exit, got.stdout, got.stderr)
	}
	sum, err := digest.Of(parent.text)
	if err != nil {
		t.Fatal(err)
	}
	in := f.Derivation.Inputs
	if f.Parent.Digest != sum.String() || f.Derivation.Method != "forked" || len(in) == 0 || in[0] != f.Parent {
		t.Errorf("%s has the parent %v and the derivation %.300v; the parent's digest is %s", f.ID, f.Parent, f.Derivation, sum)
	}
	before := parent.actionable()
	for _, id := range f.actionable() {
		if !slices.Contains(before, id) {
			t.Errorf("operation %s was forbidden in the parent and is actionable in %s", id, f.ID)
		}
	}
}

// checkSiblings holds forks of one parent against each other, and against what they say about each other.
func checkSiblings(t *testing.T, parent *forkView, forks []*forkView) {
	t.Helper()
	owner := map[string]string{}
	for _, f := range forks {
		for _, id := range f.actionable() {
			if owner[id] != "" {
				t.Errorf("operation %s is actionable in %s and in %s", id, owner[id], f.ID)
			}
			owner[id] = f.ID
		}
	}
	for _, f := range forks {
		var entry struct {
			Parent string
			Guards []struct{ Operation, Owner string }
		}
		if err := json.Unmarshal(f.Extensions[fork.Key], &entry); err != nil || entry.Parent != parent.ID {
			t.Errorf("%s: %v; its entry is about %s", f.ID, err, entry.Parent)
		}
		for _, g := range entry.Guards {
			if g.Owner != owner[g.Operation] {
				t.Errorf("%s says that %q owns operation %s; it is actionable in %q", f.ID, g.Owner, g.Operation, owner[g.Operation])
			}
		}
	}
}

// TestGoldenMerges holds the merged checkpoints that a case expects against levels 1 and 2, against their parent, and against small rules of §4 of the
// design that do not need to know how a merge works. The order of the inputs must change nothing.
func TestGoldenMerges(t *testing.T) {
	for _, v := range readVectors(t) {
		if v.args == nil || v.args[0] != "merge" || v.files["out.ocp.json"] == nil || slices.Contains(v.args, "--lenient") {
			continue
		}
		t.Run(v.dir, func(t *testing.T) {
			extract(t, v)
			m := readMerged(t, v)
			m.checkConflicts(t, v.wanted(t).exit)
			m.checkOrder(t, v)
			if m.out.Derivation.Method != "merged" || m.at[m.out.ID] != nil {
				return // an input that contains all others
			}
			m.checkLineage(t)
			m.checkStatements(t)
			m.checkAccounts(t)
			m.checkActions(t, slices.Contains(v.args, "--lift"))
		})
	}
}

// mergeView is what the tests look at of a merged checkpoint and what went into it.
type mergeView struct {
	forkView
	CreatedAt time.Time `json:"created_at"`
	Task      struct{ Status string }
	Progress  struct {
		Next []struct {
			BlockedBy []string `json:"blocked_by"`
		}
	}
	Statements []statementView
	Operations []struct {
		ID   string
		Call json.RawMessage
	}
	Continuation struct {
		Preconditions []struct {
			OnFailure string `json:"on_failure"`
			Refs      []string
		}
		StopConditions []struct{ ID string } `json:"stop_conditions"`
	}
	Derivation struct {
		Method          string
		Inputs          []struct{ ID, Digest string }
		Omissions       []struct{ ID, Description string }
		Transformations []struct{ Description string }
	}
}

type statementView struct {
	ID, Kind, Text, Rationale, Status string
	Origin                            struct{ Type, Name, Ref string }
}

// merged is a merged checkpoint with the documents at hand, by id, the oldest first.
type merged struct {
	out *mergeView
	all []*mergeView
	at  map[string]*mergeView
}

func readMerged(t *testing.T, v *vector) *merged {
	t.Helper()
	m := &merged{at: map[string]*mergeView{}}
	read := func(text []byte) (list []*mergeView) {
		for _, d := range decodeStream(t, bytes.ReplaceAll(text, []byte{0x1e}, nil)) {
			view := &mergeView{forkView: *d}
			if err := json.Unmarshal(d.text, view); err != nil {
				continue // no checkpoint, or not the document as it is read
			}
			list = append(list, view)
		}
		return list
	}
	for name, text := range v.files {
		if slices.Contains(reserved, name) && name != "stdin" && name != "in.ocp.json" {
			continue
		}
		for _, d := range read(text) {
			if m.at[d.ID] == nil {
				m.all = append(m.all, d)
				m.at[d.ID] = d
			}
		}
	}
	slices.SortFunc(m.all, func(a, b *mergeView) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
	m.out = read(v.files["out.ocp.json"])[0]
	return m
}

// checkConflicts: the exit status is 5 exactly when a conflict is open, and an open conflict is a question that blocks.
func (m *merged) checkConflicts(t *testing.T, exit int) {
	t.Helper()
	var entry struct {
		Conflicts []struct{ Question, Path string }
	}
	if text := m.out.Extensions[merge.Key]; text != nil {
		if err := json.Unmarshal(text, &entry); err != nil {
			return // not ours
		}
	}
	var open, named []string
	for _, s := range m.out.Statements {
		if s.Kind == "question" && s.Origin.Name == "ocp merge" && s.Status == "" {
			open = append(open, s.ID)
		}
	}
	for _, c := range entry.Conflicts {
		named = append(named, c.Question)
	}
	if !slices.Equal(open, named) || (exit == exitConflict) != (len(open) > 0) {
		t.Errorf("exit %d; the open questions are %v, those of the extension entry %v", exit, open, named)
	}
	if len(open) == 0 {
		return
	}
	if m.out.Task.Status != "blocked" || len(m.out.Progress.Next) == 0 || !slices.Equal(m.out.Progress.Next[0].BlockedBy, open) {
		t.Errorf("task.status is %s, and the next steps are %v; the questions are %v", m.out.Task.Status, m.out.Progress.Next, open)
	}
	asks := false
	for _, p := range m.out.Continuation.Preconditions {
		asks = asks || p.OnFailure == "ask" && slices.Equal(p.Refs, open)
	}
	if !asks {
		t.Errorf("no precondition asks about %v", open)
	}
}

// checkOrder runs the case again with its files in the opposite order.
func (m *merged) checkOrder(t *testing.T, v *vector) {
	t.Helper()
	reversed := slices.Clone(v.args)
	var files []int
	for i, arg := range reversed {
		if v.files[arg] != nil && !strings.HasPrefix(reversed[i-1], "--") {
			files = append(files, i)
		}
	}
	for i := range len(files) / 2 {
		a, b := files[i], files[len(files)-1-i]
		reversed[a], reversed[b] = reversed[b], reversed[a]
	}
	if got := runCase(t, reversed, openFile(t, os.DevNull)); len(files) > 1 && !slices.Contains(v.args, "-") {
		differ(t, "with the files in the opposite order", outcome{got.exit, got.stdout, nil}, outcome{v.wanted(t).exit, v.wanted(t).stdout, nil})
	}
}

// checkLineage: the result is valid, newer than all that it was made from, a child of one input, and names the others with their digests.
func (m *merged) checkLineage(t *testing.T) {
	t.Helper()
	parent := m.at[m.out.Parent.ID]
	if parent == nil || len(m.out.Derivation.Inputs) == 0 || m.out.Derivation.Inputs[0] != m.out.Parent {
		t.Fatalf("the parent is %v, the inputs are %v", m.out.Parent, m.out.Derivation.Inputs)
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "parent"), parent.text)
	writeFile(t, filepath.Join(dir, "merged"), m.out.text)
	args := []string{"validate", "--quiet", "--parent", filepath.Join(dir, "parent"), filepath.Join(dir, "merged")}
	if got := runCase(t, args, openFile(t, os.DevNull)); got.exit != 0 {
		t.Errorf("exit %d\n%s%s", got.exit, got.stdout, got.stderr)
	}
	for _, in := range m.out.Derivation.Inputs {
		d := m.at[in.ID]
		if d == nil {
			continue
		}
		if d.CreatedAt.After(m.out.CreatedAt) {
			t.Errorf("it was created at %v, before its input %s, at %v", m.out.CreatedAt, d.ID, d.CreatedAt)
		}
		parsed, err := digest.Parse(in.Digest)
		if err != nil {
			continue // a foreign one, as it came
		}
		if match, err := parsed.Verify(d.text); err != nil || match == digest.None {
			t.Errorf("%s has another digest than %s", in.ID, in.Digest)
		}
	}
}

// checkStatements: what an id was in the oldest document that has it, it is in the result: its kind and origin, and, of a directive, its wording (§6.5, §9.3).
func (m *merged) checkStatements(t *testing.T) {
	t.Helper()
	for _, s := range m.out.Statements {
		for _, d := range m.all {
			i := slices.IndexFunc(d.Statements, func(old statementView) bool { return old.ID == s.ID })
			if i < 0 {
				continue
			}
			old := d.Statements[i]
			directive := s.Kind == "instruction" || s.Kind == "constraint" || s.Kind == "decision"
			if old.Kind != s.Kind || old.Origin != s.Origin || directive && (old.Text != s.Text || old.Rationale != s.Rationale) {
				t.Errorf("statement %s is %v, and was %v", s.ID, s, old)
			}
			break
		}
	}
}

// checkAccounts: every statement, operation, stop condition and omission of every document at hand is in the result, or a record of the result names it.
// What an earlier merge made of its conflicts is made anew.
func (m *merged) checkAccounts(t *testing.T) {
	t.Helper()
	has, records := map[string]bool{}, ""
	for _, id := range m.out.accountable() {
		has[id] = true
	}
	for _, o := range m.out.Derivation.Omissions {
		records += o.Description + "\n"
	}
	for _, c := range m.out.Derivation.Transformations {
		records += c.Description + "\n"
	}
	for _, in := range m.out.Derivation.Inputs {
		d := m.at[in.ID]
		if d == nil {
			continue
		}
		for _, id := range d.accountable() {
			if !has[id] && !strings.Contains(records, id) && !strings.HasPrefix(id, "merge.") {
				t.Errorf("%s of %s is nowhere in the result", id, d.ID)
			}
		}
	}
}

// accountable are the ids, or descriptions without one, of what a merge must not lose.
func (d *mergeView) accountable() (ids []string) {
	for _, s := range d.Statements {
		ids = append(ids, s.ID)
	}
	for _, o := range d.Operations {
		ids = append(ids, o.ID)
	}
	for _, c := range d.Continuation.StopConditions {
		ids = append(ids, c.ID)
	}
	for _, o := range d.Derivation.Omissions {
		ids = append(ids, cmp.Or(o.ID, o.Description))
	}
	return ids
}

// checkActions: at most one copy of an action is actionable, and one that no input at hand may do is actionable only if no fork is missing (§9.3).
func (m *merged) checkActions(t *testing.T, lifted bool) {
	t.Helper()
	known, may := map[string]bool{}, map[string]bool{}
	var siblings []string
	for _, in := range m.out.Derivation.Inputs {
		known[in.ID] = true
		d := m.at[in.ID]
		if d == nil {
			continue
		}
		var entry struct{ Siblings []string }
		if json.Unmarshal(d.Extensions[fork.Key], &entry) == nil && len(entry.Siblings) > 0 {
			siblings = append(siblings, entry.Siblings...)
			for _, id := range d.actionable() {
				may[id] = true
			}
		}
	}
	missing := slices.ContainsFunc(siblings, func(id string) bool { return !known[id] })
	calls := map[string]string{}
	for _, id := range m.out.actionable() {
		if missing && !lifted && !may[id] {
			t.Errorf("operation %s is actionable, and a fork is missing that may do it", id)
		}
		for _, o := range m.out.Operations {
			if o.ID != id || o.Call == nil {
				continue
			}
			if calls[string(o.Call)] != "" {
				t.Errorf("operations %s and %s are both actionable and make one call", calls[string(o.Call)], id)
			}
			calls[string(o.Call)] = id
		}
	}
}

// covered are the codes that at least one case must show.
var covered = []string{
	"OCP-S001", "OCP-S002", "OCP-S003", "OCP-S004", "OCP-S005", "OCP-S006", "OCP-S007", "OCP-S008", "OCP-S009",
	"OCP-W001", "OCP-W002", "OCP-W003", "OCP-W004", "OCP-T001", "OCP-T002",
	"OCX-J-grammar", "OCX-J-truncated", "OCX-J-utf-8", "OCX-J-byte-order-mark", "OCX-J-duplicate-name", "OCX-J-surrogate", "OCX-J-noncharacter",
	"OCX-J-number-range", "OCX-J-number-precision", "OCX-J-depth",
	"OCX-L-required", "OCX-L-type", "OCX-L-enum", "OCX-L-pattern", "OCX-L-length", "OCX-L-empty", "OCX-L-undefined", "OCX-L-rule",
	"OCX-V", "OCX-I", "OCX-F", "OCX-D", "OCX-S",
	"OCX-C1 ", "OCX-C2 ", "OCX-C3 ", "OCX-C4 ", "OCX-C5 ", "OCX-C6 ", "OCX-C7 ", "OCX-C8 ", "OCX-C9 ", "OCX-C10 ",
}

// TestGoldenCoverage finds rules and exit statuses without a case.
func TestGoldenCoverage(t *testing.T) {
	var shown strings.Builder
	exits := map[int]bool{}
	passes := map[string]bool{}
	for _, v := range readVectors(t) {
		shown.Write(v.files["stdout"])
		exits[v.wanted(t).exit] = true
		passes[strings.TrimPrefix(v.dir, "validate/")] = true
	}
	for _, code := range covered {
		if !strings.Contains(shown.String(), "("+code) {
			t.Errorf("no case shows %s", code)
		}
		if strings.HasPrefix(code, "OCP-") && !passes[strings.ToLower(code)+"-pass"] {
			t.Errorf("no case shows a document that obeys %s", code)
		}
	}
	for _, exit := range []int{0, exitInvalid, exitUsage, exitRefused, exitIO, exitConflict, exitAbsent} {
		if !exits[exit] {
			t.Errorf("no case exits with %d", exit)
		}
	}
}

// readVectors reads all cases. With -update it reads the source directory, which may have new ones.
func readVectors(t *testing.T) []*vector {
	t.Helper()
	var fsys fs.FS = golden.FS
	if *update {
		fsys = os.DirFS(goldenDir)
	}
	cases, err := fs.Glob(fsys, "*/*")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []*vector
	for _, dir := range cases {
		vectors = append(vectors, readVector(t, fsys, dir))
	}
	return vectors
}

func readVector(t *testing.T, fsys fs.FS, dir string) *vector {
	t.Helper()
	v := &vector{dir: dir, files: map[string][]byte{}}
	err := fs.WalkDir(fsys, dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			v.files[strings.TrimPrefix(name, dir+"/")], err = fs.ReadFile(fsys, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if text := v.files["args"]; len(text) > 0 {
		v.args = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	return v
}

// faults says what is wrong with the files of a case.
func (v *vector) faults() (faults []string) {
	for _, name := range []string{"args", "exit", "why"} {
		if _, ok := v.files[name]; !ok {
			faults = append(faults, name+" is missing")
		}
	}
	for name, text := range v.files {
		if !slices.Contains(reserved, name) && !v.mentions(name) {
			faults = append(faults, name+" is neither defined by the format nor named by args")
		}
		if len(text) == 0 && name != "stdin" && name != "args" {
			faults = append(faults, name+" is empty; leave it out")
		}
	}
	for _, pair := range [][2]string{{"stdout", "out.ocp.json"}, {"stdin", "in.ocp.json"}} {
		if v.files[pair[0]] != nil && v.files[pair[1]] != nil && !v.mentions(pair[1]) {
			faults = append(faults, pair[0]+" and "+pair[1]+" exclude each other")
		}
	}
	if why := strings.TrimSuffix(string(v.files["why"]), "\n"); strings.Contains(why, "\n") {
		faults = append(faults, "why has more than one line")
	}
	return faults
}

// mentions says whether an argument names a file of the case, or the directory that it is in.
func (v *vector) mentions(name string) bool {
	name, _, _ = strings.Cut(name, "/")
	return slices.ContainsFunc(v.args, func(arg string) bool { return arg == name || strings.HasSuffix(arg, "="+name) })
}

// stdin is what the case gives on standard input.
func (v *vector) stdin() []byte {
	if text, ok := v.files["stdin"]; ok {
		return text
	}
	if v.mentions("in.ocp.json") {
		return nil
	}
	return v.files["in.ocp.json"]
}

// wanted is what the case expects.
func (v *vector) wanted(t *testing.T) outcome {
	t.Helper()
	exit, err := strconv.Atoi(strings.TrimSuffix(string(v.files["exit"]), "\n"))
	if err != nil {
		t.Fatalf("%s: exit: %v", v.dir, err)
	}
	return outcome{exit, slices.Concat(v.files["stdout"], v.files["out.ocp.json"]), v.files["stderr"]}
}

// extract puts the files of a case into a directory of their own and goes there.
func extract(t *testing.T, v *vector) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range v.files {
		if err := os.MkdirAll(filepath.Join(dir, path.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, name), text)
	}
	t.Chdir(dir)
}

func writeFile(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

func openFile(t *testing.T, name string) *os.File {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// runFile runs the case with its standard input in a file.
func (v *vector) runFile(t *testing.T) outcome {
	t.Helper()
	name := filepath.Join(t.TempDir(), "stdin")
	writeFile(t, name, v.stdin())
	return runCase(t, v.args, openFile(t, name))
}

// runPipe runs the case with its standard input in a pipe.
func (v *vector) runPipe(t *testing.T) outcome {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan error)
	go func() {
		_, err := w.Write(v.stdin())
		w.Close()
		written <- err
	}()
	got := runCase(t, v.args, r)
	r.Close()
	if err := <-written; err != nil && !errors.Is(err, io.ErrClosedPipe) && !errors.Is(err, os.ErrClosed) && !strings.Contains(err.Error(), "broken pipe") {
		t.Error(err)
	}
	return got
}

func runCase(t *testing.T, args []string, in *os.File) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	exit := run(args, streams{in: in, out: &stdout, err: &stderr})
	return outcome{exit, stdout.Bytes(), stderr.Bytes()}
}

func differ(t *testing.T, how string, got, want outcome) {
	t.Helper()
	if got.exit != want.exit {
		t.Errorf("%s: exit %d, want %d", how, got.exit, want.exit)
	}
	for _, stream := range []struct {
		name      string
		got, want []byte
	}{{"stdout", got.stdout, want.stdout}, {"stderr", got.stderr, want.stderr}} {
		if !bytes.Equal(stream.got, stream.want) {
			t.Errorf("%s: %s has %d bytes, want %d; it is\n%.4000s\nwant\n%.4000s", how, stream.name, len(stream.got), len(stream.want), stream.got, stream.want)
		}
	}
}

// rewrite makes what the program does what the case expects.
func (v *vector) rewrite(t *testing.T) {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join(goldenDir, v.dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("update", func(t *testing.T) {
		extract(t, v)
		got := v.runFile(t)
		document := v.makes() && isCheckpoint(got.stdout)
		for name, text := range map[string][]byte{
			"exit":         fmt.Appendln(nil, got.exit),
			"stderr":       got.stderr,
			"stdout":       onlyIf(!document, got.stdout),
			"out.ocp.json": onlyIf(document, got.stdout),
		} {
			v.replace(t, dir, name, text)
		}
	})
}

// isCheckpoint says whether a text is one checkpoint and not, say, a report.
func isCheckpoint(text []byte) bool {
	var top map[string]json.RawMessage
	return json.Unmarshal(text, &top) == nil && top["opencheckpoint"] != nil
}

// makes says whether the case is about a verb that makes documents.
func (v *vector) makes() bool {
	return slices.ContainsFunc(verbs, func(verb *verb) bool { return len(v.args) > 0 && verb.name == v.args[0] && verb.makes })
}

func onlyIf(ok bool, text []byte) []byte {
	if ok {
		return text
	}
	return nil
}

// replace writes a file of the case, or removes one that would be empty.
func (v *vector) replace(t *testing.T, dir, name string, text []byte) {
	t.Helper()
	if len(text) > 0 {
		v.files[name] = text
		writeFile(t, filepath.Join(dir, name), text)
		return
	}
	delete(v.files, name)
	if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}
