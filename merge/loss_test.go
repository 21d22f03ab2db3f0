package merge_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/merge"
)

// This file has the laws that nothing is lost and nothing comes from nowhere.

// conflictsOpen: what the result reports as conflicts is what stands in the document, for people and for machines.
func conflictsOpen(t *trial) error {
	_, entry := child(clone(t.out.object), "extensions")[mergeKey]
	if entry != (len(t.result.Conflicts) > 0) {
		return fmt.Errorf("%d conflicts, and the entry is there: %v", len(t.result.Conflicts), entry)
	}
	var reported, found []string
	for _, c := range t.result.Conflicts {
		reported = append(reported, c.Question)
		q := t.out.byID[c.Question]
		if q == nil || str(q.object, "kind") != "question" || !live(q.object) || str(q.object, "origin", "type") != "tool" {
			return fmt.Errorf("conflict on %s: question %s", c.Path, c.Question)
		}
		if err := asked(str(q.object, "text"), c); err != nil {
			return err
		}
		if !strings.HasPrefix(c.Question, "merge.q.") || len(c.Terms) == 0 {
			return fmt.Errorf("conflict %+v", c)
		}
	}
	for _, q := range t.out.in("statements", isOpenQuestion) {
		if strings.HasPrefix(q.id, "merge.q.") && str(q.object, "origin", "name") == "ocp merge" {
			found = append(found, q.id)
		}
	}
	if slices.Sort(reported); !slices.Equal(reported, slices.Sorted(slices.Values(found))) {
		return fmt.Errorf("questions %s are open and %s reported", found, reported)
	}
	if len(reported) > 0 {
		return t.blocked(reported)
	}
	return nil
}

// asked: a question names the path, or that of the object, and the inputs.
func asked(text string, c merge.Conflict) error {
	object := c.Path[:strings.LastIndex(c.Path, "/")]
	if !strings.Contains(text, c.Path) && !strings.Contains(text, object) {
		return fmt.Errorf("the question on %s does not name it: %s", c.Path, text)
	}
	for _, term := range c.Terms {
		if len(term.Inputs) == 0 || !strings.Contains(text, term.Inputs[0]) {
			return fmt.Errorf("the question on %s does not name the inputs %s: %s", c.Path, term.Inputs, text)
		}
	}
	return nil
}

// blocked: while a conflict is open, the task is blocked by its question, and whoever continues has to ask.
func (t *trial) blocked(questions []string) error {
	next := items(t.out.object, "progress", "next")
	ask := t.out.in("continuation/preconditions", func(e *entry) bool {
		return str(e.object, "on_failure") == "ask" && slices.ContainsFunc(questions, func(q string) bool { return slices.Contains(texts(e.object, "refs"), q) })
	})
	switch {
	case str(t.out.object, "task", "status") != "blocked":
		return errors.New("the task is " + str(t.out.object, "task", "status"))
	case len(next) == 0 || !slices.Equal(slices.Sorted(slices.Values(texts(next[0], "blocked_by"))), questions):
		return errors.New("the first next step does not wait for the questions")
	case len(ask) == 0:
		return errors.New("no precondition asks")
	}
	return nil
}

// heldStay: a conflict that is open in an input, since an earlier merge, is open with the same terms.
func heldStay(t *trial) error {
	for _, m := range t.inputs {
		for _, c := range m.held() {
			if err := t.stillHeld(m, c); err != nil {
				return fmt.Errorf("of %s: %w", m.name, err)
			}
		}
	}
	return nil
}

// held are the conflicts that were open when an input, or the document that it continues, was merged.
func (m *member) held() []merge.Conflict {
	switch {
	case m.merged != nil:
		return m.merged.Conflicts
	case len(m.from) == 1:
		return m.from[0].held()
	}
	return nil
}

func (t *trial) stillHeld(m *member, held merge.Conflict) error {
	parts := strings.Split(held.Path, "/")
	for i := range parts {
		parts[i] = t.name(m, parts[i])
	}
	path := strings.Join(parts, "/")
	now := t.conflict(path)
	if id := parts[len(parts)-1]; now == nil && held.Kind == "deletion" && t.out.referred()[id] {
		return nil // what something came to need is not deleted
	}
	if now == nil {
		return fmt.Errorf("conflict on %s is gone", path)
	}
	for _, term := range held.Terms {
		if !slices.ContainsFunc(now.Terms, func(n merge.Term) bool { return sameText(n.Value, term.Value) }) && !sameText(now.Stands, term.Value) {
			return fmt.Errorf("conflict on %s has no term %s any more", path, term.Value)
		}
	}
	return nil
}

