package digest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"

	"github.com/opencheckpoint/ocp/golden"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// TestOfOracle compares with another implementation of RFC 8785, which builds the canonical form as a whole.
func TestOfOracle(t *testing.T) {
	for seed := range uint64(testdoc.Few(1500)) {
		doc := testdoc.Random(seed)
		canonical, err := jcs.Transform(doc)
		if err != nil {
			t.Fatalf("seed %d: the oracle: %v", seed, err)
		}
		got, err := Of(doc)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got != OfBytes(canonical) {
			t.Errorf("seed %d: another digest than that of the oracle's canonical form\n%s", seed, canonical)
		}
	}
}

// TestOfLarge compares on a text that is written in many blocks.
func TestOfLarge(t *testing.T) {
	for _, pretty := range []bool{false, true} {
		doc := testdoc.Large(7, 500_000, pretty)
		canonical, err := jcs.Transform(doc)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Of(doc); err != nil || got != OfBytes(canonical) {
			t.Errorf("pretty %t: %s, %v", pretty, got, err)
		}
	}
}

// FuzzOf holds what Of accepts against the oracle, and against reformatting: a text and its canonical form have one digest.
func FuzzOf(f *testing.F) {
	seeds, err := fs.Glob(golden.FS, "*/*/*.ocp.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range seeds {
		text, err := fs.ReadFile(golden.FS, name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for seed := range uint64(20) {
		f.Add(testdoc.Random(seed))
		f.Add(testdoc.Mutate(testdoc.Random(seed), seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Of(text)
		var syntax *jsonspan.SyntaxError
		if err != nil {
			if !errors.As(err, &syntax) || syntax.Line < 1 || syntax.Column < 1 {
				t.Errorf("an error without a place: %#v", err)
			}
			return
		}
		if !strings.ContainsAny(string(bytes.TrimLeft(text, " \t\r\n")[:1]), "[{") {
			return // the oracle reads arrays and objects only
		}
		canonical, err := jcs.Transform(text)
		if err != nil {
			t.Fatalf("the oracle refuses it: %v", err)
		}
		if got != OfBytes(canonical) {
			t.Errorf("another digest than that of %q", canonical)
		}
		if match, err := OfBytes(canonical).Verify(text); err != nil || match != Canonical {
			t.Errorf("its own canonical form matches %s, %v", match, err)
		}
	})
}

// canonicalOf fails unless the canonical form of text is want, by the digest and by the form itself.
func canonicalOf(t *testing.T, text, want string) {
	t.Helper()
	form, syntax := jsonspan.Canonical([]byte(text))
	if syntax != nil {
		t.Errorf("%s: %v", text, syntax)
		return
	}
	if string(form) != want {
		t.Errorf("the canonical form of %s is %s, want %s", text, form, want)
	}
	if got, err := Of([]byte(text)); err != nil || got != OfBytes([]byte(want)) {
		t.Errorf("%s: %s, %v", text, got, err)
	}
}

// appendixB are the numbers of RFC 8785, Appendix B: the bits of a double and its text.
var appendixB = []struct {
	bits uint64
	text string
}{
	{0x0000000000000000, "0"}, {0x8000000000000000, "0"},
	{0x0000000000000001, "5e-324"}, {0x8000000000000001, "-5e-324"},
	{0x7fefffffffffffff, "1.7976931348623157e+308"}, {0xffefffffffffffff, "-1.7976931348623157e+308"},
	{0x4340000000000000, "9007199254740992"}, {0xc340000000000000, "-9007199254740992"},
	{0x4430000000000000, "295147905179352830000"},
	{0x44b52d02c7e14af5, "9.999999999999997e+22"}, {0x44b52d02c7e14af6, "1e+23"}, {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
	{0x444b1ae4d6e2ef4e, "999999999999999700000"}, {0x444b1ae4d6e2ef4f, "999999999999999900000"}, {0x444b1ae4d6e2ef50, "1e+21"},
	{0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"}, {0x3eb0c6f7a0b5ed8d, "0.000001"},
	{0x41b3de4355555553, "333333333.3333332"}, {0x41b3de4355555554, "333333333.33333325"}, {0x41b3de4355555555, "333333333.3333333"},
	{0x41b3de4355555556, "333333333.3333334"}, {0x41b3de4355555557, "333333333.33333343"},
	{0xbecbf647612f3696, "-0.0000033333333333333333"}, {0x43143ff3c1cb0959, "1424953923781206.2"},
}

// TestNumbers spells each number in two ways that are not the canonical one.
func TestNumbers(t *testing.T) {
	for _, n := range appendixB {
		value := math.Float64frombits(n.bits)
		for _, spelling := range []string{strconv.FormatFloat(value, 'e', -1, 64), strconv.FormatFloat(value, 'E', 16, 64)} {
			canonicalOf(t, "[ "+spelling+" ]", "["+n.text+"]")
		}
	}
}

// TestSamples are the texts of RFC 8785, §3.2.2 and §3.2.3.
func TestSamples(t *testing.T) {
	canonicalOf(t, `{
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
}`, `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`)
	canonicalOf(t, `{
  "\u20ac": "Euro Sign",
  "\r": "Carriage Return",
  "\ufb33": "Hebrew Letter Dalet With Dagesh",
  "1": "One",
  "\ud83d\ude00": "Emoji: Grinning Face",
  "\u0080": "Control",
  "\u00f6": "Latin Small Letter O With Diaeresis"
}`, `{"\r":"Carriage Return","1":"One","`+"\u0080"+`":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign",`+
		`"😀":"Emoji: Grinning Face","`+"\ufb33"+`":"Hebrew Letter Dalet With Dagesh"}`)
}

// TestSorting sorts more members than are sorted in place, nested, with names that begin alike.
func TestSorting(t *testing.T) {
	var text, want []string
	for i := 40; i > 0; i-- {
		text = append(text, `"`+strings.Repeat("a", i)+`":{"b":`+strconv.Itoa(i)+`,"a":[{"d":1,"c":2}]}`)
	}
	for i := 1; i <= 40; i++ {
		want = append(want, `"`+strings.Repeat("a", i)+`":{"a":[{"c":2,"d":1}],"b":`+strconv.Itoa(i)+`}`)
	}
	canonicalOf(t, "{"+strings.Join(text, ",")+"}", "{"+strings.Join(want, ",")+"}")
}

// TestOfRefuses: only an I-JSON message has a digest, and a number that a double rounds has none, for another text would share it.
func TestOfRefuses(t *testing.T) {
	for text, kind := range map[string]jsonspan.Kind{
		"":                   jsonspan.Truncated,
		"{} {}":              jsonspan.Grammar,
		"[1] x":              jsonspan.Grammar,
		"\xef\xbb\xbf{}":     jsonspan.ByteOrderMark,
		`{"a":1,"\u0061":2}`: jsonspan.DuplicateName,
		`["\ud800"]`:         jsonspan.Surrogate,
		`["\ufffe"]`:         jsonspan.Noncharacter,
		"[\"\xff\"]":         jsonspan.NotUTF8,
		"[1e400]":            jsonspan.NumberRange,
		"[1e-400]":           jsonspan.NumberRange,
		"[9007199254740993]": jsonspan.NumberPrecision,
		"[0.12345678901234567e1,1.23456789012345678]": jsonspan.NumberPrecision,
		strings.Repeat("[", 1001):                     jsonspan.TooDeep,
	} {
		d, err := Of([]byte(text))
		var syntax *jsonspan.SyntaxError
		if !errors.As(err, &syntax) || syntax.Kind != kind || !d.IsZero() {
			t.Errorf("%.40q: %s, %v, want an error of kind %s", text, d, err, kind)
		}
	}
}

// TestFirst reads one text of a stream and says how long it is.
func TestFirst(t *testing.T) {
	d, n, err := First([]byte(" {\"a\": 1}\n{\"b\":"))
	if want := OfBytes([]byte(`{"a":1}`)); err != nil || d != want || n != len(` {"a": 1}`) {
		t.Errorf("%s, %d, %v", d, n, err)
	}
}

var (
	sum    = sha256.Sum256([]byte("{}"))
	digits = hex.EncodeToString(sum[:])
	base   = base64.StdEncoding.EncodeToString(sum[:])
	url    = base64.RawURLEncoding.EncodeToString(sum[:])
)

// TestParse reads every form that the package lists.
func TestParse(t *testing.T) {
	for _, text := range []string{
		"sha-256:" + digits, "sha256:" + digits, "SHA-256:" + strings.ToUpper(digits), "Sha256:" + digits, " sha-256:" + digits + "\n",
		"sha-256:" + base, "sha-256:" + url,
		"ni:///sha-256;" + url, "ni://example.org/sha-256;" + url, "ni:///sha-256;" + url + "?ct=application/json", "ni:///sha-256;" + base,
		"sha256-" + base, "sha-256-" + base,
		`{"algorithm":"sha-256","value":"` + digits + `"}`, ` { "value" : "` + base + `", "algorithm" : "SHA-256" } `,
	} {
		d, err := Parse(text)
		if err != nil || d != (Digest{sum, true}) {
			t.Errorf("%q: %s, %v", text, d, err)
		}
	}
}

// TestParseDash: the value of a form with a dash may be in base64url, as everywhere else, and may so have dashes of its own.
func TestParseDash(t *testing.T) {
	for _, text := range []string{"sha256-" + url, "sha-256-" + url, "SHA256-" + url} {
		if d, err := Parse(text); err != nil || d != (Digest{sum, true}) {
			t.Errorf("%q: %s, %v", text, d, err)
		}
	}
}

// TestParseString: what String writes, Parse reads.
func TestParseString(t *testing.T) {
	d := OfBytes([]byte("{}"))
	if got, err := Parse(d.String()); err != nil || got != d || d.String() != "sha-256:"+digits {
		t.Errorf("%s: %s, %v", d, got, err)
	}
	if zero := (Digest{}); zero.String() != "" || !zero.IsZero() || d.IsZero() {
		t.Error("the zero value is a digest")
	}
}

func TestParseMalformed(t *testing.T) {
	for _, text := range []string{
		"", " ", "digest", digits, ":" + digits, "sha-256:", "sha-256:" + digits[1:], "sha-256:0" + digits, "sha-256:" + digits + "00",
		"sha-256:" + strings.Repeat("g", 64), "sha-256: " + digits, "sha-256:" + base[:40], "sha256-" + digits[:10] + "=", "-" + base,
		"ni://", "ni:///", "ni:///sha-256", "ni:///sha-256;", "ni:///;" + url, "ni://sha-256;" + url,
		"{", "{}", `{"algorithm":"sha-256"}`, `{"value":"` + digits + `"}`, `{"algorithm":1,"value":"` + digits + `"}`, `{"algorithm":"sha-256","value":"x"}`,
		`{"algorithm":"sha-256","value":"` + digits + `"} x`,
	} {
		if d, err := Parse(text); !errors.Is(err, ErrMalformed) || !d.IsZero() {
			t.Errorf("%q: %s, %v", text, d, err)
		}
	}
}

// TestParseAlgorithm: a digest that proves nothing here names its algorithm.
func TestParseAlgorithm(t *testing.T) {
	for text, algorithm := range map[string]string{
		"md5:d41d8cd98f00b204e9800998ecf8427e":                      "md5",
		"sha-1:da39a3ee5e6b4b0d3255bfef95601890afd80709":            "sha-1",
		"SHA1:da39a3ee5e6b4b0d3255bfef95601890afd80709":             "SHA1",
		"sha-512:" + digits + digits:                                "sha-512",
		"sha512-" + base:                                            "sha512",
		"sha-384-" + base:                                           "sha-384",
		"sha3-256:" + digits:                                        "sha3-256",
		"sha-256-128:" + digits[:32]:                                "sha-256-128",
		"ni:///sha-256-32;" + url[:6]:                               "sha-256-32",
		"blake3:" + digits:                                          "blake3",
		`{"algorithm":"md5","value":"00"}`:                          "md5",
		`{"algorithm":"sha-512","value":"` + digits + digits + `"}`: "sha-512",
	} {
		d, err := Parse(text)
		var e *AlgorithmError
		if !errors.As(err, &e) || e.Algorithm != algorithm || !d.IsZero() {
			t.Errorf("%q: %s, %v, want an error that names %s", text, d, err, algorithm)
		}
	}
}

// TestVerify: each digest of a text belongs to one of its forms, the canonical one before the others.
func TestVerify(t *testing.T) {
	const loose, tight, other = `{"b":1, "a":2}`, `{"a":2,"b":1}`, `{"a":2,"b":2}`
	for _, test := range []struct {
		digestOf, text string
		want           Match
	}{
		{tight, tight, Canonical}, {tight, loose, Canonical}, {tight, loose + "\n", Canonical}, {tight, " " + loose + "\r\n", Canonical},
		{loose, loose, Raw}, {loose + "\n", loose + "\n", Raw}, {loose + "\r\n", loose + "\r\n", Raw}, {" " + loose, " " + loose, Raw},
		{loose, loose + "\n", Trimmed}, {loose, loose + "\r\n", Trimmed}, {loose + "\n", loose + "\n\n", Trimmed},
		{loose + "\n", loose, Raw}, {loose + "\r\n", loose, Raw}, // taken out of a stream
		{loose, loose + "\n\n", None}, {loose + "\n\n", loose, None}, {loose + "\n", loose + "\r\n", None}, {loose + "\r\n", loose + "\n", None},
		{loose, " " + loose, None}, {loose + "\r", loose, None}, {loose, loose + "\r", None},
		{other, tight, None}, {other, loose, None}, {"", tight, None},
	} {
		match, err := OfBytes([]byte(test.digestOf)).Verify([]byte(test.text))
		if err != nil || match != test.want {
			t.Errorf("the digest of %q for %q: %s, %v, want %s", test.digestOf, test.text, match, err, test.want)
		}
	}
}

// TestVerifyStream takes documents out of a stream as the command does, without what stands between them.
func TestVerifyStream(t *testing.T) {
	const loose = `{"b":1, "a":2}`
	for _, between := range []string{"\n", "\r\n", " ", "\n\x1e", ""} {
		r := jsonspan.NewReader(strings.NewReader(loose + between + loose + between))
		for range 2 {
			text, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			_, n, err := First(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{loose, loose + "\n", loose + "\r\n"} {
				if match, err := OfBytes([]byte(file)).Verify(text[:n]); err != nil || match != Raw {
					t.Errorf("between %q: the digest of %q: %s, %v", between, file, match, err)
				}
			}
			r.Advance(n)
		}
	}
}

// TestVerifyRefuses: what has no digest matches none, not even by its bytes, and the zero value matches nothing.
func TestVerifyRefuses(t *testing.T) {
	const imprecise = `{"a":9007199254740993}`
	if match, err := OfBytes([]byte(imprecise)).Verify([]byte(imprecise)); err == nil || match != None {
		t.Errorf("%s, %v", match, err)
	}
	if match, err := (Digest{}).Verify([]byte(`{}`)); err != nil || match != None {
		t.Errorf("the zero value: %s, %v", match, err)
	}
}
