package mcp_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/internal/mcp"
	"github.com/opencheckpoint/ocp/store"
)

// TestLimits: what is larger than the limits fails with the numbers.
func TestLimits(t *testing.T) {
	s := connect(t, inDirectory(t))
	doc := string(sample(t))
	for _, c := range []struct {
		tool string
		args object
		says int
	}{
		{"checkpoint_save", object{"agent_id": "a", "checkpoint": padded(t, mcp.MaxDocument)}, mcp.MaxDocument},
		{"checkpoint_fork", object{"checkpoint": doc, "n": mcp.MaxForks + 1}, mcp.MaxForks},
		{"checkpoint_fork", object{"checkpoint": padded(t, mcp.MaxAnswer/3), "n": 4}, mcp.MaxAnswer},
		{"checkpoint_merge", object{"checkpoints": slices.Repeat([]object{{}}, mcp.MaxInputs+1)}, mcp.MaxInputs},
		{"checkpoint_merge", object{"checkpoints": []string{padded(t, 7<<20), padded(t, 7<<20), padded(t, 7<<20)}}, mcp.MaxAnswer},
	} {
		if testing.Short() && c.says > mcp.MaxForks {
			continue // megabytes take half a minute under the race detector
		}
		if line := s.call(c.tool, c.args).failure(t); !strings.Contains(line, fmt.Sprint(c.says)) {
			t.Errorf("%s fails with %q", c.tool, line)
		}
	}
	if testing.Short() {
		return
	}
	if r := s.call("checkpoint_save", object{"agent_id": "a", "checkpoint": padded(t, mcp.MaxDocument-len(doc)-100)}); r.IsError {
		t.Errorf("a document of the largest size: %s", r.wire)
	}
	if r := s.call("checkpoint_resume", object{"agent_id": "a"}); r.IsError {
		t.Errorf("a document of the largest size: %.300s", r.wire)
	}
}

// padded is the sample with so many bytes more.
func padded(t *testing.T, size int) string { return extended(t, `"`+strings.Repeat("x", size)+`"`) }

// TestSavedLimits: what the command saved may be larger than what is served here. That is no absence.
func TestSavedLimits(t *testing.T) {
	open := func(context.Context) (store.Store, error) {
		return large{text: []byte(padded(t, mcp.MaxDocument))}, nil
	}
	s := connect(t, open)
	for tool, args := range map[string]object{
		"checkpoint_resume":   {"agent_id": "a", "on_missing": "empty"},
		"checkpoint_validate": {"ref": "urn:x:a"},
		"checkpoint_merge":    {"refs": []string{"urn:x:a", "urn:x:b"}},
	} {
		if line := s.call(tool, args).failure(t); !strings.Contains(line, fmt.Sprint(mcp.MaxDocument)) {
			t.Errorf("%s fails with %q", tool, line)
		}
	}
	if r := s.ask("resources/read", object{"uri": "ocp://checkpoints/urn:x:a"}); r.Error == nil || strings.Contains(r.Error.Message, "not found") {
		t.Errorf("it is read as %.300s", r.wire)
	}
	var listed struct {
		Checkpoints []struct{ ID string }
		More        bool
	}
	if s.call("checkpoint_list", object{}).success(t, &listed); len(listed.Checkpoints) != mcp.MaxEntries || !listed.More {
		t.Errorf("%d are listed, more: %v", len(listed.Checkpoints), listed.More)
	}
}

// large is a store with much in it.
type large struct {
	store.Store
	text []byte
}

func (l large) Resume(context.Context, string) (*store.Checkpoint, error) {
	return &store.Checkpoint{Bytes: l.text}, nil
}

func (l large) Get(context.Context, string) (*store.Checkpoint, error) {
	return &store.Checkpoint{Bytes: l.text}, nil
}

func (l large) List(context.Context, string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for range mcp.MaxEntries + 1 {
			if !yield(store.Entry{}, nil) {
				return
			}
		}
	}
}

func (large) Close() error { return nil }
