package checkpoint

import (
	"slices"
	"strings"
)

// rule is a schema-level rule of one object type: if every premise holds, so must the conclusion.
type rule struct {
	clause     string
	text       string
	premises   []condition
	conclusion condition
}

// condition is about one member of an entry: that it is there, or is one of some words. Path is a member's name, or two
// names with a slash between them.
type condition struct {
	path    string
	words   []string // none: the member is there
	negated bool
}

func when(premises ...condition) []condition       { return premises }
func is(path string, words ...string) condition    { return condition{path: path, words: words} }
func has(name string) condition                    { return condition{path: name} }
func (c condition) not() condition                 { c.negated = true; return c }
func isNot(path string, words ...string) condition { return is(path, words...).not() }
func lacks(name string) condition                  { return has(name).not() }

// compiled is a condition as a test of an entry's facts or of the members that it has.
type compiled struct {
	fact    Fact   // noFact: test present
	allowed uint32 // a bit for each fact that satisfies it
	present uint32 // the member's bit in Object.Has
	negated bool
}

func (c compiled) holds(o *Object) bool {
	if c.fact == noFact {
		return (o.Has&c.present != 0) != c.negated
	}
	return c.allowed>>(o.facts[c.fact]&31)&1 == 1
}

// undecided says whether the condition asks for a member whose word is none of its enumeration, which is a finding already.
func (c compiled) undecided(o *Object) bool {
	return c.fact != noFact && o.facts[c.fact] == Unknown
}

type compiledRule struct {
	*rule
	premises   []compiled
	conclusion compiled
}

// compile finds the facts and bits that the rules of t are about.
func (t *objectType) compile() (out []compiledRule) {
	for i := range t.rules {
		r := compiledRule{rule: &t.rules[i], conclusion: t.compileCondition(t.rules[i].conclusion)}
		for _, p := range t.rules[i].premises {
			r.premises = append(r.premises, t.compileCondition(p))
		}
		out = append(out, r)
	}
	return out
}

func (t *objectType) compileCondition(c condition) compiled {
	first, rest, nested := strings.Cut(c.path, "/")
	slot := t.slot(first)
	if len(c.words) == 0 {
		return compiled{present: 1 << slot, negated: c.negated}
	}
	m := t.members[slot]
	if nested {
		m = m.object.members[m.object.slot(rest)]
	}
	var allowed uint32
	for _, w := range c.words {
		allowed |= 2 << slices.Index(m.words, w)
	}
	if c.negated {
		allowed = ^allowed
	}
	return compiled{fact: m.fact, allowed: allowed}
}

// slot is the place of a member in the table; the table holds every name it is asked for.
func (t *objectType) slot(name string) int {
	return slices.IndexFunc(t.members, func(m member) bool { return m.name == name })
}

// broken says whether the entry breaks the rule.
func (r *compiledRule) broken(o *Object) bool {
	for _, p := range r.premises {
		if p.undecided(o) || !p.holds(o) {
			return false
		}
	}
	return !r.conclusion.undecided(o) && !r.conclusion.holds(o)
}
