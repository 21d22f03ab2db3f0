package merge_test

// statementEditors are what an agent may do with statements (§6.5).
var statementEditors = []editor{
	{"adds a statement", (*draft).addStatement},
	{"adds a statement", (*draft).addStatement},
	{"supersedes a statement", (*draft).supersede},
	set("edits a text", "statements", isWording, func(d *draft, e *entry) { e.object["text"] = d.words() }),
	set("gives a rationale", "statements", isWording, func(d *draft, e *entry) { e.object["rationale"] = d.words() }),
	set("retracts a statement", "statements", isLive, func(_ *draft, e *entry) { e.object["status"] = "retracted" }),
	set("resolves a question", "statements", isOpenQuestion, (*draft).resolve),
	set("resolves a question", "statements", isOpenQuestion, (*draft).resolve),
	set("checks a statement", "statements", nil, (*draft).verify),
	set("checks a statement", "statements", nil, (*draft).verify),
	set("cites", "statements", nil, reference("evidence", "resources")),
	set("dates a statement", "statements", nil, func(d *draft, e *entry) { e.object["recorded_at"] = d.at }),
	set("extends a statement", "statements", nil, (*draft).extend),
}

func isLive(e *entry) bool         { return live(e.object) }
func isWording(e *entry) bool      { return !directive(e.object) }
func isOpenQuestion(e *entry) bool { return live(e.object) && str(e.object, "kind") == "question" }

// statement makes a statement of a kind.
func (d *draft) statement(kind string) object {
	origin := object{"type": pick(d.dice, []string{"agent", "tool"})}
	if kind == "instruction" {
		origin["type"] = "user"
	}
	o := object{"id": d.newID("st"), "kind": kind, "text": d.words(), "origin": origin}
	if kind == "decision" {
		o["rationale"] = d.words()
	}
	if id := d.anyID("resources"); id != "" && d.chance(50) {
		o["evidence"] = listOf(id)
	}
	return o
}

func (d *draft) addStatement() string {
	kinds := []string{"instruction", "constraint", "decision", "observation", "hypothesis", "question", "external"}
	return d.insert("statements", d.statement(pick(d.dice, kinds)))
}

// supersede replaces an active statement by a new one, or by another that there is (OCP-S007).
func (d *draft) supersede() string {
	old := d.any("statements", isLive)
	if old == nil {
		return ""
	}
	kind := str(old.object, "kind")
	if kind == "hypothesis" && d.chance(50) {
		kind = "observation"
	}
	by := ""
	if other := d.any("statements", func(e *entry) bool { return str(e.object, "kind") == kind && e.id != old.id }); other != nil && d.chance(30) {
		by = other.id
	} else {
		by = d.insert("statements", d.statement(kind))
	}
	old.object["status"], old.object["superseded_by"] = "superseded", by
	return old.id
}

func (d *draft) resolve(e *entry) { e.object["status"], e.object["resolution"] = "resolved", d.words() }

// verify records a check, or that there is none any more.
func (d *draft) verify(e *entry) {
	if d.chance(10) {
		delete(e.object, "verification")
		return
	}
	v := object{"state": pick(d.dice, []string{"verified", "verified", "unverified", "disputed", "stale"})}
	if d.chance(50) {
		v["checked_at"] = d.at
	}
	if d.chance(30) {
		v["revalidate"] = pick(d.dice, []string{"before_use", "before_action", "never"})
	}
	e.object["verification"] = v
}

// extend sets, edits or removes extension data of an object.
func (d *draft) extend(e *entry) { d.extendObject(e.object) }

func (d *draft) extendObject(o object) {
	data := child(o, "extensions")
	defer func() {
		if len(data) == 0 {
			delete(o, "extensions")
		}
	}()
	switch key := pick(d.dice, []string{"com.example.crm", "org.example.finance/v2", "net.example"}); d.IntN(5) {
	case 0:
		delete(data, key)
	case 1:
		data[key] = nil
	case 2:
		data[key] = object{"at": d.token(), "id": "op-pay", "refs": listOf("gone")} // opaque: no references
	default:
		data[key] = d.token()
	}
}
