package checkpoint

import (
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// checkVersion reports a document that is not of Version, and nothing else about it (§5.1).
func (w *walker) checkVersion(isObject bool) bool {
	var v *Violation
	switch {
	case !isObject:
		v = wrongVersion("not an OpenCheckpoint document: it is " + article(JSONType(w.c.Src[0])))
	case w.version.End == 0:
		v = wrongVersion("not an OpenCheckpoint document: it has no version in a member opencheckpoint")
	case string(jsonspan.Plain(w.c.Src, w.version)) != Version:
		v = otherVersion(jsonspan.Plain(w.c.Src, w.version))
		v.Offset = w.version.Start
	default:
		return false
	}
	w.doc.Findings = Findings{List: []Violation{*v}}
	return true
}

func wrongVersion(msg string) *Violation {
	return &Violation{Rule: "OCX-V", Level: 1, Msg: msg, Hint: "an OpenCheckpoint document has the member \"opencheckpoint\": \"" + Version + "\""}
}

func otherVersion(version []byte) *Violation {
	return &Violation{Rule: "OCX-V", Level: 1, Msg: fmt.Sprintf("version %s is not implemented; this program implements %s", quote(version), Version)}
}

// CheckVersion fails unless an accepted text is an object with the version that this package implements (§5.1), and checks nothing else.
func CheckVersion(src []byte) error {
	version := gjson.GetBytes(src, "opencheckpoint")
	var v *Violation
	switch {
	case src[0] != '{' || version.Type != gjson.String:
		v = wrongVersion("not an OpenCheckpoint document: it has no version in a member opencheckpoint")
	case version.Str != Version:
		v = otherVersion([]byte(version.Str))
	default:
		return nil
	}
	return &InvalidError{Findings{List: []Violation{*v}}}
}
