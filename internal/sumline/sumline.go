// Package sumline is the form of the lines in files that are appended to: a text without line feeds behind its CRC-32C, so that no change of a line goes
// unseen. It does not look into the text.
package sumline

import (
	"bytes"
	"fmt"
	"hash/crc32"
)

// Overhead is how many bytes a line has beside its text, its line feed included.
const Overhead = len("01234567 \n")

// castagnoli is the polynomial of the sums.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Encode is the line of a text: eight hexadecimal digits, a space, the text, a line feed.
func Encode(text []byte) []byte {
	line := make([]byte, 0, len(text)+Overhead)
	line = fmt.Appendf(line, "%08x ", sum(text))
	return append(append(line, text...), '\n')
}

// Decode is the text of a line, whose line feed may be there; ok says that the line is as Encode wrote it.
func Decode(line []byte) (text []byte, ok bool) {
	found, text, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
	if !ok || string(found) != fmt.Sprintf("%08x", sum(text)) {
		return nil, false
	}
	return text, true
}

func sum(text []byte) uint32 { return crc32.Checksum(text, castagnoli) }
