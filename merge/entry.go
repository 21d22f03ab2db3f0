package merge

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// entryData is the extension data under Key: the conflicts that are open, and what was made of them.
type entryData struct {
	Status    string         `json:"status"` // of the task before
	Conflicts []conflictData `json:"conflicts"`
	Made      []string       `json:"made"` // local ids of objects that stand for all conflicts
	Marks     []mark         `json:"marks"`

	answered []conflictData // those whose question somebody closed in the document, by hand or by an earlier resolution
}

type conflictData struct {
	Question string          `json:"question"`
	Path     string          `json:"path"`
	Kind     string          `json:"kind"`
	Stands   json.RawMessage `json:"stands,omitempty"`
	Terms    []termData      `json:"terms"`
	Made     []string        `json:"made,omitempty"` // stop conditions
}

type termData struct {
	Inputs []string        `json:"inputs"`
	Value  json.RawMessage `json:"value,omitempty"`
	Made   []string        `json:"made"`
	Added  bool            `json:"added,omitempty"` // the statement that supersedes the one in conflict is of these inputs, and of no other document
}

// mark is a member that the merge changed because of a conflict elsewhere, and its text before; absent without one.
type mark struct {
	Object string          `json:"object"`
	Member string          `json:"member"`
	Was    json.RawMessage `json:"was,omitempty"`
	Path   string          `json:"path"` // of the conflict
}

// readEntry reads the extension data under Key, nil if there is none of its shape.
func readEntry(d *checkpoint.Document) *entryData {
	span, ok := d.Extension(Key)
	if !ok {
		return nil
	}
	var e entryData
	if err := json.Unmarshal(d.Src[span.Start:span.End], &e); err != nil || len(e.Conflicts) == 0 {
		return nil
	}
	return &e
}

// keepOpen sets the conflicts apart whose question is not open in a document. A status that is none stands for active.
func (e *entryData) keepOpen(d *checkpoint.Document) {
	all := e.Conflicts
	e.Conflicts = nil
	for _, c := range all {
		if isOpenQuestion(d, c.Question) {
			e.Conflicts = append(e.Conflicts, c)
		} else {
			e.answered = append(e.answered, c)
		}
	}
	if !slices.Contains(checkpoint.TaskStatuses(), e.Status) {
		e.Status = "active"
	}
}

// statusWith is the task's status without conflicts, as far as it can still be: a completed task has nothing open (OCP-S006), and work may have been
// added meanwhile. now is the status of an operation, "" of one that goes.
func (e *entryData) statusWith(d *checkpoint.Document, now func(operation int32) string) string {
	for i := range d.Objects {
		if d.Objects[i].Type == checkpoint.Operation && e.Status == "completed" && isOpenOperation(now(int32(i))) {
			return "active"
		}
	}
	return e.Status
}

// isOpenOperation says whether a completed task must not have an operation of this status (OCP-S006).
func isOpenOperation(status string) bool {
	return slices.Contains([]string{"planned", "awaiting", "uncertain"}, status)
}

// with adds the conflicts of a base's entry that are missing.
func (e *entryData) with(base *entryData) *entryData {
	if e == nil || base == nil {
		return cmp.Or(e, base)
	}
	for _, c := range base.Conflicts {
		if !slices.ContainsFunc(e.Conflicts, func(own conflictData) bool { return own.Path == c.Path }) {
			e.Conflicts = append(e.Conflicts, c)
		}
	}
	e.Made, e.Marks = append(e.Made, base.Made...), append(e.Marks, base.Marks...)
	return e
}

// list are the conflicts of the entry, by path.
func (e *entryData) list() (list []Conflict) {
	for _, c := range e.Conflicts {
		conflict := Conflict{Question: c.Question, Path: c.Path, Kind: c.Kind, Stands: string(c.Stands)}
		for _, t := range c.Terms {
			conflict.Terms = append(conflict.Terms, Term{Inputs: t.Inputs, Value: string(t.Value), Made: t.Made})
		}
		list = append(list, conflict)
	}
	return list
}

