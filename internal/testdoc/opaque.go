package testdoc

import "fmt"

// extensionKeys are namespaced identifiers (§7).
var extensionKeys = []string{
	"com.example.crm", "org.example.finance/v2", "com.acme.ledger/run.v2", "io.github.opencheckpoint-like.example/x", "net.example",
	"com.example.a1-b/x/y/z", "org.example.finance", "com.example.crm/notes",
}

// spellings are numbers that a rewriting tool would spell otherwise. All are exact or hold at most 17 significant digits.
var spellings = []number{
	"0", "-0", "-0.0", "0.0", "0.10", "1.50", "1.0", "1e2", "1E+2", "1E2", "1e-2", "2.5e-3", "9007199254740991", "-9007199254740991",
	"9007199254740992", "100", "0.30000000000000004", "123456.78900", "2.2250738585072014e-308", "1e21", "1e22",
	"1e-7", "333333333.33333329", "0e0", "0E+5", "12345678901234567e-10", "4503599627370496.5", "1e+00",
}

// opaqueNames are member names that look like paths, patterns, local objects or object internals.
var opaqueNames = []string{
	"", "a.b", "a/b", "~", "~0~1", "*", "?", ":1", "#", "@this", "0", "-1", "id", "refs", "evidence", "status", "statements", "extensions",
	"__proto__", "constructor", "e\u0301", "\u00e9", "漢字", "🚢", "with space", "\"", "\\", "\u0000", "\u2028", "Id", "opencheckpoint",
	"com.example.crm", "\ue000", "\U0001F600",
}

// number returns a number in some spelling.
func (g *generator) number() number {
	switch g.below(4) {
	case 0:
		return number(fmt.Sprint(g.between(-1000, 1000)))
	case 1:
		return number(fmt.Sprintf("%d.%s", g.below(100000), g.letters("0123456789", g.between(1, 8))))
	}
	return pick(g.dice, spellings)
}

// opaque returns any JSON value, at most depth levels deep.
func (g *generator) opaque(depth int) any {
	kind := g.below(10)
	if depth <= 0 {
		kind = g.below(6)
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return g.chance(50)
	case 2, 3:
		return g.number()
	case 4, 5:
		return g.opaqueText()
	case 6, 7:
		return g.opaqueArray(depth)
	}
	return g.opaqueObject(depth)
}

// opaqueText returns a string, sometimes one that is also a local id.
func (g *generator) opaqueText() string {
	if len(g.local) > 0 && g.chance(20) {
		return pick(g.dice, g.local)
	}
	return g.optionalText()
}

// opaqueArray returns an array of any values.
func (g *generator) opaqueArray(depth int) array {
	out := array{}
	for range g.below(5) {
		out = append(out, g.opaque(depth-1))
	}
	return out
}

// opaqueObject returns an object of any values.
func (g *generator) opaqueObject(depth int) object {
	out := object{}
	for _, name := range sample(g.dice, opaqueNames, g.below(6)) {
		if name == "id" {
			out.put(name, g.opaqueText())
			continue
		}
		out.put(name, g.opaque(depth-1))
	}
	return out
}

// deep returns a value nested n levels.
func (g *generator) deep(n int) any {
	var v any = g.number()
	for range n {
		if g.chance(50) {
			v = array{v}
		} else {
			v = object{{pick(g.dice, opaqueNames), v}}
		}
	}
	return v
}

// extend gives a core object extension data, sometimes.
func (g *generator) extend(o *object) {
	if !g.chance(g.extended) {
		return
	}
	data := object{}
	for _, key := range sample(g.dice, extensionKeys, g.below(4)) {
		if g.chance(2) {
			data.put(key, g.deep(g.between(20, 60)))
			continue
		}
		data.put(key, g.opaque(4))
	}
	o.put("extensions", data)
}
