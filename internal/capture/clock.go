package capture

import "time"

// clock reads the times of a log and keeps the latest: created_at is not before it (§4.2).
type clock struct{ latest time.Time }

// years are those that a timestamp can have (RFC 3339 §1); a time at or before the epoch is one that the client did not know.
const lastYear = 9999

// stamp is a time of the log as a timestamp: a text of RFC 3339, or a number of milliseconds since 1970. It is "" for anything else.
func (c *clock) stamp(v value) string {
	if v.isString() {
		return c.text(v.text())
	}
	n, _ := v.number()
	return c.note(time.UnixMilli(n))
}

// text is a time that is spelled by RFC 3339 as a timestamp, "" for anything else.
func (c *clock) text(s string) string {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return ""
	}
	return c.note(t)
}

// note is a time as a timestamp.
func (c *clock) note(t time.Time) string {
	t = t.UTC()
	if t.Unix() <= 0 || t.Year() > lastYear {
		return ""
	}
	if t.After(c.latest) {
		c.latest = t
	}
	return t.Format(time.RFC3339Nano)
}
