package secret

import (
	"bytes"
	"unicode/utf8"
)

const (
	password   = "password"
	awsSecret  = "AWS secret access key"
	accessTok  = "access token"
	secretText = "secret"
	signedURL  = "signed URL"
)

// A name is the end of a name to which credentials are assigned, in lower case and without separators, and what its value needs: at
// least so many characters. whole ones are the whole name.
type name struct {
	end, kind string
	least     int
	whole     bool
}

// names is looked through in order.
var names = [...]name{
	{"password", password, 12, false},
	{"passwd", password, 12, false},
	{"passphrase", password, 12, false},
	{"pwd", password, 12, false},
	{"secretaccesskey", awsSecret, 40, false},
	{"awssecretkey", awsSecret, 40, false},
	{"apikey", apiKey, 16, false},
	{"secretkey", apiKey, 16, false},
	{"accesskey", apiKey, 16, false},
	{"accountkey", apiKey, 16, false},
	{"secret", secretText, 16, false},
	{"token", accessTok, 16, false},
	{"xamzsignature", signedURL, 32, false},
	{"xgoogsignature", signedURL, 32, false},
	{"sig", signedURL, 32, true},
	{"cookie", sessionCookie, 16, false},
}

// harmless are what is before "token" in the name of one that pages or synchronizes.
var harmless = [...]string{"page", "next", "sync", "continuation", "delta", "resume", "watch", "cancel", "cancellation", "cursor"}

// colons looks at every ':' in text[lo:hi]. A document is full of them, so it goes on to the next one as soon as the three letters
// before it, or before the quote before it, end none of the names.
func (s *scan) colons(lo, hi int) {
	for i := lo; i < hi; i++ {
		n := bytes.IndexByte(s.text[i:hi], ':')
		if n < 0 {
			return
		}
		if i += n; i < 8 {
			s.assignment(i)
			continue
		}
		before := load(s.text, i-8)
		if before>>56 == '"' {
			before <<= 8
		}
		if endsName(before>>40) || !alnum.is(byte(before>>56)) {
			s.assignment(i)
		}
	}
}

// assignment looks at the '=' or ':' at i: whether the name of a credential is before it and a value fit for it after it, as in
// password=…, "password": "…", \"password\":\"…\" and ?token=….
func (s *scan) assignment(i int) {
	end := nameEnd(s.text, i)
	if end < 3 || !endsName(uint64(s.text[end-3])|uint64(s.text[end-2])<<8|uint64(s.text[end-1])<<16) {
		return
	}
	n, start := nameBefore(s.text, end)
	if n == nil {
		return
	}
	v := valueAfter(s.text, i)
	if s.token(v.start) > v.start {
		return
	}
	if closed := bytes.ContainsAny(s.text[end:i], "\"'`"); !closed {
		v.enclose(s.text, quoteBefore(s.text, start))
	}
	if n.kind == sessionCookie {
		s.cookies(n, v)
		return
	}
	s.assigned(n, v)
}

// assigned notes the value v of n. What stands in quotes is judged as a whole, and by its beginning as if it were in none, for the
// quote may be another one than it seems.
func (s *scan) assigned(n *name, v value) {
	v.end = s.valueEnd(v.start)
	fits := n.fits(s.text, v)
	if whole, ok := v.whole(s.text); ok && (fits || n.fits(s.text, whole)) {
		s.addParts(whole, n.kind)
	} else if fits {
		s.add(v.start, v.end, n.kind)
	}
}

