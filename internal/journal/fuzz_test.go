package journal

import (
	"bytes"
	"errors"
	"testing"

	"github.com/opencheckpoint/ocp/internal/sumline"
)

// summed puts a sum before each line that has its line feed, so that a fuzzer gets past the sums.
func summed(text []byte) (lines []byte) {
	for {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		if !ended {
			return append(lines, line...)
		}
		lines = append(lines, sumline.Encode(line)...)
		text = rest
	}
}

// unsummed takes the sums away.
func unsummed(lines []byte) (text []byte) {
	for line := range bytes.Lines(lines) {
		part, _ := sumline.Decode(line)
		text = append(append(text, part...), '\n')
	}
	return text
}

// FuzzRead: whatever a file holds, reading does not panic. What Read accepts, Append continues, and what it was before is still there: records, damage, and else
// nothing.
func FuzzRead(f *testing.F) {
	text := content(f, filled(f, inMemory(f), 3))
	f.Add(text, false)
	f.Add(text[:len(text)-5], false)
	f.Add(unsummed(text), true)
	f.Add(append(unsummed(text), `0123 {"seq":`...), true)
	f.Add([]byte("{\"journal\":2}\n"), true)
	f.Add([]byte(nil), false)
	f.Fuzz(func(t *testing.T, text []byte, sums bool) {
		if sums {
			text = summed(text)
		}
		j := inMemory(t)
		put(t, j, text)
		before, err := j.read()
		seq, appended := j.Append(t.Context(), Record{Event: "next"})
		if err != nil {
			if !errors.As(err, new(*VersionError)) || !errors.As(appended, new(*VersionError)) || !bytes.Equal(content(t, j), text) {
				t.Fatalf("%v, then %v", err, appended)
			}
			return
		}
		if appended != nil {
			t.Fatal(appended)
		}
		after := logOf(t, j)
		n := len(before.Records)
		if len(after.Records) != n+1 || after.last() != seq || !sameRecords(after.Records[:n], before.Records) {
			t.Fatalf("%+v, then %+v", before, after)
		}
		if after.Torn || after.Damaged != before.Damaged || !before.Damaged && seq != int64(n+1) {
			t.Fatalf("%+v, then %+v", before, after)
		}
	})
}
