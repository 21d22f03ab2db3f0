package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/tailscale/hujson"
)

// What is added to settings is only ever put between two bytes of them, and how it is put there says what was there before, so that it can be taken out again to
// the byte with no note of the old text. A note would lie on one machine, while a project's settings travel to others; and it would be a second
// copy of settings that hold secrets. The signs, for an array or object that holds nothing but what was added:
//
//   - white space behind its opening bracket: it was added, too;
//   - none: it was there, and empty.
//
// And for a file of which all was added: a line feed before the object: the file was there and held only what stands before the line feed; one behind it,
// and nothing before: there was no file. A program that formats the settings anew wipes out the signs. Then what was added still goes, and
// an empty object at most is left over or gone.

// SettingsError is a settings file that is not what the client reads. Line and Column are zero where the fault has no single place.
type SettingsError struct {
	File         string
	Line, Column int
	Msg          string
}

// Error is one line.
func (e *SettingsError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// Hint says what to do.
func (e *SettingsError) Hint() string { return "put the file right, then type the command again" }

const byteOrderMark = "\ufeff"

// settings are a client's settings as text. plain is the same text with white space in place of what JSON does not have, offset for offset.
type settings struct {
	text  []byte
	plain []byte
	root  jsonspan.Span // of the object; empty where the text has none
	none  bool          // there is no file
}

// parseSettings reads settings. Comments, trailing commas and a byte order mark are read where the client reads them.
func parseSettings(name string, f *file, as files) (*settings, error) {
	s := &settings{text: f.text, plain: f.text, none: f.none}
	if as.mark && bytes.HasPrefix(s.text, []byte(byteOrderMark)) {
		s.plain = append([]byte("   "), s.text[len(byteOrderMark):]...)
	}
	if len(jsonspan.TrimWhite(s.plain)) == 0 {
		return s, nil
	}
	if as.comments {
		if err := s.blankComments(name); err != nil {
			return nil, err
		}
	}
	c := &jsonspan.Cursor{Src: s.plain, Lenient: true}
	c.Start()
	first := c.Peek()
	s.root = c.Skip()
	c.End()
	if c.Err != nil {
		c.Err.Locate(s.plain)
		return nil, &SettingsError{name, c.Err.Line, c.Err.Column, c.Err.Error()}
	}
	if first != '{' {
		return nil, &SettingsError{name, 1, 1, "the settings are not an object"}
	}
	return s, nil
}

// blankComments puts white space in place of comments. A comma behind the last item, which hujson marks with an extra that is not nil, is refused here: it would
// take it for white space, and the client does not. A comment may end the text without a line feed, which hujson does not read; it is given one.
func (s *settings) blankComments(name string) error {
	text := append(bytes.Clone(s.plain), '\n')
	value, err := hujson.Parse(text)
	if err != nil {
		return s.unread(name, text, err)
	}
	for v := range value.All() {
		switch c := v.Value.(type) {
		case *hujson.Object:
			err = s.trailing(name, v, len(c.Members) > 0 && c.Members[len(c.Members)-1].Value.AfterExtra != nil)
		case *hujson.Array:
			err = s.trailing(name, v, len(c.Elements) > 0 && c.Elements[len(c.Elements)-1].AfterExtra != nil)
		}
		if err != nil {
			return err
		}
	}
	value.Standardize()
	s.plain = value.Pack()[:len(s.plain)]
	return nil
}

// unread is an error of hujson about a text, which says its place only in words. The reader that comes next would stop at the first comment and not at the fault.
func (s *settings) unread(name string, text []byte, err error) error {
	var line, column int
	cause := errors.Unwrap(err)
	if _, bad := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); bad != nil || cause == nil {
		return &SettingsError{File: name, Msg: err.Error()}
	}
	at := 0
	for range line - 1 {
		at += bytes.IndexByte(text[at:], '\n') + 1
	}
	return s.wrong(name, min(at+column-1, len(s.plain)), cause.Error())
}

func (s *settings) trailing(name string, container *hujson.Value, found bool) error {
	if !found {
		return nil
	}
	return s.wrong(name, container.EndOffset-1, "there is a comma behind the last item")
}

// wrong is a member that is not what the client reads.
func (s *settings) wrong(name string, at int, msg string) error {
	p := jsonspan.NewLocator(s.plain).At(at)
	return &SettingsError{name, p.Line, p.Column, msg}
}

