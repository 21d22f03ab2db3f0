package secret

const privateKey = "private key"

// privateKey looks at the 'V' at i: whether it is that of -----BEGIN … PRIVATE KEY----- (RFC 7468), and what follows is a key.
// OpenPGP's BLOCK is one too. Lines end in a control character or in escapes of one, and a text cut off before its END line
// counts when it has enough of the key.
func (s *scan) privateKey(i int) {
	start, body := beginLine(s.text, i-len("PRI"))
	if start < 0 {
		return
	}
	end := keyEnd(s.text, body)
	if end < 0 {
		return
	}
	for line := start; line < end; {
		to := line
		for to < end && s.text[to] >= ' ' {
			to++
		}
		if to > line {
			s.add(line, to, privateKey)
		}
		line = to + 1
	}
}

// beginLine returns the start and the end of the BEGIN line whose "PRIVATE KEY" is at i, or -1.
func beginLine(text []byte, i int) (start, end int) {
	const dashes, label = "-----", 32
	if !at(text, i, "PRIVATE KEY") {
		return -1, -1
	}
	end = i + len("PRIVATE KEY")
	if at(text, end, " BLOCK") {
		end += len(" BLOCK")
	}
	if !at(text, end, dashes) {
		return -1, -1
	}
	start = i
	for start > 0 && i-start < label && ((upper | digit).is(text[start-1]) || text[start-1] == ' ') {
		start--
	}
	if !at(text, start, "BEGIN ") || !at(text, start-len(dashes), dashes) {
		return -1, -1
	}
	return start - len(dashes), end + len(dashes)
}

// keyEnd returns the end of the key whose BEGIN line ends at i, or -1 when there is no long line of base64 within a few headers.
// It stops at the next five dashes, so that no text is read twice.
func keyEnd(text []byte, i int) int {
	const least, headers, gap = 24, 256, 64
	key, limit := -1, i+headers
	for i < len(text) && i < limit && text[i] != '"' && !at(text, i, "-----") {
		to := span(text, i, alnum|sign)
		if to-i >= least && !placeholder(text[i:to]) {
			key, limit = to, to+gap
		}
		i = afterSign(text, to)
	}
	if key >= 0 && at(text, i, "-----END ") {
		return endLine(text, i)
	}
	return key
}

// afterSign returns the position after the sign of a header or the escape at i, or i when the key ends there.
func afterSign(text []byte, i int) int {
	switch {
	case i == len(text) || text[i] == '"' || at(text, i, "-----"):
		return i
	case text[i] == '\\':
		return escaped(text, i+1)
	}
	return i + 1
}

// endLine returns the end of the END line at i.
func endLine(text []byte, i int) int {
	i += len("-----END ")
	for i < len(text) && (upper.is(text[i]) || text[i] == ' ') {
		i++
	}
	for i < len(text) && text[i] == '-' {
		i++
	}
	return i
}
