package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// turn is what the model says: a call, or a text.
type turn struct {
	tool string
	args object
	text string
	// first, if there is one, is what happens while the model is thinking: behind the client's request, and before it sees the call.
	first func() error
}

// protocol is one of those in which clients speak to models.
type protocol interface {
	// takes says whether a request is one for an answer of the model.
	takes(path string) bool
	// tools are the names of the tools that a request offers.
	tools(request gjson.Result) []string
	// results are what the tools that were called returned, as the model is shown it, in order.
	results(request gjson.Result) []string
	// answer writes a turn, a call of the tool that the request calls name.
	answer(w io.Writer, request gjson.Result, path string, n int, name string, t turn)
}

// model is a scripted one: its nth turn answers the request that shows n results.
type model struct {
	speaks protocol
	plan   []turn
	log    *os.File
	mu     sync.Mutex
	shown  []string
	asked  []string // the requests
	err    error    // of what was to happen first
}

// begin takes another plan, for another session.
func (m *model) begin(plan []turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.plan, m.shown, m.asked, m.err = plan, nil, nil, nil
}

// start listens on the loopback interface and returns the address.
func (m *model) start() (address string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{Handler: m}
	go s.Serve(l)
	return "http://" + l.Addr().String(), func() { s.Close() }, nil
}

// ServeHTTP answers one request.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	request := gjson.ParseBytes(body)
	if !m.speaks.takes(r.URL.Path) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"object":"list","data":[],"models":[],"input_tokens":10,"totalTokens":10}`)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	fmt.Fprintf(m.log, "%s %s\n", r.URL, body)
	m.asked = append(m.asked, string(body))
	results := m.speaks.results(request)
	if len(results) > len(m.shown) {
		m.shown = results
	}
	t := turn{text: "done"}
	if len(results) < len(m.plan) {
		t = m.plan[len(results)]
	}
	name := nameOf(m.speaks.tools(request), t.tool)
	if name == "" { // a question aside, such as one for a title
		t = turn{text: "scripted"}
	}
	if t.first != nil {
		m.err = errors.Join(m.err, t.first())
	}
	if request.Get("stream").Bool() || strings.Contains(r.URL.Path, "stream") {
		w.Header().Set("Content-Type", "text/event-stream")
	} else {
		w.Header().Set("Content-Type", "application/json")
	}
	m.speaks.answer(w, request, r.URL.Path, len(results), name, t)
}

// nameOf is what a client calls a tool of the server: something, and then the tool's name.
func nameOf(names []string, tool string) string {
	for _, name := range names {
		if strings.HasSuffix(name, tool) {
			return name
		}
	}
	return ""
}

// event writes a server-sent event; name "" writes none.
func event(w io.Writer, name string, data object) {
	if name != "" {
		data["type"] = name
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: %s\n\n", text(data))
}

// text is the JSON of a value, which always has one.
func text(value any) string {
	b, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// collect gathers what path selects within each element.
func collect(list gjson.Result, path string) (found []string) {
	list.ForEach(func(_, element gjson.Result) bool {
		if v := element.Get(path); v.Exists() {
			found = append(found, v.String())
		}
		return true
	})
	return found
}
