// Package tokens counts the tokens of JSON text. The vocabularies are large, so one is loaded only when a count is asked for.
package tokens

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// Default is the tokenizer that is used unless another is named.
const Default = "o200k_base"

// encodings are the tokenizers by name.
var encodings = []tokenizer.Encoding{tokenizer.O200kBase, tokenizer.Cl100kBase, tokenizer.P50kBase, tokenizer.P50kEdit, tokenizer.R50kBase}

// Counter counts with one tokenizer. It remembers the counts of pieces of text, so that much the same text is counted again at little cost. It is not
// safe for concurrent use.
type Counter struct {
	name  tokenizer.Encoding
	codec tokenizer.Codec
	known map[string]int
}

// NewCounter returns the counter of a tokenizer; "" stands for Default.
func NewCounter(name string) (*Counter, error) {
	if name == "" {
		name = Default
	}
	if !slices.Contains(encodings, tokenizer.Encoding(name)) {
		return nil, fmt.Errorf("unknown tokenizer %q; one of %s is meant", name, strings.Join(Names(), ", "))
	}
	return &Counter{name: tokenizer.Encoding(name), known: map[string]int{}}, nil
}

// Names lists the tokenizers.
func Names() (names []string) {
	for _, e := range encodings {
		names = append(names, string(e))
	}
	return names
}

// Pieces longer than longPiece, and those beyond the first manyPieces, are not remembered.
const (
	longPiece  = 1 << 10
	manyPieces = 1 << 16
)

// Count returns the number of tokens of text, or, as soon as it is clear that there are more than limit, some number above limit. A
// limit below 0 is none.
func (c *Counter) Count(text []byte, limit int) (total int, err error) {
	if c.codec == nil {
		if c.codec, err = tokenizer.Get(c.name); err != nil {
			return 0, err
		}
	}
	for len(text) > 0 && (limit < 0 || total <= limit) {
		n := cut(text)
		tokens, err := c.piece(text[:n])
		if err != nil {
			return total, err
		}
		total += tokens
		text = text[n:]
	}
	return total, nil
}

func (c *Counter) piece(text []byte) (int, error) {
	if n, ok := c.known[string(text)]; ok {
		return n, nil
	}
	if len(text) > longPiece {
		return c.long(text)
	}
	n, err := c.count(text)
	if len(c.known) < manyPieces {
		c.known[string(text)] = n
	}
	return n, err
}

// count counts with the library, which passes over U+007F; each one is a token at the most.
func (c *Counter) count(text []byte) (int, error) {
	n, err := c.codec.Count(string(text))
	return n + bytes.Count(text, []byte{0x7f}), err
}

// longSpace is how much white space between two tokens of JSON is counted at once, unless it is all of spaces. The tokenizers take time squared in the
// length of such a run. One that is longer may count for a few tokens more than it has, never fewer.
const longSpace = 256

// longPart is how much of a long piece is counted at once, since a tokenizer needs many times the memory. A part too may count for a token more.
const longPart = 64 << 10

// long counts a long piece, in parts where it holds long runs of white space, or is very long.
func (c *Counter) long(text []byte) (total int, err error) {
	start, run, lines := 0, 0, false
	for i := 0; i <= len(text) && err == nil; i++ {
		switch {
		case i == len(text):
		case text[i] == ' ':
			run++
		case text[i] == '\n' || text[i] == '\r' || text[i] == '\t':
			run++
			lines = true
		default:
			run, lines = 0, false
		}
		if i == len(text) || run >= longSpace && lines || i-start >= longPart && utf8.RuneStart(text[i]) {
			var n int
			n, err = c.count(text[start:i])
			total += n
			start, run, lines = i, 0, false
		}
	}
	return total, err
}

// cut returns where a piece at the start of text may end so that the counts of the pieces add up to the count of the whole: between an
// ASCII letter or digit and a quote. Every tokenizer here splits text there before it looks for tokens: its words are
// letters, and its numbers digits, to the last one.
func cut(text []byte) int {
	for i := 1; i < len(text); i++ {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			break
		}
		if i += n; isWordByte(text[i-1]) {
			return i
		}
	}
	return len(text)
}

func isWordByte(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9'
}
