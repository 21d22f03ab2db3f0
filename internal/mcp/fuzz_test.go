package mcp

import (
	"context"
	"errors"
	"testing"

	"github.com/opencheckpoint/ocp/store"
)

// FuzzArguments: whatever the arguments of a call are, it succeeds with an object, or fails with one line, and never by a defect.
func FuzzArguments(f *testing.F) {
	const sample = `{"opencheckpoint":"0.1","id":"urn:x:a","created_at":"2026-01-01T00:00:00Z","source":{"producer":{"name":"p"}},"task":{"objective":"o","status":"active"}}`
	for i := range tools() {
		for _, rest := range []string{"", `"budget":"1kB",`, `"n":2,"constraints":[{"fork":"1","text":"c"}],`, `"agent_id":"a","on_missing":"empty",`} {
			f.Add(uint(i), "{"+rest+`"checkpoint":`+sample+"}")
		}
		f.Add(uint(i), `{"checkpoints":[{},"{}"],"refs":[null],"lenient":true}`)
		f.Add(uint(i), `{"checkpoint":"\ud800","n":1e9,"keep_kinds":[7]}`)
	}
	s := &server{opts: Options{Explain: func(name string, err error) string { return name + err.Error() },
		Open: func(context.Context) (store.Store, error) { return nil, store.ErrNoCheckpoint }}}
	all := tools()
	f.Fuzz(func(t *testing.T, which uint, arguments string) {
		a, err := all[which%uint(len(all))].run(context.Background(), s, []byte(arguments))
		if defect := new(defectError); errors.As(err, &defect) {
			t.Fatal(defect)
		}
		if err != nil {
			if line := s.line(err); line == "" {
				t.Error("no line")
			}
			return
		}
		r, err := a.result()
		if err != nil || sound(r).IsError {
			t.Errorf("%v: %+v", err, r)
		}
	})
}
