package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/secret"
)

// How long texts may be, in characters. What a person typed is never cut; of the rest the checkpoint holds the beginning and says
// where the whole of it is (§6.4, §9.1).
const (
	quoteLength    = 4000
	excerptLength  = 400
	aboutLength    = 200
	argumentLength = 8 << 10 // bytes of JSON text
)

// ahead is how many bytes behind the end of an excerpt are searched for a credential that begins in it.
const ahead = 16 << 10

// cleaner makes texts of a log fit for a checkpoint. Every text of a log passes through it (§9.1, §10.5).
type cleaner struct{ ledger *ledger }

// text replaces what looks like a credential by a marker.
func (c cleaner) text(s string) string {
	matches := secret.Find([]byte(s))
	if len(matches) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, m := range matches {
		c.ledger.credential(m.Kind)
		b.WriteString(s[at:m.Start] + marker(m.Kind))
		at = m.End
	}
	return b.String() + s[at:]
}

// marker stands where a credential was.
func marker(kind string) string { return "[redacted " + kind + "]" }

// start is the text, cut to n characters.
func (c cleaner) start(s string, n int) string {
	s, cut := c.excerpt(s, n)
	if cut {
		return s + "…"
	}
	return s
}

// excerpt is the first n characters of a text, and whether there are more. The text is searched before it is cut: half a credential
// would not be found.
func (c cleaner) excerpt(s string, n int) (string, bool) {
	searched := s
	if most := n*utf8.UTFMax + ahead; len(s) > most {
		searched = s[:runeStart(s, most)]
	}
	clean := c.text(searched)
	end, count := 0, 0
	for end < len(clean) && count < n {
		_, size := utf8.DecodeRuneInString(clean[end:])
		end, count = end+size, count+1
	}
	if end == len(clean) && len(searched) == len(s) {
		return clean, false
	}
	c.ledger.cut++
	return clean[:end], true
}

// runeStart is the last place up to i where a character begins.
func runeStart(s string, i int) int {
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// line is the first line of a text that has something on it, cut to n characters.
func (c cleaner) line(s string, n int) string {
	s = strings.TrimSpace(s)
	first, _, more := strings.Cut(s, "\n")
	first = c.start(first, n)
	if more && !strings.HasSuffix(first, "…") {
		first += " …"
	}
	return first
}

// An output is what the checkpoint holds of a tool's output.
type output struct {
	digest  string // of the text as it was, in UTF-8
	excerpt string
}

func (c cleaner) output(text []byte) output {
	head := text[:min(len(text), excerptLength*utf8.UTFMax+ahead+utf8.UTFMax)]
	excerpt, _ := c.excerpt(string(head), excerptLength)
	return output{digest.OfBytes(text).String(), excerpt}
}

// arguments are those of the call with an id, as the JSON text of an object; nil for none. They are an object, or a string with the text of
// one. An argument that I-JSON cannot hold is left out, as a changed one would name another call (§6.6).
func (c cleaner) arguments(id string, r record, v value) []byte {
	if v.isString() {
		inner, ok := readRecord([]byte(v.text()))
		if !ok || !inner.isObject() || r.flawsIn(v) > 0 {
			c.ledger.note("unavailable", "1 list of arguments, of call %s: no I-JSON object", c.start(id, aboutLength))
			return nil
		}
		r, v = inner, inner.value
	}
	if !v.isObject() {
		return nil
	}
	out := []byte{'{'}
	within := r.flawsIn(v)
	list := v.members()
	for i := range list.list {
		name, argument := string(list.name(i)), list.value(i)
		within -= r.flawsIn(argument)
		switch {
		case r.flawsIn(argument) > 0:
			c.ledger.note("unavailable", "1 argument, %s of call %s: I-JSON cannot hold it", c.start(name, aboutLength), c.start(id, aboutLength))
		case argument.span.Len() > argumentLength:
			c.ledger.note("size", "1 argument, %s of call %s: %d bytes", c.start(name, aboutLength), c.start(id, aboutLength), argument.span.Len())
		default:
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(jsonspan.AppendQuoted(out, name), ':')
			out = jsonspan.AppendStyled(out, argument.raw(), jsonspan.Plainest)
		}
	}
	if within > 0 {
		c.ledger.note("unavailable", "%s of call %s that share a name", number(within, "argument"), c.start(id, aboutLength))
	}
	return c.inJSON(append(out, '}'))
}

// inJSON replaces credentials in a JSON text. Where that would break it there is nothing left of it.
func (c cleaner) inJSON(text []byte) []byte {
	matches := secret.Find(text)
	if len(matches) == 0 {
		return text
	}
	var out []byte
	at := 0
	for _, m := range matches {
		c.ledger.credential(m.Kind)
		out = append(append(out, text[at:m.Start]...), marker(m.Kind)...)
		at = m.End
	}
	out = append(out, text[at:]...)
	if jsonspan.Check(out) != nil {
		return nil
	}
	return out
}

// textSum tells texts from each other.
func textSum(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

// isSlashWord says whether a text is a command to the client and nothing else.
func isSlashWord(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "/") && !strings.ContainsAny(s, " \t\n") && strings.Count(s, "/") == 1
}

// cutTag returns what stands between <name> and </name> at the beginning of s.
func cutTag(s, name string) (string, bool) {
	rest, ok := strings.CutPrefix(s, "<"+name+">")
	inside, _, closed := strings.Cut(rest, "</"+name+">")
	return inside, ok && closed
}

// hasPrefix says whether a text begins with one of some words.
func hasPrefix(s string, list []string) bool {
	for _, prefix := range list {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}

// sanitizeID makes the characters of a text those of a local id (§4.1).
func sanitizeID(s string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '.' || r == '_' || r == ':' || r == '-' {
			return r
		}
		return '-'
	}, s)
}
