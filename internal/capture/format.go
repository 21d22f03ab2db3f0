package capture

import (
	"bytes"
	"io"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// A format is one kind of log.
type format struct {
	name    string
	system  string             // what the client is called in a locator and in a reference to a session
	is      func(members) bool // whether a record is one of this format and of no other; nil for one whose records are no lines
	reader  func(*run) reader
	records func(*source) func() (line, error)
	tools   *toolset
	answer  func(*Answer, value) outcome // what a hook is told; nil for a client without hooks
}

// formats are those that are read. Of the records of two formats none has the marks of both.
var formats = []*format{
	{"claude-code", "claude-code", isClaude, newClaude, lines, &claudeTools, claudeHooked},
	{"codex", "codex", isCodex, newCodex, lines, &codexTools, codexHooked},
	{"opencode", "opencode", nil, newOpenCode, values, &openCodeTools, openCodeHooked},
	{"gemini-cli", "gemini-cli", isGemini, newGemini, lines, &geminiTools, geminiHooked},
	{"dsh", "deepseek-harness", isDSH, newDSH, lines, &dshTools, nil},
	{"pi", "pi", isPi, newPi, lines, &piTools, nil},
}

// Formats are the names of the formats.
func Formats() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// lines are the records of a log with one on each line.
func lines(s *source) func() (line, error) { return s.next }

// format finds the format with a name, or the one that the log has.
func (s *source) format(name string) (*format, error) {
	head, err := s.head()
	if err != nil {
		return nil, &ReadError{err}
	}
	if len(bytes.TrimSpace(head)) == 0 && len(head) < window {
		return nil, ErrEmpty
	}
	for _, f := range formats {
		if f.name == name {
			return f, nil
		}
	}
	if f := formatOf(head); f != nil {
		return f, nil
	}
	return nil, ErrFormat
}

// formatOf is the format of the first record that is of any, nil without one.
func formatOf(head []byte) *format {
	for _, f := range formats {
		if f.is == nil && isExport(head) {
			return f
		}
	}
	for len(head) > 0 {
		var first []byte
		first, head, _ = bytes.Cut(head, []byte{'\n'})
		r, ok := readRecord(first)
		if !ok && len(head) == 0 {
			r, _ = readRecord(beginning(first))
		}
		list := r.members()
		for _, f := range formats {
			if f.is != nil && f.is(list) {
				return f
			}
		}
	}
	return nil
}

// beginning closes a record that is cut off behind the last member that is whole. Of an object or list that is cut off it keeps that there
// is one.
func beginning(text []byte) []byte {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '{' {
		return nil
	}
	out := []byte{'{'}
	jsonspan.EachItem(text, jsonspan.Span{End: len(text)}, func(i jsonspan.Item) bool {
		value := text[i.Value.Start:i.Value.End]
		if i.Value.End == len(text) {
			switch value[0] {
			case '{':
				value = []byte("{}")
			case '[':
				value = []byte("[]")
			default:
				return false
			}
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, text[i.Name.Start:i.Name.End]...), ':')
		out = append(out, value...)
		return true
	})
	return append(out, '}')
}

// IsSession says whether a log, of which only the beginning is read, is that of a session of Codex.
func IsSession(r io.Reader, session string) bool {
	first, err := newSource(io.LimitReader(r, window)).next()
	if err != nil {
		return false
	}
	rec, ok := readRecord(first.text)
	return ok && rec.text("type") == "session_meta" && rec.text("payload", "id") == session
}
