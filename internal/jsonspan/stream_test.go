package jsonspan

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll takes a stream apart and names each text, or the kind of its failure.
func readAll(r *Reader) (got []string, err error) {
	for {
		text, err := r.Next()
		if err == io.EOF {
			return got, nil
		} else if err != nil {
			return got, err
		}
		c := Cursor{Src: text}
		c.Start()
		c.Skip()
		if c.Err == nil {
			got = append(got, fmt.Sprintf("%d:%s", r.Offset(), text[:c.Pos]))
			r.Advance(c.Pos)
			continue
		}
		got = append(got, fmt.Sprintf("%d:!%v", r.Offset(), c.Err.Kind))
		if ok, err := r.Resync(c.Err.Offset); err != nil || !ok {
			return append(got, "stop"), err
		}
	}
}

var streams = []struct{ why, stream, want string }{
	{"nothing", " \n", ""},
	{"concatenated", `{"a":1}{"b":"}"} [1] `, `0:{"a":1} 7:{"b":"}"} 17:[1]`},
	{"pretty", "{\n \"a\": 1\n}\n{\n}\n", "0:{\n \"a\": 1\n} 12:{\n}"},
	{"scalars", `1 "a" true`, `0:1 2:"a" 6:true`},
	{"record separators", "\x1e{\"a\":1}\n\x1e{}\n", `1:{"a":1} 10:{}`},
	{"escaped quotes", `["\"","\\"]["\\\""]`, `0:["\"","\\"] 11:["\\\""]`},
	{"a bad line", "{}\n{\"a\":}\n{\"b\":1}\n", `0:{} 3:!grammar 10:{"b":1}`},
	{"an open string", "{}\n{\"a\n{\"b\":1}\n", `0:{} 3:!grammar 7:{"b":1}`},
	{"an open object", "{\"a\":1\n{\"b\":1}\n", `0:!grammar stop`},
	{"a torn line", "{}\n{\"a\":[1,\n{\"b\":1}\n{}\n", `0:{} 3:!grammar 12:{"b":1} 20:{}`},
	{"a bad first line", "{\"a\":x\n{\"b\":1}\n", `0:!grammar 7:{"b":1}`},
	{"a bad first line of one printed document", "{\"a\":x,\n \"b\":1}\n", `0:!grammar stop`},
	{"a bad printed document", "{\n\"a\":x\n}\n{}", `0:!grammar stop`},
	{"a bad record", "\x1e{\n\"a\":x\n}\n\x1e{}", `1:!grammar 12:{}`},
	{"a torn record", "\x1e{\"a\":[1,\n\x1e{}", `1:!grammar 11:{}`},
	{"a torn last line", "{}\n{\"a\":", `0:{} 3:!truncated`},
	{"a closer too many", "{}}\n{}\n", `0:{} 2:!grammar 4:{}`},
}

func TestReader(t *testing.T) {
	for _, c := range streams {
		for name, r := range map[string]*Reader{
			"memory":    NewBytesReader([]byte(c.stream)),
			"pipe":      NewReader(strings.NewReader(c.stream)),
			"slow pipe": NewReader(iotest.OneByteReader(strings.NewReader(c.stream))),
		} {
			got, err := readAll(r)
			if err != nil || strings.Join(got, " ") != c.want {
				t.Errorf("%s, %s: %q, %v; want %q", c.why, name, strings.Join(got, " "), err, c.want)
			}
		}
	}
}

// TestReaderMemory holds that a stream of many texts is read in the buffer of the largest.
func TestReaderMemory(t *testing.T) {
	text := `{"a":"` + strings.Repeat("x", 3*readerBlock) + `"}` + "\n"
	r := NewReader(io.LimitReader(endless(text), int64(20*len(text))))
	got, err := readAll(r)
	if err != nil || len(got) != 20 || cap(r.buf) > 4*len(text) {
		t.Errorf("%d texts, %v, buffer %d of texts of %d", len(got), err, cap(r.buf), len(text))
	}
}

// TestReaderProbe: a long text in a pipe may be cut anywhere while it is read.
func TestReaderProbe(t *testing.T) {
	for _, unit := range []string{`"é",`, `"😀",`, `"\u00e9",`, `true,`, `12.5e10,`} {
		for pad := range 8 {
			text := "[" + strings.Repeat(" ", pad) + strings.Repeat(unit, 6*readerBlock/len(unit)) + "0]"
			got, err := readAll(NewReader(strings.NewReader(text)))
			if err != nil || len(got) != 1 || strings.Contains(got[0], "!") {
				t.Errorf("%s: %.40q, %v", unit, got, err)
			}
		}
	}
}

// TestReaderGivesUp holds that a text whose end is never found does not draw the whole stream into memory.
func TestReaderGivesUp(t *testing.T) {
	stream := `{"a":1` + "\n" + strings.Repeat(`{"b":2}`+"\n", 100*readerBlock/8)
	r := NewReader(strings.NewReader(stream))
	if _, err := r.Next(); err != nil || cap(r.buf) > 16*readerBlock {
		t.Errorf("%v, buffer %d", err, cap(r.buf))
	}
}

// endless repeats text.
func endless(text string) io.Reader {
	r, w := io.Pipe()
	go func() {
		for {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
	}()
	return r
}
