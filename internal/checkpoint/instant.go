package checkpoint

import (
	"strings"
	"time"
)

// Instant is a point in time at full length: fraction digits are never cut off.
type Instant struct {
	seconds  int64
	fraction string // digits after the point, without trailing zeros
}

// matchInstant says whether s has the form of §4.2, instantPattern.
func matchInstant(s []byte) bool {
	if len(s) < len("2006-01-02T15:04:05Z") || !digitsAt(s, "0000-00-00T00:00:00") || s[10]|0x20 != 't' {
		return false
	}
	rest := s[19:]
	if rest[0] == '.' {
		n := 1
		for n < len(rest) && isDigit(rest[n]) {
			n++
		}
		if n == 1 {
			return false
		}
		rest = rest[n:]
	}
	if len(rest) == 1 {
		return rest[0]|0x20 == 'z'
	}
	return len(rest) == 6 && (rest[0] == '+' || rest[0] == '-') && digitsAt(rest[1:], "00:00")
}

// digitsAt compares s with a mask: '0' stands for a digit, 'T' for anything.
func digitsAt(s []byte, mask string) bool {
	for i := range len(mask) {
		switch mask[i] {
		case '0':
			if !isDigit(s[i]) {
				return false
			}
		case 'T':
		default:
			if s[i] != mask[i] {
				return false
			}
		}
	}
	return true
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// ParseInstant reads a timestamp (§4.2). It returns false for a text that names no instant.
func ParseInstant(s string) (Instant, bool) { return parseInstant([]byte(s)) }

// parseInstant reads a timestamp of the form of §4.2. It returns false for one that names no instant, such as 30 February.
func parseInstant(s []byte) (Instant, bool) {
	if !matchInstant(s) {
		return Instant{}, false
	}
	year, month, day := 100*two(s)+two(s[2:]), time.Month(two(s[5:])), two(s[8:])
	hour, minute, second := two(s[11:]), two(s[14:]), two(s[17:])
	if month < 1 || month > 12 || day < 1 || day > 28 && day > daysIn(year, month) || hour > 23 || minute > 59 || second > 60 {
		return Instant{}, false // second 60 is a leap second (RFC 3339 §5.7)
	}
	rest, fraction := s[19:], ""
	if rest[0] == '.' {
		n := 1
		for isDigit(rest[n]) {
			n++
		}
		fraction, rest = strings.TrimRight(string(rest[1:n]), "0"), rest[n:]
	}
	offset, ok := zoneOffset(rest)
	return Instant{time.Date(year, month, day, hour, minute, second, 0, time.UTC).Unix() - offset, fraction}, ok
}

func two(s []byte) int { return int(s[0]-'0')*10 + int(s[1]-'0') }

func daysIn(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// zoneOffset returns the seconds by which a zone, Z or ±hh:mm, is ahead of UTC.
func zoneOffset(zone []byte) (int64, bool) {
	if len(zone) == 1 {
		return 0, true
	}
	hours, minutes := two(zone[1:]), two(zone[4:])
	offset := int64(hours*3600 + minutes*60)
	if zone[0] == '-' {
		offset = -offset
	}
	return offset, hours < 24 && minutes < 60
}

// After says whether i is later than j.
func (i Instant) After(j Instant) bool {
	if i.seconds != j.seconds {
		return i.seconds > j.seconds
	}
	return i.fraction > j.fraction
}
