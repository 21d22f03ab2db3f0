package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/internal/disk"
	"github.com/opencheckpoint/ocp/internal/memdisk"
	"github.com/opencheckpoint/ocp/internal/sumline"
)

// opened is a new journal in a directory that is not there yet.
func opened(t testing.TB) *Journal {
	t.Helper()
	return openedIn(t, filepath.Join(t.TempDir(), "state", "ocp-journal"), "claude-code", "s1")
}

func openedIn(t testing.TB, dir, client, session string) *Journal {
	t.Helper()
	j, err := Open(dir, client, session)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// add appends a record that must be acknowledged.
func add(t testing.TB, j *Journal, r Record) int64 {
	t.Helper()
	seq, err := j.Append(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// logOf reads a journal that must be readable.
func logOf(t testing.TB, j *Journal) *Log {
	t.Helper()
	log, err := j.read()
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// content is the text of a journal's file.
func content(t testing.TB, j *Journal) []byte {
	t.Helper()
	text, err := j.disk.ReadFile(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// put makes a text the content of a journal's file.
func put(t testing.TB, j *Journal, text []byte) {
	t.Helper()
	err := disk.MakePath(j.disk, j.dir)
	if err == nil {
		err = disk.WriteFile(j.disk, j.Path(), text)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// numbers are the sequence numbers of a log.
func numbers(log *Log) (seqs []int64) {
	for _, r := range log.Records {
		seqs = append(seqs, r.Seq)
	}
	return seqs
}

// numbered are records 1 to n as they are read.
func numbered(n int) (records []Record) {
	for i := range n {
		records = append(records, Record{Seq: int64(i + 1), Event: "dispatch", Call: fmt.Sprint("call-", i)})
	}
	return records
}

// inMemory is a new journal on a disk in memory.
func inMemory(t testing.TB) *Journal {
	t.Helper()
	home, err := filepath.Abs("home")
	if err != nil {
		t.Fatal(err)
	}
	j, err := open(memdisk.New(home), filepath.Join(home, "state", "ocp-journal"), "claude-code", "s1")
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// filled is a journal with records 1 to n.
func filled(t testing.TB, j *Journal, n int) *Journal {
	t.Helper()
	for _, r := range numbered(n) {
		add(t, j, r)
	}
	return j
}

// TestRoundTrip: every field comes back as it was appended, with the sequence number, and arguments to the byte, white space aside.
func TestRoundTrip(t *testing.T) {
	j := opened(t)
	want := []Record{
		{
			At: time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600)), Event: "request", Turn: "t", Call: "c\x00\n\u2028", Tool: "run", Server: "s",
			Arguments: json.RawMessage(`{"a":"<&>\u2028\n","a":1e400,"b":[1.0,-0]}`), Digest: "sha-256:00", Failed: true, Unclear: true, Covers: "*", Through: 1 << 60, Process: "7@x", Dir: "/d", Log: "/l",
		},
		{},
		{Event: "saved", Arguments: json.RawMessage("null")},
	}
	for i := range want {
		want[i].Seq = add(t, j, want[i])
		if want[i].Seq != int64(i+1) {
			t.Errorf("record %d has sequence number %d", i, want[i].Seq)
		}
	}
	log := logOf(t, j)
	if log.Torn || log.Damaged || log.Why != "" || len(log.Records) != len(want) {
		t.Fatalf("%+v", log)
	}
	for i, got := range log.Records {
		if !got.At.Equal(want[i].At) {
			t.Errorf("%v", got.At)
		}
		got.At = want[i].At
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("%+v\n%+v", got, want[i])
		}
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}

// TestEveryField: a member that is added to Record must be in TestRoundTrip, and be written.
func TestEveryField(t *testing.T) {
	if n := reflect.TypeFor[Record]().NumField(); n != 16 {
		t.Errorf("Record has %d fields; add the new ones to TestRoundTrip", n)
	}
}

// TestOpenTouchesNothing: neither opening nor reading makes anything, and what is not there is ErrNone.
func TestOpenTouchesNothing(t *testing.T) {
	j := opened(t)
	if _, err := j.read(); err != ErrNone {
		t.Errorf("%v", err)
	}
	if err := Remove(t.Context(), j.dir, "claude-code", "s1"); err != ErrNone {
		t.Errorf("%v", err)
	}
	if n, err := Prune(t.Context(), j.dir, time.Now()); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := os.Stat(filepath.Dir(j.dir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// TestRefusedRecords: what has no line leaves no file.
func TestRefusedRecords(t *testing.T) {
	j := opened(t)
	for name, r := range map[string]Record{
		"no JSON":  {Arguments: json.RawMessage(`{"a":`)},
		"too deep": {Arguments: json.RawMessage(strings.Repeat("[", 20000) + strings.Repeat("]", 20000))},
		"year":     {At: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		if _, err := j.Append(t.Context(), r); !errors.As(err, new(*RecordError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := j.Append(t.Context(), Record{Tool: strings.Repeat("x", MaxRecord)}); !errors.As(err, new(*LimitError)) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(j.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// TestLargestRecord: a record of the largest size is kept, one of a byte more is refused, and the largest is found as the last one.
func TestLargestRecord(t *testing.T) {
	j := opened(t)
	frame := len(`{"seq":1,"tool":""}`)
	add(t, j, Record{Tool: strings.Repeat("x", MaxRecord-frame)})
	var limit *LimitError
	if _, err := j.Append(t.Context(), Record{Tool: strings.Repeat("x", MaxRecord-frame+1)}); !errors.As(err, &limit) || limit.Size != MaxRecord+1 {
		t.Errorf("%v", err)
	}
	if seq := add(t, j, Record{}); seq != 2 {
		t.Errorf("%d", seq)
	}
	if log := logOf(t, j); len(log.Records) != 2 || log.Damaged || log.Torn {
		t.Errorf("%v", log.Why)
	}
}

// TestIDs: any ids are data. Each pair has a journal of its own, directly in the directory.
func TestIDs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "j")
	ids := [][2]string{
		{"a", "../../x"},
		{"../../x", "a"},
		{"a", strings.Repeat("s", 10_000)},
		{"a", strings.Repeat("\x01", 10_000)},
		{"a", "\x00\n\r\x1b[31m\u202e"},
		{"a", "\xff"},
		{"a", "\xfe"},
		{"ab", "c"},
		{"a", "bc"},
		{"a", "/etc/passwd"},
		{"a", "CON"},
	}
	for i, id := range ids {
		j := openedIn(t, dir, id[0], id[1])
		if filepath.Dir(j.Path()) != dir {
			t.Errorf("%s", j.Path())
		}
		if seq := add(t, j, Record{Call: fmt.Sprint(i)}); seq != 1 {
			t.Errorf("%q: %d", id, seq)
		}
	}
	for i, id := range ids {
		log, err := Read(dir, id[0], id[1])
		if err != nil || log.Damaged || len(log.Records) != 1 || log.Records[0].Call != fmt.Sprint(i) {
			t.Errorf("%q: %+v, %v", id, log, err)
		}
	}
	for _, id := range [][2]string{{"", "s"}, {"c", ""}} {
		if _, err := Open(dir, id[0], id[1]); !errors.As(err, new(*IDError)) {
			t.Errorf("%v", err)
		}
	}
	if _, err := Open(dir, "c", strings.Repeat("s", MaxRecord)); !errors.As(err, new(*LimitError)) {
		t.Errorf("%v", err)
	}
}

// TestModes: nobody else can read a journal.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes")
	}
	j := filled(t, opened(t), 1)
	for path := j.dir; path != filepath.Dir(filepath.Dir(j.dir)); path = filepath.Dir(path) {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	entries, err := os.ReadDir(j.dir)
	if err != nil || len(entries) != 2 {
		t.Fatalf("%v, %v", entries, err)
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", entry.Name(), info.Mode(), err)
		}
	}
}

// TestInTheWay: what is in the place of the file, or of the directory, is one clear line, and it is left alone.
func TestInTheWay(t *testing.T) {
	target := filepath.Join(t.TempDir(), "target")
	for name, way := range map[string]struct {
		put func(j *Journal) error
		say string
	}{
		"directory":     {func(j *Journal) error { return os.MkdirAll(j.Path(), 0o700) }, "not a regular file"},
		"link":          {func(j *Journal) error { return os.Symlink(target, j.Path()) }, "symbolic link"},
		"dir is a file": {func(j *Journal) error { os.Remove(j.dir); return os.WriteFile(j.dir, nil, 0o600) }, "not a directory"},
	} {
		j := opened(t)
		err := os.MkdirAll(j.dir, 0o700)
		if err == nil {
			err = way.put(j)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, appended := j.Append(t.Context(), Record{})
		_, read := j.read()
		for _, err := range []error{appended, read} {
			if !errors.As(err, new(*IOError)) || !strings.Contains(err.Error(), way.say) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := os.Stat(target); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the target was made", name)
		}
	}
}

// TestLaterVersion: a journal of a later version is not read, not appended to and not changed, whatever follows its first line.
func TestLaterVersion(t *testing.T) {
	first := sumline.Encode([]byte(`{"journal":2,"client":"claude-code","session":"s1","more":"` + strings.Repeat("x", 9000) + `"}`))
	for _, rest := range []string{"", "binary \x00 form\n", "12"} {
		j := opened(t)
		put(t, j, append(first[:len(first):len(first)], rest...))
		before := content(t, j)
		_, read := j.read()
		_, appended := j.Append(t.Context(), Record{})
		for _, err := range []error{read, appended} {
			var later *VersionError
			if !errors.As(err, &later) || later.Version != 2 || !strings.Contains(err.Error(), "use the version of ocp that made it, or a later one") {
				t.Errorf("%v", err)
			}
		}
		if string(content(t, j)) != string(before) {
			t.Error("it was changed")
		}
	}
}

// TestCancelled: when the context is over, nothing is written, be it over before, while the lock is waited for, or when it was just had.
func TestCancelled(t *testing.T) {
	j := filled(t, opened(t), 1)
	before := content(t, j)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	release, err := lock(t.Context(), j.disk, j.dir, j.name, false)
	if err != nil {
		t.Fatal(err)
	}
	ending, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	for ctx, want := range map[context.Context]error{over: context.Canceled, ending: context.DeadlineExceeded} {
		if _, err := j.Append(ctx, Record{}); !errors.Is(err, want) || !errors.As(err, new(*IOError)) {
			t.Errorf("%v", err)
		}
	}
	release()
	if _, err := j.Append(over, Record{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if string(content(t, j)) != string(before) {
		t.Error("something was written")
	}
	j = inMemory(t) // whose locks are had at once, whatever the context
	if _, err := j.Append(over, Record{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := j.read(); err != ErrNone {
		t.Errorf("%v", err)
	}
}

// TestPrune: what is older goes, with its session or by its age; what is younger, foreign, or being appended to stays.
func TestPrune(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "j")
	old, young, ended := openedIn(t, dir, "c", "old"), openedIn(t, dir, "c", "young"), openedIn(t, dir, "c", "ended")
	for _, j := range []*Journal{old, young, ended} {
		add(t, j, Record{})
	}
	then := time.Now().Add(-time.Hour)
	foreign := filepath.Join(dir, "thesis.journal")
	err := os.WriteFile(foreign, nil, 0o600)
	for _, path := range []string{foreign, old.Path()} {
		if err == nil {
			err = os.Chtimes(path, then, then)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if n, err := Prune(t.Context(), dir, then.Add(time.Minute)); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if err := Remove(t.Context(), dir, "c", "ended"); err != nil {
		t.Error(err)
	}
	for j, want := range map[*Journal]error{old: ErrNone, ended: ErrNone, young: nil} {
		if _, err := j.read(); err != want {
			t.Errorf("%v, not %v", err, want)
		}
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error(err)
	}
	if seq := add(t, ended, Record{}); seq != 1 {
		t.Errorf("%d", seq)
	}
}

// TestDir: where journals are when nobody says where.
func TestDir(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for state, want := range map[string]string{
		"":                       filepath.Join(home, ".local", "state", "ocp-journal"),
		"relative":               filepath.Join(home, ".local", "state", "ocp-journal"),
		filepath.Join(home, "x"): filepath.Join(home, "x", "ocp-journal"),
	} {
		t.Setenv("XDG_STATE_HOME", state)
		if got, err := Dir(); got != want || err != nil {
			t.Errorf("%s, %v", got, err)
		}
	}
}

// TestKept: what is kept is what was given last, is there for its session only, and goes with the journal.
func TestKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journals")
	j, err := Open(dir, "c", "s")
	if err != nil {
		t.Fatal(err)
	}
	other, _ := Open(dir, "c", "other")
	for _, text := range []string{"one", "two, which is longer", ""} {
		if err := j.Keep([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := j.Kept(); err != nil || string(got) != text {
			t.Errorf("kept %q, %v instead of %q", got, err, text)
		}
	}
	if got, err := other.Kept(); err != nil || got != nil {
		t.Errorf("another session kept %q, %v", got, err)
	}
	if _, err := j.Append(t.Context(), Record{Event: "prompt"}); err != nil {
		t.Fatal(err)
	}
	if err := Remove(t.Context(), dir, "c", "s"); err != nil {
		t.Fatal(err)
	}
	if got, err := j.Kept(); err != nil || got != nil {
		t.Errorf("after the journal was removed there is %q, %v", got, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "lock.") {
			t.Errorf("%s is left", e.Name())
		}
	}
}
