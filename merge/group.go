package merge

import (
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// readGroup reads the members of a group from an object.
func readGroup(text []byte, members []string) value {
	texts := make([]string, len(members))
	if len(text) > 0 && text[0] == '{' {
		for i, name := range members {
			if item, ok := jsonspan.FindIn(text, jsonspan.Span{End: len(text)}, name); ok {
				texts[i] = string(text[item.Value.Start:item.Value.End])
			}
		}
	}
	return group(texts...)
}

// textOf is the JSON text of a value, an object of the members of a group, or "" if all are absent.
func textOf(v value, members []string) string {
	if v.whole != "" {
		return v.whole
	}
	if len(members) == 1 || v.absent() {
		return v.texts[0]
	}
	b := []byte{'{'}
	for i, text := range v.texts {
		if text == "" {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, quoted(members[i])...), ':'), text...)
	}
	return string(append(b, '}'))
}
