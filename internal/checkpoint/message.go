package checkpoint

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// JSONType names the type of a JSON value by its first byte: object, array, string, boolean, null or number.
func JSONType(b byte) string {
	switch b {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// article puts "a" or "an" before a noun.
func article(noun string) string {
	if noun == "null" {
		return noun
	}
	if strings.IndexByte("aeiou", noun[0]) >= 0 {
		return "an " + noun
	}
	return "a " + noun
}

// quote shows a piece of the document: control characters escaped, no longer than 60 characters.
func quote(b []byte) string {
	const enough = 61 * utf8.UTFMax
	s := string(bytes.ToValidUTF8(b[:min(len(b), enough)], []byte("\uFFFD")))
	if runes := []rune(s); len(runes) > 60 {
		s = string(runes[:57]) + "..."
	}
	return fmt.Sprintf("%q", s)
}

// Count is a number with its noun, in the plural where there are more than one.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Some lists ids, as many as a person reads.
func Some(ids []string) string {
	const most = 8
	if len(ids) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
	}
	return strings.Join(ids, ", ")
}
