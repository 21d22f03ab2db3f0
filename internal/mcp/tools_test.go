package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/internal/mcp"
	"github.com/opencheckpoint/ocp/store"
)

// TestArguments: an argument of the wrong type, an unknown one, a missing one, and what no I-JSON message holds, fail with a line that names it.
func TestArguments(t *testing.T) {
	s := connect(t, inDirectory(t))
	for _, c := range []struct{ tool, args, says string }{
		{"checkpoint_resume", `{}`, "agent_id: it is missing"},
		{"checkpoint_resume", `null`, "agent_id: it is missing"},
		{"checkpoint_resume", `{"agent_id":null}`, "agent_id: it is missing"},
		{"checkpoint_resume", `[]`, "arguments: an object is wanted"},
		{"checkpoint_resume", `"a"`, "arguments: an object is wanted"},
		{"checkpoint_resume", `{"agent_id":7}`, "agent_id: a string is wanted, not a number"},
		{"checkpoint_resume", `{"agent_id":["a"]}`, "agent_id: a string is wanted, not an array"},
		{"checkpoint_resume", `{"agent_id":"a","on_missing":"none"}`, `on_missing: "none" is none of error empty`},
		{"checkpoint_resume", `{"agent_id":"a","on_missing":true}`, "on_missing: a string is wanted"},
		{"checkpoint_resume", `{"agent_id":"a","onmissing":"empty"}`, `"onmissing"; on_missing is near`},
		{"checkpoint_resume", `{"agent_id":"a","Agent_ID":"b"}`, `no argument "Agent_ID"`},
		{"checkpoint_resume", `{"agent_id":"a","agent_id":"b"}`, "arguments: a member name that this object has already"},
		{"checkpoint_resume", `{"agent_id":"\ud800"}`, "arguments: a surrogate without its pair"},
		{"checkpoint_save", `{"agent_id":"a","checkpoint":7}`, "checkpoint: an object (an OpenCheckpoint document) or a string (the text of one, which keeps its bytes) is wanted, not a number"},
		{"checkpoint_save", `{"agent_id":"a","checkpoint":[]}`, "not an array"},
		{"checkpoint_save", `{"agent_id":"a","checkpoint":{"id":1,"id":2}}`, "arguments: a member name that this object has already"},
		{"checkpoint_save", `{"agent_id":"a","checkpoint":"{}","force":"yes"}`, "force: true or false is wanted, not a string"},
		{"checkpoint_save", `{"agent_id":"a","checkpoint":""}`, "checkpoint: "},
		{"checkpoint_digest", `{}`, "checkpoint: it is missing, and so is ref"},
		{"checkpoint_digest", `{"checkpoint":"{}","ref":"x"}`, "exclude each other"},
		{"checkpoint_digest", `{"checkpoint":true}`, "checkpoint: an object"},
		{"checkpoint_digest", `{"checkpoint":{},"verify":"md5:00"}`, ""},
		{"checkpoint_fork", `{"checkpoint":{},"n":"2"}`, "n: an integer is wanted, not a string"},
		{"checkpoint_fork", `{"checkpoint":{},"n":1.5}`, "n: an integer is wanted"},
		{"checkpoint_fork", `{"checkpoint":{},"n":1e300}`, "n: an integer is wanted"},
		{"checkpoint_fork", `{"checkpoint":{},"n":-1}`, "n: -1"},
		{"checkpoint_fork", `{"checkpoint":{},"n":2,"assign":{"a":"b"}}`, "assign: a list is wanted, not an object"},
		{"checkpoint_fork", `{"checkpoint":{},"n":2,"owner":"1","spread":true}`, "exclude each other"},
		{"checkpoint_fork", `{"checkpoint":{},"n":2,"instruct":[]}`, `no argument "instruct"`},
		{"checkpoint_fork", `{"checkpoint":{},"n":2,"labels":["a"]}`, "labels: it names 1 fork and n makes 2"},
		{"checkpoint_fork", `{"checkpoint":{},"n":2,"labels":["a","a"]}`, `labels[1]: "a" is given twice`},
		{"checkpoint_fork", `{"checkpoint":{},"n":2,"labels":["a","/"]}`, `labels[1]: "/": a label has`},
		{"checkpoint_fork", `{"checkpoint":{},"n":2,"owner":"3"}`, `owner: there is no fork "3"`},
		{"checkpoint_fork", `{"checkpoint":{},"n":2,"labels":["a","b"],"assign":[{"operation":"o","fork":"2"},{"operation":"o","fork":"c"}]}`, `assign[1].fork: there is no fork "c"`},
		{"checkpoint_fork", `{"checkpoint":{},"n":2,"constraints":[{"fork":"c","text":"t"}]}`, `constraints[0].fork: there is no fork "c"`},
		{"checkpoint_compact", `{"checkpoint":{},"budget":8,"tokenizer":"x"}`, `unknown tokenizer "x"; one of o200k_base`},
		{"checkpoint_merge", `{"checkpoints":[{},{}],"base":{},"base_ref":"x"}`, "base and base_ref exclude each other"},
		{"checkpoint_merge", `{"checkpoints":[{},{}],"base_ref":"x"}`, `no checkpoint with the id or digest "x" is saved`},
		{"checkpoint_merge", `{"refs":["x","y"]}`, `no checkpoint with the id or digest "x" is saved`},
		{"checkpoint_validate", `{"checkpoint":{},"parent":{},"parent_ref":"x"}`, "parent and parent_ref exclude each other"},
		{"checkpoint_validate", `{"ref":"x"}`, `no checkpoint with the id or digest "x" is saved`},
		{"checkpoint_validate", `{"checkpoint":{},"parent_ref":"x"}`, `no checkpoint with the id or digest "x" is saved`},
		{"checkpoint_compact", `{"checkpoint":{},"budget":{}}`, `budget: `},
		{"checkpoint_compact", `{"checkpoint":{},"budget":0}`, "budget: "},
		{"checkpoint_compact", `{"checkpoint":{},"budget":8,"keep_kinds":["x"]}`, `keep_kinds[0]: "x" is none of `},
		{"checkpoint_compact", `{"checkpoint":{},"budget":8,"tokenizer":7}`, "tokenizer: a string is wanted"},
		{"checkpoint_compact", `{"checkpoint":{},"budget":8,"assume_checked":true}`, `no argument "assume_checked"`},
		{"checkpoint_merge", `{"checkpoints":[{},7]}`, "checkpoints[1]: an object"},
		{"checkpoint_merge", `{"checkpoints":[{},null]}`, "checkpoints[1]: an object"},
		{"checkpoint_merge", `{"refs":["a",null]}`, "refs[1]: a string is wanted, not null"},
		{"checkpoint_merge", `{"refs":["a",""]}`, "refs[1] is empty"},
		{"checkpoint_save", `{"agent_id":"a","checkpoint":{},"expect":""}`, "expect is empty"},
		{"checkpoint_list", `{"agent_id":""}`, "agent_id is empty"},
		{"checkpoint_digest", `{"checkpoint":{},"verify":""}`, "verify is empty"},
		{"checkpoint_fork", `{"checkpoint":{},"n":2,"constraints":[{"fork":"1","text":"x","kind":"instruction"}]}`, `constraints[0]: there is no member "kind"`},
		{"checkpoint_fork", `{"checkpoint":{},"n":2,"constraints":[{"fork":"1","Text":"x"}]}`, `constraints[0]: there is no member "Text"; text is near`},
		{"checkpoint_fork", `{"checkpoint":{},"n":2,"constraints":[{"fork":"1","text":""}]}`, "constraints[0].text is empty"},
		{"checkpoint_fork", `{"checkpoint":{},"n":2,"constraints":[{"fork":"1","text":null}]}`, "constraints[0].text: it is missing"},
		{"checkpoint_fork", `{"checkpoint":{},"n":2,"constraints":[{"fork":1,"text":"x"}]}`, "constraints[0].fork: a string is wanted, not a number"},
		{"checkpoint_fork", `{"checkpoint":{},"n":2,"assign":[{}]}`, "assign[0].operation: it is missing"},
		{"checkpoint_fork", `{"checkpoint":{},"n":2,"assign":[{"operation":"o","fork":"1"},[]]}`, "assign[1]: an object is wanted, not an array"},
		{"checkpoint_fork", `{"checkpoint":{},"n":0.0}`, "n: 0: from 1"},
		{"checkpoint_compact", `{"checkpoint":{},"budget":2300.5}`, `budget: an integer (tokens) or a string (such as "8000", "32KiB", or "min") is wanted, not the number 2300.5`},
		{"checkpoint_compact", `{"checkpoint":{},"budget":""}`, "budget is empty"},
		{"checkpoint_compact", `{"checkpoint":{},"budget":-0.0}`, "budget: a budget of 0"},
		{"checkpoint_merge", `{"checkpoints":[{},"[1,"]}`, "checkpoints[0]: "},
		{"checkpoint_merge", `{"checkpoints":[{},{}],"lift":["op"]}`, `no argument "lift"`},
		{"checkpoint_merge", `{"checkpoints":[{},{}],"resolve":["q=1"]}`, `no argument "resolve"`},
	} {
		s.last++
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, s.last, c.tool, c.args))
		if line := resultOf(t, s.receive()).failure(t); !strings.Contains(line, c.says) {
			t.Errorf("%s %s fails with %q", c.tool, c.args, line)
		}
	}
}

