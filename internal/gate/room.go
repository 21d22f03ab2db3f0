package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// room is a folder in which a client runs, with the hook in its settings, and with settings, a journal and a store that nobody else has.
type room struct {
	*client
	npm, ocp  string
	dir       string
	args, env []string
	model     *model
	stop      func()
	sessions  int
}

// room makes one. The hook is not installed.
func (c *client) room(npm, ocp, dir string) (*room, error) {
	r := &room{client: c, npm: npm, ocp: ocp, dir: dir}
	for _, name := range []string{"project", "home", "bin", "state"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			return nil, err
		}
	}
	log, err := os.Create(filepath.Join(dir, "model.log"))
	if err != nil {
		return nil, err
	}
	r.model = &model{speaks: c.speaks, log: log}
	address, stop, err := r.model.start()
	if err != nil {
		return nil, err
	}
	r.stop = func() { stop(); log.Close() }
	if r.args, r.env, err = c.setUp(dir, address, nil); err != nil {
		return nil, err
	}
	r.env = append(append(r.env, environment(dir)...), r.mark())
	return r, copyProgram(ocp, r.program())
}

// leave ends what was started in the room.
func (r *room) leave() {
	r.killAll()
	r.stop()
	exec.Command("umount", r.journals()).Run() // where a proof put a disk there
}

func (r *room) program() string  { return filepath.Join(r.dir, "bin", "ocp") }
func (r *room) journals() string { return filepath.Join(r.dir, "state", "ocp-journal") }
func (r *room) store() string    { return filepath.Join(r.dir, "state", "ocp") }
func (r *room) effect() string   { return filepath.Join(r.dir, "effect") }
func (r *room) reached() string  { return filepath.Join(r.dir, "reached") }
func (r *room) mark() string     { return "GATE_ROOM=" + r.dir }

// getenv is os.Getenv in the room.
func (r *room) getenv(name string) string {
	for _, v := range r.env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// copyProgram puts a program where it can be taken away.
func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// ocpRun runs ocp in the room, and returns what it prints.
func (r *room) ocpRun(program string, args ...string) (string, error) {
	c := exec.Command(program, args...)
	c.Dir, c.Env = filepath.Join(r.dir, "project"), r.env
	output, err := c.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("ocp %s: %w: %s", strings.Join(args, " "), err, tail(output))
	}
	return string(output), nil
}

// install puts the hook into the client's settings, and has the client trust it.
func (r *room) install() error {
	if _, err := r.ocpRun(r.program(), "hook", "install", r.hook.name); err != nil {
		return err
	}
	if err := r.trust(); err != nil {
		return err
	}
	status, err := r.ocpRun(r.program(), "hook", "status", r.hook.name)
	if err == nil && !strings.Contains(status, " installed  ") {
		err = fmt.Errorf("after install, the status is %s", tail([]byte(status)))
	}
	return err
}

func (r *room) trust() error {
	if r.hook.trust == nil {
		return nil
	}
	return r.hook.trust(r)
}

// session is what one run of the client left.
type session struct {
	output string
	shown  []string // results of tools, as the model was shown them
	asked  []string // requests to the model
}

// saw says whether a text was in a request to the model.
func (s *session) saw(text string) bool { return strings.Contains(strings.Join(s.asked, "\n"), text) }

// told says whether the model or the person was told something.
func (s *session) told(text string) bool {
	return strings.Contains(s.output, text) || strings.Contains(strings.Join(s.shown, "\n"), text)
}

// run runs the client until it ends by itself. words is what the person says.
func (r *room) run(words string, plan ...turn) (*session, error) {
	return r.session(words, plan, func(<-chan struct{}) error { return nil })
}

// runUntilReached kills the client, and all that it started, once there is the file that says that the place is reached.
func (r *room) runUntilReached(words string, plan ...turn) (*session, error) {
	return r.session(words, plan, r.killWhenReached)
}

// session runs the client, and meanwhile something that is told when the client is done.
func (r *room) session(words string, plan []turn, meanwhile func(done <-chan struct{}) error) (*session, error) {
	r.model.begin(plan)
	r.sessions++
	log, err := os.Create(filepath.Join(r.dir, fmt.Sprintf("client-%d.log", r.sessions)))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := r.start(ctx, words, log)
	if err != nil {
		return nil, err
	}
	done, result := make(chan struct{}), make(chan error, 1)
	go func() { result <- meanwhile(done) }()
	c.Wait() // a client whose prompt or tool was blocked may well end with a failure
	close(done)
	if err := errors.Join(<-result, ctx.Err()); err != nil {
		return nil, err
	}
	return r.observe(log.Name())
}

// start starts the client.
func (r *room) start(ctx context.Context, words string, log *os.File) (*exec.Cmd, error) {
	program, err := r.client.program(r.npm)
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, program, r.arguments(words)...)
	c.Dir, c.Env = filepath.Join(r.dir, "project"), r.env
	c.Stdout, c.Stderr = log, log
	return c, c.Start()
}

// arguments are the client's, with what the person says in place of the prompt.
func (r *room) arguments(words string) (args []string) {
	for _, a := range r.args {
		if a == prompt {
			a = words
		}
		args = append(args, a)
	}
	return args
}

func (r *room) observe(log string) (*session, error) {
	output, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	r.model.mu.Lock()
	defer r.model.mu.Unlock()
	return &session{string(output), r.model.shown, r.model.asked}, r.model.err
}

// lag is how late a client may write its log. A call whose client is killed within it leaves no trace there, and no reader can tell of it.
const lag = 500 * time.Millisecond

// killWhenReached waits for the place, and for the log, and kills.
func (r *room) killWhenReached(done <-chan struct{}) error {
	for {
		select {
		case <-done:
			return errors.New("the client ended before the place was reached")
		case <-time.After(20 * time.Millisecond):
		}
		if _, err := os.Stat(r.reached()); err == nil {
			time.Sleep(lag)
			r.killAll()
			return os.Remove(r.reached())
		}
	}
}
