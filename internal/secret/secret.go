// Package secret finds text that looks like a credential: the access tokens, API keys, signed URLs, passwords, session cookies
// and private keys that a checkpoint must not carry (§6.4, §9.1) and that a consumer should reject or redact (§10.5).
//
// It knows shapes, not secrets. It asks no vendor whether a token lives, it does not decode what it is given, beyond Basic
// credentials, and a credential without a known shape or a telling name passes. It prefers to miss a doubtful one over
// naming a digest, a UUID, encoded content or an identifier in source code.
//
// # How it is fast
//
// Nearly all text is nowhere near a credential, so five cheap sweeps find the few places that may be, and exact, hand-written
// matchers look only there. One sweep (run.go) looks for long runs of token characters, at eight bytes of every twelve. The others look
// for a byte that the shape cannot do without: '@' of a URL with userinfo, 'V' of PRIVATE KEY, '=' and ':' of an assignment.
// They go over the text block by block, so that a block comes from memory once. Every matcher either looks at a bounded number of
// bytes or remembers what it saw in vain, so that the time is linear in the text, whatever the text is.
package secret

import (
	"bytes"
	"cmp"
	"slices"
)

// Match is a range of text that looks like a credential, and what it looks like, for example "AWS access key id". The range
// is that of the secret itself: the value without its name, the userinfo of a URL without its '@', a private key with its
// BEGIN and END lines.
type Match struct {
	Start, End int
	Kind       string
}

// block is how many bytes every sweep passes over before the next one begins: what a first-level cache holds.
const block = 16 << 10

// scan is the state of one Find.
type scan struct {
	text   []byte
	found  []Match
	next   int // runs before next have been looked at
	seen   [len(vendors)]stretch
	value  stretch // the last assigned value
	header stretch // the last header with cookies
	jwt    stretch // the first segment of the last thing that began like a JSON Web Token
}

// Find returns the matches in text in order, not overlapping. The text is any bytes, that of a JSON document included: a match
// never holds a '"' or a control character, and a JSON escape next to a credential does not hide it. A private key over several
// lines, parted by control characters and not by escapes, is one match a line, and a value with a '"' in it is one a part.
func Find(text []byte) []Match {
	s := scan{text: text}
	for lo := 0; lo < len(text); lo += block {
		hi := min(lo+block, len(text))
		s.runs(hi)
		s.sweep('@', lo, hi)
		s.sweep('V', lo, hi)
		s.sweep('=', lo, hi)
		s.colons(lo, hi)
	}
	return disjoint(s.found)
}

// sweep looks at every b in text[lo:hi].
func (s *scan) sweep(b byte, lo, hi int) {
	for lo < hi {
		n := bytes.IndexByte(s.text[lo:hi], b)
		if n < 0 {
			return
		}
		lo += n
		switch b {
		case '@':
			s.userinfo(lo)
		case 'V':
			if lo > 0 && s.text[lo-1] == 'I' {
				s.privateKey(lo)
			}
		default:
			s.assignment(lo)
		}
		lo++
	}
}

// add notes a match.
func (s *scan) add(start, end int, kind string) {
	s.found = append(s.found, Match{start, end, kind})
}

// disjoint sorts matches and makes one of those that overlap, with the kind of the first, so that no part of any is lost.
func disjoint(found []Match) []Match {
	slices.SortStableFunc(found, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	kept := found[:0]
	for _, m := range found {
		if n := len(kept); n > 0 && m.Start < kept[n-1].End {
			kept[n-1].End = max(kept[n-1].End, m.End)
			continue
		}
		kept = append(kept, m)
	}
	return kept
}