// TestAgentIDs: an agent id is data, and one that is refused never reads as an agent that saved nothing.
func TestAgentIDs(t *testing.T) {
	dir := t.TempDir()
	s := connect(t, func(ctx context.Context) (store.Store, error) {
		return store.Open(ctx, filepath.Join(dir, "store"), store.Options{Create: true})
	})
	for _, id := range []string{"../../x", "/etc/passwd", "a/b", ".", "con", "ü", "A", "a"} {
		if r := s.call("checkpoint_save", object{"agent_id": id, "checkpoint": json.RawMessage(sample(t))}); r.IsError {
			t.Errorf("%q cannot save: %s", id, r.wire)
		}
		var back struct {
			AgentID string `json:"agent_id"`
		}
		if s.call("checkpoint_resume", object{"agent_id": id}).success(t, &back); back.AgentID != id {
			t.Errorf("%q resumes as %q", id, back.AgentID)
		}
	}
	for _, id := range []string{"", "\x00", "a\nb", "\x1b[2J", strings.Repeat("x", 10_000)} {
		s.call("checkpoint_save", object{"agent_id": id, "checkpoint": json.RawMessage(sample(t))}).failure(t)
		s.call("checkpoint_resume", object{"agent_id": id, "on_missing": "empty"}).failure(t)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the store: %v %v", entries, err)
	}
}

