package checkpoint

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/opencheckpoint/ocp/internal/fault"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// check is level 2: the rules of §8.2 that need the whole document. It leaves the findings in document order.
func (d *Document) check(imprecise []int) {
	d.warnImprecise(imprecise)
	d.resolve()
	d.checkParent()
	d.checkPast()
	d.checkTask()
	d.checkStatements()
	d.checkOperations()
	d.Findings.sort()
}

func (d *Document) find(rule string, severity Severity, offset int, format string, args ...any) {
	d.Findings.Add(violation(rule, severity, offset, format, args...))
}

func violation(rule string, severity Severity, offset int, format string, args ...any) Violation {
	return Violation{Rule: rule, Level: 2, Severity: severity, Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

func (d *Document) warnImprecise(offsets []int) {
	for _, at := range offsets {
		d.Findings.Add(Violation{Rule: rulePrecision, Severity: Warning, Offset: at, Msg: "a number that an IEEE 754 double would round",
			Hint: "write the number as a string"})
	}
}

// manyRefs is how many references are worth a second processor: each is a look at some far place in memory.
const manyRefs = 1 << 12

// resolve finds what each reference names: OCP-S002, OCP-S003, OCP-S009.
func (d *Document) resolve() {
	half := len(d.Refs)
	if half < manyRefs {
		d.Findings.merge(d.resolveRefs(d.Refs))
		return
	}
	half /= 2
	wait := fault.Start(func() (Findings, error) { return d.resolveRefs(d.Refs[half:]), nil })
	d.Findings.merge(d.resolveRefs(d.Refs[:half]))
	rest, err := wait()
	if err != nil {
		panic(err) // where it can be handled
	}
	d.Findings.merge(rest)
}

func (d *Document) resolveRefs(refs []Ref) (found Findings) {
	for i := range refs {
		r := &refs[i]
		if r.To >= 0 {
			continue // taken over from the parent
		}
		id := d.Text(r.At)
		to, ok := d.ids.Lookup(id)
		if !ok {
			found.Add(violation("OCP-S002", Error, int(r.At), "no local object has the id %s", quote(id)))
			continue
		}
		r.To = int32(to)
		target := &d.Objects[to]
		switch {
		case !r.targets.has(target.Type):
			found.Add(violation("OCP-S003", Error, int(r.At), "%s is %s where %s is expected", quote(id), article(target.Type.String()), r.targets))
		case r.Field == UntilOutcomeField && target.facts[Kind] != Approval:
			found.Add(violation("OCP-S009", Error, int(r.At), "%s is no approval, so it cannot become approved or rejected", quote(id)))
		}
	}
	return found
}

// String names the types of a set, as "a statement, an operation or a resource".
func (set types) String() string {
	var names []string
	for t := NoType + 1; t < numTypes; t++ {
		if set.has(t) {
			names = append(names, article(t.String()))
		}
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// checkParent is OCP-S004.
func (d *Document) checkParent() {
	parent := d.Only(Parent)
	if parent < 0 {
		return
	}
	own, parents := d.StringField(0, "id"), d.StringField(parent, "id")
	if own != nil && parents != nil && bytes.Equal(own, parents) {
		id, _ := d.Field(parent, "id")
		d.find("OCP-S004", Error, id.Value.Start, "the parent's id is the document's own")
	}
}

// checkPast is OCP-S005; it also finds the latest past event.
func (d *Document) checkPast() {
	created, known := parseInstant([]byte(d.Created()))
	if !known || d.latest == 0 || !d.latestAt.After(created) {
		d.latest = 0
		return
	}
	spelled := quote([]byte(d.Created()))
	for _, at := range d.past {
		if event, _ := parseInstant(d.Text(at)); event.After(created) {
			d.find("OCP-S005", Error, int(at), "%s is later than created_at, %s", quote(d.Text(at)), spelled)
		}
	}
}

// checkTask is OCP-S006 and OCP-W001.
func (d *Document) checkTask() {
	task := d.Only(Task)
	if task < 0 {
		return
	}
	switch d.Objects[task].facts[Status] {
	case TaskCompleted:
		for i := range d.Objects {
			if o := &d.Objects[i]; o.Type == Operation && isOpen(o.facts[Status]) {
				d.find("OCP-S006", Error, int(o.Start), "the task is completed and operation %s is %s", quote(d.ID(int32(i))), operationStatuses[o.facts[Status]-1])
			}
		}
	case TaskBlocked:
		if !d.namesBlocker() {
			status, _ := d.Field(task, "status")
			v := Violation{Rule: "OCP-W001", Level: 2, Severity: Warning, Offset: status.Value.Start, Msg: "the task is blocked and nothing says what blocks it",
				Hint: "name it in a next step's blocked_by, or record an awaiting operation"}
			d.Findings.Add(v)
		}
	}
}

// isOpen says whether a completed task must not have an operation of this status (§6.2).
func isOpen(status uint8) bool { return status == Planned || status == Awaiting || status == Uncertain }

func (d *Document) namesBlocker() bool {
	return slices.ContainsFunc(d.Refs, func(r Ref) bool { return r.Field == BlockedByField }) ||
		slices.ContainsFunc(d.Objects, func(o Object) bool { return o.Type == Operation && o.facts[Status] == Awaiting })
}

// checkStatements is OCP-S007 and OCP-W002.
func (d *Document) checkStatements() {
	cited := make([]bool, len(d.Objects))
	for _, r := range d.Refs {
		from := &d.Objects[r.From]
		switch r.Field {
		case EvidenceField:
			cited[r.From] = true
		case SupersededByField:
			if r.To >= 0 && d.Objects[r.To].Type == Statement && !replaces(from, &d.Objects[r.To]) {
				d.find("OCP-S007", Error, int(r.At), "superseded_by names neither another statement of the same kind nor an observation that confirms a hypothesis")
			}
		}
	}
	for i := range d.Objects {
		o := &d.Objects[i]
		if o.Type == Statement && o.facts[Kind] == Observation && o.facts[OriginType] == FromAgent && !cited[i] {
			d.find("OCP-W002", Warning, int(o.Start), "an agent's observation without evidence")
		}
	}
}

// replaces says whether a statement may supersede another (OCP-S007).
func replaces(old, replacement *Object) bool {
	return old != replacement && (old.facts[Kind] == replacement.facts[Kind] || old.facts[Kind] == Hypothesis && replacement.facts[Kind] == Observation)
}

// hasUserinfo looks into the authority of a URI or a relative reference (RFC 3986 §3.2.1).
func hasUserinfo(uri []byte) bool {
	s := string(uri)
	if scheme, rest, found := strings.Cut(s, ":"); found && isScheme(scheme) {
		s = rest
	}
	authority, found := strings.CutPrefix(s, "//")
	if !found {
		return false
	}
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	return strings.Contains(authority, "@")
}

func isScheme(s string) bool {
	for i := range len(s) {
		if letter := 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z'; !letter && (i == 0 || !isDigit(s[i]) && s[i] != '+' && s[i] != '-' && s[i] != '.') {
			return false
		}
	}
	return s != ""
}

// checkOperations is OCP-W003 and OCP-W004.
func (d *Document) checkOperations() {
	derivation := d.Only(Derivation)
	forked := derivation >= 0 && d.Objects[derivation].facts[Kind] == MethodForked
	var guarded map[int32]bool
	if forked {
		guarded = d.mentionedByStopConditions()
	}
	created, known := parseInstant([]byte(d.Created()))
	for i := range d.Objects {
		o := &d.Objects[i]
		if o.Type != Operation {
			continue
		}
		if known && o.facts[Status] == Awaiting {
			d.checkExpiry(int32(i), created)
		}
		if forked && o.PendingEffect() && !guarded[int32(i)] {
			d.find("OCP-W004", Warning, int(o.Start), "operation %s is actionable in a fork and no stop condition references it", quote(d.ID(int32(i))))
		}
	}
}

// PendingEffect says whether an operation is a non-terminal action whose effect is not none (§9.3).
func (o *Object) PendingEffect() bool {
	return o.Type == Operation && o.facts[Kind] == Action && !Terminal(o.facts[Status]) && o.facts[Effect] != NoEffect
}

func (d *Document) mentionedByStopConditions() map[int32]bool {
	mentioned := map[int32]bool{}
	for _, r := range d.Refs {
		if d.Objects[r.From].Type == StopCondition && (r.Field == RefsField || r.Field == AppliesToField) {
			mentioned[r.To] = true
		}
	}
	return mentioned
}

func (d *Document) checkExpiry(operation int32, created Instant) {
	expires, valid := parseInstant(d.StringField(operation, "expires_at"))
	if valid && created.After(expires) {
		item, _ := d.Field(operation, "expires_at")
		d.find("OCP-W003", Warning, item.Value.Start, "operation %s is awaiting and expired before created_at", quote(d.ID(operation)))
	}
}

// CheckPair is OCP-T001 and OCP-T002: the rules between a parent and its child, as findings in the child.
func CheckPair(parent, child *Document) []Violation { return checkPair(parent, child, nil) }

func checkPair(parent, child *Document, disputed func(operation string) bool) []Violation {
	var f Findings
	f.checkTerminal(parent, child, disputed)
	f.checkLineage(parent, child)
	return f.Located(child)
}

// CheckInput is what of CheckPair holds between a merged checkpoint and one of its inputs that is not its parent: OCP-T001, for all operations that
// are not disputed, and no earlier created_at.
func CheckInput(input, merged *Document, disputed func(operation string) bool) []Violation {
	var f Findings
	f.checkTerminal(input, merged, disputed)
	f.checkTime(input, merged)
	return f.Located(merged)
}

// checkTerminal is OCP-T001.
func (f *Findings) checkTerminal(parent, child *Document, disputed func(operation string) bool) {
	for i := range parent.Objects {
		old := &parent.Objects[i]
		if old.Type != Operation || !Terminal(old.facts[Status]) {
			continue
		}
		j, ok := child.Lookup(string(parent.ID(int32(i))))
		if !ok || child.Objects[j].Type != Operation || child.Objects[j].facts[Status] == old.facts[Status] {
			continue
		}
		if disputed != nil && disputed(string(child.ID(j))) {
			continue
		}
		offset := int(child.Objects[j].Start)
		if status, ok := child.Field(j, "status"); ok {
			offset = status.Value.Start
		}
		f.Add(Violation{Rule: "OCP-T001", Level: 2, Offset: offset,
			Msg: fmt.Sprintf("operation %s is %s in the parent, which is final", quote(child.ID(j)), operationStatuses[old.facts[Status]-1])})
	}
}

// checkLineage is OCP-T002.
func (f *Findings) checkLineage(parent, child *Document) {
	offset := 0
	entry := child.Only(Parent)
	if entry >= 0 {
		offset = int(child.Objects[entry].Start)
	}
	if entry < 0 || string(child.StringField(entry, "id")) != parent.GlobalID() {
		f.Add(Violation{Rule: "OCP-T002", Level: 2, Offset: offset, Msg: "the child's parent is not " + quote([]byte(parent.GlobalID()))})
	}
	f.checkTime(parent, child)
}

func (f *Findings) checkTime(parent, child *Document) {
	was, ok1 := parseInstant([]byte(parent.Created()))
	is, ok2 := parseInstant([]byte(child.Created()))
	if ok1 && ok2 && was.After(is) {
		f.Add(Violation{Rule: "OCP-T002", Level: 2, Offset: int(child.created),
			Msg: fmt.Sprintf("created_at %s is earlier than the parent's, %s", child.Created(), parent.Created())})
	}
}

// ParentDigest returns the place of parent.digest, if the document has one.
func (d *Document) ParentDigest() (jsonspan.Item, bool) {
	entry := d.Only(Parent)
	if entry < 0 {
		return jsonspan.Item{}, false
	}
	return d.Field(entry, "digest")
}
