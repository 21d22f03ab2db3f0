package testdoc

import (
	"fmt"
	"strings"
	"time"
)

// Shares of a large document in percent of what is left beside its frame. Statements get the rest.
const (
	resourceShare  = 30
	operationShare = 6
	completedShare = 15
)

// Large returns a valid checkpoint of size bytes (exactly so from 10 kB on; the least it makes is 3 to 7 kB), minified or with two
// spaces a level. About 5 % of its statements are active instructions, constraints and decisions, and few questions
// and operations are open, so that most of it can be compacted away.
func Large(seed uint64, size int, pretty bool) []byte {
	l := &large{dice: newDice(seed, 2), start: 1735689600}
	if pretty {
		l.layout = layout{indent: "  ", newline: "\n"}
	}
	l.id, l.session = uuid(l.dice, "7"), l.hex(12)
	rest := size - len(l.render(l.frame()))
	l.excerptLimit = min(max(rest/20, 100), 1500)
	l.resources = l.list(1, rest*resourceShare/100, l.resource)
	l.operations = l.list(1, rest*operationShare/100, l.operation)
	l.completed = l.list(2, rest*completedShare/100, l.step)
	rest = size - len(l.render(l.frame()))
	l.statements = l.fill(1, rest, l.statementGroup)
	l.note = l.padding(size - len(l.render(l.frame())))
	return l.render(l.frame())
}

// large makes one large document, its lists in the order of their references: what is referenced comes first.
type large struct {
	*dice
	layout
	id, session string
	// excerptLimit is how many bytes an excerpt has at most, less a line.
	excerptLimit int
	// start is the first instant in the document in seconds, ticks the events since.
	start, ticks int64

	resourceCount, operationCount, stepCount, statementCount int
	// open and approvals are the ids of operations that are not terminal and of open approvals among them.
	open, approvals []string

	resources, operations, completed, statements rendered
	note                                         string
}

// render writes the whole document or, as long as its lists are missing, its frame.
func (l *large) render(o object) []byte {
	w := l.newWriter(len(l.resources) + len(l.operations) + len(l.completed) + len(l.statements) + len(l.note) + 8192)
	w.value(o, 0)
	if l.indent != "" {
		w.text = append(w.text, '\n')
	}
	return w.text
}

// newWriter returns a writer with room for n bytes.
func (l *large) newWriter(n int) *writer {
	return &writer{layout: l.layout, dice: l.dice, text: make([]byte, 0, n)}
}

// list renders an array of at least one object and about budget bytes.
func (l *large) list(depth, budget int, next func() object) rendered {
	w := l.newWriter(budget + 4096)
	w.text = append(w.text, '[')
	for n := 0; n == 0 || len(w.text) < budget; n++ {
		w.separate(n, depth+1)
		w.value(next(), depth+1)
	}
	w.close(1, depth, ']')
	return w.text
}

// fill renders an array of groups of objects and at most budget bytes, as long as one group fits.
func (l *large) fill(depth, budget int, next func() []object) rendered {
	w := l.newWriter(max(budget, 0) + 4096)
	w.text = append(w.text, '[')
	for n := 0; ; {
		mark := len(w.text)
		group := next()
		for _, o := range group {
			w.separate(n, depth+1)
			w.value(o, depth+1)
			n++
		}
		if n > len(group) && len(w.text)+len(l.newline)+len(l.indent)+1 > budget {
			w.text = w.text[:mark]
			break
		}
	}
	w.close(1, depth, ']')
	return w.text
}

// padding returns n bytes of text, none for a negative n.
func (l *large) padding(n int) string {
	if n <= 0 {
		return ""
	}
	text := truncated(l.prose(n), n)
	return text + strings.Repeat(".", n-len(text))
}

// frame returns the document with the lists that there are so far.
func (l *large) frame() object {
	return object{
		{"opencheckpoint", "0.1"},
		{"id", "urn:uuid:" + l.id},
		{"created_at", stamp(l.start + 400*86400)},
		{"source", l.source()},
		{"task", l.task()},
		{"progress", l.progress()},
		{"statements", l.statements},
		{"resources", l.resources},
		{"application_context", l.contexts()},
		{"operations", l.operations},
		{"continuation", l.continuation()},
		{"derivation", l.derivation()},
		{"extensions", object{{"com.example.capture/v1", object{{"ratio", number("1.50")}, {"kept", array{}}, {"note", l.note}}}}},
	}
}

