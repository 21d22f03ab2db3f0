package merge_test

import (
	"fmt"
	"slices"
	"strings"
)

// draft is a document while an agent works on it.
type draft struct {
	*family
	on     *member
	name   string
	at     string // its created_at
	doc    object
	src    []byte
	frozen map[string]bool   // what an open merge made, which is for ocp merge to settle
	apart  bool              // nothing it adds is like what others add
	mine   func(*entry) bool // what may be edited; nil is everything
	may    []editor
}

// draft begins work on a document.
func (f *family) draft(on *member) *draft {
	f.serial++
	d := &draft{family: f, on: on, name: fmt.Sprintf("c%d", f.serial), at: f.now().Format("2006-01-02T15:04:05Z"), frozen: map[string]bool{}, may: editors}
	if f.polite {
		d.may = politeEditors
	}
	d.doc = clone(on.doc.object)
	for s := range strings.SplitSeq(allStrings(get(d.doc, "extensions", mergeKey)), "\n") {
		d.frozen[s] = s != ""
	}
	d.derive()
	d.src = d.laidOut()
	if !valid(d.src) {
		panic("a continuation that changes nothing is invalid: " + string(d.src))
	}
	return d
}

// editors are the ways to change a document; each says what it changed, or "" where it cannot.
var editors = slices.Concat(statementEditors, operationEditors, taskEditors, resourceEditors, continuationEditors, forbiddenEditors, removals)

// politeEditors are those without what agents should not do.
var politeEditors = slices.Concat(statementEditors, operationEditors, taskEditors, resourceEditors, continuationEditors, removals[1:3])

// without drops editors from a list.
func without(list []editor, what ...string) []editor {
	return slices.DeleteFunc(slices.Clone(list), func(e editor) bool { return slices.Contains(what, e.what) })
}

// editor changes a draft and names the object that it changed.
type editor struct {
	what string
	do   func(*draft) string
}

// edit makes one change that leaves the document valid, if it finds one soon.
func (d *draft) edit() {
	for range 8 {
		if d.try(pick(d.dice, d.may)) {
			return
		}
	}
}

// try makes a change unless it cannot be made here.
func (d *draft) try(e editor) bool {
	before := clone(d.doc)
	changed := e.do(d)
	src := d.laidOut()
	if changed == "" || !valid(src) {
		d.doc = before
		return false
	}
	d.src = src
	d.edits = append(d.edits, edit{d.name, e.what, changed})
	return true
}

// laidOut is the draft's text, minified or not.
func (d *draft) laidOut() []byte { return encoded(d.doc) }

// token is text that occurs nowhere else, so that it can be looked for: what an edit wrote must not be lost.
func (d *draft) token() string {
	d.serial++
	return fmt.Sprintf("@%s.%d@", d.name, d.serial)
}

// read is the draft as a document. Its entries are the draft's own objects.
func (d *draft) read() *document { return readObject(d.doc, nil) }

// entries are those of a place that may be edited.
func (d *draft) entries(path string, wanted func(*entry) bool) []*entry {
	return d.read().in(path, func(e *entry) bool {
		return !d.frozen[e.id] && (d.mine == nil || d.mine(e)) && (wanted == nil || wanted(e))
	})
}

// any picks an entry of a place; nil if there is none.
func (d *draft) any(path string, wanted func(*entry) bool) *entry {
	list := d.entries(path, wanted)
	if len(list) == 0 {
		return nil
	}
	return pick(d.dice, list)
}

// anyID picks the id of an entry of a place; "" if there is none.
func (d *draft) anyID(path string) string {
	if e := d.any(path, func(e *entry) bool { return e.id != "" }); e != nil {
		return e.id
	}
	return ""
}

// newID is a local id: one that other drafts take too, or one of its own.
func (d *draft) newID(prefix string) string {
	taken := d.read().byID
	if id := fmt.Sprintf("%s-new-%d", prefix, d.IntN(3)); !d.apart && d.chance(40) && taken[id] == nil {
		return id
	}
	d.serial++
	return fmt.Sprintf("%s-%s-%d", prefix, d.name, d.serial)
}

// words are what drafts say alike now and then, and in words of their own otherwise.
func (d *draft) words() string {
	if !d.apart && d.chance(25) {
		return pick(d.dice, []string{"as agreed", "as found"})
	}
	return d.token()
}

// insert adds an object to a list of the document, last or somewhere.
func (d *draft) insert(path string, o object) string {
	owner, name, ok := strings.Cut(path, "/")
	in := d.doc
	if ok {
		in = child(d.doc, owner)
	} else {
		name = owner
	}
	list, _ := in[name].([]any)
	at := len(list)
	if d.chance(20) {
		at = d.IntN(at + 1)
	}
	in[name] = slices.Insert(slices.Clone(list), at, any(o))
	if id := str(o, "id"); id != "" {
		return id
	}
	return path
}

// set makes an editor that sets a member of some entry of a place.
func set(what, path string, wanted func(*entry) bool, value func(*draft, *entry)) editor {
	return editor{what, func(d *draft) string {
		e := d.any(path, wanted)
		if e == nil {
			return ""
		}
		before := canon(e.object)
		if value(d, e); canon(e.object) == before {
			return ""
		}
		return e.key
	}}
}

// reference edits a member that is a list of references: one more, or one less.
func reference(member, target string) func(*draft, *entry) {
	return func(d *draft, e *entry) {
		list := texts(e.object, member)
		if id := d.anyID(target); id != "" && !slices.Contains(list, id) && d.chance(65) {
			e.object[member] = listOf(append(list, id)...)
		} else if len(list) > 0 {
			e.object[member] = listOf(slices.Delete(list, 0, 1)...)
		}
	}
}
