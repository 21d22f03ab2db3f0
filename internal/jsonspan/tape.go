package jsonspan

// tapeBlock is how many extents are kept together: a tape grows without moving what it has.
const tapeBlock = 1 << 12

// Tape holds where the arrays and objects of a text end, in the order in which they begin, so that a reader of accepted text
// can pass over one without looking inside.
type Tape struct {
	blocks [][]Extent
	used   int
}

// Extent is one array or object: End is the offset behind it, Next the place in the tape of the first one that begins
// behind it.
type Extent struct{ End, Next uint32 }

// Extent returns entry i.
func (t *Tape) Extent(i uint32) Extent { return t.blocks[i/tapeBlock][i%tapeBlock] }

func (t *Tape) open() int32 {
	if t.used == len(t.blocks)*tapeBlock {
		t.blocks = append(t.blocks, make([]Extent, 0, t.room()))
	}
	last := &t.blocks[len(t.blocks)-1]
	*last = append(*last, Extent{})
	t.used++
	return int32(t.used - 1)
}

// room is how much a new block begins with: small texts need few extents.
func (t *Tape) room() int {
	if t.used == 0 {
		return 64
	}
	return tapeBlock
}

func (t *Tape) close(i int32, end int) {
	t.blocks[i/tapeBlock][i%tapeBlock] = Extent{End: uint32(end), Next: uint32(t.used)}
}
