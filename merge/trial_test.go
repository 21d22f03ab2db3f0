package merge_test

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/merge"
)

// trial is one merge of a family.
type trial struct {
	*family
	srcs   [][]byte
	opts   merge.Options
	result *merge.Result
	out    *document
	parsed *checkpoint.Document         // the result, as the validator sees it
	names  map[string]map[string]string // the ids that an input's objects have in the result, by the input's id
}

// options are those of a family's merge: its base is given, among the inputs, or among the ancestors.
func (f *family) options() (srcs [][]byte, opts merge.Options) {
	srcs = sources(f.inputs)
	opts = merge.Options{ID: "urn:x:merged", Now: muchLater, Ancestors: sources(f.others)}
	switch n := f.IntN(3); {
	case n == 0 || f.isNearer():
		opts.Base = f.base.src
	case n == 1:
		srcs = append(srcs, f.base.src)
	default:
		opts.Ancestors = append(opts.Ancestors, f.base.src)
	}
	return shuffled(f.dice, srcs), opts
}

// isNearer says whether all inputs come from one document that is not the base.
func (f *family) isNearer() bool {
	return slices.ContainsFunc(f.others, func(o *member) bool {
		return !slices.ContainsFunc(f.inputs, func(m *member) bool { return !m.descends(o) })
	})
}

// merged merges a family.
func (f *family) merged() (*trial, error) {
	srcs, opts := f.options()
	return f.trial(srcs, opts)
}

// attempt merges; a panic is an error that names its seed like any other.
func attempt(srcs [][]byte, opts merge.Options) (r *merge.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return merge.Merge(srcs, opts)
}

func (f *family) trial(srcs [][]byte, opts merge.Options) (*trial, error) {
	r, err := attempt(srcs, opts)
	if err != nil {
		return nil, fmt.Errorf("%T: %w", err, err)
	}
	t := &trial{family: f, srcs: srcs, opts: opts, result: r, names: map[string]map[string]string{}}
	if t.parsed, err = checkpoint.ParseOne(r.Bytes(), checkpoint.Options{}); err != nil {
		return nil, err
	}
	t.out = read(r.Bytes())
	for _, n := range r.Renames {
		if t.names[n.Input] == nil {
			t.names[n.Input] = map[string]string{}
		}
		t.names[n.Input][n.From] = n.To
	}
	return t, nil
}

// name is the id that an object of an input has in the result.
func (t *trial) name(input *member, id string) string {
	if to, ok := t.names[input.id()][id]; ok {
		return to
	}
	return id
}

// find returns what an entry of an input is in the result. A draft may have another id, since application context is kept whole, in several versions.
func (t *trial) find(input *member, e *entry) *entry {
	found := t.out.byKey[e.path+"\n"+e.key]
	if e.id != "" {
		found = t.out.byID[t.name(input, e.id)]
	}
	if found == nil && e.path == "application_context/drafts" {
		same := func(d *entry) bool {
			return canonOf(d.object, "status", "content") == canonOf(e.object, "status", "content")
		}
		if list := t.out.in(e.path, same); len(list) > 0 {
			return list[0]
		}
	}
	return found
}

// followed is an entry with its own id and its references as they are in the result.
func (t *trial) followed(input *member, e *entry) object {
	o := clone(e.object)
	if e.id != "" {
		o["id"] = t.name(input, e.id)
	}
	for _, path := range e.refs {
		mapRefs(o, strings.Split(path, "/"), func(id string) string { return t.name(input, id) })
	}
	return o
}

// conflict returns the open conflict on a path.
func (t *trial) conflict(path string) *merge.Conflict {
	i := slices.IndexFunc(t.result.Conflicts, func(c merge.Conflict) bool { return c.Path == path })
	if i < 0 {
		return nil
	}
	return &t.result.Conflicts[i]
}

// disputed says whether an open conflict is about an object, as a whole or in part.
func (t *trial) disputed(id string) bool {
	return slices.ContainsFunc(t.result.Conflicts, func(c merge.Conflict) bool {
		return slices.Contains(strings.Split(c.Path, "/"), strings.ReplaceAll(strings.ReplaceAll(id, "~", "~0"), "/", "~1"))
	})
}

// artefacts are the objects of a document that its open merge made: its entry names them as questions, and as made.
func (d *document) artefacts() map[string]bool {
	ids := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		for _, item := range items(object{"": v}, "") {
			walk(item)
		}
		o, _ := v.(object)
		for name, m := range o {
			switch {
			case name == "made":
				for _, id := range texts(o, name) {
					ids[id] = true
				}
			case name == "question":
				ids[str(o, name)] = true
			case name != "value" && name != "stands" && name != "was":
				walk(m)
			}
		}
	}
	walk(get(d.object, "extensions", mergeKey))
	return ids
}

// instant reads a timestamp that this package's generator wrote, or any other that time can read.
func instant(s string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return at
}

// story tells what happened in a family, for messages.
func (f *family) story() string {
	var b strings.Builder
	fmt.Fprintf(&b, "base of %d bytes;", len(f.base.src))
	for _, m := range f.inputs {
		fmt.Fprintf(&b, " %s %s;", m.name, m.id())
	}
	for _, e := range f.edits {
		fmt.Fprintf(&b, " %s %s (%.60s);", e.member, e.what, e.object)
	}
	return b.String()
}
