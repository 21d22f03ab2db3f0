package secret

// A vendor is a shape of token that its issuer documents: a prefix, then between min and max characters of body, where max 0 is
// no bound, and then no further character of a word. Bodies of mixed are random enough to have both letters and digits.
type vendor struct {
	prefix   string
	kind     string
	body     class
	min, max int
	mixed    bool
}

const (
	awsKeyID   = "AWS access key id"
	gitHub     = "GitHub token"
	gitLab     = "GitLab token"
	slack      = "Slack token"
	slackHook  = "Slack webhook URL"
	stripe     = "Stripe key"
	openAI     = "OpenAI API key"
	anthropic  = "Anthropic API key"
	apiKey     = "API key"
	googleKey  = "Google API key"
	googleAuth = "Google OAuth token"
	npm        = "npm token"
	pyPI       = "PyPI token"
	sendGrid   = "SendGrid API key"
	twilio     = "Twilio API key"
	huggingFc  = "Hugging Face token"
	webToken   = "JSON Web Token"
)

// vendors has the longer of two prefixes that begin alike first.
var vendors = [...]vendor{
	{"AKIA", awsKeyID, upper | digit, 16, 16, false},
	{"ASIA", awsKeyID, upper | digit, 16, 16, false},
	{"AIza", googleKey, url64, 35, 35, false},
	{"SK", twilio, hex, 32, 32, true},
	{"ghp_", gitHub, alnum, 36, 0, false},
	{"gho_", gitHub, alnum, 36, 0, false},
	{"ghu_", gitHub, alnum, 36, 0, false},
	{"ghs_", gitHub, alnum, 36, 0, false},
	{"ghr_", gitHub, alnum, 36, 0, false},
	{"github_pat_", gitHub, word, 82, 0, false},
	{"glpat-", gitLab, url64, 20, 0, true},
	{"hf_", huggingFc, alnum, 30, 0, false},
	{"npm_", npm, alnum, 36, 36, false},
	{"pypi-AgE", pyPI, url64, 50, 0, false},
	{"rk_live_", stripe, alnum, 24, 0, false},
	{"sk_live_", stripe, alnum, 24, 0, false},
	{"sk-ant-", anthropic, url64, 24, 0, true},
	{"sk-proj-", openAI, url64, 24, 0, true},
	{"sk-svcacct-", openAI, url64, 24, 0, true},
	{"sk-admin-", openAI, url64, 24, 0, true},
	{"sk-or-v1-", apiKey, hex, 64, 64, true},
	{"sk-", openAI, alnum, 32, 0, true},
	{"xoxa-", slack, alnum | dash, 20, 0, true},
	{"xoxb-", slack, alnum | dash, 20, 0, true},
	{"xoxp-", slack, alnum | dash, 20, 0, true},
	{"xoxr-", slack, alnum | dash, 20, 0, true},
	{"xoxs-", slack, alnum | dash, 20, 0, true},
	{"xapp-", slack, alnum | dash, 20, 0, true},
	{"ya29.", googleAuth, url64, 20, 0, true},
}

// firsts and seconds have a bit in common for the first two bytes of every token.
var (
	firsts = [256]uint8{'A': 1, 'S': 2, 'g': 4, 'h': 8, 'n': 16, 'p': 32, 'e': 32, 'r': 64, 's': 64, 'x': 128, 'y': 128}

	seconds = [256]uint8{'K': 1 | 2, 'S': 1, 'I': 1, 'G': 2, 'h': 4, 'i': 4, 'l': 4, 'f': 8, 'o': 8 | 128, 'p': 16, 'y': 32, 'k': 64, 'a': 128}
)

// begins tells whether the two bytes at i are the first ones of some token.
func begins(text []byte, i int) bool { return firsts[text[i]]&seconds[text[i+1]] != 0 }

// token notes the token of a vendor that begins at i and returns its end, or i.
func (s *scan) token(i int) int {
	if i+1 >= len(s.text) || !begins(s.text, i) {
		return i
	}
	end, kind := s.shape(i)
	for k := 0; k < len(vendors) && end == 0; k++ {
		if vendors[k].prefix[0] == s.text[i] && at(s.text, i, vendors[k].prefix) {
			end, kind = s.vendor(k, i), vendors[k].kind
		}
	}
	if end == 0 {
		return i
	}
	s.add(i, end, kind)
	return end
}

// vendor returns the end of the token of vendors[k] whose prefix is at i, or 0. What a body without a bound looks at in vain is remembered.
func (s *scan) vendor(k, i int) int {
	v := &vendors[k]
	if s.seen[k].has(i) {
		return 0
	}
	from := i + len(v.prefix)
	text := s.text
	if v.max > 0 {
		text = text[:min(from+v.max+1, len(text))]
	}
	to := span(text, from, v.body)
	if v.max > 0 && to < len(text) && word.is(text[to]) || to-from < v.min || v.max > 0 && to-from > v.max {
		return 0
	}
	if placeholder(text[from:to]) || v.mixed && !mixed(text[from:to]) {
		s.seen[k] = stretch{i, to}
		return 0
	}
	return to
}

// shape returns the end and the kind of a token at i that has parts.
func (s *scan) shape(i int) (end int, kind string) {
	switch {
	case s.text[i] == 'e' && at(s.text, i, "eyJ"):
		return s.webToken(i), webToken
	case s.text[i] == 'S' && at(s.text, i, "SG."):
		return sendGridKey(s.text, i), sendGrid
	case s.text[i] == 'h' && at(s.text, i, "hooks.slack.com"):
		return hookURL(s.text, i), slackHook
	}
	return 0, ""
}

// webToken returns the end of the signed token (RFC 7515, section 7.1: three parts of base64url, of which two are JSON objects) at i.
func (s *scan) webToken(i int) int {
	if s.jwt.has(i) {
		return 0
	}
	header := span(s.text, i, url64)
	s.jwt = stretch{i, header}
	if header-i < 10 || !at(s.text, header, ".eyJ") {
		return 0
	}
	payload := span(s.text, header+1, url64)
	if payload-header < 10 || !at(s.text, payload, ".") {
		return 0
	}
	end := span(s.text, payload+1, url64)
	if end-payload <= 16 || placeholder(s.text[payload+1:end]) {
		return 0
	}
	return end
}

// sendGridKey returns the end of SG., 22 characters, a dot and 43 characters at i.
func sendGridKey(text []byte, i int) int {
	const idLen, keyLen = 22, 43
	dotAt := i + 3 + idLen
	end := dotAt + 1 + keyLen
	if end > len(text) || text[dotAt] != '.' || span(text[:end], i+3, url64) != dotAt || span(text[:end], dotAt+1, url64) != end {
		return 0
	}
	if end < len(text) && url64.is(text[end]) || placeholder(text[dotAt+1:end]) {
		return 0
	}
	return end
}

// hookURL returns the end of hooks.slack.com/services/T…/B…/… at i.
func hookURL(text []byte, i int) int {
	j := slash(text, i+len("hooks.slack.com"))
	if j < 0 || !at(text, j, "services") {
		return 0
	}
	j += len("services")
	from := j
	for _, least := range [...]int{8, 8, 16} {
		if from = slash(text, j); from < 0 {
			return 0
		}
		j = span(text[:min(from+64, len(text))], from, alnum)
		if j-from < least {
			return 0
		}
	}
	if placeholder(text[from:j]) {
		return 0
	}
	return j
}
