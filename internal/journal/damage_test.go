package journal

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/internal/disk"
	"github.com/opencheckpoint/ocp/internal/sumline"
)

// TestTornTail: whatever part of a record a killed writer left, readers pass over it and say so, and the next record takes its place.
func TestTornTail(t *testing.T) {
	j := filled(t, inMemory(t), 2)
	add(t, j, Record{Event: "dispatch", Tool: "a \"b\"", Arguments: []byte(`{"a":[true,null,-1.5e3,"\u00e9é"]}`)})
	three := content(t, j)
	for at := range three[:len(three)-1] {
		put(t, j, three[:at+1])
		lines := bytes.Count(three[:at+1], []byte("\n"))
		want := max(lines-1, 0)
		log := logOf(t, j)
		if torn := three[at] != '\n'; log.Torn != torn || log.Damaged || len(log.Records) != want {
			t.Fatalf("%d bytes: %+v", at+1, log)
		}
		if seq := add(t, j, Record{Event: "next"}); seq != int64(want+1) {
			t.Fatalf("%d bytes: sequence number %d", at+1, seq)
		}
		log = logOf(t, j)
		if log.Torn || log.Damaged || len(log.Records) != want+1 || !sameRecords(log.Records[:min(want, 2)], numbered(min(want, 2))) {
			t.Fatalf("%d bytes, appended: %+v", at+1, log)
		}
	}
}

// sameRecords says whether two lists of records are alike; none is like none.
func sameRecords(a, b []Record) bool {
	return slices.EqualFunc(a, b, func(a, b Record) bool { return reflect.DeepEqual(a, b) })
}

// TestDamagedByte: a changed byte, be it any and in any place, is noticed: the log is damaged. A record is never another than the one that was
// appended. Appending goes on, and the log stays damaged.
func TestDamagedByte(t *testing.T) {
	j := filled(t, inMemory(t), 3)
	text, want := content(t, j), numbered(3)
	for at := range text {
		for _, b := range []byte{0, ' ', '\n', '"', '}', '0', text[at] ^ 1, text[at] ^ 0x20, text[at] ^ 0x80} {
			if b == text[at] {
				continue
			}
			damaged := slices.Clone(text)
			damaged[at] = b
			put(t, j, damaged)
			log := logOf(t, j)
			if !log.Damaged || log.Why == "" {
				t.Fatalf("byte %d of %d as %q is not noticed: %+v", at, len(text), b, log)
			}
			for _, r := range log.Records {
				if !slices.ContainsFunc(want, func(w Record) bool { return reflect.DeepEqual(r, w) }) {
					t.Fatalf("byte %d as %q: %+v", at, b, r)
				}
			}
			goesOn(t, j, log)
		}
	}
}

// goesOn appends to a journal that is damaged.
func goesOn(t *testing.T, j *Journal, before *Log) {
	t.Helper()
	seq := add(t, j, Record{Event: "next"})
	after := logOf(t, j)
	if !after.Damaged {
		t.Fatal("it is not damaged any more")
	}
	if seq <= before.last() {
		t.Fatalf("sequence number %d behind %d", seq, before.last())
	}
	n := len(before.Records)
	if len(after.Records) != n+1 || after.last() != seq || !sameRecords(after.Records[:n], before.Records) {
		t.Fatalf("%+v, then %+v", before, after)
	}
}

