package merge

import (
	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// action is an operation of kind action that may change the world.
type action struct {
	status    uint8
	key       string            // idempotency_key
	tool      string            // of the call, "" without one
	arguments map[string]string // canonical texts by name, where they are an object
	other     string            // the canonical text of arguments that are none
}

// actionAt reads an operation, whose effect is not none, and says whether it is such an action.
func actionAt(d *checkpoint.Document, i int32) (*action, bool) {
	o := &d.Objects[i]
	if o.Type != checkpoint.Operation || o.Fact(checkpoint.Kind) != checkpoint.Action {
		return nil, false
	}
	a := &action{status: o.Fact(checkpoint.Status), key: string(d.StringField(i, "idempotency_key"))}
	if call, ok := d.Field(i, "call"); ok {
		text := string(d.Src[call.Value.Start:call.Value.End])
		a.tool = plain(memberText(text, "tool"))
		a.readArguments(memberText(text, "arguments"))
	}
	return a, true
}

func (a *action) readArguments(text string) {
	if text != "" && text[0] != '{' {
		a.other = canonical([]byte(text))
		return
	}
	a.arguments = map[string]string{}
	eachMember(text, func(name, value string) { a.arguments[name] = canonical([]byte(value)) })
}

// repeats says whether two actions are the same one: by the key that the target system honors, or because one's call includes the other's (§6.6).
func (a *action) repeats(b *action) bool {
	if a.key != "" && a.key == b.key {
		return true
	}
	return a.tool != "" && a.tool == b.tool && (a.includes(b) || b.includes(a))
}

// includes says whether a call has every recorded argument of another, with an equal value.
func (a *action) includes(b *action) bool {
	if a.other != b.other {
		return false
	}
	for name, text := range b.arguments {
		if a.arguments[name] != text {
			return false
		}
	}
	return true
}
