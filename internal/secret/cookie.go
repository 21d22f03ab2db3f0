package secret

const sessionCookie = "session cookie"

// cookies looks at the value v of Cookie or Set-Cookie (RFC 6265, section 4): a header, or a JSON array of them. Every cookie whose value
// looks random may be a session's. It remembers how far it went, for a value may say cookie= again and again.
func (s *scan) cookies(n *name, v value) {
	if s.header.has(v.start) {
		return
	}
	end := v.start
	if v.quoted || !at(s.text, v.start, "[") {
		end = s.pairs(n, v.start, v.in)
	} else {
		for i, in := opening(s.text, v.start+1); in != (quote{}); i, in = nextElement(s.text, end, in) {
			end = s.pairs(n, i, in)
		}
	}
	s.header = stretch{v.start, end}
}

// opening returns the quote that opens behind the white space at i, and where the text in it begins.
func opening(text []byte, i int) (int, quote) {
	for i < len(text) && text[i] <= ' ' {
		i++
	}
	from := i
	for i < len(text) && text[i] == '\\' {
		i++
	}
	if i == len(text) {
		return i, quote{}
	}
	return i + 1, quoteBefore(text[from:], i+1-from)
}

// nextElement is opening for the string after the one in a quote that ends at i.
func nextElement(text []byte, i int, in quote) (int, quote) {
	i = in.behind(text, i)
	for i < len(text) && text[i] <= ' ' {
		i++
	}
	if !at(text, i, ",") {
		return i, quote{}
	}
	return opening(text, i+1)
}

// pairs notes the cookies of the header at i that is in a quote, and returns where it ends. What is no pair, behind the first one, is an
// attribute without a value or the rest of a date.
func (s *scan) pairs(n *name, i int, in quote) int {
	for first := true; ; first = false {
		to := span(s.text, i, url64|dot)
		switch {
		case to > i && at(s.text, to, "="):
			to = s.pair(n, i, to, in)
		case first:
			return i
		default:
			to = attribute(s.text, i)
		}
		if to == len(s.text) || s.text[to] != ';' && s.text[to] != ',' {
			return to
		}
		for i = to + 1; i < len(s.text) && s.text[i] == ' '; i++ {
		}
	}
}

// pair notes the cookie whose name is text[i:to] and returns the end of its value.
func (s *scan) pair(n *name, i, to int, in quote) int {
	v := valueAfter(s.text, to)
	switch {
	case v.quoted && v.in == in:
		return to + 1
	case v.quoted:
		v.end = v.in.end(s.text, v.start, never)
	default:
		v.in = in
		v.end = in.end(s.text, v.start, parts)
	}
	if !kept(s.text[i:to]) && n.fits(s.text, v) && !bracketed(s.text[v.start:v.end]) {
		s.addParts(v, n.kind)
	}
	if v.quoted {
		return v.in.behind(s.text, v.end)
	}
	return v.end
}

// parts tells whether the '&', ';' or ',' at i ends a cookie.
func parts(text []byte, i int) bool {
	return text[i] == ';' || text[i] == ',' && separates(text, i)
}

// kept tells whether an attribute has the name whose value can look random but says only where or until when a cookie holds.
func kept(name []byte) bool {
	for _, a := range [...]string{"path", "domain", "expires"} {
		if len(name) == len(a) && atFold(name, 0, a) {
			return true
		}
	}
	return false
}

// attribute returns the end of the words and times at i. A ':' behind a word is that of the next header.
func attribute(text []byte, i int) int {
	for i < len(text) && ((alnum | dash).is(text[i]) || text[i] == ' ' || text[i] == ':' && digit.is(text[i-1])) {
		i++
	}
	return i
}