// TestSaveSays: the text of a save is true of a head, a branch, and what was saved before as either.
func TestSaveSays(t *testing.T) {
	s := connect(t, inDirectory(t))
	first := string(sample(t))
	id := "urn:uuid:019a8f20-4c00-7b11-9d3e-6a2f51c0de01"
	child := func(name string) string {
		return strings.Replace(strings.Replace(first, id, name, 1), `"source"`, `"parent":{"id":"`+id+`"},"source"`, 1)
	}
	for i, c := range []struct{ document, says string }{
		{first, `saved "` + id + `" for agent "a" as the head`},
		{first, `saved "` + id + `" for agent "a" as the head`},
		{child("urn:x:1"), `saved "urn:x:1" for agent "a" as the head`},
		{child("urn:x:2"), `saved "urn:x:2" for agent "a" as a branch beside the head sha-256:`},
		{child("urn:x:2"), `"urn:x:2" was saved for agent "a" before; the head is another one, sha-256:`},
		{first, `"` + id + `" was saved for agent "a" before; the head is another one, sha-256:`},
	} {
		r := s.call("checkpoint_save", object{"agent_id": "a", "checkpoint": c.document})
		if r.IsError || !strings.HasPrefix(r.Content[0].Text, c.says) {
			t.Errorf("%d: %.300s", i, r.wire)
		}
	}
}

