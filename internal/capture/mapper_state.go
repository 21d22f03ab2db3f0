package capture

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// mostBare is how many calls are remembered that are over and left no object.
const mostBare = 1 << 10

// mapperState is the mapper without what is settled.
type mapperState struct {
	Session          [7]string
	Status           taskStatus
	StatusFrom       int
	Goal, Text, Task string
	ParentGoal       string
	Plan             []planItem
	PlanFrom         []int
	Open             []callState
	Pending          int
	Approvals        []approvalState
	Files            map[string]string
	Repeated         map[string]int // names that were wished for more than once, and how often
	Bare             []string
}

// callState is a call that is not over.
type callState struct {
	Rec                         int
	ID, Tool, Server, About, At string
	Arguments                   []byte
	Files                       []string
	Plan                        []planItem
	Effect                      effect
	Aside, Unstarted            bool
	Local, Handle               string
	Order                       int
	Begun, GoesOn               bool
	Approval                    int // its place, from 1; 0 is none
}

// approvalState is an approval.
type approvalState struct {
	Local, Evidence, Scope, Reason, Status, By, At, Requested, ID string
	Used, Waits                                                   bool
}

// keep is the state of the mapper before the log ends.
func (m *mapper) keep() mapperState {
	s := mapperState{
		Session: [7]string{m.session.version, m.session.id, m.session.cwd, m.session.model, m.session.provider, m.session.forkedFrom, m.session.forkedAt},
		Status:  m.status, StatusFrom: m.statusFrom, Goal: m.goal, Text: beginningFor(m.firstText), Task: beginningFor(m.firstTask), ParentGoal: m.parentGoal, Plan: m.plan, PlanFrom: m.planFrom,
		Pending: m.pending, Files: maps.Clone(m.files), Repeated: map[string]int{}, Bare: slices.Clone(m.bare),
	}
	place := map[*approval]int{}
	for i, a := range m.approvals {
		place[a] = i + 1
		s.Approvals = append(s.Approvals, approvalState{a.local, a.evidence, a.scope, a.reason, a.status, a.by, a.at, a.requested, a.id, a.used, m.requests[a.id] == a})
	}
	for _, c := range m.pendingCalls() {
		s.Open = append(s.Open, c.keep(place[c.approval]))
	}
	for wish, n := range m.ids {
		if n > 1 && !isNumbered(wish) {
			s.Repeated[wish] = n
		}
	}
	return s
}

// beginningFor is as much of a text as an objective shows, and a character more if there are more.
func beginningFor(text string) string {
	end := 0
	for n := 0; end < len(text) && n <= objectiveLength; n++ {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return text[:end]
}

// isNumbered says whether a name comes from the number of a record: a later record has another number.
func isNumbered(wish string) bool {
	kind, number, _ := strings.Cut(wish, ".")
	return slices.Contains([]string{"user", "agent", "task", "summary"}, kind) && number != "" && strings.Trim(number, "0123456789") == ""
}

func (c *call) keep(approval int) callState {
	return callState{c.rec, c.id, c.tool, c.server, c.about, c.at, c.arguments, c.files, c.plan, c.effect, c.aside, c.unstarted, c.local, c.handle, c.order, c.begun, c.goesOn, approval}
}

func (s *callState) call() *call {
	e := called{rec: s.Rec, id: s.ID, tool: s.Tool, server: s.Server, arguments: s.Arguments, about: s.About, files: s.Files, plan: s.Plan, effect: s.Effect, at: s.At, aside: s.Aside,
		unstarted: s.Unstarted}
	return &call{called: e, local: s.Local, handle: s.Handle, order: s.Order, begun: s.Begun, goesOn: s.GoesOn}
}

// records are those whose fate is not settled.
func (m *mapper) records() []int {
	list := append(slices.Clone(m.planFrom), m.statusFrom)
	for _, c := range m.pendingCalls() {
		list = append(list, c.rec)
	}
	return list
}

// pendingCalls are the calls that are not over, in their order.
func (m *mapper) pendingCalls() (list []*call) {
	for _, calls := range m.open {
		list = append(list, calls...)
	}
	for _, calls := range m.handles {
		list = append(list, calls...)
	}
	slices.SortFunc(list, func(a, b *call) int { return cmp.Compare(a.order, b.order) })
	return list
}

// resume takes over what keep left. What it did not keep is looked up in the checkpoint.
func (m *mapper) resume(s mapperState, head *head) {
	v := s.Session
	m.session = session{version: v[0], id: v[1], cwd: v[2], model: v[3], provider: v[4], forkedFrom: v[5], forkedAt: v[6]}
	m.status, m.statusFrom, m.goal, m.firstText, m.firstTask = s.Status, s.StatusFrom, s.Goal, s.Text, s.Task
	m.parentGoal, m.plan, m.planFrom, m.pending, m.bare, m.head = s.ParentGoal, s.Plan, s.PlanFrom, s.Pending, s.Bare, head
	for list, t := range map[*section]checkpoint.Type{&m.statements: checkpoint.Statement, &m.resources: checkpoint.Resource, &m.steps: checkpoint.Step, &m.operations: checkpoint.Operation} {
		head.carry(list, t)
	}
	if s.Files != nil {
		m.files = s.Files
	}
	for _, a := range s.Approvals {
		kept := &approval{local: a.Local, evidence: a.Evidence, scope: a.Scope, reason: a.Reason, status: a.Status, by: a.By, at: a.At, requested: a.Requested, id: a.ID, used: a.Used}
		m.approvals = append(m.approvals, kept)
		m.ids[a.Local] = 1
		if a.Waits {
			m.requests[a.ID] = kept
		}
	}
	for i := range s.Open {
		c := s.Open[i].call()
		if n := s.Open[i].Approval; n > 0 {
			c.approval = m.approvals[n-1]
		}
		m.ids[c.local] = 1
		if c.handle != "" {
			m.handles[c.handle] = append(m.handles[c.handle], c)
			m.know(c.id)
			continue
		}
		m.open[c.id] = append(m.open[c.id], c)
	}
	for _, id := range s.Bare {
		m.know(id)
		m.ids[localOf(m.clean, id)] = 1
	}
	maps.Copy(m.ids, s.Repeated)
}

// know makes the id of a call that is over known.
func (m *mapper) know(id string) {
	if _, known := m.open[id]; !known {
		m.open[id] = nil
	}
}
