package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/opencheckpoint/ocp/internal/journal"
	"github.com/opencheckpoint/ocp/internal/sumline"
	"github.com/opencheckpoint/ocp/store"
)

// kept is what a journal has of one session.
type kept struct {
	session string
	records []journal.Record
}

// kept are the journals in the room, the oldest first.
func (r *room) kept() (list []kept, err error) {
	files, err := filepath.Glob(filepath.Join(r.journals(), "*.journal"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		whole, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		line, _, _ := bytes.Cut(whole, []byte("\n"))
		head, ok := sumline.Decode(line)
		if !ok {
			return nil, fmt.Errorf("%s has no first line", name)
		}
		session := gjson.GetBytes(head, "session").Str
		log, err := journal.Read(r.journals(), r.hook.name, session)
		if err != nil {
			return nil, err
		}
		if log.Damaged || len(log.Records) == 0 {
			return nil, fmt.Errorf("%s is damaged or empty", name)
		}
		list = append(list, kept{session, log.Records})
	}
	slices.SortFunc(list, func(a, b kept) int { return a.records[0].At.Compare(b.records[0].At) })
	return list, nil
}

// first is the journal of the session that began first.
func (r *room) first() (kept, error) {
	list, err := r.kept()
	if err == nil && len(list) == 0 {
		err = errors.New("there is no journal")
	}
	if err != nil {
		return kept{}, err
	}
	return list[0], nil
}

// events are the records' events in order, of each run of equal ones the first.
func (k kept) events() string {
	var words []string
	for i := range k.records {
		words = append(words, k.records[i].Event)
	}
	return strings.Join(slices.Compact(words), " ")
}

// count is how many records have an event.
func (k kept) count(event string) (n int) {
	for i := range k.records {
		if k.records[i].Event == event {
			n++
		}
	}
	return n
}

// head is the checkpoint that was saved last of a session.
func (r *room) head(session string) (*store.Checkpoint, error) {
	ctx := context.Background()
	s, err := store.Open(ctx, r.store(), store.Options{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for e, err := range s.List(ctx, "") {
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(e.Agent, ":"+session) {
			return s.Resume(ctx, e.Agent)
		}
	}
	return nil, errors.New("nothing is saved of the session")
}

// checked is the head of a session after ocp validate found nothing.
func (r *room) checked(session string) (gjson.Result, error) {
	c, err := r.head(session)
	if err != nil {
		return gjson.Result{}, err
	}
	file := filepath.Join(r.dir, "saved.ocp.json")
	if err := os.WriteFile(file, c.Bytes, 0o600); err != nil {
		return gjson.Result{}, err
	}
	_, err = r.ocpRun(r.ocp, "validate", file)
	return gjson.ParseBytes(c.Bytes), err
}

// fate is what a checkpoint says became of the only call that the model ever makes: the status of its operation, or "completed" for a step, "" for neither.
func fate(document gjson.Result) (status string, operation gjson.Result) {
	for _, selected := range []string{`operations.#(call.tool!="")`, `operations.#(kind=="action")`} {
		if o := document.Get(selected); o.Exists() {
			return o.Get("status").Str, o
		}
	}
	if s := document.Get("progress.completed.0"); s.Exists() {
		return "completed", s
	}
	return "", gjson.Result{}
}

// happened is the content of the file that the call appends to, "" where there is none.
func (r *room) happened() string {
	content, err := os.ReadFile(r.effect())
	switch {
	case err != nil:
		return ""
	case len(content) == 0:
		return "an empty file"
	}
	return string(content)
}

// expect says what is otherwise than it should be.
func expect(what, want, have string) error {
	if want == have {
		return nil
	}
	return fmt.Errorf("%s: %q instead of %q", what, have, want)
}
