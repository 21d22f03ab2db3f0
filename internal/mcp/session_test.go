package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/internal/mcp"
	"github.com/opencheckpoint/ocp/store"
)

// sample is a document to work with.
func sample(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("../../golden/sample.ocp.json")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(text)
}

// object is a JSON object.
type object = map[string]any

// session is a client of a server that runs in this process, which writes and reads lines.
type session struct {
	t     *testing.T
	in    io.WriteCloser
	out   *bufio.Reader
	ended chan error
	last  int // id
}

// reply is an answer on the wire.
type reply struct {
	wire   string
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// result is that of a tool.
type result struct {
	wire    string
	Content []struct{ Type, Text string }
	IsError bool
	Data    json.RawMessage `json:"structuredContent"`
}

// connect starts a server with a store and shakes hands.
func connect(t *testing.T, open func(context.Context) (store.Store, error)) *session {
	t.Helper()
	s := begin(t, open)
	s.ask("initialize", object{"protocolVersion": "2025-11-25", "capabilities": object{}, "clientInfo": object{"name": "test", "version": "1"}})
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

// begin starts a server.
func begin(t *testing.T, open func(context.Context) (store.Store, error)) *session {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	s := &session{t: t, in: toServer, out: bufio.NewReader(fromServer), ended: make(chan error, 1)}
	go func() {
		s.ended <- mcp.Serve(context.Background(), in, out, mcp.Options{Version: "test", Open: open, Explain: explain})
		out.Close()
	}()
	t.Cleanup(s.end)
	return s
}

// explain is what a command would say, near enough: that it is the same is a test of the command.
func explain(name string, err error) string {
	if name == "" {
		return err.Error()
	}
	return name + ": " + err.Error()
}

// end closes the input and waits for the server.
func (s *session) end() {
	s.in.Close()
	go io.Copy(io.Discard, s.out)
	select {
	case err := <-s.ended:
		s.ended <- err
		if err != nil {
			s.t.Errorf("the server ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		s.t.Error("the server does not end")
	}
}

func (s *session) send(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// receive reads the next answer.
func (s *session) receive() *reply {
	s.t.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	r := &reply{wire: line}
	if err := json.Unmarshal([]byte(line), r); err != nil {
		s.t.Fatalf("%v: %.300s", err, line)
	}
	return r
}

// ask sends a request and returns its answer.
func (s *session) ask(method string, params any) *reply {
	s.t.Helper()
	s.last++
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.last, method, text(s.t, params)))
	return s.receive()
}

// call calls a tool; arguments may be a JSON text.
func (s *session) call(tool string, arguments any) *result {
	s.t.Helper()
	r := s.ask("tools/call", object{"name": tool, "arguments": arguments})
	if r.Error != nil {
		s.t.Fatalf("%s: a protocol error, which no model sees: %s", tool, r.wire)
	}
	return resultOf(s.t, r)
}

func resultOf(t *testing.T, r *reply) *result {
	t.Helper()
	found := &result{wire: r.wire}
	if err := json.Unmarshal(r.Result, found); err != nil {
		t.Fatal(err)
	}
	return found
}

func text(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// failure is the one line of a failure, which must be text alone.
func (r *result) failure(t *testing.T) string {
	t.Helper()
	if !r.IsError || r.Data != nil || strings.Contains(r.wire, "structuredContent") || len(r.Content) != 1 || r.Content[0].Type != "text" {
		t.Errorf("no failure of text alone: %.500s", r.wire)
		return ""
	}
	line := r.Content[0].Text
	if line == "" || strings.ContainsAny(line, "\n\r\x1b\x00") {
		t.Errorf("not one line: %q", line)
	}
	return line
}

// success decodes the structured content of a success.
func (r *result) success(t *testing.T, into any) {
	t.Helper()
	if r.IsError {
		t.Fatalf("it failed: %.500s", r.wire)
	}
	if err := json.Unmarshal(r.Data, into); err != nil {
		t.Fatalf("%v: %.500s", err, r.wire)
	}
}

// inDirectory opens a directory store of the test's own.
func inDirectory(t *testing.T) func(context.Context) (store.Store, error) {
	dir := filepath.Join(t.TempDir(), "store")
	return func(ctx context.Context) (store.Store, error) {
		return store.Open(ctx, dir, store.Options{Create: true})
	}
}

// never is for sessions that need no store.
func never(context.Context) (store.Store, error) { return nil, &store.MissingStoreError{Store: "none"} }
