package secret

import (
	"bytes"
	"slices"
	"testing"
)

// FuzzFind plants a credential in text, at a place and between characters that belong to no token.
func FuzzFind(f *testing.F) {
	for i, p := range planted {
		f.Add([]byte(p.text), uint16(i), byte(i), byte(0))
	}
	for i, s := range []string{"", `{"password":"`, "https://a:b@c", "token=token=", `\\\"`, "-----BEGIN PRIVATE KEY-----", "Bearer ", "eyJ.eyJ", "a@b@c", "\xff", "sig=se=", `"password=a&`, `\"token\":\"a\\\"`, `Cookie: a="b"; c`, `"set-cookie":["a=b",`} {
		f.Add(append([]byte(s), prose(100+i)...), uint16(i*7), byte(i), byte(i))
	}
	f.Fuzz(func(t *testing.T, text []byte, place uint16, which, frame byte) {
		sound(t, text)
		p := planted[int(which)%len(planted)].text
		around := " \"\n\t\x00"[int(frame)%5]
		i := int(place) % (len(text) + 1)
		with := slices.Concat(text[:i], []byte{around}, []byte(p), []byte{around}, text[i:])
		covered(t, with, i+1+max(0, bytes.Index([]byte(p), []byte("hooks"))), i+1+len(p), sound(t, with))
	})
}

// sound checks what holds for the matches of any text.
func sound(t *testing.T, text []byte) []Match {
	before := bytes.Clone(text)
	got := Find(text)
	if !bytes.Equal(before, text) || !slices.Equal(got, Find(text)) {
		t.Fatalf("%q: the text or the matches changed", text)
	}
	end := 0
	for _, m := range got {
		if m.Start < end || m.End <= m.Start || m.End > len(text) || m.Kind == "" {
			t.Fatalf("%q: %v", text, got)
		}
		end = m.End
		if bytes.ContainsFunc(text[m.Start:m.End], func(r rune) bool { return r == '"' || r < ' ' }) {
			t.Fatalf("%q: %s crosses the border of a string: %q", text, m.Kind, text[m.Start:m.End])
		}
	}
	return got
}

func covered(t *testing.T, text []byte, start, end int, got []Match) {
	for _, m := range got {
		if m.Start <= start && end <= m.End {
			return
		}
	}
	t.Fatalf("%q: %q was not found: %v", text, text[start:end], got)
}
