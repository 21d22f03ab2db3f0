package merge

import (
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// settleExtensions decides extension data key by key: it is opaque (§7). Our own keys are settled elsewhere.
func (s *settlement) settleExtensions(path string, read func(k int, name string) (string, bool)) {
	if !s.entity.t.HasExtensions() {
		return
	}
	object := make([]string, len(s.docs))
	has := make([]bool, len(s.docs))
	var keys []string
	known := map[string]bool{}
	if s.entity.t == checkpoint.Top {
		known[checkpoint.ForkKey], known[Key] = true, true
	}
	for k := range s.docs {
		object[k], has[k] = read(k, "extensions")
		keys = missing(keys, known, membersOf(object[k]))
	}
	keys = missing(keys, known, s.heldUnder(path))
	var changes []change
	own := object[s.entity.carrier]
	texts := make([]map[string]string, len(object))
	for k := range object {
		texts[k] = memberTexts(object[k])
	}
	for _, key := range keys {
		f := s.newField(path+"/"+escapeKey(key), alone(key, free), func(k int) (value, bool) { return single(texts[k][key]), has[k] })
		if canonical([]byte(texts[s.entity.carrier][key])) != f.result.canon {
			changes = append(changes, change{key, f.result.texts[0]})
		}
		if f.kind != "" {
			s.open(f)
		}
	}
	if len(changes) > 0 {
		s.set("extensions", withMembers(own, changes))
	}
}

// withMembers is an object's text with changes, or "" if nothing is left of it.
func withMembers(object string, changes []change) string {
	if object == "" {
		object = "{}"
	}
	if text := string(edited([]byte(object), changes)); len(membersOf(text)) > 0 {
		return text
	}
	return ""
}

// memberTexts are the texts of an object's members by name.
func memberTexts(object string) map[string]string {
	texts := map[string]string{}
	eachMember(object, func(name, text string) { texts[name] = text })
	return texts
}

// membersOf are the names of an object's members.
func membersOf(object string) (names []string) {
	eachMember(object, func(name, _ string) { names = append(names, name) })
	return names
}

// eachMember calls f for each member of an object's text, and for none of another text.
func eachMember(object string, f func(name, text string)) {
	if object == "" || object[0] != '{' {
		return
	}
	src := []byte(object)
	jsonspan.EachMember(src, jsonspan.Span{End: len(src)}, func(item jsonspan.Item) {
		f(string(jsonspan.Plain(src, item.Name)), object[item.Value.Start:item.Value.End])
	})
}
