package merge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// Resolve settles open conflicts of src, one merged checkpoint with nothing but white space around it, which is the parent of the result: the
// chosen term is installed, the question is resolved with it, what the other terms stand for is retracted. With the last conflict the task has the
// status that it had before. A question that was closed in the document counts as answered with what stands there: what the merge made of it goes
// with the next resolution, or, where nothing is open any more, with term 0 of it. The errors are those of Merge.
func Resolve(src []byte, choices []Choice, opts Options) (*Result, error) {
	doc, err := checkpoint.ParseOne(src, checkpoint.Options{Lenient: opts.Lenient})
	if err != nil {
		return nil, &DocumentError{"input", 0, err}
	}
	return resolve(doc, choices, opts)
}

// ResolveFirst resolves conflicts of the checkpoint that src begins with, and returns how many bytes of src it has.
func ResolveFirst(src []byte, choices []Choice, opts Options) (*Result, int, error) {
	doc, err := checkpoint.ParseFirst(src, checkpoint.Options{Lenient: opts.Lenient})
	if doc == nil || err != nil {
		return nil, doc.Len(), err
	}
	r, err := resolve(doc, choices, opts)
	return r, doc.Len(), err
}

func resolve(doc *checkpoint.Document, choices []Choice, opts Options) (*Result, error) {
	sum, err := doc.Digest()
	if err != nil {
		return nil, err
	}
	d := &document{Document: doc, given: doc, id: doc.GlobalID(), digested: func() (digest.Digest, error) { return sum, nil }}
	m := &Merger{opts: opts, reading: checkpoint.Options{Lenient: opts.Lenient}, result: &Result{}, docs: []*document{d}, tips: []*document{d}, parent: d}
	m.lineage = &lineage{at: map[string]*document{d.id: d}}
	m.gather()
	r := &resolution{Merger: m, doc: d, entry: readEntry(doc), gone: map[int32]bool{}, set: map[int32][]change{}}
	if r.entry == nil {
		return nil, refuse("%s has no open merge conflict", d.id)
	}
	r.entry.keepOpen(doc)
	r.asked = r.entry.questions(doc)
	r.ids = map[string]bool{}
	for i := range doc.Objects {
		r.ids[string(doc.ID(int32(i)))] = true
	}
	stamp, err := doc.NewStamp("merged", opts.ID, opts.Now)
	if err != nil {
		return nil, err
	}
	stamp.Digest = sum.String()
	r.stamp = stamp
	if len(r.entry.Conflicts) == 0 && len(choices) == 0 {
		return nil, r.noneOpen()
	}
	r.closeAnswered()
	for _, c := range choices {
		if err := r.choose(c); err != nil {
			return nil, err
		}
	}
	return r.finish()
}

// resolution is the settling of conflicts of one document.
type resolution struct {
	*Merger
	doc    *document
	entry  *entryData
	gone   map[int32]bool
	set    map[int32][]change // members of entries
	closed []string           // questions
	asked  map[string]bool    // the questions that were open, or closed in the document
}

// choose installs a term.
func (r *resolution) choose(choice Choice) error {
	i := slices.IndexFunc(r.entry.Conflicts, func(c conflictData) bool { return c.Question == choice.Question })
	switch {
	case slices.Contains(r.closed, choice.Question):
		return refuse("%s is resolved twice", choice.Question).hint("choose one of its terms")
	case i < 0:
		return r.acknowledge(choice)
	}
	c := &r.entry.Conflicts[i]
	if choice.Term < 0 || choice.Term > len(c.Terms) {
		return refuse("conflict %s has no term %d: 0 is what stands, 1 to %d are the terms", c.Question, choice.Term, len(c.Terms))
	}
	text := "as it stands"
	if c.Stands != nil {
		text += ": " + brief(string(c.Stands))
	}
	if choice.Term > 0 {
		if err := r.install(c, choice.Term-1); err != nil {
			return err
		}
		r.affect(c.Path)
		text = brief(string(c.Terms[choice.Term-1].Value)) + ", as in " + strings.Join(c.Terms[choice.Term-1].Inputs, ", ")
	}
	if question, ok := r.doc.Lookup(c.Question); ok {
		r.change(question, change{"status", `"resolved"`}, change{"resolution", quoted(text)})
	}
	r.closeTerms(c, choice.Term-1)
	r.dropMade(c.stopsWithout(choice.Term))
	r.closed = append(r.closed, c.Question)
	r.changes = append(r.changes, fmt.Sprintf("%s with term %d", c.Question, choice.Term))
	r.entry.Conflicts = slices.Delete(r.entry.Conflicts, i, i+1)
	return nil
}