// TestDamage: other damage, and what Why says of it.
func TestDamage(t *testing.T) {
	j := filled(t, inMemory(t), 3)
	text := content(t, j)
	lines := bytes.SplitAfter(text, []byte("\n"))
	line := func(s string) []byte { return sumline.Encode([]byte(s)) }
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	other := inMemory(t)
	other.header, _ = encodeHeader("claude-code", "s2")
	for name, damage := range map[string]struct {
		text []byte
		why  string
	}{
		"gap":                   {join(lines[0], lines[1], lines[3]), "line 3 has sequence number 3 behind 1"},
		"repeat":                {join(lines[0], lines[1], lines[2], lines[2]), "line 4 has sequence number 2 behind 2"},
		"first is gone":         {join(lines[0], lines[2], lines[3]), "line 2 has sequence number 2 behind 0"},
		"swapped":               {join(lines[0], lines[2], lines[1], lines[3]), "line 2 has sequence number 2 behind 0"},
		"no header":             {join(lines[1:]...), "line 1 is not the first of this session's journal"},
		"header of another":     {join(other.header, lines[1]), "line 1 is not the first of this session's journal"},
		"header of version 0":   {join(line(`{"journal":0,"client":"claude-code","session":"s1"}`), lines[1]), "line 1 is not the first of this session's journal"},
		"header twice":          {join(lines[0], lines[0], lines[1]), "line 2 is not as it was written"},
		"empty line":            {join(lines[0], lines[1], []byte("\n"), lines[2]), "line 3 is not as it was written"},
		"no number":             {join(lines[0], line(`{"event":"dispatch"}`)), "line 2 is not as it was written"},
		"no object":             {join(lines[0], line(`[1]`)), "line 2 is not as it was written"},
		"zeros at the end":      {join(text, make([]byte, 700)), "line 5 has no end, and is not the beginning of a line"},
		"zeros in the last":     {join(text[:len(text)-9], make([]byte, 9)), "line 4 has no end, and is not the beginning of a line"},
		"all zeros":             {make([]byte, 5000), "line 1 has no end, and is not the beginning of a line"},
		"other text":            {[]byte("hello\n"), "line 1 is not the first of this session's journal"},
		"other text, no end":    {[]byte("hello"), "line 1 has no end, and is not the beginning of a line"},
		"more behind the last":  {join(text, []byte("0123456 ")), "line 5 has no end, and is not the beginning of a line"},
		"too long for a record": {join(text, []byte(`01234567 {"a":"`+strings.Repeat("x", maxLine))), "line 5 has no end, and is not the beginning of a line"},
	} {
		t.Run(name, func(t *testing.T) {
			put(t, j, damage.text)
			log := logOf(t, j)
			if !log.Damaged || log.Why != damage.why {
				t.Errorf("%+v", log)
			}
			goesOn(t, j, log)
		})
	}
}

// amid is a disk on which the first reading falls in the middle of an append.
type amid struct {
	disk.Disk
	seen []byte
}

func (a *amid) ReadOwn(name string) ([]byte, error) {
	if seen := a.seen; seen != nil {
		a.seen = nil
		return seen, nil
	}
	return a.Disk.ReadOwn(name)
}

// TestReadAmidAppend: what is only half there because another process is appending is neither torn nor damaged.
func TestReadAmidAppend(t *testing.T) {
	j := filled(t, inMemory(t), 3)
	text := content(t, j)
	for _, seen := range [][]byte{text[:len(text)-5], append(text[:len(text):len(text)], 'x')} {
		j.disk = &amid{j.disk, seen}
		if log := logOf(t, j); log.Torn || log.Damaged || len(log.Records) != 3 {
			t.Errorf("%+v", log)
		}
	}
}

// TestDamageIsFar: the last record is found behind damaged lines of any length, and damage that is far from the end is not looked for.
func TestDamageIsFar(t *testing.T) {
	for _, size := range []int{1, glance, 8 * glance, 100 * glance} {
		j := filled(t, inMemory(t), 3)
		put(t, j, append(content(t, j), strings.Repeat("x", size)+"\n"+strings.Repeat("y", size)...))
		if seq := add(t, j, Record{}); seq != 5 {
			t.Errorf("%d bytes: sequence number %d", size, seq)
		}
		if seq := add(t, j, Record{}); seq != 6 {
			t.Errorf("%d bytes: sequence number %d", size, seq)
		}
		if log := logOf(t, j); !log.Damaged || fmt.Sprint(numbers(log)) != "[1 2 3 5 6]" {
			t.Errorf("%d bytes: %v", size, numbers(log))
		}
	}
}
