package secret

import "math/bits"

// sample is how much of a value is looked at to judge it.
const sample = 256

// placeholders are what documentation puts where a credential goes, in lower case.
var placeholders = [...]string{
	"example", "placeholder", "redacted", "changeme", "change-me", "change_me", "xxxx", "****", "...", "your_", "your-", "yourtoken",
	"yourkey", "yourapi", "dummy", "${", "{{", "$(",
}

// placeholder tells whether a body is not meant to be a credential: a word that says so, one character many times, or hardly
// any different ones.
func placeholder(body []byte) bool {
	body = body[:min(len(body), sample)]
	var seen [4]uint64
	same := 0
	for i, b := range body {
		seen[b>>6] |= 1 << (b & 63)
		if i > 0 && body[i-1] == b {
			same++
		} else {
			same = 0
		}
		if same >= 7 || saysSo(body, i) {
			return true
		}
	}
	kinds := 0
	for _, set := range seen {
		kinds += bits.OnesCount64(set)
	}
	return kinds == 1 && len(body) > 1 || kinds < 4 && len(body) >= 12
}

// saysSo tells whether one of the placeholders is at i.
func saysSo(body []byte, i int) bool {
	for _, p := range placeholders {
		if body[i] == p[0] || body[i]|0x20 == p[0] {
			if foldLetters(body, i, p) {
				return true
			}
		}
	}
	return false
}

// foldLetters is at, where only letters are compared without regard to case.
func foldLetters(body []byte, i int, want string) bool {
	if len(body)-i < len(want) {
		return false
	}
	for k := range len(want) {
		b := body[i+k]
		if upper.is(b) {
			b |= 0x20
		}
		if b != want[k] {
			return false
		}
	}
	return true
}

// mixed tells whether the body of a token is more than words and numbers joined by separators, as in sk-learn-0-24-release: in some
// part of six or more a letter follows a digit or a capital follows a small letter.
func mixed(body []byte) bool {
	return anyPart(body, func(a, b byte) bool { return digit.is(a) && letter.is(b) || lower.is(a) && upper.is(b) })
}

// anyPart tells whether, in some part of six or more letters and digits, two neighbours are as wanted.
func anyPart(body []byte, wanted func(a, b byte) bool) bool {
	body = body[:min(len(body), sample)]
	for i := 0; i < len(body); {
		to := span(body, i, alnum)
		if to-i >= 6 && neighbours(body[i:to], wanted) {
			return true
		}
		i = to + 1
	}
	return false
}

func neighbours(part []byte, wanted func(a, b byte) bool) bool {
	for i := 1; i < len(part); i++ {
		if wanted(part[i-1], part[i]) {
			return true
		}
	}
	return false
}

// random tells whether a value looks as if a machine, or somebody careful, had chosen it: letters and digits, neither a placeholder
// nor a path, a URL, a date or identifiers joined by separators, such as a list of them or of settings.
func random(value []byte) bool {
	value = value[:min(len(value), sample)]
	var has class
	path, odd, list, equals := false, false, false, false
	for _, b := range value {
		has |= classes[b]
		switch {
		case b == '.' || b == '/' || b == ':' || b == '\\':
			path = true
		case b == ',' || b == ';':
			list = true
		case b == '=':
			equals = true
		case !url64.is(b):
			odd = true
		}
	}
	if has&letter == 0 || has&digit == 0 || placeholder(value) {
		return false
	}
	every := has&lower != 0 && has&upper != 0
	odd = odd || equals && !list
	joined := path || list || has&(underscore|dash) != 0
	return odd || !joined || !path && every ||
		anyPart(value, func(a, b byte) bool { return digit.is(a) && letter.is(b) })
}