// affect records the object that a path is about, if it has a local id.
func (r *resolution) affect(path string) {
	if parts := strings.Split(path, "/"); len(parts) > 2 {
		for _, id := range parts[2:] {
			if i, ok := r.doc.Lookup(id); ok && !r.gone[i] && !slices.Contains(r.affected, id) {
				r.affected = append(r.affected, id)
				return
			}
		}
	}
}

func (r *resolution) questions() (ids []string) {
	for _, c := range r.entry.Conflicts {
		ids = append(ids, c.Question)
	}
	return ids
}

func (r *resolution) change(i int32, changes ...change) {
	for _, c := range changes {
		r.set[i] = append(slices.DeleteFunc(r.set[i], func(old change) bool { return old.name == c.name }), c)
	}
}

// closeTerms retracts what the terms stand for that were not chosen, and gives disputed statements their verification back. Of the replacements only
// one goes that came with its term: any other one was in force before, or is so in another input.
func (r *resolution) closeTerms(c *conflictData, chosen int) {
	for k, t := range c.Terms {
		for _, id := range t.Made {
			r.closeTerm(id, k == chosen)
		}
		if replacement, ok := r.doc.Lookup(plain(memberText(string(t.Value), "superseded_by"))); ok && t.Added && chosen >= 0 && k != chosen && r.replaces(replacement) <= 1 {
			r.retract(replacement)
		}
	}
	r.giveBack(c.Path)
}

// giveBack gives statements that a conflict made disputed their verification back.
func (r *resolution) giveBack(path string) {
	for _, m := range r.entry.Marks {
		if i, ok := r.doc.Lookup(m.Object); ok && m.Path == path && m.Member == "verification" && r.doc.Objects[i].Fact(checkpoint.Verification) == checkpoint.Disputed {
			was := string(m.Was)
			if isVerified(was) {
				was = markedStale(was) // much may have changed meanwhile
			}
			r.change(i, change{"verification", was})
		}
	}
}

func (r *resolution) closeTerm(id string, chosen bool) {
	i, ok := r.doc.Lookup(id)
	if !ok || !isMade(r.doc.Document, i, r.asked) {
		return
	}
	switch {
	case r.doc.Objects[i].Type == checkpoint.Resource:
		r.dropMade([]string{id})
	case chosen:
		r.change(i, change{"verification", marked(valueOf(r.doc.Document, i, "verification").texts[0], "unverified")})
	default:
		r.retract(i)
	}
}

// retract retracts a statement that is in force, also with the terms that were chosen before: what is superseded or resolved says more already.
func (r *resolution) retract(statement int32) {
	isSet := slices.ContainsFunc(r.set[statement], func(c change) bool { return c.name == "status" })
	if o := &r.doc.Objects[statement]; o.Type == checkpoint.Statement && o.Live() && !isSet {
		r.change(statement, change{"status", `"retracted"`})
	}
}

// replaces counts the statements that a statement replaces.
func (r *resolution) replaces(statement int32) (n int) {
	for _, ref := range r.doc.Refs {
		if ref.Field == checkpoint.SupersededByField && ref.To == statement {
			n++
		}
	}
	return n
}

// dropMade drops what was made for a conflict, unless something refers to it.
func (r *resolution) dropMade(ids []string) {
	for _, id := range ids {
		i, ok := r.doc.Lookup(id)
		if !ok || !isMade(r.doc.Document, i, r.asked) {
			continue
		}
		needed := slices.ContainsFunc(r.doc.Refs, func(ref checkpoint.Ref) bool {
			return ref.To == i && ref.Field != checkpoint.AffectedField && !r.gone[ref.From]
		})
		if !needed {
			r.gone[i] = true
		}
	}
}