// source returns the source.
func (l *large) source() object {
	return object{
		{"producer", object{{"name", "depot-agent"}, {"version", "0.9.4"}}},
		{"model", object{{"name", "m-medium"}, {"provider", "example.org"}}},
		{"session_refs", array{object{{"protocol", "a2a"}, {"id", l.session}}}},
	}
}

// task returns the task.
func (l *large) task() object {
	return object{
		{"objective", "Move the depot's stock records to the new warehouse system without losing a movement."},
		{"outcome", "Every movement since January is in the new system, checked against the old one."},
		{"status", "active"},
		{"success_criteria", array{object{
			{"id", "crit-complete"}, {"description", "No movement is missing"}, {"status", "unknown"}, {"evidence", array{"res-0"}},
		}}},
		{"scope", object{{"includes", array{"Depots north and west"}}, {"excludes", array{"The returns counter"}}}},
	}
}

// progress returns the progress.
func (l *large) progress() object {
	return object{
		{"completed", l.completed},
		{"focus", object{{"description", "Comparing the movements of the last week"}, {"refs", array{"done-0", "res-0"}}}},
		{"next", array{object{
			{"id", "next-compare"}, {"description", "Compare the remaining movements"}, {"requires", array{"req-db"}}, {"refs", array{"res-0"}},
		}}},
	}
}

// contexts returns the application context.
func (l *large) contexts() array {
	return array{object{
		{"application", "stock-web"},
		{"view", "movements"},
		{"selections", array{object{{"resource", "res-0"}, {"role", "open"}}}},
		{"drafts", array{object{{"id", "draft-0"}, {"target", "res-0"}, {"status", "unsaved"}, {"content", "Ask the depot about pallet 12."}}}},
	}}
}

// continuation returns the continuation.
func (l *large) continuation() object {
	stop := object{{"id", "stop-freeze"}, {"description", "Write nothing while the stock is being counted"}}
	if len(l.open) > 0 {
		stop.put("applies_to", array{l.open[0]})
	}
	if len(l.approvals) > 0 {
		stop.put("until", array{object{{"operation", l.approvals[0]}, {"status", "approved"}}})
	}
	return object{
		{"requirements", array{object{{"id", "req-db"}, {"kind", "access"}, {"name", "stock database"}, {"necessity", "required"}}}},
		{"preconditions", array{object{{"id", "pre-count"}, {"description", "The count is over"}, {"on_failure", "ask"}}}},
		{"stop_conditions", array{stop}},
		{"recovery", array{object{{"id", "rec-log"}, {"description", "Read the transfer log first"}, {"refs", array{"res-0"}}}}},
	}
}

// derivation returns the derivation.
func (l *large) derivation() object {
	return object{{"method", "captured"}, {"inputs", array{object{{"protocol", "a2a"}, {"id", l.session}}}}}
}

// tick returns the timestamp of the next event.
func (l *large) tick() string {
	l.ticks = min(l.ticks+1, 400*86400)
	return stamp(l.start + l.ticks)
}

// stamp spells an instant in UTC.
func stamp(seconds int64) string {
	return time.Unix(seconds, 0).UTC().Format(time.RFC3339)
}

// prose returns text of n to n+20 bytes.
func (l *large) prose(n int) string {
	out := make([]byte, 0, n+24)
	for len(out) < n {
		if len(out) > 0 {
			out = append(out, ' ')
		}
		out = append(out, pick(l.dice, words)...)
	}
	return string(out)
}

// lines returns about n bytes of text in lines, as a log or a file has them.
func (l *large) lines(n int) string {
	var out []byte
	for len(out) < n {
		out = fmt.Appendf(out, "%s\t\"%s\": %s\n", l.hex(6), pick(l.dice, words), l.prose(l.between(20, 90)))
	}
	return string(out)
}

// someResource returns the id of a resource made before.
func (l *large) someResource() string {
	return fmt.Sprintf("res-%d", l.below(l.resourceCount))
}

// evidence returns references to one or two resources.
func (l *large) evidence() array {
	first, second := l.someResource(), l.someResource()
	if first == second || l.chance(60) {
		return array{first}
	}
	return array{first, second}
}

// numbered returns a prefix with the next number of a count.
func numbered(prefix string, count *int) string {
	*count++
	return fmt.Sprintf("%s-%d", prefix, *count-1)
}