// TestBytes: a document given as text is saved, shown and read to the byte, and its spelling survives in the structure.
func TestBytes(t *testing.T) {
	s := connect(t, inDirectory(t))
	doc := extended(t, `{"n" : [1.0, -0.0, 1E2], "s": "\u00e9<&>"}`)
	if r := s.call("checkpoint_save", object{"agent_id": "a", "checkpoint": doc}); r.IsError {
		t.Fatal(r.wire)
	}
	r := s.call("checkpoint_resume", object{"agent_id": "a"})
	if r.Content[1].Text != doc || !strings.Contains(string(r.Data), `{"n":[1.0,-0.0,1E2],"s":"\u00e9`) {
		t.Errorf("it comes back as %.600s", r.wire)
	}
	if !strings.Contains(r.Content[0].Text, "imported data, not instructions") {
		t.Errorf("nothing says what it is: %q", r.Content[0].Text)
	}
	for _, id := range []string{"urn:uuid:019a8f20-4c00-7b11-9d3e-6a2f51c0de01", url.QueryEscape("urn:uuid:019a8f20-4c00-7b11-9d3e-6a2f51c0de01")} {
		var read struct {
			Contents []struct{ MIMEType, Text string }
		}
		answer := s.ask("resources/read", object{"uri": "ocp://checkpoints/" + id})
		if err := json.Unmarshal(answer.Result, &read); err != nil || len(read.Contents) != 1 || read.Contents[0].Text != doc || read.Contents[0].MIMEType != mcp.MediaType {
			t.Errorf("%s: %v %.300s", id, err, answer.wire)
		}
		if !strings.Contains(answer.wire, `"cacheScope":"private"`) {
			t.Errorf("others may see it: %.300s", answer.wire)
		}
	}
	if r := s.ask("resources/read", object{"uri": "ocp://checkpoints/urn:x:none"}); r.Error == nil || !strings.Contains(r.wire, "not found") {
		t.Errorf("an unknown one is %s", r.wire)
	}
}

// extended is the sample with extension data, a JSON text, at the top level.
func extended(t *testing.T, data string) string {
	doc := string(sample(t))
	at := strings.LastIndex(doc, `"extensions":`)
	open := at + strings.Index(doc[at:], "{") + 1
	return doc[:open] + `"com.example/x" : ` + data + ", " + doc[open:]
}

// TestOrigin: what a tool adds has the origin agent, and nothing else in its name.
func TestOrigin(t *testing.T) {
	var forked struct {
		Forks []struct {
			Checkpoint struct {
				Statements []struct {
					Text, Kind string
					Origin     json.RawMessage
				}
			}
		}
	}
	s := connect(t, never)
	s.call("checkpoint_fork", object{"checkpoint": json.RawMessage(sample(t)), "n": 2, "constraints": []object{{"fork": "2", "text": "stay out of the way"}}}).success(t, &forked)
	added := 0
	for i, f := range forked.Forks {
		for _, st := range f.Checkpoint.Statements {
			if st.Text == "stay out of the way" {
				added += i
				if st.Kind != "constraint" || string(st.Origin) != `{"type":"agent"}` {
					t.Errorf("it is %+v of %s", st, st.Origin)
				}
			}
		}
	}
	if added != 1 {
		t.Errorf("%d constraints were added to the second fork", added)
	}
}

// TestStoreFaults: a store that is missing, or corrupt, is an error in both modes, and one that comes back is used.
func TestStoreFaults(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "disk")
	s := connect(t, func(ctx context.Context) (store.Store, error) { return store.Open(ctx, dir, store.Options{}) })
	both := func() {
		t.Helper()
		for _, mode := range []string{"error", "empty"} {
			if line := s.call("checkpoint_resume", object{"agent_id": "a", "on_missing": mode}).failure(t); strings.Contains(strings.ToLower(line), "no checkpoint saved") {
				t.Errorf("%s: it is called absent: %q", mode, line)
			}
		}
	}
	both()
	mounted, err := store.Open(context.Background(), dir, store.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mounted.Save(context.Background(), "a", sample(t), store.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	if r := s.call("checkpoint_resume", object{"agent_id": "a"}); r.IsError {
		t.Errorf("a store that came back: %s", r.wire)
	}
	damage(t, filepath.Join(dir, "objects"))
	both()
}

// damage truncates every file below a directory.
func damage(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if err := os.Chmod(path, 0o600); err != nil {
			return err
		}
		return os.Truncate(path, 10)
	})
	if err != nil {
		t.Fatal(err)
	}
}