// entryText is the extension data under Key that the result has, or "" without a conflict.
func (m *Merger) entryText() string {
	e := &entryData{Status: m.status, Marks: m.marks, Made: slices.Clone(m.madeFor)}
	for _, c := range m.conflicts {
		e.Conflicts = append(e.Conflicts, m.data(c))
	}
	for _, text := range append(slices.Clone(m.extra[checkpoint.Precondition]), m.nextStep) {
		e.Made = append(e.Made, plain(memberText(string(text), "id")))
	}
	return e.text()
}

func (m *Merger) data(c *conflict) conflictData {
	d := conflictData{Question: c.question, Path: c.path, Kind: c.kind, Stands: []byte(c.stands), Made: c.stops}
	for i, t := range c.terms {
		value := c.valueText(t)
		d.Terms = append(d.Terms, termData{t.inputs, []byte(value), c.made[i], m.isAdded(c, t.inputs, value)})
	}
	return d
}

// isAdded says whether the statement that a term names as the replacement of the one in conflict came with this change: the term's inputs have it,
// and no other document at hand. Without a base nobody knows. Where an input has it by an earlier merge, that merge says so.
func (m *Merger) isAdded(c *conflict, inputs []string, value string) bool {
	e := m.called(plain(memberText(value, "superseded_by")))
	if t, member := typeAt(c.path); t != checkpoint.Statement || member != "status" || c.kind != "difference" || e == nil || len(m.bases) == 0 {
		return false
	}
	for k, d := range m.docs {
		isInput := k >= len(m.bases) && slices.Contains(inputs, d.id)
		if e.at[k] >= 0 && !isInput && !d.saysAdded(c.path, value) {
			return false
		}
	}
	return true
}

// saysAdded says whether a conflict that is open in the document has a value as a term whose replacement was added with it.
func (d *document) saysAdded(path, value string) bool {
	h := d.held[path]
	return h != nil && slices.ContainsFunc(h.terms, func(t termData) bool { return t.Added && canonical(t.Value) == canonical([]byte(value)) })
}

// text is the entry as a JSON text, in which values are spelled as they came; "" without a conflict.
func (e *entryData) text() string {
	if len(e.Conflicts) == 0 {
		return ""
	}
	var conflicts, marks []string
	for _, c := range e.Conflicts {
		conflicts = append(conflicts, c.text())
	}
	for _, k := range e.Marks {
		marks = append(marks, objectOf("object", quoted(k.Object), "member", quoted(k.Member), "was", string(k.Was), "path", quoted(k.Path)))
	}
	return objectOf("status", quoted(e.Status), "conflicts", arrayOf(conflicts), "made", jsonspan.Strings(e.Made), "marks", arrayOf(marks))
}

func (c *conflictData) text() string {
	terms := make([]string, len(c.Terms))
	for i, t := range c.Terms {
		added := ""
		if t.Added {
			added = "true"
		}
		terms[i] = objectOf("inputs", jsonspan.Strings(t.Inputs), "value", string(t.Value), "made", jsonspan.Strings(t.Made), "added", added)
	}
	made := ""
	if len(c.Made) > 0 {
		made = jsonspan.Strings(c.Made)
	}
	return objectOf("question", quoted(c.Question), "path", quoted(c.Path), "kind", quoted(c.Kind), "stands", string(c.Stands), "terms", arrayOf(terms), "made", made)
}

// objectOf is the text of a JSON object, of names and JSON texts in turn. Members without a text are left out.
func objectOf(members ...string) string {
	var list []string
	for i := 0; i < len(members); i += 2 {
		if members[i+1] != "" {
			list = append(list, quoted(members[i])+":"+members[i+1])
		}
	}
	return "{" + strings.Join(list, ",") + "}"
}
