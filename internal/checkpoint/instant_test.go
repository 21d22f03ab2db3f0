package checkpoint

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var (
	idRegexp        = regexp.MustCompile(idPattern)
	extensionRegexp = regexp.MustCompile(extensionPattern)
	instantRegexp   = regexp.MustCompile(instantPattern)
)

// timestamp writes a random timestamp; it names an instant, in one of 5 cases perhaps none.
func timestamp(r *rand.Rand) string {
	days := 28
	if r.IntN(5) == 0 {
		days = 32
	}
	fraction := ""
	if digits := r.IntN(10); digits > 0 {
		fraction = fmt.Sprintf(".%0*d", digits, r.IntN(pow10(digits)))
	}
	zone := "Z"
	if r.IntN(2) == 0 {
		zone = fmt.Sprintf("%c%02d:%02d", "+-"[r.IntN(2)], r.IntN(24), r.IntN(60))
	}
	return fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d%s%s", 1990+r.IntN(60), 1+r.IntN(12), 1+r.IntN(days), r.IntN(24), r.IntN(60), r.IntN(60), fraction, zone)
}

func pow10(n int) int {
	if n == 0 {
		return 1
	}
	return 10 * pow10(n-1)
}

// near writes the instant t, perhaps a nanosecond off, in a random zone.
func near(r *rand.Rand, t time.Time) string {
	zone := time.FixedZone("", 60*(r.IntN(2*1439)-1439))
	return t.Add(time.Duration(r.IntN(3) - 1)).In(zone).Format(time.RFC3339Nano)
}

// TestInstantOracle compares instants with package time, which knows nine fraction digits.
func TestInstantOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		a := timestamp(r)
		want, err := time.Parse(time.RFC3339Nano, a)
		got, ok := parseInstant([]byte(a))
		if ok != (err == nil) {
			t.Fatalf("%s: package time says %v, ocp says %v", a, err, ok)
		}
		if !ok {
			continue
		}
		b := timestamp(r)
		if r.IntN(2) == 0 {
			b = near(r, want)
		}
		wantB, err := time.Parse(time.RFC3339Nano, b)
		gotB, _ := parseInstant([]byte(b))
		if err == nil && (got.After(gotB) != want.After(wantB) || gotB.After(got) != wantB.After(want) || (got == gotB) != want.Equal(wantB)) {
			t.Fatalf("%s and %s are compared as %v, %v", a, b, got, gotB)
		}
	}
}

// TestInstantOrder: what package time cannot tell, in ascending order; those in one string are equal.
func TestInstantOrder(t *testing.T) {
	ascending := []string{
		"0000-01-01T00:00:00+23:59",
		"0000-01-01T00:00:00Z",
		"2016-12-31T23:59:59.9999999999999999999999999Z",
		"2016-12-31T23:59:60Z 2017-01-01T00:00:00Z 2017-01-01T00:00:00.000000000000000000Z 2017-01-01T01:00:00+01:00 2016-12-31t23:59:60-00:00",
		"2017-01-01T00:00:00.00000000000000000000000000001Z",
		"2017-01-01T00:00:00.0000000001Z 2017-01-01T00:00:00.00000000010z 2016-12-31T23:59:60.0000000001Z",
		"2017-01-01T00:00:00.09Z",
		"2017-01-01T00:00:00.1Z",
		"2017-01-01T00:00:00.11Z",
		"2017-01-01T00:00:00.2Z",
		"9999-12-31T23:59:60Z",
		"9999-12-31T23:59:60-23:59",
	}
	var all []Instant
	var rank []int
	for i, equal := range ascending {
		for _, s := range strings.Fields(equal) {
			instant, ok := parseInstant([]byte(s))
			if !ok {
				t.Fatalf("%s is no instant", s)
			}
			all, rank = append(all, instant), append(rank, i)
		}
	}
	for i, a := range all {
		for j, b := range all {
			if a.After(b) != (rank[i] > rank[j]) {
				t.Errorf("%v.After(%v) is %v", a, b, a.After(b))
			}
		}
	}
}

// TestLeapYears: 29 February is an instant in leap years only.
func TestLeapYears(t *testing.T) {
	for year := range 10_000 {
		leap := year%4 == 0 && (year%100 != 0 || year%400 == 0)
		if _, ok := parseInstant(fmt.Appendf(nil, "%04d-02-29T00:00:00Z", year)); ok != leap {
			t.Errorf("29 February %d: %v", year, ok)
		}
	}
}

// checkPatterns fails unless the matchers say what the patterns say, which the JSON Schema prints.
func checkPatterns(t *testing.T, s string) {
	t.Helper()
	if got, want := matchID([]byte(s)), idRegexp.MatchString(s); got != want {
		t.Errorf("as a local id %q is %v, the pattern says %v", s, got, want)
	}
	if got, want := matchInstant([]byte(s)), instantRegexp.MatchString(s); got != want {
		t.Errorf("as a timestamp %q is %v, the pattern says %v", s, got, want)
	}
	if got, want := matchExtensionKey([]byte(s)), extensionRegexp.MatchString(s); got != want && utf8.ValidString(s) {
		t.Errorf("as an extension key %q is %v, the pattern says %v", s, got, want)
	}
	if _, ok := parseInstant([]byte(s)); ok && !instantRegexp.MatchString(s) {
		t.Errorf("%q is an instant without its form", s)
	}
}

// patternSeeds are at the edges of the patterns.
var patternSeeds = []string{"", "a", "a.b_c:d-e", "-a", "a\n", "aé", strings.Repeat("a", 128), strings.Repeat("a", 129), "2026-11-28T16:40:00Z",
	"2026-11-28t16:40:00z", "2026-11-28T16:40:00.Z", "2026-11-28T16:40:00.5", "2026-11-28T16:40:00.123456789012345+05:30", "2026-11-28T16:40:00-00:00",
	"2026-11-28T16:40:00+01:0", "2026-11-28T16:40:00Z\n", "2026-11-28\x5416:40:00\x5a", "9999-99-99T99:99:99+99:99", "com.example.crm", "org.example.finance/v2",
	"com.a-b.c/x/y z", "com", "com.", ".com", "com..a", "com.-a", "com.a-", "Com.a", "com.a/", "com.a//b", "com.a/b/"}

// TestPatterns mutates the seeds.
func TestPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const bytes = "aZ09.:_-+TtZz \n\x00\x1aRr:4\xc3\xa9/@[`{"
	for _, seed := range patternSeeds {
		checkPatterns(t, seed)
		for range 3000 {
			s := []byte(seed)
			for range 1 + r.IntN(2) {
				at, b := r.IntN(len(s)+1), bytes[r.IntN(len(bytes))]
				switch {
				case at == len(s) || r.IntN(3) == 0:
					s = append(s[:at:at], append([]byte{b}, s[at:]...)...)
				case r.IntN(2) == 0:
					s[at] = b
				default:
					s = append(s[:at:at], s[at+1:]...)
				}
			}
			checkPatterns(t, string(s))
		}
	}
}

func FuzzPatterns(f *testing.F) {
	for _, seed := range patternSeeds {
		f.Add(seed)
	}
	f.Fuzz(checkPatterns)
}
