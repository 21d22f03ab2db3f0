package capture

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

func TestMend(t *testing.T) {
	for _, c := range []struct {
		in, out string
		flaws   int
	}{
		{`{"a":1}`, `{"a":1}`, 0},
		{`{"a":"\ud800"}`, `{"a":"\ufffd"}`, 1},
		{`{"a":"\udc00\ud83d\ude00\uffff"}`, `{"a":"\ufffd\ud83d\ude00\ufffd"}`, 2},
		{`{"a":"\ud83f\udfff"}`, `{"a":"\ufffd"}`, 1},
		{"{\"a\":\"\xff\xed\xa0\x80\xef\xb7\x90\"}", "{\"a\":\"\ufffd\ufffd\ufffd\ufffd\ufffd\"}", 5},
		{`{"a":9007199254740993,"b":[1e999,1e-999,1]}`, `{"a":null,"b":[null,null,1]}`, 3},
		{`{"a":1,"a":2}`, `{}`, 2},
		{`{"a":1,"b":2,"a":3,"c":4}`, `{"b":2,"c":4}`, 2},
		{`{"b":2,"a":1,"\u0061":3}`, `{"b":2}`, 2},
		{`{"a":{"x":1,"x":"\ud800","y":5},"b":[{"a":1,"a":1}],"c":3}`, `{"a":{"y":5},"b":[{}],"c":3}`, 4},
		{`{"a":1,"a":{"x":1,"x":2},"z":"\ud800"}`, `{"z":"\ufffd"}`, 3},
		{strings.Repeat("[", 1001) + `{"a":"]"},[1]` + strings.Repeat("]", 1001), strings.Repeat("[", 1000) + "null" + strings.Repeat("]", 1000), 1},
	} {
		r, ok := readRecord([]byte(c.in))
		if !ok || string(r.src) != c.out || len(r.flaws) != c.flaws {
			t.Errorf("%.80q: %v %.80q, flaws at %v; want %.80q, %d", c.in, ok, r.src, r.flaws, c.out, c.flaws)
		}
	}
	for _, in := range []string{``, `{`, `{"a"}`, `{"a":1,}`, `[1 2]`, `{"a":"\ud800}`, `"\ud800`, `"\ux000\ud800"`, `{"a":1,"a":01}`, `{"a":1,"a":2}x`, "\"\x01\\ud800\"", `{"a":1,"a":tru}`} {
		if r, ok := readRecord([]byte(in)); ok {
			t.Errorf("%q became %q", in, r.src)
		}
	}
}

// TestFlaws says in which argument something was left out.
func TestFlaws(t *testing.T) {
	r, ok := readRecord([]byte(`{"args":{"a":{"x":1,"x":2},"b":"ok","c":"\ud800","d":[1e999],"e":1,"e":2,"f":{}}}`))
	if !ok {
		t.Fatal("no record")
	}
	args := r.get("args")
	for name, want := range map[string]int{"a": 2, "b": 0, "c": 1, "d": 1, "f": 0} {
		if got := r.flawsIn(args.get(name)); got != want {
			t.Errorf("%s: %d flaws, want %d in %s", name, got, want, r.src)
		}
	}
	if got := r.flawsIn(args); got != 6 {
		t.Errorf("%d flaws in all", got)
	}
}

// FuzzRecord holds the mended records against encoding/json: what it reads is read, and what is strict already is not changed.
func FuzzRecord(f *testing.F) {
	for _, s := range []string{`{"a":1,"a":[1e999],"b":"\ud800"}`, `{"a":{"b":{"c":1,"c":2},"b":1}}`, "[\"\xff\",9007199254740993]", `[[[]]]`, `{"":"\"\\\/\b"}`, ` { "x" : [ 1 , 2 ] } `} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		r, ok := readRecord(text)
		if !bytes.Equal(before, text) {
			t.Fatal("the text was changed")
		}
		strict := jsonspan.Check(text)
		if strict == nil && (!ok || !bytes.Equal(r.src, text) || len(r.flaws) > 0) {
			t.Fatalf("%q is strict and became %q", text, r.src)
		}
		if ok && jsonspan.Check(r.src) != nil {
			t.Fatalf("%q became %q", text, r.src)
		}
		if ok && strict != nil && len(r.flaws) == 0 {
			t.Fatalf("%q was mended without a flaw to %q", text, r.src)
		}
		if bom := bytes.HasPrefix(bytes.TrimSpace(text), []byte("\xef\xbb\xbf")); json.Valid(text) != ok && !bom {
			t.Fatalf("%q: JSON %v, record %v: %v", text, json.Valid(text), ok, strict)
		}
		for _, at := range r.flaws {
			if at < 0 || at > len(r.src) {
				t.Fatalf("%q: flaws at %v", text, r.flaws)
			}
		}
	})
}
