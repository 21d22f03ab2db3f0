package jsonspan

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
)

// accepted and refused hold one reason each.
var accepted = []string{
	`{}`, `[]`, `""`, `0`, `-0`, `true`, `false`, `null`, ` [ 1 , 2 ] `, "\t{\r\n\"a\" : 1 }",
	`"\u0000\u001f"`, `"\"\\\/\b\f\n\r\t"`, `"\ud83d\ude00"`, `"😀"`, `"\uFFFC"`, `"\u2028"`, "\"\u2028\u2029\"", `"\uFEFF"`,
	`1.5`, `1e2`, `1E+2`, `1e-7`, `1E30`, `333333333.33333329`, `2e-3`, `0.000000000000000000000000001`, `9007199254740991`,
	`9007199254740992`, `9007199254740994`, `100000000000000000000`, `1.500000000000000000000000`, `0.0e-999`, `1e308`, `5e-324`,
	`{"a":{"a":1},"b":{"a":1}}`,
}

var refused = []struct {
	text string
	kind Kind
	at   int
}{
	{``, Truncated, 0}, {` `, Truncated, 1}, {`{`, Truncated, 1}, {`["a`, Truncated, 3}, {`{"a"`, Truncated, 4}, {`"\`, Truncated, 2},
	{`}`, Grammar, 0}, {`{"a":1,}`, Grammar, 7}, {`[1,]`, Grammar, 3}, {`[,1]`, Grammar, 1}, {`[1 2]`, Grammar, 3}, {`{a:1}`, Grammar, 1},
	{`{"a" 1}`, Grammar, 5}, {`nul`, Truncated, 3}, {`nux`, Grammar, 0}, {`"\u12`, Truncated, 5}, {`"\u1x`, Grammar, 1}, {`truE`, Grammar, 0}, {`{} {}`, Grammar, 3}, {`[1]]`, Grammar, 3}, {`'a'`, Grammar, 0},
	{`01`, Grammar, 0}, {`-`, Grammar, 0}, {`1.`, Grammar, 0}, {`.5`, Grammar, 0}, {`+1`, Grammar, 0}, {`1e`, Grammar, 0}, {`1e+`, Grammar, 0},
	{`0x10`, Grammar, 1}, {`NaN`, Grammar, 0}, {`-Infinity`, Grammar, 0}, {"\"a\nb\"", Grammar, 2}, {"\"\x00\"", Grammar, 1}, {`"\x"`, Grammar, 1},
	{`"\u12g4"`, Grammar, 1}, {`// c`, Grammar, 0}, {"\v1", Grammar, 0}, {"\u00a01", Grammar, 0},
	{"\xef\xbb\xbf{}", ByteOrderMark, 0},
	{"\"\xff\"", NotUTF8, 1}, {"\"\xc0\xaf\"", NotUTF8, 1}, {"\"\xe0\x80\xaf\"", NotUTF8, 1}, {"\"\xf4\x90\x80\x80\"", NotUTF8, 1},
	{"\"\xe2\x82\"", NotUTF8, 1}, {"{\"\xf0\x9f\x98\":1}", NotUTF8, 2}, {"\x80", NotUTF8, 0},
	{"\"\xed\xa0\x80\"", Surrogate, 1}, {`"\ud800"`, Surrogate, 1}, {`"\udc00"`, Surrogate, 1}, {`"\ud800\ud800"`, Surrogate, 1}, {`"\ud83dx"`, Surrogate, 1},
	{`"\uffff"`, Noncharacter, 1}, {`"\ufdd0"`, Noncharacter, 1}, {`"\ud83f\udffe"`, Noncharacter, 1}, {"\"\ufdef\"", Noncharacter, 1},
	{"\"\U0010ffff\"", Noncharacter, 1}, {"\"\uffff\"", Noncharacter, 1}, {`{"\ufffe":1}`, Noncharacter, 2},
	{`{"a":1,"a":2}`, DuplicateName, 7}, {`{"a":1,"\u0061":2}`, DuplicateName, 7}, {`[{"x":{"b":1,"c":2,"b":3}}]`, DuplicateName, 19},
	{`1e400`, NumberRange, 0}, {`-1e400`, NumberRange, 0}, {`1e-400`, NumberRange, 0}, {`9007199254740993`, NumberPrecision, 0},
	{`0.123456789012345678`, NumberPrecision, 0}, {`[1,18446744073709551617]`, NumberPrecision, 3},
	{strings.Repeat("[", MaxDepth+1), TooDeep, MaxDepth}, {strings.Repeat(`{"a":`, MaxDepth+1), TooDeep, 5 * MaxDepth},
	{strings.Repeat("[", 1_000_000), TooDeep, MaxDepth},
}

