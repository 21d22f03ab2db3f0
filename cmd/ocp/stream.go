package main

import (
	"errors"
	"io"
	"os"

	"github.com/opencheckpoint/ocp/internal/fault"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// handler does a verb's work on one document, which text begins with, and returns how many bytes of it the document has. The error may
// be a *jsonspan.SyntaxError, from which the stream can perhaps recover, or any other about the document.
type handler func(in *input, text []byte) (int, error)

// each calls handle for every document of the files, standard input without any. It stops at the first one that fails, unless always or
// --keep-going says to go on.
func (c *command) each(files []string, always bool, handle handler) {
	if len(files) == 0 {
		files = []string{"-"}
	}
	c.startProgress("documents")
	defer c.notes.end()
	for _, path := range files {
		if path == "" {
			c.fail(usageError("a file name is empty"))
			return
		}
		if !c.eachIn(path, always || c.common.keepGoing, handle) {
			return
		}
	}
}

// eachIn goes through one stream; it returns false if the run is to stop. A file that is cut short while it is mapped must not take the program down.
func (c *command) eachIn(path string, goOn bool, handle handler) (next bool) {
	in, err := c.open(path)
	if err != nil {
		c.fail(err)
		return goOn
	}
	defer in.close()
	if err := fault.Catch(func() { next = c.documents(in, goOn, handle) }); err != nil {
		c.fail(in.failed(err))
		return goOn
	}
	return next
}

// documents goes through the documents of a stream.
func (c *command) documents(in *input, goOn bool, handle handler) bool {
	for {
		text, err := in.Next()
		if err == io.EOF {
			return c.endOf(in, goOn)
		}
		if err != nil {
			c.fail(in.failed(err))
			return goOn
		}
		n, err := handle(in, text)
		c.notes.done(1)
		if err == nil && c.out.err == nil {
			in.Advance(n)
			in.passed()
			continue
		}
		if err == nil {
			return false // nothing more can be written
		}
		if !errors.As(err, new(errReported)) {
			in.lineUp(err)
			c.fail(explain(in.place(), err))
		}
		if !goOn || c.out.err != nil {
			return false
		}
		if !c.recover(in, n, err) {
			return true
		}
	}
}

// lineUp counts the line of a syntax error in the first document from the start of the stream.
func (in *input) lineUp(err error) {
	var syntax *jsonspan.SyntaxError
	if errors.As(err, &syntax) && in.Number() == 1 {
		in.fromStart(&syntax.Line, &syntax.Column)
	}
}

// fromStart turns a line and a column of the document at hand into those of the stream.
func (in *input) fromStart(line, column *int) {
	if *line == 1 {
		*column += in.Column()
	}
	*line += in.Line()
}

// endOf ends a stream; one without any document is an error, unless the verb counts documents itself.
func (c *command) endOf(in *input, goOn bool) bool {
	if in.Number() > 0 || c.counts {
		return true
	}
	c.fail(&failure{exitInvalid, in.name, "no document", ""})
	return goOn
}

// recover moves behind a document that failed; it returns false if nothing tells where the next one begins.
func (c *command) recover(in *input, n int, err error) bool {
	var syntax *jsonspan.SyntaxError
	if !errors.As(err, &syntax) {
		in.Advance(n)
		return true
	}
	ok, err := in.Resync(syntax.Offset)
	if err != nil {
		c.fail(in.failed(err))
		return false
	}
	if !ok {
		c.say(in.name + ": the rest is not read: nothing tells where the next document begins")
	}
	return ok
}

// only reads a file that must hold one document and returns all of its bytes.
func (c *command) only(path string) ([]byte, error) {
	if path == "-" {
		b, err := io.ReadAll(c.streams.in)
		if err != nil {
			return nil, &failure{status: exitIO, where: stdinName, what: plainError(err)}
		}
		return b, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, &failure{status: exitIO, where: path, what: plainError(err)}
	}
	return b, nil
}
