package compact

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// reason is why something was omitted: a word of §6.9.
type reason uint8

const (
	size reason = iota
	irrelevant
	superseded
	sensitive
	numReasons
)

var reasonWords = [numReasons]string{"size", "irrelevant", "superseded", "sensitive"}

// noun is what a record counts.
type noun uint8

const (
	aStatement noun = iota // plus the statement's kind less 1
	aResource  noun = iota + 6
	anOperation
	aContext
	aSelection
	aDraft
	aRecoveryStep
	anInput
	anExcerpt
	someEvidence
	aFilter
	aView
	aState
	aSchema
	anExtension
	aStep // never in an omission: completed steps are condensed
	numNouns
)

// nouns holds the singular and the plural of each noun.
var nouns = [numNouns][2]string{
	{"instruction", "instructions"}, {"constraint", "constraints"}, {"decision", "decisions"}, {"observation", "observations"},
	{"hypothesis", "hypotheses"}, {"question", "questions"}, {"external statement", "external statements"},
	{"resource", "resources"}, {"operation", "operations"}, {"application context entry", "application context entries"},
	{"selection", "selections"}, {"draft", "drafts"}, {"recovery step", "recovery steps"}, {"derivation input", "derivation inputs"},
	{"excerpt", "excerpts"}, {"list of evidence", "lists of evidence"}, {"filters", "filters"}, {"view", "views"}, {"state", "states"},
	{"state schema", "state schemas"}, {"extension entry", "extension entries"}, {"completed step", "completed steps"},
}

// tally counts what one omission covers. Its text is a record's description: "7 omitted: 4 observations, 3 resources".
type tally struct {
	counts [numNouns]int
	keys   []string // of the extension entries, each once, in the order in which they went
	named  map[string]bool
	quoted int // length of the keys inside a JSON string
}

// maxCount is the largest number that a record gives: sums of it fit an int everywhere. A record with a larger one is none of ours.
const maxCount = 50_000_000

func (t *tally) add(n noun) { t.count(n, 1) }

func (t *tally) count(n noun, more int) { t.counts[n] = min(t.counts[n]+more, maxCount) }

func (t *tally) addKey(key string) {
	t.add(anExtension)
	t.nameKey(key)
}

func (t *tally) nameKey(key string) {
	if t.named[key] {
		return
	}
	if t.named == nil {
		t.named = map[string]bool{}
	}
	t.named[key] = true
	t.keys = append(t.keys, key)
	t.quoted += jsonspan.QuotedLen(key) - 2
}

func (t *tally) total() (n int) {
	for _, c := range t.counts {
		n += c
	}
	return n
}

// merge adds what another tally covers.
func (t *tally) merge(other tally) {
	for n, c := range other.counts {
		t.count(noun(n), c)
	}
	for _, key := range other.keys {
		t.nameKey(key)
	}
}

// omitted separates the number from what it covers.
const omitted = " omitted: "

// text is the description. The keys of extension entries are named in it (§7).
func (t *tally) text() string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(t.total()))
	b.WriteString(omitted)
	first := true
	for n, c := range t.counts {
		if c == 0 {
			continue
		}
		if !first {
			b.WriteString(", ")
		}
		first = false
		b.WriteString(strconv.Itoa(c))
		b.WriteByte(' ')
		b.WriteString(nouns[n][plural(c)])
		if noun(n) == anExtension {
			b.WriteString(" (" + strings.Join(t.keys, ", ") + ")")
		}
	}
	return b.String()
}

func plural(n int) int {
	if n == 1 {
		return 0
	}
	return 1
}

// textLen is the length of text as a JSON string, without making it.
func (t *tally) textLen() int {
	n, kinds := digits(t.total())+len(omitted), 0
	for i, c := range t.counts {
		if c > 0 {
			kinds++
			n += digits(c) + 1 + len(nouns[i][plural(c)])
		}
	}
	if len(t.keys) > 0 {
		n += len(" ()") + t.quoted + len(", ")*(len(t.keys)-1)
	}
	return n + len(", ")*(kinds-1) + 2
}

func digits(n int) int { return len(strconv.Itoa(n)) }

// parseTally reads a description back, exactly as text writes it. It fails on every other text, so a record that someone else
// wrote is never taken for one of ours.
func parseTally(text string) (tally, bool) {
	var t tally
	_, list, found := strings.Cut(text, omitted)
	for found && list != "" {
		list = t.parsePart(list)
	}
	return t, found && t.total() > 0 && t.text() == text
}

