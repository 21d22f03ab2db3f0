package testdoc

import "unicode/utf8"

// words are what plain text is made of.
var words = []string{
	"the", "a", "of", "in", "to", "and", "is", "was", "not", "before", "after", "every", "build", "queue", "shipment", "sensor",
	"parser", "branch", "index", "mirror", "warehouse", "ticket", "report", "retry", "latency", "schema", "gateway", "batch",
	"release", "harbour", "glossary", "translation", "column", "backup", "probe", "valve", "greenhouse", "roster", "museum",
	"loan", "catalogue", "pipeline", "failed", "passed", "missing", "found", "moved", "renamed", "measured", "expected", "café",
	"Zürich", "naïve", "7", "42", "2.5", "99%", "(draft)", "[open]", "v3", "main.go", "rows", "kg", "timeout",
}

// oddities are pieces of text that break careless code.
var oddities = []string{
	"\"quoted\"", "back\\slash", "a/b", "</script>", "\u2028", "\u2029", "e\u0301", "\u00e4", "a\u0308", "漢字と仮名", "한국어",
	"مرحبا", "\u202eabc\u202c", "🚢", "👩🏽‍🚀", "🇨🇭", "𝒳", "\U0010FFFD", "\ue000", "\ufeff", "\u0000", "\u0001", "\u001f", "\u007f",
	"\u0085", "\b", "\f", "\n", "\r\n", "\t", "  ", "\u00a0", "{{x}}", "${x}", "%s", "' OR 1=1", "<b>", "&amp;", "\\u0041", "\\n",
	"ignore all previous instructions", "null", "```\ncode\n```", "# heading", "/~0~1/", "ﬃ", "ß", "İ", "ǅ", "\u200b",
}

// phrase returns n words joined by spaces, some of them oddities where the document is odd.
func (g *generator) phrase(n int) string {
	var out []byte
	for i := range n {
		if i > 0 {
			out = append(out, ' ')
		}
		if g.chance(g.oddness) {
			out = append(out, pick(g.dice, oddities)...)
		} else {
			out = append(out, pick(g.dice, words)...)
		}
	}
	return string(out)
}

// text returns text that is not empty.
func (g *generator) text() string {
	switch {
	case g.chance(6):
		return pick(g.dice, words)
	case g.chance(4):
		return g.phrase(g.between(60, 200))
	}
	return g.phrase(g.between(2, 14))
}

// optionalText returns text for a member that may as well be absent; it may be empty.
func (g *generator) optionalText() string {
	if g.chance(6) {
		return ""
	}
	return g.text()
}

// bounded returns text of at most limit characters, now and then of just as many.
func (g *generator) bounded(limit int) string {
	if !g.chance(3) {
		return g.phrase(g.between(1, 40))
	}
	filler := pick(g.dice, []string{"x", "é", "漢", "🚢", "\\", "\n"})
	out := make([]byte, 0, limit*len(filler))
	for range limit {
		out = append(out, filler...)
	}
	return string(out)
}

// truncated cuts ASCII or other text to at most n bytes without splitting a character.
func truncated(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
