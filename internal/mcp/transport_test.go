package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/internal/mcp"
)

// TestLines: a line that is no message, and one that is too long, are answered, and the session goes on.
func TestLines(t *testing.T) {
	s := connect(t, inDirectory(t))
	s.send("")
	for _, line := range []string{"garbage", "[]", `{"jsonrpc":"2.0","id":{},"method":"x"}`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`, "\xff\x00"} {
		s.send(line)
		if r := s.receive(); r.Error == nil || r.Error.Code != -32700 || string(r.ID) != "null" {
			t.Errorf("%q is answered with %s", line, r.wire)
		}
	}
	s.send(`{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"checkpoint_save","arguments":{"agent_id":"a","checkpoint":"` +
		strings.Repeat("x", mcp.MaxMessage) + `"}}}`)
	r := s.receive()
	if line := resultOf(t, r).failure(t); string(r.ID) != "77" || !strings.Contains(line, fmt.Sprint(mcp.MaxMessage)) {
		t.Errorf("it is answered with %s", r.wire)
	}
	s.send(`{"method":"tools/list","params":{"x":"` + strings.Repeat("x", mcp.MaxMessage) + `"},"jsonrpc":"2.0","id":"b"}`)
	if r := s.receive(); r.Error == nil || string(r.ID) != `"b"` {
		t.Errorf("it is answered with %s", r.wire)
	}
	if r := s.call("checkpoint_list", object{}); r.IsError {
		t.Errorf("the session does not go on: %s", r.wire)
	}
}

// TestDeepCall: a call that is nested too deep fails under its id with the number, wherever the id stands, and the session goes on.
func TestDeepCall(t *testing.T) {
	s := connect(t, inDirectory(t))
	for levels, deep := range map[int]bool{997: false, 998: true, 1001: true, 20_000: true, 200_000: true, 2_000_000: true} {
		nested := strings.Repeat("[", levels-1) + `"]} \\\""` + strings.Repeat("]", levels-1)
		for _, message := range []string{
			`{"jsonrpc":"2.0","id":"\"é","method":"tools/call","params":{"name":"checkpoint_validate","arguments":{"checkpoint":{"x":%s}}}}`,
			`{"method":"tools/call", "id" : "\"é", "params":{"name":"checkpoint_validate","arguments":{"checkpoint":{"id":1,"x":%s}},"id":2},"jsonrpc":"2.0"}`,
		} {
			s.send(fmt.Sprintf(message, nested))
			r := s.receive()
			if string(r.ID) != `"\"é"` || r.Error != nil {
				t.Fatalf("%d levels are answered with %.300s", levels, r.wire)
			}
			if !deep {
				resultOf(t, r).success(t, &struct{}{})
			} else if line := resultOf(t, r).failure(t); !strings.Contains(line, fmt.Sprint(levels+3)) || !strings.Contains(line, "1000") {
				t.Errorf("%d levels fail with %q", levels, line)
			}
		}
	}
	for message, id := range map[string]string{
		`{"jsonrpc":"2.0","id":3,"method":"x","params":%s}`:                 "3",
		`{"jsonrpc":"2.0","id":3,"params":%s}`:                              "null",
		`{"jsonrpc":"2.0","method":"tools/call","params":%s}`:               "null",
		`{"jsonrpc":"2.0","id":{"id":4},"method":"tools/call","params":%s}`: "null",
		`[{"jsonrpc":"2.0","id":3,"method":"tools/call","params":%s}]`:      "null",
	} {
		s.send(fmt.Sprintf(message, strings.Repeat("[", 2000)+strings.Repeat("]", 2000)))
		if r := s.receive(); r.Error == nil || string(r.ID) != id {
			t.Errorf("%s is answered with %s", message, r.wire)
		}
	}
	s.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"checkpoint_list","arguments":{x}}}`)
	if r := s.receive(); r.Error == nil || r.Error.Code != -32700 || string(r.ID) != "5" {
		t.Errorf("a call that is no JSON is answered with %s", r.wire)
	}
	if r := s.call("checkpoint_list", object{}); r.IsError {
		t.Errorf("the session does not go on: %s", r.wire)
	}
}

// TestEndOfInput: calls that were read are answered although nothing more comes, the last line without its end too.
func TestEndOfInput(t *testing.T) {
	var in strings.Builder
	in.WriteString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	var document bytes.Buffer
	if err := json.Compact(&document, sample(t)); err != nil {
		t.Fatal(err)
	}
	const calls = 20
	for i := range calls {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"checkpoint_compact","arguments":{"budget":"min","checkpoint":%s}}}`, i+1, &document)
		if i < calls-1 {
			in.WriteString("\n")
		}
	}
	var out bytes.Buffer
	if err := mcp.Serve(context.Background(), strings.NewReader(in.String()), &out, mcp.Options{Version: "test", Open: never, Explain: explain}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), `"structuredContent"`); n != calls || strings.Count(out.String(), "\n") != calls+1 {
		t.Errorf("%d of %d calls were answered", n, calls)
	}
}

// TestClosedOutput: a client that closes the pipe ends the server, which neither hangs nor panics.
func TestClosedOutput(t *testing.T) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	fromServer.Close()
	ended := make(chan error, 1)
	go func() {
		ended <- mcp.Serve(context.Background(), in, out, mcp.Options{Version: "test", Open: never, Explain: explain})
	}()
	go fmt.Fprintln(toServer, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	select {
	case err := <-ended:
		t.Log(err)
	case <-time.After(10 * time.Second):
		t.Error("the server does not end")
	}
}

// TestInputFails: an input that cannot be read is the one error of a server.
func TestInputFails(t *testing.T) {
	broken := errors.New("broken")
	err := mcp.Serve(context.Background(), failing{broken}, io.Discard, mcp.Options{Version: "test", Open: never, Explain: explain})
	if !errors.Is(err, broken) {
		t.Errorf("it ended with %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
