package store

// kept is a checkpoint that a store has for an agent.
type kept struct {
	Entry
	record record
	gone   bool // nothing lets it stay so far
}

// history is what one agent saved, in the order of the saves.
type history struct {
	agent string
	saved []*kept
}

// newHistory folds the records of one agent, of which a checkpoint may have several: when it was saved, and when it was made the head.
func newHistory(agent, head string, records []record) history {
	h := history{agent: agent}
	at := map[string]*kept{}
	for _, r := range records {
		k := at[r.Digest]
		if k == nil {
			k = &kept{Entry: r.entry(agent), record: r}
			k.Head, k.Branch = r.Digest == head, true
			at[r.Digest] = k
			h.saved = append(h.saved, k)
		}
		k.Branch = k.Branch && !r.Head
	}
	return h
}

// retain marks what may go, of all that a store has. What stays keeps what it names as a place of recovery, whoever saved that.
func retain(all []history, opts PruneOptions) {
	needed := needs(all)
	var staying []*kept
	for _, h := range all {
		for i, k := range h.saved {
			k.gone = !k.Head && opts.givesUp(h, i)
			if !k.gone {
				staying = append(staying, k)
				continue
			}
			for _, name := range k.record.names() {
				if others, ok := needed[name]; ok {
					needed[name] = append(others, k)
				}
			}
		}
	}
	for len(staying) > 0 {
		k := staying[len(staying)-1]
		staying = staying[:len(staying)-1]
		for _, name := range k.record.needed() {
			for _, other := range needed[name] {
				if other.gone {
					other.gone = false
					staying = append(staying, other)
				}
			}
		}
	}
}

// needed are the names of what a checkpoint names as places of recovery, by the rule by which Get reads a reference. It is applied when a record
// is read, so that it holds for records of any age.
func (r *record) needed() (names []string) {
	for _, place := range r.Needs {
		names = append(names, newReference(place).texts()...)
	}
	return names
}

// needs are the names of places of recovery, as keys.
func needs(all []history) map[string][]*kept {
	needed := map[string][]*kept{}
	for _, h := range all {
		for _, k := range h.saved {
			for _, name := range k.record.needed() {
				needed[name] = nil
			}
		}
	}
	return needed
}

// givesUp says whether every limit that is set gives up save i of an agent.
func (o *PruneOptions) givesUp(h history, i int) bool {
	if o.Agent != "" && o.Agent != h.agent || o.Before.IsZero() && o.Keep <= 0 {
		return false
	}
	old := o.Before.IsZero() || h.saved[i].SavedAt.Before(o.Before)
	many := o.Keep <= 0 || i < len(h.saved)-o.Keep
	return old && many
}

// gone lists what was marked.
func gone(all []history) (entries []Entry) {
	for _, h := range all {
		for _, k := range h.saved {
			if k.gone {
				entries = append(entries, k.Entry)
			}
		}
	}
	return entries
}
