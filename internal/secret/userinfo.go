package secret

const urlPassword = "password in a URL"

// userinfo looks at the '@' at i: whether scheme://user:password is before it (§6.4, RFC 3986, section 3.2.1).
func (s *scan) userinfo(i int) {
	const most = 256
	text := s.text
	if i+1 >= len(text) || !alnum.is(text[i+1]) && text[i+1] != '[' {
		return
	}
	start, colon := i, -1
	for start > 0 && i-start < most && inUserinfo(text[start-1]) {
		start--
		if text[start] == ':' {
			colon = start
		}
	}
	if colon < 0 || !authority(text, start) {
		return
	}
	end := lastAt(text, i)
	if pw := text[colon+1 : end]; len(pw) > 0 && pw[0] != '$' && string(pw) != "%s" && string(pw) != "%v" && !placeholder(pw) {
		s.add(start, end, urlPassword)
	}
}

// inUserinfo tells whether b is a character that userinfo may have. Percent signs pass with what follows them.
func inUserinfo(b byte) bool {
	if word.is(b) {
		return true
	}
	switch b {
	case '-', '.', '~', '%', '!', '$', '&', '\'', '(', ')', '*', '+', ',', ';', '=', ':', '^':
		return true
	}
	return false
}

// authority tells whether a scheme and :// end at i, the slashes escaped or not.
func authority(text []byte, i int) bool {
	for range 2 {
		if i == 0 || text[i-1] != '/' {
			return false
		}
		if i--; i > 0 && text[i-1] == '\\' {
			i--
		}
	}
	return i > 1 && text[i-1] == ':' && alnum.is(text[i-2])
}

// lastAt returns the last '@' of the authority whose first one is at i: a password in which '@' was not encoded.
func lastAt(text []byte, i int) int {
	const most = 64
	last := i
	for j := i + 1; j < len(text) && j-i < most && (text[j] == '@' || inUserinfo(text[j])); j++ {
		if text[j] == '@' {
			last = j
		}
	}
	return last
}
