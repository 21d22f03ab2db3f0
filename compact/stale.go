package compact

import (
	"strings"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// A compaction cannot look at evidence that lies elsewhere, so §9.2 makes a verified statement stale: "whose evidence it did not carry
// forward, or could not re-check". What was checked, by Recheck or by the person, stays verified while its evidence is carried.

// isVerified says whether a statement is verified and names evidence.
func (l *ladder) isVerified(i int32) bool {
	o := &l.doc.Objects[i]
	if o.Type != checkpoint.Statement || o.Fact(checkpoint.Verification) != checkpoint.Verified {
		return false
	}
	return len(l.evidenceOf(i)) > 0
}

// evidenceOf lists the resources that an entry names as evidence.
func (l *ladder) evidenceOf(i int32) (list []int32) {
	from, to := l.doc.RefsWithin(l.doc.Objects[i].Span())
	for _, r := range l.doc.Refs[from:to] {
		if r.Field == checkpoint.EvidenceField {
			list = append(list, r.To)
		}
	}
	return list
}

// recheck asks for the digests of the resources that verified statements cite.
func (l *ladder) recheck() {
	l.checked = map[int32]bool{}
	if l.opts.Recheck == nil {
		return
	}
	matches := map[int32]bool{}
	for i := range l.doc.Objects {
		if !l.isVerified(int32(i)) {
			continue
		}
		all := true
		for _, resource := range l.evidenceOf(int32(i)) {
			match, known := matches[resource]
			if !known {
				match = l.recheckResource(resource)
				matches[resource] = match
			}
			all = all && match
		}
		l.checked[int32(i)] = all
	}
}

// recheckResource says whether a file: resource has the digest that the document records. What cannot be read, or has no digest that proves
// anything, is not as recorded; a different digest is reported.
func (l *ladder) recheckResource(resource int32) bool {
	uri := string(l.doc.StringField(resource, "uri"))
	recorded, ok := l.doc.Field(resource, "digest")
	if !ok || !strings.HasPrefix(strings.ToLower(uri), "file:") {
		return false
	}
	want, err := l.doc.RecordedDigest(recorded)
	if err != nil {
		return false
	}
	got, err := l.opts.Recheck(uri)
	if err != nil {
		return false
	}
	if got != want {
		l.mismatched = append(l.mismatched, string(l.doc.ID(resource)))
	}
	return got == want
}

// markStale marks the statements that become stale whatever the budget.
func (l *ladder) markStale() {
	for i := range l.doc.Objects {
		if entry := int32(i); l.isVerified(entry) && !l.opts.AssumeChecked && !l.checked[entry] {
			l.mark(entry)
		}
	}
}

// staleMark is what makes a statement stale: the place of verification.state, that of verification.revalidate, empty if there is none, and by how
// many bytes the statement grows.
type staleMark struct {
	state, revalidate jsonspan.Span
	growth            int32
}

// mark makes a statement stale and returns by how many bytes it grows.
func (l *ladder) mark(i int32) int32 {
	l.marked[i] = true
	l.length[i] += l.marks[i].growth
	return l.marks[i].growth
}

// findMark reads the member verification whose name is at an offset.
func (l *ladder) findMark(at uint32) (m staleMark) {
	verification, _ := l.part(at)
	jsonspan.EachMember(l.doc.Src, verification.Value, func(item jsonspan.Item) {
		switch string(jsonspan.Plain(l.doc.Src, item.Name)) {
		case "state":
			m.state = item.Value
		case "revalidate":
			m.revalidate = item.Value
		}
	})
	e := jsonspan.Edits{Src: l.doc.Src[:m.state.End], Style: jsonspan.Plainest}
	if m.revalidate.End > m.state.End {
		e.Src = l.doc.Src[:m.revalidate.End]
	}
	m.edit(&e)
	m.growth = int32(e.Len(0, 0) - len(e.Src))
	return m
}

func (m *staleMark) edit(e *jsonspan.Edits) {
	e.Replace(m.state, []byte(`"stale"`))
	if m.revalidate.End > 0 {
		e.Replace(m.revalidate, []byte(`"before_use"`))
		return
	}
	e.Insert(m.state.End, []byte(`,"revalidate":"before_use"`))
}