// eventLists finds the array of each event that the settings name, and checks the shapes around them.
func (s *settings) eventLists(name string) (hooks jsonspan.Item, lists []jsonspan.Item, err error) {
	hooks, found := s.find(s.root, "hooks")
	if !found {
		return hooks, nil, nil
	}
	if s.plain[hooks.Value.Start] != '{' {
		return hooks, nil, s.wrong(name, hooks.Value.Start, "hooks is not an object")
	}
	lists = jsonspan.Items(s.plain, hooks.Value)
	for _, l := range lists {
		if event := s.name(l); s.plain[l.Value.Start] != '[' && event != "enabled" && event != "disabled" { // Gemini CLI once had these two here
			return hooks, nil, s.wrong(name, l.Value.Start, "hooks."+event+" is not an array")
		}
	}
	return hooks, lists, nil
}

// find is the member of a value that has a name; only objects have any.
func (s *settings) find(at jsonspan.Span, name string) (jsonspan.Item, bool) {
	if at.Len() == 0 || s.plain[at.Start] != '{' {
		return jsonspan.Item{}, false
	}
	return jsonspan.FindIn(s.plain, at, name)
}

func (s *settings) name(i jsonspan.Item) string { return string(jsonspan.Plain(s.plain, i.Name)) }

// newline is how the text ends its lines.
func (s *settings) newline() string {
	if at := bytes.IndexByte(s.text, '\n'); at > 0 && s.text[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// unit is one step of the text's indentation.
func (s *settings) unit() string {
	if s.root.Len() > 0 {
		if lead := s.lead(s.root.Start + 1); bytes.IndexByte(lead, '\n') >= 0 {
			if step := lead[bytes.LastIndexByte(lead, '\n')+1:]; len(step) > 0 {
				return string(step)
			}
		}
	}
	return "  "
}

// lead is the white space that stands at an offset.
func (s *settings) lead(at int) []byte {
	rest := s.text[at:]
	return rest[:len(rest)-len(jsonspan.TrimWhite(rest))]
}

// place says how something is written behind the opening bracket at an offset: in lines with an indentation, or in one line.
func (s *settings) place(container jsonspan.Span, empty bool) layout {
	l := layout{newline: s.newline(), unit: s.unit()}
	if empty {
		l.lines, l.base = true, s.indentation(container.Start)+l.unit
		return l
	}
	l.lead = string(s.lead(container.Start + 1))
	if at := bytes.LastIndexByte([]byte(l.lead), '\n'); at >= 0 {
		l.lines, l.base = true, l.lead[at+1:]
	}
	return l
}

// indentation is the white space that the line of an offset begins with.
func (s *settings) indentation(at int) string {
	return string(s.blank(s.text[bytes.LastIndexByte(s.text[:at], '\n')+1 : at]))
}

// blank is the spaces and tabs that a line begins with.
func (s *settings) blank(line []byte) []byte {
	return line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
}

// layout is how added text is written.
type layout struct {
	lines               bool
	base, unit, newline string
	lead                string // the white space before the first item that is there
}

// gap stands between two added items.
func (l layout) gap() string {
	if !l.lines {
		return l.lead
	}
	return l.newline + l.base
}

// write spells a JSON value, perhaps with a name before it.
func (l layout) write(value string) []byte {
	if !l.lines {
		return []byte(value)
	}
	name, value := splitName(value)
	var b bytes.Buffer
	json.Indent(&b, []byte(value), l.base, l.unit) // of text that is JSON by construction
	return bytes.ReplaceAll(append([]byte(name), b.Bytes()...), []byte("\n"), []byte(l.newline))
}

// splitName takes a member apart.
func splitName(member string) (name, value string) {
	if member[0] != '"' {
		return "", member
	}
	end := jsonspan.TextAt([]byte(member), 0).End + len(": ")
	return member[:end], member[end:]
}

// quoted is text as a JSON string.
func quoted(text string) string {
	if !utf8.ValidString(text) {
		text = string(bytes.ToValidUTF8([]byte(text), []byte("\ufffd")))
	}
	return string(jsonspan.AppendQuoted(nil, text))
}

// unquoted is the text of a JSON string, empty where it is none.
func unquoted(literal string) string {
	var text string
	if json.Unmarshal([]byte(literal), &text) != nil {
		return ""
	}
	return text
}
