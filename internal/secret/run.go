package secret

import (
	"encoding/binary"
	"math/bits"
)

// A run is a longest sequence of ASCII characters from '+' on: every token of a vendor, of Bearer and of Basic lies in one, and so
// does most of what surrounds it in a URL or in source code. Eight bytes of a run of minRun begin at one of every stride positions.
const (
	firstOfRun = '+'
	stride     = 12
	minRun     = stride + 7

	ones = 0x0101010101010101
	high = 0x8080808080808080
)

// outside has the high bit of every byte of x set that cannot be in a run.
func outside(x uint64) uint64 {
	return (^(x&^high + ones*(0x80-firstOfRun)) | x) & high
}

// telling has the high bit of every byte of x set that is a digit, a capital or one of the signs between them in ASCII.
// All bytes of x are ASCII. A run that has none is a word, or a path of words: no token.
func telling(x uint64) uint64 {
	return (x + ones*(0x80-'0')) &^ (x + ones*(0x80-'`')) & high
}

func load(text []byte, i int) uint64 { return binary.LittleEndian.Uint64(text[i:]) }

// runs looks at the runs of minRun or more that begin before hi and after those it has seen.
func (s *scan) runs(hi int) {
	text, i := s.text, s.next
	for i < hi && i+8 <= len(text) {
		if outside(load(text, i)) != 0 {
			i += stride
			continue
		}
		start, end := runStart(text, i), runEnd(text, i+8)
		if end-start >= minRun && runTells(text, start, end) {
			s.run(start, end)
		}
		i = end + 1
	}
	s.next = i
}

// runStart returns where the run begins that holds text[i-1].
func runStart(text []byte, i int) int {
	for ; i >= 8; i -= 8 {
		if m := outside(load(text, i-8)); m != 0 {
			return i - bits.LeadingZeros64(m)>>3
		}
	}
	for i > 0 && inRun(text[i-1]) {
		i--
	}
	return i
}

// runEnd returns where the run ends that goes on at i.
func runEnd(text []byte, i int) int {
	for ; i+8 <= len(text); i += 8 {
		if m := outside(load(text, i)); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(text) && inRun(text[i]) {
		i++
	}
	return i
}

func inRun(b byte) bool { return b >= firstOfRun && b < 0x80 }

// runTells tells whether the run, of eight bytes or more, is worth a look.
func runTells(text []byte, start, end int) bool {
	for i := start; i+8 <= end; i += 8 {
		if telling(load(text, i)) != 0 {
			return true
		}
	}
	return telling(load(text, end-8)) != 0
}

// run looks for tokens in a run: at its beginning for those that a word before it announces, and at its beginning and after each
// sign in it for those with a prefix of their own.
func (s *scan) run(start, end int) {
	text := s.text
	if start > 0 && text[start-1] == ' ' {
		s.authorization(start)
	}
	done := s.token(start)
	if start > 0 && text[start-1] == '%' {
		done = max(done, s.token(start+2))
	}
	for i := start; i < end; i += 8 {
		for m := signs(loadEnd(text, i)); m != 0; m &= m - 1 {
			if p := i + bits.TrailingZeros64(m)>>3 + 1; p > done && p+1 < end && (begins(text, p) || text[p-1] == '\\') {
				done = max(done, s.afterSign(p))
			}
		}
	}
}

// afterSign looks for a token at i, and behind the escape that may begin before it. It returns the end of the token, or i.
func (s *scan) afterSign(i int) int {
	if s.text[i-1] == '\\' {
		if n := escaped(s.text, i); n > i && n < len(s.text) {
			if end := s.token(n); end > n {
				return end
			}
		}
	}
	return s.token(i)
}

// signs has the high bit of every byte of x set that is neither a letter nor a digit. Bits above a byte beyond ASCII may be wrong.
func signs(x uint64) uint64 {
	y := x | ones*0x20
	letters := (y + ones*(0x80-'a')) &^ (y + ones*(0x80-'z'-1))
	digits := (x + ones*(0x80-'0')) &^ (x + ones*(0x80-'9'-1))
	return ^(letters | digits) & high
}

// loadEnd is load, with zeros for what is beyond the end of a text of eight bytes or more.
func loadEnd(text []byte, i int) uint64 {
	if beyond := i + 8 - len(text); beyond > 0 {
		return load(text, i-beyond) >> (8 * beyond)
	}
	return load(text, i)
}
