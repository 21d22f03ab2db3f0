package merge_test

import (
	"testing"

	"github.com/opencheckpoint/ocp/internal/testdoc"
	"github.com/opencheckpoint/ocp/merge"
)

// TestTextsComeBack: when a merge is over, with a result or with an error, nothing reads the given texts any more. The race detector sees it for sure;
// without it, a reader that finds other bytes than it has checked goes astray.
func TestTextsComeBack(t *testing.T) {
	small := []byte(nearlyEverything)
	for name, of := range map[string]func(text []byte) ([][]byte, merge.Options){
		"input": func(text []byte) ([][]byte, merge.Options) { return [][]byte{text, []byte("{}")}, merge.Options{} },
		"twin": func(text []byte) ([][]byte, merge.Options) {
			return [][]byte{text, testdoc.Large(2, 1<<10, false)}, merge.Options{}
		},
		"base": func(text []byte) ([][]byte, merge.Options) { return [][]byte{small, small}, merge.Options{Base: text} },
		"ancestor": func(text []byte) ([][]byte, merge.Options) {
			return [][]byte{small, small}, merge.Options{Ancestors: [][]byte{text, []byte("{}")}}
		},
		"no-input": func(text []byte) ([][]byte, merge.Options) { return nil, merge.Options{Base: text} },
	} {
		t.Run(name, func(t *testing.T) {
			text := testdoc.Large(1, 1<<20, false)
			srcs, opts := of(text)
			if _, err := merge.Merge(srcs, opts); err == nil && name != "base" {
				t.Error("there is no error")
			}
			for i := range text {
				text[i] = '"'
			}
		})
	}
}
