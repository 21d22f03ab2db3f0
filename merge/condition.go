package merge

import "slices"

// appliesTo lets a stop condition forbid more operations, never fewer. Without the member it forbids nothing by itself that software can see, and
// with it no more than it lists, so both its loss and its addition are a conflict.
func appliesTo(f *field) {
	if !f.known {
		if union(f); slices.ContainsFunc(f.values(), value.absent) && len(f.terms) > 1 {
			f.conflict(single(""))
		}
		return
	}
	weaker := false
	forms, texts := elementsOf(f.base)
	whole := arrayOf(texts)
	for _, v := range f.values() {
		own, _ := elementsOf(v)
		if f.base.absent() || v.absent() || !includes(own, forms) {
			weaker = true
		}
		if !f.base.absent() {
			whole = joinLists(elements(whole), v)
		}
	}
	f.result = f.base
	if !f.base.absent() {
		f.result = f.shaped(whole)
	}
	if weaker {
		f.conflict(f.result)
	}
}

func includes(list, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(s string) bool { return !slices.Contains(list, s) })
}

// until lets a stop condition wait for more, or for nothing that would lift it, but never for less.
func until(f *field) {
	if !f.known {
		fixed(f)
		return
	}
	weaker, unconditional := false, f.base.absent()
	forms, texts := elementsOf(f.base)
	whole := arrayOf(texts)
	for _, v := range f.values() {
		own, _ := elementsOf(v)
		switch {
		case v.absent():
			unconditional = true
		case f.base.absent() || !includes(own, forms) || len(own) == 0:
			weaker = true
		default:
			whole = joinLists(elements(whole), v)
		}
	}
	f.result = f.shaped(whole)
	if unconditional {
		f.result = single("")
	}
	if weaker {
		f.conflict(f.result)
	}
}

// criterionStatus: a criterion on which inputs differ is unknown, and a conflict.
func criterionStatus(f *field) {
	if len(f.terms) == 1 {
		f.result = f.terms[0].value
		return
	}
	f.conflict(single(`"unknown"`))
}