// addParts notes a value that may hold '"'. Every part between two is a match.
func (s *scan) addParts(v value, kind string) {
	for i := v.start; i < v.end; {
		to := v.end
		if n := bytes.IndexByte(s.text[i:v.end], '"'); n >= 0 {
			to = i + n
		}
		if part := bytes.TrimRight(s.text[i:to], `\`); to == v.end {
			s.add(i, to, kind)
		} else if len(part) > 0 {
			s.add(i, i+len(part), kind)
		}
		i = to + 1
	}
}

// tails are the last three letters of the names, the first one in the lowest byte, each at its place in a perfect hash table.
var tails = [16]uint32{
	1:  'p' | 'w'<<8 | 'd'<<16,
	3:  'a' | 's'<<8 | 'e'<<16,
	4:  'r' | 'e'<<8 | 't'<<16,
	5:  's' | 'i'<<8 | 'g'<<16,
	8:  's' | 'w'<<8 | 'd'<<16,
	10: 'o' | 'r'<<8 | 'd'<<16,
	11: 'k' | 'e'<<8 | 'y'<<16,
	12: 'u' | 'r'<<8 | 'e'<<16,
	13: 'k' | 'e'<<8 | 'n'<<16,
	14: 'k' | 'i'<<8 | 'e'<<16,
}

// endsName tells whether one of the names ends in the three letters of t, of either case.
func endsName(t uint64) bool {
	v := uint32(t) | 0x202020
	return tails[v*0x77CD5A3B>>28] == v
}

// nameEnd returns where the name ends whose '=' or ':' is at i: before up to four spaces, quotes and backslashes, and the ':' of ":=".
func nameEnd(text []byte, i int) int {
	j := i
	for j > 0 && i-j < 4 {
		switch text[j-1] {
		case '"', '\'', '`', ' ', '\\', ':':
			j--
			continue
		}
		break
	}
	return j
}

// nameBefore returns which of the names ends at end, or nil, and where the word begins that it ends.
func nameBefore(text []byte, end int) (*name, int) {
	var buf [48]byte
	start, i := len(buf), end
	for ; i > 0 && start > 0 && url64.is(text[i-1]); i-- {
		if b := text[i-1]; alnum.is(b) {
			start--
			buf[start] = b | 0x20
		}
	}
	have := bytes.TrimPrefix(buf[start:], []byte("u0026"))
	for k := range names {
		n := &names[k]
		rest, ok := bytes.CutSuffix(have, []byte(n.end))
		if !ok || n.whole && len(rest) > 0 || n.kind == accessTok && pages(rest) {
			continue
		}
		return n, i
	}
	return nil, i
}

// pages tells whether rest ends in one of the harmless words.
func pages(rest []byte) bool {
	for _, h := range harmless {
		if bytes.HasSuffix(rest, []byte(h)) {
			return true
		}
	}
	return false
}

// value is a value that is assigned: where it is, whether in quotes, and whether spaces are before it. in is the quote that it stands in,
// which may be before its name.
type value struct {
	start, end     int
	quoted, spaced bool
	in             quote
}

// enclose says which quote is before the name of v, with none between the name and the operator. One of the same kind behind the
// operator closes it, as in "token="+t. So does one that is before a sign which closes something, as in log("the token:",t).
func (v *value) enclose(text []byte, before quote) {
	switch {
	case !v.quoted:
		v.in = before
	case v.in == before || v.start < len(text) && bytes.IndexByte([]byte(",;)]}"), text[v.start]) >= 0:
		v.in = quote{}
	}
}

// whole returns v up to the quote that closes it. It is not ok for a value in no quotes, for a sentence, and for a value in brackets:
// a placeholder, a pattern or a document.
func (v value) whole(text []byte) (value, bool) {
	apart := never
	if !v.quoted {
		apart = separates
	}
	if v.in == (quote{}) {
		return v, false
	}
	end := v.in.end(text, v.start, apart)
	sentence := v.quoted && end < len(text) && text[end] == ' '
	if end <= v.end || sentence || bracketed(text[v.start:end]) {
		return v, false
	}
	v.end = end
	return v, true
}

func never([]byte, int) bool { return false }

// separates tells whether the '&', ';' or ',' at i is before a space, a quote or the next name, as in password=…&user=….
func separates(text []byte, i int) bool {
	const most = 48
	i++
	if i == len(text) || text[i] <= ' ' || isQuote(text[i]) {
		return true
	}
	to := span(text[:min(i+most, len(text))], i, url64)
	return to > i && at(text, to, "=")
}

