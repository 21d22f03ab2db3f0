package brief

import (
	"encoding/json"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// part is a group of entries of a checkpoint.
type part struct {
	noun string
	has  func(d *checkpoint.Document, i int32) bool
	line func(d *checkpoint.Document, i int32) string
}

// parts in the order in which they are worth their room (§10.7): what must not happen, what is not over, what binds, what is asked, where the work stands.
var parts = []part{
	{"task", ofType(checkpoint.Task), described("task", []string{"status"}, "objective", "outcome")},
	{"stop condition", ofType(checkpoint.StopCondition), described("stop condition", nil, "description")},
	{"open operation", isOpen, operation},
	{"directive", isDirective, statement},
	{"open question", isQuestion, statement},
	{"precondition", ofType(checkpoint.Precondition), described("precondition", []string{"on_failure"}, "description")},
	{"focus", ofType(checkpoint.Focus), described("focus", nil, "description")},
	{"next step", ofType(checkpoint.NextStep), described("recommended next step", nil, "description")},
	{"requirement", ofType(checkpoint.Requirement), described("requirement", []string{"necessity", "kind"}, "name", "description")},
	{"other statement", isOtherStatement, statement},
	{"completed step", ofType(checkpoint.Step), described("completed step", nil, "description")},
	{"operation that is over", isOver, operation},
}

func ofType(t checkpoint.Type) func(*checkpoint.Document, int32) bool {
	return func(d *checkpoint.Document, i int32) bool { return d.Objects[i].Type == t }
}

func isOpen(d *checkpoint.Document, i int32) bool {
	o := &d.Objects[i]
	return o.Type == checkpoint.Operation && !checkpoint.Terminal(o.Fact(checkpoint.Status))
}

func isOver(d *checkpoint.Document, i int32) bool {
	return d.Objects[i].Type == checkpoint.Operation && !isOpen(d, i)
}

func isDirective(d *checkpoint.Document, i int32) bool {
	o := &d.Objects[i]
	kind := o.Fact(checkpoint.Kind)
	return o.Type == checkpoint.Statement && o.Live() && (kind == checkpoint.Instruction || kind == checkpoint.Constraint || kind == checkpoint.Decision)
}

func isQuestion(d *checkpoint.Document, i int32) bool {
	o := &d.Objects[i]
	return o.Type == checkpoint.Statement && o.Live() && o.Fact(checkpoint.Kind) == checkpoint.Question
}

func isOtherStatement(d *checkpoint.Document, i int32) bool {
	return d.Objects[i].Type == checkpoint.Statement && d.Objects[i].Live() && !isDirective(d, i) && !isQuestion(d, i)
}

// described is a line with the words of an entry, and its texts in quotation marks.
func described(what string, words []string, texts ...string) func(*checkpoint.Document, int32) string {
	return func(d *checkpoint.Document, i int32) string { return line(d, i, what, words, texts) }
}

func operation(d *checkpoint.Document, i int32) string {
	return line(d, i, "operation", []string{"kind", "status", "effect", "resume"}, []string{"description"})
}

// statement keeps the kind and the origin of a statement, and what its verification claims.
func statement(d *checkpoint.Document, i int32) string {
	words := origin(d, i)
	if state := member(d, i, "verification", "state"); state != "" {
		words += ", " + state
	}
	return line(d, i, "statement", []string{"kind"}, []string{"text"}, words)
}

// origin is the claim of whose words a statement holds.
func origin(d *checkpoint.Document, i int32) string {
	words := "origin " + member(d, i, "origin", "type")
	if name := member(d, i, "origin", "name"); name != "" {
		words += " " + quote([]byte(name))
	}
	return words
}

// member is a text within an object that is a member of an entry.
func member(d *checkpoint.Document, i int32, name, within string) string {
	item, ok := d.Field(i, name)
	if !ok {
		return ""
	}
	var object map[string]any
	if json.Unmarshal(d.Src[item.Value.Start:item.Value.End], &object) != nil {
		return ""
	}
	text, _ := object[within].(string)
	return text
}

func line(d *checkpoint.Document, i int32, what string, words, texts []string, more ...string) string {
	var b strings.Builder
	b.WriteString("- " + what)
	if id := d.ID(i); len(id) > 0 {
		b.WriteString(" " + quote(id))
	}
	for _, name := range words {
		if word := d.StringField(i, name); len(word) > 0 {
			more = append(more, string(word))
		}
	}
	if len(more) > 0 {
		b.WriteString(" (" + strings.Join(more, ", ") + ")")
	}
	for _, name := range texts {
		if text := d.StringField(i, name); len(text) > 0 {
			b.WriteString(" " + quote(text))
		}
	}
	return b.String() + "\n"
}

// quote is a text as a JSON string in one line, cut if it is long. What could end the brief, or move a terminal's cursor, is escaped.
func quote(text []byte) string {
	characters := []rune(string(text))
	cut := ""
	if len(characters) > textLength {
		characters, cut = characters[:textLength], " (cut)"
	}
	quoted, err := json.Marshal(string(characters)) // escapes <, > and &, and replaces what is no Unicode
	if err != nil {
		return `""`
	}
	return strings.NewReplacer("\u007f", `\u007f`, "\u0085", `\u0085`).Replace(string(quoted)) + cut
}