func TestAccepted(t *testing.T) {
	for _, text := range append(accepted, strings.Repeat("[", MaxDepth)+strings.Repeat("]", MaxDepth)) {
		if err := Check([]byte(text)); err != nil {
			t.Errorf("%.60q: %v at %d", text, err, err.Offset)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range refused {
		err := Check([]byte(c.text))
		if err == nil || err.Kind != c.kind || err.Offset != c.at {
			t.Errorf("%.60q: %+v, want %v at %d", c.text, err, c.kind, c.at)
		}
	}
}

// TestManyNames crosses the border between comparing and hashing, with an escaped duplicate on either side of it.
func TestManyNames(t *testing.T) {
	for n := 1; n < 100; n++ {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"k%d":{"k0":1}`, i))
		}
		unique := "{" + strings.Join(members, ",") + "}"
		if err := Check([]byte(unique)); err != nil {
			t.Fatalf("%d names: %v", n, err)
		}
		double := "{" + strings.Join(members, ",") + fmt.Sprintf(`,"\u006b%d":0}`, n-1)
		if err := Check([]byte(double)); err == nil || err.Kind != DuplicateName {
			t.Fatalf("%d names: duplicate not found: %v", n, err)
		}
	}
}

// TestLenient keeps a number that a double rounds, and says where it is; it keeps nothing else.
func TestLenient(t *testing.T) {
	c := Cursor{Src: []byte(`[1, 9007199254740993, 0.123456789012345678]`), Lenient: true}
	c.Skip()
	if c.Err != nil || fmt.Sprint(c.Imprecise) != "[4 22]" {
		t.Errorf("imprecise %v, error %v", c.Imprecise, c.Err)
	}
	c = Cursor{Src: []byte(`1e400`), Lenient: true}
	if c.Skip(); c.Err == nil || c.Err.Kind != NumberRange {
		t.Errorf("1e400: %v", c.Err)
	}
}

// FuzzCheck: jsonspan accepts what gowebpki/jcs accepts within the depth cap, less noncharacters and imprecise numbers.
func FuzzCheck(f *testing.F) {
	for _, text := range accepted {
		f.Add([]byte(text))
	}
	for _, c := range refused {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		err := Check(src)
		_, oracle := jcs.Transform(src)
		switch {
		case err == nil && oracle != nil:
			t.Errorf("accepted %q; jcs: %v", src, oracle)
		case err != nil && oracle == nil:
			switch err.Kind {
			case Noncharacter, NumberPrecision, NumberRange, TooDeep:
			default:
				t.Errorf("refused %q: %v at %d", src, err, err.Offset)
			}
		}
		if err != nil {
			err.Locate(src)
			return
		}
		e := Edits{Src: src}
		if out := e.AppendTo(nil); !bytes.Equal(out, src) {
			t.Errorf("the empty plan changed %q to %q", src, out)
		}
		checkRewritten(t, src)
	})
}

// checkRewritten holds that Tight and Plainest change no content, and are as long as the cursor's counts say.
func checkRewritten(t *testing.T, src []byte) {
	c := Cursor{Src: src}
	c.Start()
	c.Skip()
	c.End()
	want, _ := jcs.Transform(src)
	for style, size := range map[Style]int{Tight: len(src) - c.White, Plainest: len(src) - c.White - c.Waste} {
		e := Edits{Src: src, Style: style}
		out := e.AppendTo(nil)
		if got, err := jcs.Transform(out); err != nil || !bytes.Equal(got, want) {
			t.Errorf("style %d changed %q to %q", style, src, out)
		}
		if len(out) != size {
			t.Errorf("style %d of %q has %d bytes, counted %d", style, src, len(out), size)
		}
	}
}
