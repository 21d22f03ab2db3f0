package capture

import (
	"slices"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// A record is one record of a log as an I-JSON message. What such a message cannot hold was replaced or left out, and flaws are the
// offsets where that happened, in order.
type record struct {
	value
	flaws []int
}

// flawsIn counts what was replaced or left out within v, a value of the record.
func (r record) flawsIn(v value) int {
	from, _ := slices.BinarySearch(r.flaws, v.span.Start)
	to, _ := slices.BinarySearch(r.flaws, v.span.End)
	return to - from
}

// readRecord reads one JSON value. The strict reader of jsonspan has the first word; what it refuses for anything but its grammar is
// mended: a surrogate without its pair, a noncharacter and a byte that is not UTF-8 become U+FFFD; a number beyond a double, a value
// that is nested too deeply, and all members of one object with the same name are left out.
func readRecord(text []byte) (record, bool) {
	err := jsonspan.Check(text)
	if err == nil {
		return record{value: whole(text)}, true
	}
	switch err.Kind {
	case jsonspan.Grammar, jsonspan.Truncated, jsonspan.ByteOrderMark, jsonspan.TooLarge:
		return record{}, false
	}
	m := mender{src: text}
	if !m.value(0) || m.peek() != 0 || m.pos < len(m.src) {
		return record{}, false
	}
	m.finish()
	if jsonspan.Check(m.out) != nil {
		return record{}, false
	}
	return record{whole(m.out), m.flaws}, true
}