// finish writes the document: without the entry and all that goes with it if no conflict is left, and with what is left of it else.
func (r *resolution) finish() (*Result, error) {
	if len(r.entry.Conflicts) == 0 {
		r.dropMade(r.entry.Made)
		task := r.doc.Only(checkpoint.Task)
		if r.doc.Objects[task].Fact(checkpoint.Status) == checkpoint.TaskBlocked && r.entry.Status != "" {
			r.change(task, change{"status", quoted(r.entry.statusWith(r.doc.Document, r.operationStatus))})
		}
	}
	r.dropReferences()
	r.recordOmissions()
	r.append(checkpoint.Transformation, checkpoint.TransformationText(r.free("ocp.merge"), "resolved "+strings.Join(r.changes, ", "), append(r.closed, r.affected...)...))
	for t, texts := range r.extra {
		r.derived.Last[t] = texts
	}
	r.writeEntry()
	r.writeMembers()
	r.derived.Stamp = r.stamp
	r.derived.Drop = func(i int32) bool { return r.gone[i] }
	e := jsonspan.Edits{Src: r.doc.Src}
	r.doc.Edit(&e, &r.derived)
	out := e.AppendTo(nil)
	r.result.ID, r.result.out, r.result.Parent = r.stamp.ID, out, r.doc.id
	r.result.ParentWhy = "it is the only input"
	if r.stamp.ClockBehind {
		r.result.ClockBehind = r.stamp.CreatedAt
	}
	r.result.Inputs = []Input{{r.doc.id, r.stamp.Digest, false}}
	r.result.Conflicts = r.entry.list()
	if _, err := checkpoint.Recheck(r.doc.Document, out, e.Runs(), r.reading, nil); err != nil {
		return nil, refuse("the chosen terms cannot hold together: %v", err).hint("choose another term, or 0 to keep what stands")
	}
	return r.result, nil
}

// operationStatus is the status that an operation of the document has with the terms that were chosen, "" if it goes.
func (r *resolution) operationStatus(i int32) string {
	if r.gone[i] {
		return ""
	}
	for _, c := range r.set[i] {
		if c.name == "status" {
			return plain(c.text)
		}
	}
	return string(r.doc.StringField(i, "status"))
}

// dropReferences drops the references to what is dropped, and those by which the resolved questions block.
func (r *resolution) dropReferences() {
	closed := map[string]bool{}
	for _, id := range r.closed {
		closed[id] = true
	}
	for _, c := range r.entry.answered {
		closed[c.Question] = true
	}
	made := map[string]bool{}
	for _, id := range r.entry.Made {
		made[id] = true
	}
	for i, ref := range r.doc.Refs {
		isList := ref.Field == checkpoint.RefsField || ref.Field == checkpoint.AffectedField || ref.Field == checkpoint.BlockedByField
		ours := closed[string(r.doc.Text(ref.At))] && made[string(r.doc.ID(ref.From))]
		if isList && !r.gone[ref.From] && (r.gone[ref.To] || ours) {
			r.derived.DropRefs = append(r.derived.DropRefs, int32(i))
		}
	}
}

// writeEntry sets what is left of the entry.
func (r *resolution) writeEntry() {
	i := int32(0)
	own := valueOf(r.doc.Document, i, "extensions").texts[0]
	for _, c := range r.set[i] {
		if c.name == "extensions" {
			own = c.text
		}
	}
	r.change(i, change{"extensions", withMembers(own, []change{{Key, r.entry.text()}})})
}

// writeMembers turns the changes into those of a derived document.
func (r *resolution) writeMembers() {
	for _, i := range slices.Sorted(maps.Keys(r.set)) {
		if r.gone[i] {
			continue
		}
		for _, c := range r.set[i] {
			item, ok := r.doc.Field(i, c.name)
			switch {
			case c.text != "":
				r.derived.Set = append(r.derived.Set, checkpoint.NewMember{Entry: i, Name: c.name, Value: c.text})
			case ok:
				r.derived.DropMembers = append(r.derived.DropMembers, checkpoint.MemberAt{Entry: i, At: uint32(item.Name.Start)})
			}
		}
	}
}
