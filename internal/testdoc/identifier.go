package testdoc

import (
	"fmt"
)

// clashing are local ids that a tool could choose for objects of its own, or that trip a careless map.
var clashing = []string{
	"ocp.input", "ocp.omitted.size", "ocp.omitted.superseded", "ocp.done", "ocp.parent", "ocp.stop", "ocp.recovery", "ocp.condensed",
	"merge.q.00000000", "fork.1", "0", "1e2", "null", "true", "constructor", "toString", "id", "refs", "urn:x:1", "A", "a",
}

// idBytes are the bytes that may follow the first of a local id (§4.1).
const idBytes = "ABCXYZabcxyz0189._:-"

// newID returns a local id that the document does not have yet (OCP-S001) and makes it known as a target of references.
func (g *generator) newID(prefix string) string {
	id := g.spellID(prefix)
	for g.taken[id] {
		id = fmt.Sprintf("%s-%d", prefix, len(g.local)+g.below(1000))
	}
	g.taken[id] = true
	g.local = append(g.local, id)
	return id
}

// maybeID is newID for objects that may lack one, which is the empty string.
func (g *generator) maybeID(prefix string) string {
	if g.chance(35) {
		return ""
	}
	return g.newID(prefix)
}

// spellID proposes a local id.
func (g *generator) spellID(prefix string) string {
	switch n := g.below(100); {
	case n < 60:
		return fmt.Sprintf("%s-%d", prefix, len(g.local)+1)
	case n < 68:
		return g.letters("abcdefghijkXYZ0123456789", g.between(1, 2))
	case n < 72:
		return prefix + g.letters(idBytes, 128-len(prefix))
	case n < 84:
		return fmt.Sprintf("%s.%s:%s-%d_", prefix, pick(g.dice, []string{"v2", "x", "main"}), g.hex(3), g.below(10))
	case n < 90:
		return pick(g.dice, clashing)
	case n < 95 && len(g.local) > 0:
		return truncated(pick(g.dice, g.local), 119) + "." + g.hex(8)
	}
	return "Z" + g.letters(idBytes, g.between(1, 20))
}

// globalID returns the id of a whole checkpoint; it is new in this document.
func (g *generator) globalID() string {
	switch g.below(10) {
	case 0:
		return "https://checkpoints.example.org/" + g.hex(10) + "?v=1#a"
	case 1:
		return "Prüfpunkt " + g.hex(6) + " / 2"
	case 2, 3, 4:
		return "urn:uuid:" + uuid(g.dice, "4")
	}
	return "urn:uuid:" + uuid(g.dice, "7")
}

// uuid returns a UUID of a version (RFC 9562).
func uuid(d *dice, version string) string {
	return d.hex(8) + "-" + d.hex(4) + "-" + version + d.hex(3) + "-" + d.letters("89ab", 1) + d.hex(3) + "-" + d.hex(12)
}

// digest returns a digest, mostly in the form sha-256:hex.
func (g *generator) digest() string {
	switch g.below(10) {
	case 0:
		return "sha256:" + g.hex(64)
	case 1:
		return "sha-512:" + g.hex(128)
	case 2:
		return "sha256-" + g.letters("ABCDwxyz0189+/", 42) + "A="
	case 3:
		return "ni:///sha-256;" + g.letters("ABCDwxyz0189-_", 42) + "A"
	}
	return "sha-256:" + g.hex(64)
}
