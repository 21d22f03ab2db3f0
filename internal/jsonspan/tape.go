package jsonspan

// Tape holds where the arrays and objects of a text end, in the order in which they begin, so that a reader of accepted text
// can pass over one without looking inside.
type Tape struct{ extents []Extent }

// Extent is one array or object: End is the offset behind it, Next the place in the tape of the first one that begins
// behind it.
type Extent struct{ End, Next uint32 }

// Extent returns entry i.
func (t *Tape) Extent(i uint32) Extent { return t.extents[i] }

func (t *Tape) open() int32 {
	t.extents = append(t.extents, Extent{})
	return int32(len(t.extents) - 1)
}

func (t *Tape) close(i int32, end int) {
	t.extents[i] = Extent{End: uint32(end), Next: uint32(len(t.extents))}
}
