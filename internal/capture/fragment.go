package capture

import (
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// fragment writes one JSON object. Members without a value are left out: an absent member means "not recorded" (§4.4).
type fragment struct {
	b    []byte
	runs []jsonspan.Run // what of it was carried over
}

// object begins an object.
func (f *fragment) object() *fragment {
	f.b = append(f.b[:0], '{')
	return f
}

// name writes the name of the next member.
func (f *fragment) name(name string) {
	if f.b[len(f.b)-1] != '{' {
		f.b = append(f.b, ',')
	}
	f.b = append(jsonspan.AppendQuoted(f.b, name), ':')
}

func (f *fragment) text(name, text string) *fragment {
	if text != "" {
		f.name(name)
		f.b = jsonspan.AppendQuoted(f.b, text)
	}
	return f
}

func (f *fragment) raw(name string, text []byte) *fragment {
	if len(text) > 0 {
		f.name(name)
		f.b = append(f.b, text...)
	}
	return f
}

// refs writes a list of references; an empty one is left out.
func (f *fragment) refs(name string, ids ...string) *fragment {
	sep := byte('[')
	for _, id := range ids {
		if id == "" {
			continue
		}
		if sep == '[' {
			f.name(name)
		}
		f.b = jsonspan.AppendQuoted(append(f.b, sep), id)
		sep = ','
	}
	if sep == ',' {
		f.b = append(f.b, ']')
	}
	return f
}

// begin writes the beginning of a member that is an object.
func (f *fragment) begin(name string) *fragment {
	f.name(name)
	f.b = append(f.b, '{')
	return f
}

// end writes the end of what begin began.
func (f *fragment) end() *fragment {
	f.b = append(f.b, '}')
	return f
}

// section writes the list of a section, which is empty afterwards.
func (f *fragment) section(name string, s *section) *fragment {
	if s.size == 0 {
		return f
	}
	f.name(name)
	f.b = append(f.b, '[')
	for i, block := range s.blocks {
		if len(s.carried) > 0 && &block[0] == &s.carried[0].text[0] {
			f.runs = append(f.runs, jsonspan.Run{At: len(f.b), Was: s.carried[0].was, Len: len(block)})
			s.carried = s.carried[1:]
		}
		f.b = append(f.b, block...)
		s.blocks[i] = nil // a long list is not held twice
	}
	f.b = append(f.b, ']')
	*s = section{}
	return f
}

// done is the object, until the fragment begins another.
func (f *fragment) done() []byte {
	f.b = append(f.b, '}')
	return f.b
}

// section collects the objects of one list as they will be written.
type section struct {
	blocks [][]byte
	size   int // of all blocks, in bytes
	count  int // of objects
	// carried are the blocks that are bytes of another checkpoint, in order.
	carried []carried
}

// carried are objects of another checkpoint, which begin at an offset of it.
type carried struct {
	text []byte
	was  int
}

// carry puts objects of another checkpoint behind the others without a copy.
func (s *section) carry(src []byte, at jsonspan.Span, count int) {
	if s.size > 0 {
		s.blocks = append(s.blocks, []byte{','})
		s.size++
	}
	text := src[at.Start:at.End:at.End]
	s.blocks = append(s.blocks, text)
	s.carried = append(s.carried, carried{text, at.Start})
	s.size += len(text)
	s.count += count
}

// sectionBlock is the size of a block, unless an object is larger.
const sectionBlock = 64 << 10

// lead puts an object before the others.
func (s *section) lead(object []byte) {
	var all section
	all.add(object)
	if s.size > 0 {
		all.blocks[0] = append(all.blocks[0], ',')
		all.size++
	}
	*s = section{append(all.blocks, s.blocks...), all.size + s.size, all.count + s.count, s.carried}
}

// add copies an object behind the others.
func (s *section) add(object []byte) {
	last := len(s.blocks) - 1
	if last < 0 || cap(s.blocks[last])-len(s.blocks[last]) < len(object)+1 {
		s.blocks = append(s.blocks, make([]byte, 0, max(sectionBlock, len(object)+1)))
		last++
	}
	if s.size > 0 {
		s.blocks[last] = append(s.blocks[last], ',')
		s.size++
	}
	s.blocks[last] = append(s.blocks[last], object...)
	s.size += len(object)
	s.count++
}
