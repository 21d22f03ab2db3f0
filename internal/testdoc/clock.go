package testdoc

import (
	"fmt"
	"time"
)

// clock makes the timestamps of one document (§4.2). Its instant is created_at.
type clock struct {
	dice     *dice
	seconds  int64
	fraction string
}

// newClock returns a clock that stands at some instant from 2024 to 2031.
func newClock(d *dice) clock {
	return clock{dice: d, seconds: 1704067200 + int64(d.below(8*365*86400)), fraction: fraction(d)}
}

// createdAt spells the instant itself.
func (c *clock) createdAt() string {
	return c.spell(c.seconds, c.fraction)
}

// past spells an instant that is not later than created_at, sometimes the same one in other words.
func (c *clock) past() string {
	if c.dice.chance(8) {
		return c.spell(c.seconds, c.sameFraction())
	}
	return c.spell(c.seconds-1-int64(c.dice.below(40*86400)), fraction(c.dice))
}

// any spells an instant on either side of created_at.
func (c *clock) any() string {
	return c.spell(c.seconds+int64(c.dice.between(-86400, 30*86400)), fraction(c.dice))
}

// sameFraction spells the fraction of created_at, perhaps with more digits.
func (c *clock) sameFraction() string {
	if c.dice.chance(50) {
		return c.fraction
	}
	if c.fraction == "" {
		return ".000"
	}
	return c.fraction + "00"
}

// fraction returns a fraction of a second with zero to twelve digits.
func fraction(d *dice) string {
	if d.chance(55) {
		return ""
	}
	return "." + d.letters("0123456789", pick(d, []int{1, 2, 3, 3, 3, 6, 9, 12}))
}

// zoneMinutes are offsets from UTC as they occur in the world, and zero often.
var zoneMinutes = []int{0, 0, 0, 0, 60, 60, 120, -330, -300, 330, 345, -480, 840, -720, 1}

// spell writes an instant in some zone.
func (c *clock) spell(seconds int64, fraction string) string {
	minutes := pick(c.dice, zoneMinutes)
	local := time.Unix(seconds, 0).In(time.FixedZone("", minutes*60))
	return local.Format("2006-01-02T15:04:05") + fraction + c.zone(minutes)
}

// zone writes an offset.
func (c *clock) zone(minutes int) string {
	if minutes == 0 && c.dice.chance(85) {
		return "Z"
	}
	sign := '+'
	if minutes < 0 {
		sign, minutes = '-', -minutes
	}
	return fmt.Sprintf("%c%02d:%02d", sign, minutes/60, minutes%60)
}
