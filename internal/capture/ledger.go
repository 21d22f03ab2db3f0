package capture

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// A fate is what became of one record. A record has the highest of the fates that its parts had.
type fate uint8

// The fates, the weakest first. All but copied and mapped are kinds of omission.
const (
	unheeded     fate = iota // nothing in it says anything about the work
	blank                    // its texts and lists are empty
	unknown                  // its type is none that the reader knows
	bookkeeping              // counts, settings and marks of the client
	vendor                   // instructions of the client, and context that it adds
	injected                 // text in a user turn that no person typed
	reasoning                // hidden reasoning
	media                    // images and other attachments
	replaced                 // an earlier version of the plan
	queued                   // a message that the agent was not given
	orphan                   // a result without a call
	undispatched             // a call that the log proves was never dispatched
	abandoned                // a branch that the person left
	sidechain                // a subagent's turns beside those of the session
	elsewhere                // about another session
	malformed                // no JSON
	torn                     // the last one, cut off
	tooLong                  // longer than maxRecord
	copied                   // a copy or a chunk of a mapped one
	mapped
	numFates
)

// omissionTexts say what an omission of each fate is, behind its number, and its reason (§6.9).
var omissionTexts = [numFates]struct{ text, reason string }{
	unheeded:     {"that say nothing about the work", "irrelevant"},
	blank:        {"without content", "irrelevant"},
	unknown:      {"of a type that is not known", "unavailable"},
	bookkeeping:  {"of the client's bookkeeping", "irrelevant"},
	vendor:       {"of the client's own instructions and context", "irrelevant"},
	injected:     {"that the client put into the person's turns", "irrelevant"},
	reasoning:    {"of hidden reasoning", "irrelevant"},
	media:        {"of images and other attachments", "size"},
	replaced:     {"of earlier versions of the plan", "superseded"},
	queued:       {"of messages that waited for the agent and were not given to it", "unavailable"},
	orphan:       {"of results without a call", "unavailable"},
	undispatched: {"of calls that were never dispatched", "irrelevant"},
	abandoned:    {"of an abandoned branch", "superseded"},
	sidechain:    {"of subagents", "irrelevant"},
	elsewhere:    {"about another session", "irrelevant"},
	malformed:    {"that are no JSON", "unavailable"},
	torn:         {"cut off at the end of the log", "unavailable"},
	tooLong:      {"longer than 16 MiB", "size"},
}

// Counts says what became of the records of a log. Mapped, Copied and Omitted add up to Records.
type Counts struct {
	Records int // of the log, and of the log that it was forked from, as far as that was read
	Mapped  int // into an object of the checkpoint
	Copied  int // copies or chunks of mapped ones
	Omitted int // counted in derivation.omissions
}

// ledger counts what was read and what of it was left out.
type ledger struct {
	settled tallies      // of records that an earlier capture read, and that nothing can change
	before  int          // how many records an earlier capture read
	kept    map[int]fate // of those, the ones that something can still change
	reached bool         // something would change a settled record
	fates   []fate       // of each record behind; records count from 1
	parts   []part       // of records of any fate; only those of mapped ones are told
	notes   []note
	more    int            // notes beyond mostNotes
	flawed  int            // records with something that I-JSON cannot hold
	cut     int            // texts that were cut
	kinds   map[string]int // of credentials that were replaced, how often
}

// tallies count records by their fates, and the parts of mapped ones that are left out.
type tallies struct{ records, parts [numFates]int }

// A part is a piece of a record that is left out.
type part struct {
	rec  int32
	fate fate
}

// A note is an omission of its own: what is missing from an object that was mapped.
type note struct{ text, reason string }

// mostNotes is how many notes are written out; those behind are counted in one.
const mostNotes = 100

// begin begins a record and returns its number.
func (l *ledger) begin() int {
	l.fates = append(l.fates, unheeded)
	return l.number()
}

// number is that of the last record.
func (l *ledger) number() int { return l.before + len(l.fates) }

// fate is that of a record that is not settled.
func (l *ledger) fate(rec int) fate {
	if rec > l.before {
		return l.fates[rec-l.before-1]
	}
	return l.kept[rec]
}

// put gives a record a fate, if it is not settled.
func (l *ledger) put(rec int, f fate) {
	if rec > l.before {
		l.fates[rec-l.before-1] = f
	} else if _, ok := l.kept[rec]; ok {
		l.kept[rec] = f
	} else {
		l.reached = true
	}
}

// set gives a record a fate, unless it has a higher one. Record 0 is none.
func (l *ledger) set(rec int, f fate) {
	if rec > 0 {
		l.put(rec, max(l.fate(rec), f))
	}
}

// drop gives a record a fate, whatever it had.
func (l *ledger) drop(rec int, f fate) { l.put(rec, f) }

// part counts a piece of a record. Its fate is the record's, unless something else of the record has a higher one.
func (l *ledger) part(rec int, f fate) {
	l.parts = append(l.parts, part{int32(rec), f})
	l.set(rec, f)
}

func (l *ledger) note(reason, format string, args ...any) {
	if len(l.notes) == mostNotes {
		l.more++
		return
	}
	l.notes = append(l.notes, note{fmt.Sprintf(format, args...), reason})
}

// credential counts a replaced credential.
func (l *ledger) credential(kind string) {
	if l.kinds == nil {
		l.kinds = map[string]int{}
	}
	l.kinds[kind]++
}

// counts adds up the fates.
func (l *ledger) counts() (c Counts, each [numFates]int) {
	each = l.settled.records
	for _, f := range l.fates {
		each[f]++
	}
	for _, f := range l.kept {
		each[f]++
	}
	c = Counts{Records: l.number(), Mapped: each[mapped], Copied: each[copied]}
	c.Omitted = c.Records - c.Mapped - c.Copied
	return c, each
}

// omissions are the omissions of the checkpoint in a fixed order. Those of records come first; their numbers add up to Counts.Omitted.
func (l *ledger) omissions() (list []note) {
	_, each := l.counts()
	inside := l.settled.parts
	for _, p := range l.parts {
		if p.rec > 0 && l.fate(int(p.rec)) == mapped {
			inside[p.fate]++
		}
	}
	add := func(n int, what string, f fate) {
		if n > 0 {
			list = append(list, note{number(n, what) + " " + omissionTexts[f].text, omissionTexts[f].reason})
		}
	}
	for f := range copied {
		add(each[f], "record", f)
	}
	for f := range copied {
		add(inside[f], "part", f)
	}
	return append(append(list, l.remarks()...), l.fewNotes()...)
}

// remarks are the omissions that are no records and no parts of them.
func (l *ledger) remarks() (list []note) {
	for _, kind := range slices.Sorted(maps.Keys(l.kinds)) {
		list = append(list, note{number(l.kinds[kind], "credential") + " replaced by a marker: " + kind, "sensitive"})
	}
	if l.flawed > 0 {
		list = append(list, note{number(l.flawed, "record") + " held what an I-JSON message cannot: it is U+FFFD here, or left out", "unavailable"})
	}
	if l.cut > 0 {
		list = append(list, note{number(l.cut, "text") + " cut to an excerpt", "size"})
	}
	return list
}

func (l *ledger) fewNotes() []note {
	if l.more == 0 {
		return l.notes
	}
	more := number(l.more, "more omission") + " of arguments and other members"
	return append(slices.Clone(l.notes), note{more, "unavailable"})
}

// number is "1 record", "2 records".
func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