// bracketed tells whether a value is in brackets, or between the anchors of a regular expression.
func bracketed(value []byte) bool {
	const pairs = "<>()[]{}^$"
	open := bytes.IndexByte([]byte(pairs), value[0])
	return open >= 0 && open%2 == 0 && value[len(value)-1] == pairs[open+1]
}

// valueAfter returns where the value begins that is assigned at i: after the rest of an operator, some spaces and one quote.
func valueAfter(text []byte, i int) value {
	var v value
	for i++; i < len(text) && (text[i] == '=' || text[i] == '>'); i++ {
	}
	from := i
	for i < len(text) && i-from < 4 && text[i] == ' ' {
		i++
	}
	v.spaced = i > from
	quote := i
	for quote < len(text) && quote-i < 4 && text[quote] == '\\' {
		quote++
	}
	if quote < len(text) && isQuote(text[quote]) {
		v.quoted = true
		v.in.sign, v.in.depth = text[quote], quote-i
		i = quote + 1
	}
	v.start = i
	return v
}

// valueEnd returns where the value in no quotes ends that begins at i: at a space, a control character, a quote, a closing bracket, '&', ';' or ',',
// or at the escape of one. It does not depend on i, so that a value that was seen is not read again from within.
func (s *scan) valueEnd(i int) int {
	if s.value.has(i) && (i == 0 || s.text[i-1] != '\\') {
		return s.value.to
	}
	from := i
	for i < len(s.text) && !ends(s.text[i]) {
		if s.text[i] != '\\' {
			i++
			continue
		}
		n := harmlessEscape(s.text, i)
		if n == i {
			break
		}
		i = n
	}
	s.value = stretch{from, i}
	return i
}

func ends(b byte) bool {
	switch b {
	case '"', '\'', '`', '&', ';', ',', '<', '>', ')', ']', '}', 0x7F:
		return true
	}
	return b <= ' '
}

// harmlessEscape returns the end of the escape at i of a character that a value may have, or i when it ends the value.
func harmlessEscape(text []byte, i int) int {
	switch {
	case at(text, i, `\/`), at(text, i, `\\`) && !at(text, i+2, `"`) && !at(text, i+2, `\`) && escaped(text, i+2) == i+2:
		return i + 2
	}
	return i
}

// fits tells whether v looks like what the name announces. Out of quotes it may be source code: a call, an index, an identifier.
func (n *name) fits(text []byte, v value) bool {
	var buf [sample + utf8.UTFMax]byte
	body := appendPlain(buf[:0], text[v.start:v.end])
	if len(body) < n.least || !random(body) || bytes.Contains(body, []byte("://")) || !v.quoted && bytes.ContainsAny(body, "([{$") {
		return false
	}
	switch {
	case v.quoted && v.end < len(text) && text[v.end] == ' ': // a sentence
		return false
	case n.kind == awsSecret:
		return span(body, 0, alnum|sign) == len(body)
	case n.whole:
		return shared(text, v)
	}
	return v.quoted || !v.spaced || digitGroups(body) > 1
}

// digitGroups counts the numbers in body. An identifier such as base64Key seldom has two.
func digitGroups(body []byte) int {
	n := 0
	for i, b := range body {
		if digit.is(b) && (i == 0 || !digit.is(body[i-1])) {
			n++
		}
	}
	return n
}

// shared tells whether the URL around v is an Azure shared access signature: an expiry or a version goes with sig.
func shared(text []byte, v value) bool {
	const most = 1024
	from, to := v.start, v.end
	for from > 0 && v.start-from < most && text[from-1] > ' ' && !isQuote(text[from-1]) {
		from--
	}
	for to < len(text) && to-v.end < most && text[to] > ' ' && !isQuote(text[to]) {
		to++
	}
	around := text[from:v.start]
	if bytes.Contains(around, []byte("se=")) || bytes.Contains(around, []byte("sv=")) {
		return true
	}
	after := text[v.end:to]
	return bytes.Contains(after, []byte("se=")) || bytes.Contains(after, []byte("sv="))
}
