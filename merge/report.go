package merge

import "encoding/json"

// Report is what a merge did, for machines. No list of it is null.
type Report struct {
	ID        string           `json:"id"`
	Unchanged bool             `json:"unchanged"`
	Base      []string         `json:"base"`
	Found     string           `json:"found"`
	Inputs    []Input          `json:"inputs"`
	Parent    string           `json:"parent"`
	ParentWhy string           `json:"parent_why"`
	Conflicts []ConflictReport `json:"conflicts"`
	Renames   []Rename         `json:"renames"`
	Deleted   []Deletion       `json:"deleted"`
	Restored  []Deletion       `json:"restored"`
	Lifted    []Guard          `json:"lifted"`
	Kept      []Guard          `json:"kept"`
	Notes     []string         `json:"notes"`
}

// ConflictReport is a conflict in a report; values are as they are in a document, absent ones left out.
type ConflictReport struct {
	Question string          `json:"question"`
	Path     string          `json:"path"`
	Kind     string          `json:"kind"`
	Asks     string          `json:"asks"`
	Stands   json.RawMessage `json:"stands,omitempty"`
	Terms    []TermReport    `json:"terms"`
}

// TermReport is a term in a report.
type TermReport struct {
	Inputs []string        `json:"inputs"`
	Value  json.RawMessage `json:"value,omitempty"`
	Made   []string        `json:"made"`
}

// Report reports on the result.
func (r *Result) Report() Report {
	return Report{r.ID, r.Unchanged, list(r.Base), r.Found, list(r.Inputs), r.Parent, r.ParentWhy, conflictReports(r.Conflicts), list(r.Renames), list(r.Deleted),
		list(r.Restored), list(r.Lifted), list(r.Kept), list(r.Notes)}
}

func conflictReports(conflicts []Conflict) []ConflictReport {
	reports := []ConflictReport{}
	for _, c := range conflicts {
		report := ConflictReport{Question: c.Question, Path: c.Path, Kind: c.Kind, Asks: c.Asks(), Stands: json.RawMessage(c.Stands), Terms: []TermReport{}}
		for _, t := range c.Terms {
			report.Terms = append(report.Terms, TermReport{list(t.Inputs), json.RawMessage(t.Value), list(t.Made)})
		}
		reports = append(reports, report)
	}
	return reports
}

// list is never null in JSON.
func list[T any](items []T) []T { return append([]T{}, items...) }
