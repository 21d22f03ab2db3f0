package hook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/opencheckpoint/ocp/internal/brief"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/client"
	"github.com/opencheckpoint/ocp/internal/journal"
	"github.com/opencheckpoint/ocp/store"
)

// start records that the hook is active, and tells the agent what the session before it left, or this one before it was interrupted.
func (h *Hook) start(ctx context.Context, e *client.Event) client.Answer {
	text, notes, err := h.briefing(ctx, e)
	recording := h.record(ctx, e, journal.Record{Event: active, Covers: h.covers()})
	if recording == nil {
		recording = errors.Join(h.begins(e.Dir, e.Session), h.prune(ctx))
	}
	if err := errors.Join(err, recording); err != nil {
		return h.fail(e.Kind, errors.Join(append(notes, err)...))
	}
	for _, note := range notes {
		text = fmt.Appendf(text, "ocp hook: %v\n", note)
	}
	if len(text) == 0 {
		return h.Client.Allow(e.Kind)
	}
	return h.Client.Context(string(text))
}

// retention is how long a journal is kept behind its last record: the clients keep their logs about as long, and without its log a journal says little.
const retention = 30 * 24 * time.Hour

func (h *Hook) prune(ctx context.Context) error {
	_, err := journal.Prune(ctx, h.Journals, h.Now().Add(-retention))
	return err
}

// briefing is what is to be told, nothing where nothing is saved, or where the person wants a clear start. The notes are about what the checkpoint may lack, and
// about other sessions.
func (h *Hook) briefing(ctx context.Context, e *client.Event) (text []byte, notes []error, err error) {
	if e.Source == "clear" {
		return nil, nil, nil
	}
	list, before := h.begun(e.Dir), e.Session
	if e.Source == "startup" {
		before = ""
		if n := len(list); n > 0 {
			before = list[n-1].id
		}
	}
	if before == "" {
		return nil, nil, nil
	}
	s, err := h.session(before, e.Dir)
	if err == nil && e.Source != "compact" { // what is compacted was saved before, and goes on
		notes, err = s.damage(), h.recover(ctx, s, e)
	}
	if err == nil {
		text, err = h.briefOf(ctx, agentID(h.Client.Name, s.dir, before))
	}
	if err != nil {
		err = fmt.Errorf("session %s: %w", before, err)
	}
	if e.Source != "compact" {
		notes = append(notes, h.others(ctx, e, list, before)...)
	}
	return text, notes, err
}

// mostOthers is how many sessions are captured besides that of the brief: a start has little time, and the next one goes on.
const mostOthers = 4

// others captures what further sessions of the directory left that were interrupted, and says of each where that is, or what is lost.
func (h *Hook) others(ctx context.Context, e *client.Event, list []begun, before string) (notes []error) {
	captured := 0
	for _, b := range list {
		if b.id == before || b.id == e.Session || captured == mostOthers {
			continue
		}
		s, err := h.session(b.id, e.Dir)
		switch {
		case err == nil && isAlive(s.records()):
			continue
		case err == nil && s.isUnsaved():
			captured++
			notes = append(notes, s.damage()...)
			if err = h.recover(ctx, s, e); err == nil {
				agent := agentID(h.Client.Name, s.dir, b.id)
				notes = append(notes, fmt.Errorf("session %s of this directory was interrupted, too; what it left: ocp resume --agent %q", b.id, agent))
			}
		}
		var lost *lostError
		if err != nil {
			notes = append(notes, fmt.Errorf("session %s: %w", b.id, err))
		}
		if errors.As(err, &lost) || err == nil && s.isOver() || h.Now().Sub(b.at) > retention {
			b.forget()
		}
	}
	return notes
}

// briefOf is the brief of the checkpoint that was saved last.
func (h *Hook) briefOf(ctx context.Context, agent string) ([]byte, error) {
	keep, err := h.Store(ctx)
	if err != nil {
		return nil, err
	}
	defer keep.Close()
	found, err := keep.Resume(ctx, agent)
	if errors.Is(err, store.ErrNoCheckpoint) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	doc, err := checkpoint.ParseOne(found.Bytes, checkpoint.Options{})
	if err != nil {
		return nil, err
	}
	return brief.Write(doc, brief.Source{Agent: agent, Digest: found.Digest, SavedAt: found.SavedAt.UTC().Format(time.RFC3339)}, 0), nil
}

// recover saves what a session did that ended without saying so, if its journal shows that it did anything since it was saved.
func (h *Hook) recover(ctx context.Context, s *session, e *client.Event) error {
	if e.LogSession == s.id {
		s.text = e.Log
	}
	if !s.isUnsaved() {
		return nil
	}
	if s.log == "" && s.text == nil {
		return s.ifAnything(fs.ErrNotExist)
	}
	if isDead(s.records()) {
		log, err := journal.Read(h.Journals, h.Client.Name, s.id) // what it recorded until then
		if err != nil {
			return err
		}
		s.evidence.log, s.evidence.closed = log, true
	}
	return h.save(ctx, s)
}
