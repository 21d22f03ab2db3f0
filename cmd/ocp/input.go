package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// stdinName is what messages call standard input.
const stdinName = "standard input"

// input is one stream of documents, from a file or standard input.
type input struct {
	*jsonspan.Reader
	name   string
	file   *os.File
	mapped []byte
	base   int  // where in mapped the reader began
	given  int  // bytes of mapped that were given back to the system
	kept   bool // mapped is needed when the stream is over
}

// mapFrom is how large a regular file must be to be mapped into memory rather than read.
const mapFrom = 256 << 10

// A run on a file of largeFile bytes holds little but large pieces of text, which cost the garbage collector nothing: it may come more often.
const (
	largeFile   = 8 << 20
	largeFileGC = 25
)

// giveBack is how many bytes of a mapped file are read before those behind are given back.
const giveBack = 4 << 20

// open opens a file of documents; "-" and "" are standard input.
func (c *command) open(path string) (*input, error) {
	in, err := c.openFile(path)
	if err != nil {
		return nil, err
	}
	if err := in.start(); err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

// openFile opens a file of anything; "-" and "" are standard input.
func (c *command) openFile(path string) (*input, error) {
	in := &input{name: path, file: c.streams.in}
	if path == "" || path == "-" {
		in.name = stdinName
	} else {
		file, err := os.Open(path)
		if err != nil {
			return nil, &failure{status: exitIO, where: path, what: plainError(err)}
		}
		in.file = file
	}
	info, err := in.file.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a directory")
	}
	if err != nil {
		in.close()
		return nil, in.failed(err)
	}
	if info.Mode().IsRegular() && info.Size() >= largeFile {
		debug.SetGCPercent(largeFileGC)
	}
	return in, nil
}

// start begins to read documents.
func (in *input) start() error {
	info, err := in.file.Stat()
	if err != nil {
		return in.failed(err)
	}
	if info.Mode().IsRegular() && info.Size() >= mapFrom {
		if err := in.mapFile(info.Size()); err == nil {
			in.Reader = jsonspan.NewBytesReader(in.mapped[in.base:])
			return nil
		}
	}
	in.Reader = jsonspan.NewReader(in.file)
	return nil
}

// mapFile maps a regular file; what another program reads from the same description before is not read again.
func (in *input) mapFile(size int64) error {
	at, err := in.file.Seek(0, io.SeekCurrent)
	if err != nil || at >= size {
		return errors.New("nothing to map")
	}
	in.mapped, err = mapMemory(in.file, int(size))
	in.base = int(at)
	return err
}

// passed gives back the memory of a mapped file up to where the reader is.
func (in *input) passed() {
	if in.mapped == nil || in.kept {
		return
	}
	const page = 64 << 10 // a multiple of every page size
	if until := (in.base + int(in.Offset())) &^ (page - 1); until-in.given >= giveBack {
		giveMemoryBack(in.mapped[in.given:until])
		in.given = until
	}
}

// keep has a file stay mapped when its stream is over, until release, and says whether it is mapped.
func (c *command) keep(in *input) bool {
	if in.mapped != nil && !in.kept {
		in.kept = true
		c.kept = append(c.kept, in.mapped)
	}
	return in.kept
}

// release unmaps what was kept.
func (c *command) release() {
	for _, mapped := range c.kept {
		unmapMemory(mapped)
	}
	c.kept = nil
}

func (in *input) close() {
	if in.mapped != nil && !in.kept {
		unmapMemory(in.mapped)
	}
	if in.name != stdinName {
		in.file.Close()
	}
}

func (in *input) failed(err error) *failure {
	return &failure{status: exitIO, where: in.name, what: plainError(err)}
}

// document names the document at hand: NAME, and NAME#2 from the second of a stream on.
func (in *input) document() string {
	if in.Number() <= 1 {
		return in.name
	}
	return fmt.Sprintf("%s#%d", in.name, in.Number())
}

// place is where the document at hand is: its name, and from the second of a stream on its offset.
func (in *input) place() string {
	if in.Number() <= 1 {
		return in.name
	}
	return fmt.Sprintf("%s at byte %d", in.document(), in.Offset())
}
