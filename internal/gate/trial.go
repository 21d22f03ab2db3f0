package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/store"
)

// patience is how long one client may take.
const patience = 2 * time.Minute

// trial is what is asked of one client.
type trial struct {
	client   *client
	npm      string   // prefix
	server   []string // the relay
	ocp      string
	document []byte
	dir      string
}

// both runs the client with the server as it is, and with answers that are forged.
func (t *trial) both() (string, error) {
	s := newScript(t.document)
	plain, err := t.once("plain", s.plan())
	if err != nil {
		return "", err
	}
	if err := s.check(plain); err != nil {
		return "", err
	}
	if err := s.checkStore(plain); err != nil {
		return "", err
	}
	forged, err := t.once("forged", s.plan()[:1])
	if err != nil {
		return "", err
	}
	verdict, err := s.checkForged(forged, t.client.strict)
	return fmt.Sprintf("handshake %s; %d steps passed; forged answer %s", plain.handshake(), len(s.steps), verdict), err
}

// observed is what a run left behind.
type observed struct {
	shown []string // results of tools, as the model was shown them
	wire  string   // what passed between the client and the server
	store string
}

// once runs the client once.
func (t *trial) once(how string, plan []turn) (*observed, error) {
	dir := filepath.Join(t.dir, how)
	if err := os.MkdirAll(filepath.Join(dir, "project"), 0o700); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "model.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	m := &model{speaks: t.client.speaks, plan: plan, log: log}
	address, stop, err := m.start()
	if err != nil {
		return nil, err
	}
	defer stop()
	wire, saved := filepath.Join(dir, "wire.log"), filepath.Join(dir, "state", "ocp")
	server := append(append([]string{}, t.server...), wire, how, t.ocp, "mcp")
	if err := t.runClient(dir, address, server); err != nil {
		return nil, err
	}
	passed, err := os.ReadFile(wire)
	if err != nil {
		return nil, errors.New("the client never started the server")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return &observed{m.shown, string(passed), saved}, nil
}

// runClient runs the client's program.
func (t *trial) runClient(dir, address string, server []string) error {
	server = append([]string{"/usr/bin/env", "XDG_STATE_HOME=" + filepath.Join(dir, "state")}, server...)
	args, env, err := t.client.setUp(dir, address, server)
	if err != nil {
		return err
	}
	program, err := t.client.program(t.npm)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = filepath.Join(dir, "project")
	c.Env = append(env, environment(dir)...)
	if err := os.MkdirAll(filepath.Join(dir, "home"), 0o700); err != nil {
		return err
	}
	output, err := c.CombinedOutput()
	if werr := os.WriteFile(filepath.Join(dir, "client.log"), output, 0o600); werr != nil {
		return werr
	}
	if err != nil {
		return fmt.Errorf("the client failed: %w: %s", err, tail(output))
	}
	return nil
}

// version is that of the installed module.
func (c *client) version(npm string) string {
	text, err := os.ReadFile(filepath.Join(npm, "node_modules", c.module, "package.json"))
	if err != nil {
		return "not installed"
	}
	return gjson.GetBytes(text, "version").Str
}

// program is the client's, as npm installed it.
func (c *client) program(npm string) (string, error) {
	found, err := filepath.Glob(filepath.Join(npm, "node_modules", c.binary))
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("no program at %s", c.binary)
	}
	return found[0], nil
}

// environment has nothing of the person's: what a client keeps is in a folder of its own.
func environment(dir string) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "TERM=dumb"}
	for _, name := range []string{"DATA", "CONFIG", "CACHE", "STATE"} {
		env = append(env, "XDG_"+name+"_HOME="+filepath.Join(dir, strings.ToLower(name)))
	}
	return env
}

// tail is the end of an output, on one line.
func tail(output []byte) string {
	const most = 300
	return strings.Join(strings.Fields(string(output[max(0, len(output)-most):])), " ")
}

// handshake is what the client said that it is, and the version of the protocol that is spoken: in the handshake, or since 2026-07-28 in every message.
func (o *observed) handshake() string {
	var name, version string
	for line := range strings.Lines(o.wire) {
		message := gjson.Parse(line[2:])
		for _, info := range []string{`params.clientInfo`, `params._meta.io\.modelcontextprotocol/clientInfo`} {
			if client := message.Get(info); client.Exists() {
				name = client.Get("name").Str + " " + client.Get("version").Str
			}
		}
		for _, spoken := range []string{`result.protocolVersion`, `params._meta.io\.modelcontextprotocol/protocolVersion`} {
			if v := message.Get(spoken); v.Exists() {
				version = v.Str
			}
		}
	}
	return name + ", MCP " + version
}

// answers are the results of the calls that passed, in order.
func (o *observed) answers() (list []gjson.Result) {
	calls := map[string]bool{}
	for line := range strings.Lines(o.wire) {
		message := gjson.Parse(line[2:])
		id := message.Get("id").Raw
		if message.Get("method").Str == "tools/call" {
			calls[id] = true
		} else if line[0] == '<' && calls[id] {
			list = append(list, message.Get("result"))
		}
	}
	return list
}

// documents are those that the server was given to save, by agent.
func (o *observed) documents() map[string]string {
	given := map[string]string{}
	for line := range strings.Lines(o.wire) {
		args := gjson.Get(line[2:], "params.arguments")
		if document := args.Get("checkpoint"); document.Exists() {
			given[args.Get("agent_id").Str] = document.String() // the raw text of an object
		}
	}
	return given
}

// saved is what a store has for an agent.
func saved(address, agent string) (*store.Checkpoint, error) {
	ctx := context.Background()
	s, err := store.Open(ctx, address, store.Options{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Resume(ctx, agent)
}

// same says whether two texts are one document.
func same(a, b []byte) bool {
	x, errA := digest.Of(a)
	y, errB := digest.Of(b)
	return errA == nil && errB == nil && x == y
}
