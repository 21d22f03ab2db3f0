package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/opencheckpoint/ocp/store"
)

// TestGuard: whatever a handler returns, what leaves is a success with an object or a failure of text alone.
func TestGuard(t *testing.T) {
	var none *sdk.CallToolResult
	for name, r := range map[string]*sdk.CallToolResult{
		"nothing":             none,
		"empty":               {},
		"text alone":          {Content: []sdk.Content{&sdk.TextContent{Text: "done"}}},
		"nil":                 {StructuredContent: json.RawMessage(nil)},
		"null":                {StructuredContent: json.RawMessage("null")},
		"a list":              {StructuredContent: json.RawMessage("[]")},
		"a Go value":          {StructuredContent: map[string]any{}},
		"a typed nil":         {StructuredContent: (*absent)(nil)},
		"a failure with data": {IsError: true, StructuredContent: json.RawMessage(`{"found":false}`), Content: []sdk.Content{&sdk.TextContent{Text: "no"}}},
	} {
		got := sound(r)
		if !got.IsError || got.StructuredContent != nil || len(got.Content) != 1 {
			t.Errorf("%s leaves as %+v", name, got)
		}
	}
	good := &sdk.CallToolResult{StructuredContent: json.RawMessage(`{"found":false}`)}
	if got := sound(good); got.IsError || got != good {
		t.Errorf("a success leaves as %+v", got)
	}
}

// callOn calls the tool "extra" of a server that was added to.
func callOn(t *testing.T, add func(*sdk.Server)) *sdk.CallToolResult {
	t.Helper()
	s := &server{opts: Options{Version: "test", Explain: func(_ string, err error) string { return err.Error() },
		Open: func(context.Context) (store.Store, error) { return nil, errors.New("none") }}}
	p := s.protocol()
	add(p)
	here, there := sdk.NewInMemoryTransports()
	ctx := context.Background()
	if _, err := p.Connect(ctx, here, nil); err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(ctx, there, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "extra", Arguments: map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestNoSilentSuccess: the SDK lets a tool with an output schema return none; through this server that is a failure.
func TestNoSilentSuccess(t *testing.T) {
	r := callOn(t, func(p *sdk.Server) {
		p.AddTool(&sdk.Tool{Name: "extra", InputSchema: schemaOf[listArgs](), OutputSchema: schemaOf[listed]()},
			func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
			})
	})
	if !r.IsError || r.StructuredContent != nil {
		t.Errorf("it leaves as %+v", r)
	}
}

// TestPanic: a tool that panics fails, and the session lives.
func TestPanic(t *testing.T) {
	broken := newTool(sdk.Tool{Name: "extra"}, schemaOf[listed](), func(context.Context, *server, *listArgs) (*answer, error) { panic("broken") })
	r := callOn(t, func(p *sdk.Server) {
		p.AddTool(broken.declaration, broken.handler(&server{opts: Options{Explain: func(_ string, err error) string { return err.Error() }}}))
	})
	if !r.IsError || r.StructuredContent != nil || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, "broken") {
		t.Errorf("it leaves as %+v", r)
	}
}

// TestIDOf: the id of a message that is too long is found where clients write it, and nowhere else.
func TestIDOf(t *testing.T) {
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","par`:          "7",
		`{"id":"a-b","jsonrpc":"2.0",`:                                `"a-b"`,
		`{"method":"tools/call","params":{}},"jsonrpc":"2.0","id":9}`: "9",
		`{"method":"tools/call","params":{"id":9}}`:                   "null",
		`{"method":"x","id":{}}`:                                      "null",
		`{"jsonrpc":"2.0","params":{"id":3,`:                          "null",
	} {
		if got := idOf([]byte(message + "\n")); got != want {
			t.Errorf("%s: %s", message, got)
		}
	}
}
