package hook

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/opencheckpoint/ocp/internal/capture"
	"github.com/opencheckpoint/ocp/internal/client"
	"github.com/opencheckpoint/ocp/internal/journal"
	"github.com/opencheckpoint/ocp/store"
)

// turnEnd saves a checkpoint when a turn or the session is over, and before the client forgets. A failure is reported and stops nobody.
func (h *Hook) turnEnd(ctx context.Context, e *client.Event) client.Answer {
	err := h.saveEvent(ctx, e)
	if e.Kind == client.SessionEnd {
		err = errors.Join(err, h.record(ctx, e, journal.Record{Event: ended}))
	}
	if err != nil {
		return h.fail(e.Kind, err)
	}
	return h.Client.Allow(e.Kind)
}

func (h *Hook) saveEvent(ctx context.Context, e *client.Event) error {
	s, err := h.session(e.Session, e.Dir)
	if err != nil {
		return err
	}
	if e.Kind == client.SessionEnd && s.evidence.log != nil && !s.isUnsaved() {
		return nil // the last turn is saved
	}
	s.log, s.text = cmp.Or(e.Transcript, s.log), e.Log
	s.evidence.closed = e.Kind != client.Compaction
	return h.save(ctx, s)
}

// save captures the session's log and saves the checkpoint as the successor of the one before.
func (h *Hook) save(ctx context.Context, s *session) error {
	j, err := h.journal(s.id)
	if err != nil {
		return err
	}
	keep, err := h.Store(ctx)
	if err != nil {
		return err
	}
	defer keep.Close()
	agent := agentID(h.Client.Name, s.dir, s.id)
	head, err := keep.Resume(ctx, agent)
	switch {
	case errors.Is(err, store.ErrNoCheckpoint):
		head = nil
	case err != nil:
		return err
	}
	made, err := h.capture(j, s, head)
	if err != nil {
		return s.ifAnything(err)
	}
	opts := store.SaveOptions{Expect: store.NoHead}
	if head != nil {
		opts.Expect = head.Digest
	}
	kept, err := keep.Save(ctx, agent, made.Bytes(), opts)
	if err != nil {
		return err
	}
	if err := j.Keep(made.State()); err != nil {
		return err
	}
	_, err = j.Append(ctx, journal.Record{Event: saved, At: h.Now(), Digest: kept.Digest, Through: s.last()})
	return err
}

// capture reads what the log has since the head was made, or the whole of it.
func (h *Hook) capture(j *journal.Journal, s *session, head *store.Checkpoint) (*capture.Result, error) {
	log, err := s.open()
	if err != nil {
		return nil, err
	}
	defer log.Close()
	opts := capture.Options{From: h.Client.Name, Now: h.Now(), Live: true}
	s.evidence.testify(&opts)
	if head == nil {
		return capture.Capture(log, opts)
	}
	state, err := j.Kept()
	if err != nil {
		return nil, err
	}
	made, err := capture.Continue(head.Bytes, state, log, opts)
	if !errors.Is(err, capture.ErrRestart) {
		return made, err
	}
	if _, err := log.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	opts.Parent = head.Bytes
	return capture.Capture(log, opts)
}
