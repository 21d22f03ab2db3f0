package merge

import (
	"encoding/json"
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// forkData is the extension data of a fork (fork.Key), or of a merge in which guards of a fork are left: then without index and label.
type forkData struct {
	Parent   string          `json:"parent"`
	Siblings []string        `json:"siblings"`
	Guards   []guardData     `json:"guards"`
	Of       json.RawMessage `json:"of"`

	taken map[string]bool // guards of all tips
}

type guardData struct {
	Operation     string  `json:"operation"`
	StopCondition string  `json:"stop_condition"`
	Owner         *string `json:"owner"`
}

// key tells forks apart.
func (f *forkData) key() string { return f.Parent + "\x00" + jsonspan.Strings(f.Siblings) }

// forksOf reads the fork entry of a document and those it stands in, the innermost first.
func forksOf(d *checkpoint.Document) (list []*forkData) {
	span, ok := d.Extension(checkpoint.ForkKey)
	if !ok {
		return nil
	}
	for text := json.RawMessage(d.Src[span.Start:span.End]); len(text) > 0; {
		var f forkData
		if json.Unmarshal(text, &f) != nil {
			return list
		}
		list = append(list, &f)
		text = f.Of
	}
	return list
}

// take adds a tip's records of guards, under the names that they have here.
func (f *forkData) take(guards []guardData, names map[string]string) {
	for _, g := range guards {
		if to, ok := names[g.Operation]; ok {
			g.Operation = to
		}
		if to, ok := names[g.StopCondition]; ok {
			g.StopCondition = to
		}
		if key := strings.Join([]string{g.Operation, g.StopCondition, g.owner()}, "\x00"); !f.taken[key] {
			f.taken[key] = true
			f.Guards = append(f.Guards, g)
		}
	}
}

// owner is the id of the fork that owns the operation, or "".
func (g guardData) owner() string {
	if g.Owner == nil {
		return ""
	}
	return *g.Owner
}

// forkText is the entry of a fork whose guards are left.
func forkText(f *forkData, of string) string {
	guards := make([]string, len(f.Guards))
	for i, g := range f.Guards {
		owner := "null"
		if g.Owner != nil {
			owner = quoted(*g.Owner)
		}
		guards[i] = `{"operation":` + quoted(g.Operation) + `,"stop_condition":` + quoted(g.StopCondition) + `,"owner":` + owner + `}`
	}
	text := `{"parent":` + quoted(f.Parent) + `,"siblings":` + jsonspan.Strings(f.Siblings) + `,"guards":` + arrayOf(guards)
	if of != "" {
		text += `,"of":` + of
	}
	return text + "}"
}
