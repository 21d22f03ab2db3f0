package hook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opencheckpoint/ocp/internal/brief"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/client"
	"github.com/opencheckpoint/ocp/internal/journal"
	"github.com/opencheckpoint/ocp/store"
)

// start records that the hook is active, and tells the agent what the session before it left, or this one before it was interrupted.
func (h *Hook) start(ctx context.Context, e *client.Event) client.Answer {
	text, err := h.briefing(ctx, e)
	recording := h.record(ctx, e, journal.Record{Event: active, Covers: h.covers()})
	if recording == nil {
		recording = errors.Join(h.setLatest(e.Dir, e.Session), h.prune(ctx))
	}
	switch err := errors.Join(err, recording); {
	case err != nil:
		return h.fail(e.Kind, err)
	case len(text) == 0:
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

// briefing is what is to be told, nothing where nothing is saved, or where the person wants a clear start.
func (h *Hook) briefing(ctx context.Context, e *client.Event) ([]byte, error) {
	if e.Source == "clear" {
		return nil, nil
	}
	before := e.Session
	if e.Source == "startup" {
		before = h.latest(e.Dir)
	}
	if before == "" {
		return nil, nil
	}
	s, err := h.session(before, e.Dir)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", before, err)
	}
	if e.Source != "compact" { // what is compacted was saved before, and goes on
		if err := h.recover(ctx, s, e); err != nil {
			return nil, fmt.Errorf("session %s: %w", before, err)
		}
	}
	return h.briefOf(ctx, agentID(h.Client.Name, s.dir, before))
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
	if !s.isUnsaved() || s.log == "" && s.text == nil {
		return nil
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