// sameText says whether two JSON texts are equal.
func sameText(a, b string) bool {
	return a == b || a != "" && b != "" && canon(decoded([]byte(a))) == canon(decoded([]byte(b)))
}

var tokenPattern = regexp.MustCompile(`@c\d+\.\d+@`)

// tokensFound: what an agent wrote is in the result, as a value or as a term of a conflict.
func tokensFound(t *trial) error {
	text := allStrings(t.out.object)
	for _, m := range t.inputs {
		for _, token := range tokenPattern.FindAllString(allStrings(m.doc.object), -1) {
			if !strings.Contains(text, token) {
				return fmt.Errorf("%s of %s is lost: %s", token, m.name, around(string(m.src), token))
			}
		}
	}
	return nil
}

// around shows where a text has a token.
func around(text, token string) string {
	i := strings.Index(text, token)
	return text[max(0, i-200):min(len(text), i+80)]
}

// objectsFound: every object of every input is in the result, or it may go and an omission names it.
func objectsFound(t *trial) error {
	for _, m := range t.inputs {
		made := m.doc.artefacts()
		for _, e := range m.doc.entries {
			if made[e.id] || e.path == "progress/focus" || e.path == "application_context" && e.id == "" || t.find(m, e) != nil {
				continue
			}
			if err := t.goneRightly(m, e); err != nil {
				return fmt.Errorf("%s %s of %s is gone: %w", e.path, e.key, m.name, err)
			}
		}
	}
	return nil
}

// goneRightly: another input deleted what no one modified, or the object is a record of this merge's own kind.
func (t *trial) goneRightly(m *member, e *entry) error {
	switch {
	case e.path == "continuation/stop_conditions" && t.isLifted(m, e.id):
		return nil
	case e.path == "derivation/omissions" || e.path == "derivation/transformations" || e.path == "resources" && str(e.object, "media_type") == "application/vnd.opencheckpoint+json":
		return nil // omissionsFound has what may not go
	case e.path == "progress/next" && t.done(e):
		return nil
	case e.path == "application_context/drafts" && str(e.object, "status") != "unsaved":
		return nil // a part of its entry
	case m.was("merged") && strings.HasPrefix(e.id, "merge."):
		return nil
	}
	base := t.base.doc.byKey[e.path+"\n"+e.key]
	switch {
	case base == nil:
		return errors.New("the base does not have it")
	case protected(base):
		return errors.New("it is protected")
	case canon(base.object) != canon(e.object) && !t.forgetful(m):
		return errors.New("it was modified")
	}
	return t.recorded(e)
}

// forgetful says whether what an input lacks says nothing: it was compacted, or says that it left something out.
func (t *trial) forgetful(m *member) bool {
	return m.was("compacted") || slices.ContainsFunc(items(m.doc.object, "derivation", "omissions"), func(o any) bool {
		return !slices.ContainsFunc(items(t.base.doc.object, "derivation", "omissions"), func(b any) bool { return canon(b) == canon(o) })
	})
}

// isLifted says whether a stop condition of an input was a fork's guard that was lifted.
func (t *trial) isLifted(m *member, id string) bool {
	return slices.ContainsFunc(t.result.Lifted, func(g merge.Guard) bool { return g.StopCondition == t.name(m, id) })
}

// done says whether a next step is a completed one.
func (t *trial) done(e *entry) bool {
	return slices.ContainsFunc(t.out.in("progress/completed", nil), func(c *entry) bool {
		return e.id != "" && c.id == e.id || str(c.object, "description") == str(e.object, "description")
	})
}

// recorded: a deletion is reported, and an omission says what went.
func (t *trial) recorded(e *entry) error {
	prefix := "/" + e.path + "/" + e.id
	for _, d := range t.result.Deleted {
		if d.Object == prefix || e.id == "" && strings.HasPrefix(d.Object, prefix) {
			return t.omitted(d.Object)
		}
	}
	return errors.New("it is not reported")
}

func (t *trial) omitted(path string) error {
	for _, o := range items(t.out.object, "derivation", "omissions") {
		if strings.Contains(str(o, "description"), path) && str(o, "recoverable_from") != "" {
			return nil
		}
	}
	return errors.New("no omission names it")
}

// omissionsFound: what an input says it left out is still said.
func omissionsFound(t *trial) error {
	var said []string
	for _, o := range items(t.out.object, "derivation", "omissions") {
		said = append(said, str(o, "reason")+" "+str(o, "description"))
	}
	for _, m := range t.inputs {
		for _, o := range items(m.doc.object, "derivation", "omissions") {
			if text := str(o, "reason") + " " + str(o, "description"); !slices.Contains(said, text) && !m.was("merged") {
				return fmt.Errorf("%q of %s", text, m.name)
			}
		}
	}
	return nil
}
