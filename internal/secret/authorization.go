package secret

import (
	"bytes"
	"encoding/base64"
)

const (
	bearerToken = "Bearer token"
	basicAuth   = "Basic credentials"
)

// authorization looks for the credentials of an Authorization header (RFC 9110, section 11.4) in the run at i, which a space precedes.
// The words Bearer and Basic alone make it one, for it is quoted without its name too.
func (s *scan) authorization(i int) {
	switch {
	case scheme(s.text, i, "bearer"):
		s.bearer(i)
	case scheme(s.text, i, "basic"):
		s.basic(i)
	}
}

// scheme tells whether the word name and a space are before i.
func scheme(text []byte, i int, name string) bool {
	j := i - 1 - len(name)
	return atFold(text, j, name) && (j == 0 || !alnum.is(text[j-1]) || j > 1 && text[j-2] == '\\')
}

// bearer notes the token at i when it has 20 characters or more and looks random.
func (s *scan) bearer(i int) {
	const least = 20
	if s.token(i) > i {
		return
	}
	if end := trimmed(s.text, i, span(s.text, i, token68)); end-i >= least && random(s.text[i:end]) {
		s.add(i, end, bearerToken)
	}
}

// basic notes the base64 at i when it says user:password (RFC 7617).
func (s *scan) basic(i int) {
	const least, most = 20, 512
	end := span(s.text[:min(i+most, len(s.text))], i, alnum|sign)
	if end-i < least {
		return
	}
	var encoded, plain [most]byte
	unescaped := bytes.TrimRight(appendUnescaped(encoded[:0], s.text[i:end]), "=")
	n, err := base64.RawStdEncoding.Decode(plain[:], unescaped)
	if err != nil || bytes.IndexByte(plain[:n], ':') < 0 || bytes.ContainsFunc(plain[:n], control) {
		return
	}
	s.add(i, end, basicAuth)
}

// appendUnescaped appends text without the backslashes of its \/ to dst.
func appendUnescaped(dst, text []byte) []byte {
	for _, b := range text {
		if b != '\\' {
			dst = append(dst, b)
		}
	}
	return dst
}

// control tells whether r has no place in a user name or a password. It takes broken UTF-8 for that as well.
func control(r rune) bool { return r < ' ' || r == 0x7F || r == '\uFFFD' }

// trimmed returns end without the full stop of the sentence that a value ends.
func trimmed(text []byte, start, end int) int {
	for end > start && text[end-1] == '.' {
		end--
	}
	return end
}
