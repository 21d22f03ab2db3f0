package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// transport is a pair of streams with a message a line. The SDK's own ends the session, with all that is under way, where this one does not: a message that
// is too long or no JSON is answered with an error, and at the end of the input the calls that were read are answered first, so that a save which a
// script pipes in is done and known to be done.
type transport struct {
	in  io.Reader
	out io.Writer
}

// Connect starts to read.
func (t *transport) Connect(context.Context) (sdk.Connection, error) {
	c := &connection{out: t.out, lines: make(chan line), closed: make(chan struct{}), open: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1)}
	go c.read(bufio.NewReaderSize(t.in, 64<<10))
	return c, nil
}

// connection is a transport in use.
type connection struct {
	lines   chan line
	closed  chan struct{}
	closing sync.Once

	writing sync.Mutex // holds out
	out     io.Writer

	counting sync.Mutex
	open     map[jsonrpc.ID]bool // calls without an answer
	answered chan struct{}
}

// line is one message as it was read, or why there are no more.
type line struct {
	text    []byte // of one that is too long, its beginning and its end
	tooLong int    // bytes of one that is too long
	err     error
}

// ends is how much is kept of each end of a line that is too long.
const ends = 512

// read reads lines until the input ends or the connection is closed.
func (c *connection) read(in *bufio.Reader) {
	for {
		l := readLine(in)
		select {
		case c.lines <- l:
		case <-c.closed:
			return
		}
		if l.err != nil {
			return
		}
	}
}

// readLine reads one line. The last one may lack its line feed.
func readLine(in *bufio.Reader) (l line) {
	size := 0
	for {
		part, err := in.ReadSlice('\n')
		size += len(part)
		l.text = append(l.text, part...)
		if size > MaxMessage {
			l.tooLong = size
			l.text = append(l.text[:ends:ends], l.text[len(l.text)-ends:]...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && size > 0:
			return l
		}
		l.err = err
		return l
	}
}

// Read returns the next message.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var l line
		select {
		case l = <-c.lines:
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if l.err == io.EOF {
			c.drain(ctx)
		}
		if l.err != nil {
			return nil, l.err
		}
		if message := c.decode(l); message != nil {
			return message, nil
		}
	}
}

// decode returns the message of a line, nil if there is none to act on.
func (c *connection) decode(l line) jsonrpc.Message {
	if l.tooLong > 0 {
		c.refuse(endsOf(l.text), fmt.Sprintf("the call has %d bytes; %d are read at most, and %d of a document", l.tooLong, MaxMessage, MaxDocument))
		return nil
	}
	if len(bytes.TrimSpace(l.text)) == 0 {
		return nil
	}
	message, err := jsonrpc.DecodeMessage(l.text)
	if err != nil {
		c.refuseUnread(l.text)
		return nil
	}
	if call, ok := message.(*jsonrpc.Request); ok && call.IsCall() {
		c.counting.Lock()
		c.open[call.ID] = true
		c.counting.Unlock()
	}
	return message
}

// refuseUnread answers a line that the SDK does not read. A client that named an id waits for an answer with that.
func (c *connection) refuseUnread(text []byte) {
	e, levels := envelopeOf(text)
	if levels > jsonspan.MaxDepth {
		c.refuse(e, fmt.Sprintf("the call has %d levels of nesting; %d are read at most, and as many of a document that is given as a string", levels, jsonspan.MaxDepth))
		return
	}
	c.put(protocolError(e.id, jsonrpc.CodeParseError, "the line is no JSON-RPC message"))
}

// Clients write the id of a message second or last. Nothing else can stand there.
const (
	idFirst = `^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+|"[^"\\]*")`
	idLast  = `,\s*"id"\s*:\s*(\d+|"[^"\\]*")\s*\}\s*$`
)

// idOf finds the id of a message of which both ends are there.
func idOf(text []byte) string {
	for _, pattern := range []string{idFirst, idLast} {
		if found := regexp.MustCompile(pattern).FindSubmatch(text); found != nil {
			return string(found[1])
		}
	}
	return "null"
}

// endsOf is what the two ends of a message tell.
func endsOf(text []byte) envelope {
	e := envelope{id: idOf(text)}
	if bytes.Contains(text, []byte(`"tools/call"`)) {
		e.method = "tools/call"
	}
	return e
}

// refuse answers a message that the SDK never sees, a call of a tool as a tool answers: a model sees that. That nobody reads the answer is known at the next one.
func (c *connection) refuse(e envelope, why string) {
	if !e.isToolCall() {
		c.put(protocolError(e.id, jsonrpc.CodeInvalidRequest, why))
		return
	}
	if result, err := json.Marshal(failed(why)); err == nil {
		c.put(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, e.id, result))
	}
}

// protocolError is an answer without a result; message is a plain text.
func protocolError(id string, code int64, message string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message)
}

// drain waits until every call is answered.
func (c *connection) drain(ctx context.Context) {
	for c.isOpen() {
		select {
		case <-c.answered:
		case <-c.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (c *connection) isOpen() bool {
	c.counting.Lock()
	defer c.counting.Unlock()
	return len(c.open) > 0
}

// Write writes a message.
func (c *connection) Write(_ context.Context, message jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	err = c.put(text)
	if answer, ok := message.(*jsonrpc.Response); ok {
		c.counting.Lock()
		delete(c.open, answer.ID)
		c.counting.Unlock()
		select {
		case c.answered <- struct{}{}:
		default: // it is known already
		}
	}
	return err
}

func (c *connection) put(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	return err
}

// Close ends the connection; the streams stay open.
func (c *connection) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return nil
}

// SessionID is that of the one session there is.
func (c *connection) SessionID() string { return "" }