// parsePart reads one count with its noun and returns what follows.
func (t *tally) parsePart(list string) (rest string) {
	number, rest, _ := strings.Cut(list, " ")
	count, err := strconv.Atoi(number)
	if err != nil || count <= 0 || count > maxCount {
		return ""
	}
	for n := range nouns {
		after, ok := strings.CutPrefix(rest, nouns[n][plural(count)])
		if !ok {
			continue
		}
		if keys, ok := strings.CutPrefix(after, " ("); ok && noun(n) == anExtension {
			keys, after, _ = strings.Cut(keys, ")")
			for _, key := range strings.Split(keys, ", ") {
				t.nameKey(key)
			}
		}
		if after != "" && !strings.HasPrefix(after, ", ") {
			continue
		}
		t.count(noun(n), count)
		return strings.TrimPrefix(after, ", ")
	}
	return ""
}

// keyName is how a record names an extension key: what would make the record ambiguous is percent-encoded.
func keyName(key string) string {
	var b strings.Builder
	for _, r := range key {
		if r <= ' ' || strings.ContainsRune(",()%", r) {
			fmt.Fprintf(&b, "%%%02X", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// omission is the text of an entry of derivation.omissions.
func omission(id string, t *tally, r reason, resource string) []byte {
	return checkpoint.OmissionText(id, t.text(), reasonWords[r], resource)
}

func omissionLen(id string, t *tally, r reason, resource string) int {
	return len(`{"id":"","description":,"reason":"","recoverable_from":""}`) + len(id) + t.textLen() + len(reasonWords[r]) + len(resource)
}

// condensed is what a transformation covers: completed steps that became one.
type condensed struct {
	count  int
	names  []byte // each step in a few words
	quoted int    // length of names inside a JSON string
	latest string // the latest completed_at as it is spelled, or ""
	at     checkpoint.Instant
}

// nameLength is how many characters of a completed step's description its name keeps.
const nameLength = 40

// done separates the number of the steps from their names.
const done = " done: "

// condensedText follows the number of the steps in a transformation of ours.
const condensedText = " completed steps condensed into the first"

func (c *condensed) add(count int, names string) {
	if c.count > 0 {
		c.names = append(c.names, "; "...)
		c.quoted += len("; ")
	}
	c.count = min(c.count+count, maxCount)
	c.names = append(c.names, names...)
	c.quoted += jsonspan.QuotedLen(names) - 2
}

// shorten turns a step's description into its name: one line, at most nameLength characters.
func shorten(description string) string {
	var name []byte
	length, cut, gap := 0, 0, false
	for _, r := range description {
		if unicode.IsSpace(r) {
			gap = length > 0
			continue
		}
		if gap {
			name = append(name, ' ')
			length, gap = length+1, false
			if length == nameLength-1 {
				cut = len(name)
			}
		}
		if length >= nameLength {
			return string(name[:cut]) + "…"
		}
		name = utf8.AppendRune(name, r)
		if length++; length == nameLength-1 {
			cut = len(name)
		}
	}
	return string(name)
}

// step is the text of the entry of progress.completed that stands for the condensed ones.
func (c *condensed) step(id string) []byte {
	b := jsonspan.AppendQuoted([]byte(`{"id":`), id)
	b = jsonspan.AppendQuoted(append(b, `,"description":`...), strconv.Itoa(c.count)+done+string(c.names))
	if c.latest != "" {
		b = jsonspan.AppendQuoted(append(b, `,"completed_at":`...), c.latest)
	}
	return append(b, '}')
}

func (c *condensed) stepLen(id string) int {
	n := len(`{"id":"","description":""}`) + len(id) + digits(c.count) + len(done) + c.quoted
	if c.latest != "" {
		n += len(`,"completed_at":""`) + len(c.latest)
	}
	return n
}

// transformation is the text of the entry of derivation.transformations that says so.
func (c *condensed) transformation(id, step string) []byte {
	return checkpoint.TransformationText(id, strconv.Itoa(c.count)+condensedText, step)
}

func (c *condensed) transformationLen(id, step string) int {
	return len(`{"id":"","description":"","affected":[""]}`) + len(id) + digits(c.count) + len(condensedText) + len(step)
}

// parseCount reads the number that a text of ours begins with, if the given words follow it.
func parseCount(text, words string) (count int, rest string, ok bool) {
	number, rest, found := strings.Cut(text, words)
	count, err := strconv.Atoi(number)
	return count, rest, found && err == nil && count > 0 && count <= maxCount && strconv.Itoa(count) == number
}
