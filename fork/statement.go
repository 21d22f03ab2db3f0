package fork

import (
	"slices"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// addition is a statement that a fork adds.
type addition struct {
	id, kind string
	text     []byte // of the entry
	replaces []int32
}

// addStatements makes the statements that the forks add, with the ids of those that they replace.
func (f *Forks) addStatements() error {
	f.added = make([][]addition, len(f.ids))
	f.replaced = map[int32]bool{}
	for _, s := range f.opts.Statements {
		if err := checkOrigin(s); err != nil {
			return err
		}
		i, err := f.find(s.Fork)
		if err != nil {
			return err
		}
		id := f.freeID("fork." + f.labels[i] + "." + s.Kind)
		f.added[i] = append(f.added[i], addition{id: id, kind: s.Kind, text: f.statementText(id, s)})
	}
	for _, id := range f.opts.Supersede {
		if err := f.supersede(id); err != nil {
			return err
		}
	}
	return nil
}

// checkOrigin is §6.5: an instruction comes from the user or the system.
func checkOrigin(s Statement) error {
	switch {
	case !jsonspan.IsText(s.Text) || !jsonspan.IsText(s.By.Name):
		return refuse("a text or a name is no Unicode text that JSON can hold")
	case !slices.Contains([]string{"instruction", "constraint"}, s.Kind):
		return refuse("a fork adds instructions and constraints, no %s", s.Kind)
	case !slices.Contains(checkpoint.OriginTypes(), s.By.Type):
		return refuse("%q is no origin", s.By.Type)
	case s.Kind == "instruction" && s.By.Type != "user" && s.By.Type != "system":
		return refuse("an instruction comes from the user or the system, not from %q", s.By.Type)
	}
	return nil
}

func (f *Forks) statementText(id string, s Statement) []byte {
	b := jsonspan.AppendQuoted([]byte(`{"id":`), id)
	b = jsonspan.AppendQuoted(append(b, `,"kind":`...), s.Kind)
	b = jsonspan.AppendQuoted(append(b, `,"text":`...), s.Text)
	b = jsonspan.AppendQuoted(append(b, `,"origin":{"type":`...), s.By.Type)
	if s.By.Name != "" {
		b = jsonspan.AppendQuoted(append(b, `,"name":`...), s.By.Name)
	}
	b = jsonspan.AppendQuoted(append(b, `},"recorded_at":`...), f.stamp.CreatedAt)
	return append(b, '}')
}

// supersede lets the first added statement of the same kind, in each fork that has one, replace an active statement of the parent.
func (f *Forks) supersede(id string) error {
	entry, ok := f.doc.Lookup(id)
	if !ok || f.doc.Objects[entry].Type != checkpoint.Statement {
		return refuse("there is no statement %q to supersede", id)
	}
	if f.replaced[entry] {
		return refuse("statement %s is to be superseded twice", id)
	}
	f.replaced[entry] = true
	if !f.doc.Objects[entry].Live() {
		return refuse("statement %s is not active, so it cannot be superseded", id)
	}
	kind, replaced := string(f.doc.StringField(entry, "kind")), false
	for i := range f.added {
		for a := range f.added[i] {
			if f.added[i][a].kind == kind {
				f.added[i][a].replaces = append(f.added[i][a].replaces, entry)
				replaced = true
				break
			}
		}
	}
	if !replaced {
		return refuse("statement %s is %s, and no fork adds a statement of that kind to replace it", id, kind)
	}
	return nil
}
