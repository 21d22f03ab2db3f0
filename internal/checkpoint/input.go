package checkpoint

import (
	"strings"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// MaxInputs is how many checkpoints derivation.inputs keeps, the new direct ones included.
const MaxInputs = 64

// Our own extension data: KeyPrefix is what its keys begin with. Under ForkKey a fork says whose sibling it is, under MergeKey a merge which
// conflicts are open.
const (
	KeyPrefix = "io.github.opencheckpoint/"
	ForkKey   = KeyPrefix + "fork"
	MergeKey  = KeyPrefix + "merge"
)

// IsCheckpointInput says whether an entry is an input of the derivation that is a checkpoint, not a session.
func (d *Document) IsCheckpointInput(i int32) bool {
	return d.Objects[i].Type == Input && !d.Has(i, "protocol")
}

// ForkBases are the ids that the document's fork entry names: a merge finds its base by them.
func (d *Document) ForkBases() map[string]bool {
	bases := map[string]bool{}
	if entry, ok := d.Extension(ForkKey); ok {
		jsonspan.EachString(d.Src, entry, func(s string) { bases[s] = true })
	}
	return bases
}

// OldestInputs are the checkpoints among the inputs for which a derived checkpoint has no place. The oldest come last; the bases of a fork stay.
func (d *Document) OldestInputs() (oldest []int32) {
	bases := d.ForkBases()
	room := MaxInputs - 1
	for i := range d.Objects {
		if !d.IsCheckpointInput(int32(i)) {
			continue
		}
		if room--; room < 0 && !bases[string(d.StringField(int32(i), "id"))] {
			oldest = append(oldest, int32(i))
		}
	}
	return oldest
}

// MergeTerms are the local objects that an open merge's own extension entry names, also in the paths of its conflicts: what these are made of, and
// what they are about.
func (d *Document) MergeTerms() (terms []int32) {
	entry, ok := d.Extension(MergeKey)
	if !ok {
		return nil
	}
	jsonspan.EachString(d.Src, entry, func(s string) {
		for _, id := range append(strings.Split(s, "/"), s) {
			if i, ok := d.Lookup(id); ok {
				terms = append(terms, i)
			}
		}
	})
	return terms
}

// GuardText is the description of a stop condition by which a fork forbids an operation: owner is the id of the fork that owns it, and label its
// label; without an owner it waits for the merge.
func GuardText(operation, label, owner string) string {
	if owner == "" {
		return "no fork owns operation " + operation + ": it waits until the forks are merged"
	}
	return "fork " + label + guardOf(operation, owner)
}

func guardOf(operation, owner string) string {
	return " (" + owner + ") owns operation " + operation + ": it must not run in this fork"
}

// MergeGuardText is the same in a merge that a fork is missing from which may own the operation.
func MergeGuardText(operation string) string {
	return "a fork that is no input of the merge may own operation " + operation + ": it waits until all forks are merged"
}

// IsGuardText says whether a description is a GuardText with whatever label, or a MergeGuardText.
func IsGuardText(text, operation, owner string) bool {
	if owner == "" {
		return text == GuardText(operation, "", "") || text == MergeGuardText(operation)
	}
	return strings.HasPrefix(text, "fork ") && strings.HasSuffix(text, guardOf(operation, owner))
}

// removedText stands between the count and the ids in RemovedText.
const removedText = " that another fork owns: "

// RemovedText is the description of the omission by which a fork records the operations that it lacks; count is how many, with the noun.
func RemovedText(count string, operations []string) string {
	return count + removedText + strings.Join(operations, ", ")
}

// RemovedOperations are the operations that a RemovedText names, none of another text.
func RemovedOperations(description string) []string {
	count, ids, ok := strings.Cut(description, removedText)
	if !ok || !strings.HasSuffix(strings.TrimSuffix(count, "s"), " operation") {
		return nil
	}
	return strings.Split(ids, ", ")
}
