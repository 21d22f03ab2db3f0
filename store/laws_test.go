package store

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/digest"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
)

// kind is a kind of store for which the laws hold.
type kind struct {
	name string
	// place returns the address of a place that can become a store and is none yet.
	place func(t testing.TB) string
	// damage changes the bytes of a saved checkpoint, or removes it.
	damage func(t *testing.T, address, sum string, remove bool)
}

var directoryKind = kind{
	name:   "directory",
	place:  func(t testing.TB) string { return filepath.Join(t.TempDir(), "store") },
	damage: damageObject,
}

// eachKind runs a law for every kind of store.
func eachKind(t *testing.T, law func(t *testing.T, k kind)) {
	for _, k := range []kind{directoryKind, databaseKind} {
		t.Run(k.name, func(t *testing.T) { law(t, k) })
	}
}

// open opens a store that was made just now or before.
func open(t testing.TB, address string) Store {
	t.Helper()
	s, err := Open(t.Context(), address, Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// document is a checkpoint with an id and a parent, "" for none.
func document(id, parent string) []byte { return documentWith(id, parent, "") }

func documentWith(id, parent, members string) []byte {
	if parent != "" {
		members = fmt.Sprintf(`,"parent":{"id":%q}`, parent) + members
	}
	return fmt.Appendf(nil, `{"opencheckpoint":"0.1","id":%q,"created_at":"2026-01-02T03:04:05Z","source":{},"task":{"objective":"o","status":"active"}%s}`, id, members)
}

func save(t testing.TB, s Store, agent string, text []byte, opts SaveOptions) *Saved {
	t.Helper()
	saved, err := s.Save(context.Background(), agent, text, opts)
	if err != nil {
		t.Fatalf("save: %v", err)
	}
	return saved
}

func resumes(t *testing.T, s Store, agent string, want []byte) {
	t.Helper()
	c, err := s.Resume(t.Context(), agent)
	if err != nil {
		t.Errorf("resume: %v", err)
		return
	}
	if string(c.Bytes) != string(want) || c.Agent != agent || c.Digest != digest.OfBytes(want).String() {
		t.Errorf("resume returned %s of %q, %.200q; want %.200q", c.Digest, c.Agent, c.Bytes, want)
	}
}

// list returns what is saved.
func list(t *testing.T, s Store, agent string) (entries []Entry) {
	t.Helper()
	for e, err := range s.List(t.Context(), agent) {
		if err != nil {
			t.Fatalf("list: %v", err)
		}
		entries = append(entries, e)
	}
	return entries
}

func ids(entries []Entry) (ids []string) {
	for _, e := range entries {
		id := e.ID
		if e.Head {
			id += "=head"
		}
		if e.Branch {
			id += "=branch"
		}
		ids = append(ids, id)
	}
	return ids
}

func wantIDs(t *testing.T, entries []Entry, want ...string) {
	t.Helper()
	if got := ids(entries); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestSaveResume: what was saved comes back to the byte, without the white space around it, to whoever opens the store.
func TestSaveResume(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		address := k.place(t)
		s := open(t, address)
		text := documentWith("urn:x:1", "", `, "extensions":{"org.example.x":[1.50,"\u00e9"]}`)
		saved := save(t, s, "a", []byte("\n "+string(text)+" \n"), SaveOptions{})
		if !saved.Head || saved.Known || saved.Current != saved.Digest || saved.Digest != digest.OfBytes(text).String() || saved.Size != int64(len(text)) {
			t.Errorf("saved: %+v", saved)
		}
		resumes(t, open(t, address), "a", text)
		if again := save(t, s, "a", text, SaveOptions{}); !again.Head || !again.Known || !again.SavedAt.Equal(saved.SavedAt) {
			t.Errorf("saved again: %+v, at first %+v", again, saved)
		}
		wantIDs(t, list(t, s, ""), "urn:x:1=head")
	})
}

// TestAbsence: nothing saved is ErrNoCheckpoint, of an agent, an id and a digest, and an empty list.
func TestAbsence(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		s := open(t, k.place(t))
		for range 2 {
			if _, err := s.Resume(t.Context(), "b"); err != ErrNoCheckpoint {
				t.Errorf("resume: %v", err)
			}
			for _, ref := range []string{"urn:x:none", digest.OfBytes(nil).String(), "", "sha-256:zz"} {
				if _, err := s.Get(t.Context(), ref); err != ErrNoCheckpoint {
					t.Errorf("get %q: %v", ref, err)
				}
			}
			wantIDs(t, list(t, s, "b"))
			save(t, s, "a", document("urn:x:1", ""), SaveOptions{})
		}
	})
}

// TestMissingStore: a store that was named and is not there is never an absence.
func TestMissingStore(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		address := k.place(t)
		resume := func() error {
			s, err := Open(t.Context(), address, Options{})
			if err != nil {
				return err
			}
			defer s.Close()
			_, err = s.Resume(t.Context(), "a")
			for _, listed := range s.List(t.Context(), "") {
				if listed == nil || listed.Error() != err.Error() {
					t.Errorf("list: %v, resume: %v", listed, err)
				}
			}
			if _, got := s.Get(t.Context(), "urn:x:1"); got == nil || got.Error() != err.Error() {
				t.Errorf("get: %v, resume: %v", got, err)
			}
			if _, pruned := s.Prune(t.Context(), PruneOptions{Keep: 1}); pruned == nil || pruned.Error() != err.Error() {
				t.Errorf("prune: %v, resume: %v", pruned, err)
			}
			return err
		}
		var missing *MissingStoreError
		if err := resume(); !errors.As(err, &missing) {
			t.Errorf("%v", err)
		}
		open(t, address)
		s, err := Open(t.Context(), address, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Resume(t.Context(), "a"); err != ErrNoCheckpoint {
			t.Errorf("once it is there: %v", err)
		}
	})
}

// TestHead: a child of the head becomes the head; anything else is saved beside it, unless it is forced, or follows the head that was expected.
func TestHead(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		s := open(t, k.place(t))
		one, two := document("1", ""), document("2", "1")
		first := save(t, s, "a", one, SaveOptions{})
		if got := save(t, s, "a", two, SaveOptions{}); !got.Head {
			t.Errorf("a child: %+v", got)
		}
		beside := save(t, s, "a", document("3", "1"), SaveOptions{})
		if beside.Head || beside.Current != digest.OfBytes(two).String() {
			t.Errorf("a child of another: %+v", beside)
		}
		if got := save(t, s, "a", document("4", ""), SaveOptions{}); got.Head {
			t.Errorf("an orphan: %+v", got)
		}
		other := documentWith("5", "", `,"parent":{"id":"2","digest":"`+first.Digest+`"}`)
		if got := save(t, s, "a", other, SaveOptions{}); got.Head {
			t.Errorf("a child of another content: %+v", got)
		}
		resumes(t, s, "a", two)
		wantIDs(t, list(t, s, "a"), "1", "2=head", "3=branch", "4=branch", "5=branch")
		if got := save(t, s, "a", document("3", "1"), SaveOptions{Force: true}); !got.Head || !got.Known {
			t.Errorf("forced: %+v", got)
		}
		wantIDs(t, list(t, s, "a"), "1", "2", "3=head", "4=branch", "5=branch")
		if got := save(t, s, "a", document("6", ""), SaveOptions{Expect: beside.Digest}); !got.Head {
			t.Errorf("an orphan that expected the head: %+v", got)
		}
		if got := save(t, s, "a", documentWith("7", "", `,"parent":{"id":"6","digest":"`+canonicalOf(t, document("6", ""))+`"}`), SaveOptions{}); !got.Head {
			t.Errorf("a child with the digest of the canonical form: %+v", got)
		}
	})
}

func canonicalOf(t *testing.T, text []byte) string {
	t.Helper()
	sum, err := digest.Of(text)
	if err != nil {
		t.Fatal(err)
	}
	return sum.String()
}

// TestExpect: a save that expects another head than there is saves nothing and says which there is. Both forms of a digest are known.
func TestExpect(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		s := open(t, k.place(t))
		one := []byte(strings.Replace(string(document("1", "")), ":", ": ", 1))
		for _, expect := range []string{digest.OfBytes(one).String()} {
			wantConflict(t, s, document("1", ""), expect, "")
		}
		head := save(t, s, "a", one, SaveOptions{Expect: NoHead})
		wantConflict(t, s, document("2", "1"), NoHead, head.Digest)
		wantConflict(t, s, document("2", "1"), digest.OfBytes([]byte("x")).String(), head.Digest)
		if _, err := s.Save(t.Context(), "a", document("2", "1"), SaveOptions{Expect: "md5:00"}); !errors.As(err, new(*ExpectError)) {
			t.Errorf("%v", err)
		}
		wantIDs(t, list(t, s, ""), "1=head")
		forms := []string{head.Canonical, head.Digest, strings.Replace(head.Digest, "sha-256", "SHA256", 1), digest.OfBytes(append(one, '\n')).String()}
		for i, expect := range forms {
			if got := save(t, s, fmt.Sprint("b", i), one, SaveOptions{}); !got.Head {
				t.Fatalf("%+v", got)
			}
			if got := save(t, s, fmt.Sprint("b", i), document("2", "1"), SaveOptions{Expect: expect}); !got.Head {
				t.Errorf("%s: %+v", expect, got)
			}
		}
	})
}

func wantConflict(t *testing.T, s Store, text []byte, expect, head string) {
	t.Helper()
	_, err := s.Save(t.Context(), "a", text, SaveOptions{Expect: expect})
	var conflict *ConflictError
	if !errors.As(err, &conflict) || conflict.Head != head || conflict.Expected != expect {
		t.Errorf("expecting %s: %v", expect, err)
	}
}

// TestGet: by id, by the digest of the bytes, by that of the canonical form. Two contents under one id are not chosen from.
func TestGet(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		s := open(t, k.place(t))
		id := "urn:x:<é>\"\\"
		text := document(id, "")
		spaced := []byte(strings.Replace(string(text), ",", ", ", 1))
		save(t, s, "b", text, SaveOptions{})
		save(t, s, "b", spaced, SaveOptions{})
		for ref, want := range map[string][]byte{id: text, digest.OfBytes(text).String(): text, digest.OfBytes(spaced).String(): spaced, canonicalOf(t, text): text} {
			c, err := s.Get(t.Context(), ref)
			if err != nil || string(c.Bytes) != string(want) || c.ID != id || c.Agent != "b" {
				t.Errorf("%s: %+v, %v", ref, c, err)
			}
		}
		save(t, s, "c", documentWith(id, "", `,"extensions":{}`), SaveOptions{})
		var ambiguous *AmbiguousError
		if _, err := s.Get(t.Context(), id); !errors.As(err, &ambiguous) || len(ambiguous.Digests) != 3 {
			t.Errorf("%v", err)
		}
	})
}

// TestAgentIDs: an agent id is data; what is none is refused, the same by every method.
func TestAgentIDs(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		s := open(t, k.place(t))
		good := []string{"../../x", "/etc/passwd", "a/b\\c", ".", "a b", "'; DROP TABLE x;--", "é", "e\u0301", strings.Repeat("x", MaxAgent), "%00", "A", "a"}
		for i, agent := range good {
			save(t, s, agent, document(fmt.Sprint(i), ""), SaveOptions{})
		}
		for i, agent := range good {
			resumes(t, s, agent, document(fmt.Sprint(i), ""))
		}
		var agents []string
		for _, e := range list(t, s, "") {
			agents = append(agents, e.Agent)
		}
		slices.Sort(good)
		if !slices.Equal(agents, good) {
			t.Errorf("%q, want %q", agents, good)
		}
		for _, agent := range []string{"", strings.Repeat("x", 10<<10), "a\x00b", "a\nb", "\x1b[31m", "\u0085", "\xff"} {
			_, err1 := s.Save(t.Context(), agent, document("z", ""), SaveOptions{})
			_, err2 := s.Resume(t.Context(), agent)
			for _, err := range []error{err1, err2} {
				if !errors.As(err, new(*AgentError)) && !errors.As(err, new(*LimitError)) {
					t.Errorf("%.20q: %v", agent, err)
				}
			}
		}
	})
}

// TestSaveRefuses: what is no valid checkpoint, or too large, is not saved.
func TestSaveRefuses(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		s := open(t, k.place(t))
		for _, text := range []string{"", "{", `{"opencheckpoint":"0.1"}`, string(document("1", "1")), string(document("1", "")) + "{}"} {
			_, err := s.Save(t.Context(), "a", []byte(text), SaveOptions{})
			if !errors.As(err, new(*checkpoint.InvalidError)) && !errors.As(err, new(*digest.SyntaxError)) {
				t.Errorf("%q: %v", text, err)
			}
		}
		unknown := documentWith("1", "", `,"x":1`)
		if _, err := s.Save(t.Context(), "a", unknown, SaveOptions{}); err == nil {
			t.Error("an undefined member is saved")
		}
		var limit *LimitError
		if _, err := s.Save(t.Context(), "a", make([]byte, MaxSize+1), SaveOptions{}); !errors.As(err, &limit) {
			t.Errorf("%v", err)
		}
		wantIDs(t, list(t, s, ""))
		save(t, s, "a", unknown, SaveOptions{Lenient: true})
		resumes(t, s, "a", unknown)
	})
}

// TestCorrupt: what is not as it was saved is never returned and never absent; saving it again mends it.
func TestCorrupt(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		for _, remove := range []bool{false, true} {
			address := k.place(t)
			s := open(t, address)
			text := document("1", "")
			saved := save(t, s, "a", text, SaveOptions{})
			k.damage(t, address, saved.Digest, remove)
			_, resumed := s.Resume(t.Context(), "a")
			_, got := s.Get(t.Context(), "1")
			_, exact := s.Get(t.Context(), saved.Digest)
			for _, err := range []error{resumed, got, exact} {
				if !errors.As(err, new(*CorruptError)) {
					t.Errorf("removed %v: %v", remove, err)
				}
			}
			if saved := save(t, s, "a", text, SaveOptions{}); !saved.Head {
				t.Errorf("%+v", saved)
			}
			resumes(t, s, "a", text)
			wantIDs(t, list(t, s, ""), "1=head")
		}
	})
}

// TestConcurrentSavers: of many savers that expect one head, exactly one wins, each round, and all that was acknowledged is there.
func TestConcurrentSavers(t *testing.T) {
	const savers = 32
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	eachKind(t, func(t *testing.T, k kind) {
		address := k.place(t)
		var stores []Store
		for range savers {
			stores = append(stores, open(t, address))
		}
		expect, parent := NoHead, ""
		var line []string
		for round := range rounds {
			winners := race(t, stores, round, parent, expect)
			if len(winners) != 1 {
				t.Fatalf("round %d: %d won", round, len(winners))
			}
			expect, parent = winners[0].Digest, winners[0].ID
			line = append(line, parent)
		}
		line[len(line)-1] += "=head"
		wantIDs(t, list(t, stores[0], "a"), line...)
	})
}

// race lets each store save at the same time, and returns what was saved.
func race(t *testing.T, stores []Store, round int, parent, expect string) (winners []*Saved) {
	var mu sync.Mutex
	var all sync.WaitGroup
	start := make(chan bool)
	for i, s := range stores {
		all.Go(func() {
			<-start
			saved, err := s.Save(t.Context(), "a", document(fmt.Sprintf("%d.%d", round, i), parent), SaveOptions{Expect: expect})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				winners = append(winners, saved)
			} else if !errors.As(err, new(*ConflictError)) {
				t.Errorf("round %d: %v", round, err)
			}
		})
	}
	close(start)
	all.Wait()
	return winners
}

// TestConcurrentBranches: many that save without expecting anything lose nothing.
func TestConcurrentBranches(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		address := k.place(t)
		save(t, open(t, address), "a", document("0", ""), SaveOptions{})
		var all sync.WaitGroup
		for i := range 32 {
			s := open(t, address)
			all.Go(func() {
				defer s.Close()
				if _, err := s.Save(t.Context(), "a", document(fmt.Sprint(i+1), "0"), SaveOptions{}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		heads, branches := 0, 0
		entries := list(t, open(t, address), "a")
		for _, e := range entries {
			if e.Head {
				heads++
			}
			if e.Branch {
				branches++
			}
		}
		if len(entries) != 33 || heads != 1 || branches != 31 {
			t.Errorf("%d saved, %d heads, %d branches", len(entries), heads, branches)
		}
	})
}

// TestPrune: a head stays, and what a checkpoint that stays names as recoverable, also of another agent; the rest goes by age or count.
func TestPrune(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		s := open(t, k.place(t))
		parent := ""
		for _, id := range []string{"1", "2", "3", "4"} {
			save(t, s, "a", document(id, parent), SaveOptions{})
			parent = id
		}
		save(t, s, "a", document("side", "1"), SaveOptions{})
		recovers := func(uri, sum string) string {
			return fmt.Sprintf(`,"resources":[{"id":"r","uri":%q%s}],"derivation":{"method":"compacted","omissions":[{"description":"1 step","reason":"size","recoverable_from":"r"}]}`, uri, sum)
		}
		save(t, s, "b", documentWith("b1", "", recovers("2", "")), SaveOptions{})
		save(t, s, "c", documentWith("c1", "", recovers("file:///gone", `,"digest":"`+canonicalOf(t, documentWith("b1", "", recovers("2", "")))+`"`)), SaveOptions{})
		save(t, s, "b", document("b2", "b1"), SaveOptions{})
		opts := PruneOptions{Keep: 2}
		pruned, err := s.Prune(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		wantIDs(t, pruned, "1", "3")
		if got := list(t, s, ""); len(got) != 8 {
			t.Errorf("a dry run removed some: %v", ids(got))
		}
		opts.Keep = 1
		opts.Agent = "a"
		opts.Apply = true
		if pruned, err = s.Prune(t.Context(), opts); err != nil {
			t.Fatal(err)
		}
		wantIDs(t, pruned, "1", "3")
		wantIDs(t, list(t, s, ""), "2", "4=head", "side=branch", "b1", "b2=head", "c1=head")
		resumes(t, s, "a", document("4", "3"))
		if _, err := s.Get(t.Context(), "1"); err != ErrNoCheckpoint {
			t.Errorf("%v", err)
		}
		if pruned, err = s.Prune(t.Context(), PruneOptions{Before: time.Now().Add(-time.Hour), Keep: 1, Apply: true}); err != nil || len(pruned) > 0 {
			t.Errorf("%v, %v", ids(pruned), err)
		}
		if pruned, err = s.Prune(t.Context(), PruneOptions{Before: time.Now().Add(time.Hour), Apply: true}); err != nil {
			t.Error(err)
		}
		wantIDs(t, pruned, "side=branch")
		if pruned, err = s.Prune(t.Context(), PruneOptions{Apply: true}); err != nil || len(pruned) > 0 {
			t.Errorf("without a limit: %v, %v", ids(pruned), err)
		}
		save(t, s, "a", document("5", "4"), SaveOptions{})
		wantIDs(t, list(t, s, "a"), "2", "4", "5=head")
	})
}

// TestPruneSpellings: however a checkpoint that stays spells what can be recovered, as long as Get understands it, that stays.
func TestPruneSpellings(t *testing.T) {
	old := document("urn:x:old", "")
	sum := digest.OfBytes(old)
	hexadecimal := strings.TrimPrefix(sum.String(), sumPrefix)
	raw, err := hex.DecodeString(hexadecimal)
	if err != nil {
		t.Fatal(err)
	}
	spellings := []string{
		"urn:x:old", "ocp://checkpoints/urn:x:old", "ocp://checkpoints/urn%3Ax%3Aold",
		sum.String(), "sha256:" + hexadecimal, "SHA-256:" + strings.ToUpper(hexadecimal), canonicalOf(t, old),
		"ni:///sha-256;" + base64.RawURLEncoding.EncodeToString(raw), "ni://example.org/sha-256;" + base64.RawURLEncoding.EncodeToString(raw),
		"ocp://checkpoints/" + sum.String(), "ocp://checkpoints/sha256:" + hexadecimal, "ocp://checkpoints/SHA-256:" + strings.ToUpper(hexadecimal),
		"ocp://checkpoints/ni%3A%2F%2F%2Fsha-256%3B" + base64.RawURLEncoding.EncodeToString(raw),
	}
	eachKind(t, func(t *testing.T, k kind) {
		s := open(t, k.place(t))
		for i, uri := range spellings {
			agent := fmt.Sprint("a", i)
			save(t, s, agent, old, SaveOptions{})
			save(t, s, agent, document("2", "urn:x:old"), SaveOptions{})
			save(t, s, "keeper", recovering("keeper", uri), SaveOptions{Force: true})
			if _, err := s.Prune(t.Context(), PruneOptions{Agent: "keeper", Keep: 1, Apply: true}); err != nil {
				t.Error(err)
			}
			if pruned, err := s.Prune(t.Context(), PruneOptions{Agent: agent, Keep: 1, Apply: true}); err != nil || len(pruned) > 0 {
				t.Errorf("%s: %v, %v", uri, ids(pruned), err)
			}
		}
		literal := document("ocp://checkpoints/urn%3Ay", "")
		save(t, s, "b", literal, SaveOptions{})
		save(t, s, "b", document("2", "ocp://checkpoints/urn%3Ay"), SaveOptions{})
		save(t, s, "keeper", recovering("keeper", "ocp://checkpoints/urn%3Ay"), SaveOptions{Force: true})
		if pruned, err := s.Prune(t.Context(), PruneOptions{Agent: "b", Keep: 1, Apply: true}); err != nil || len(pruned) > 0 {
			t.Errorf("an id that looks like such a URI: %v, %v", ids(pruned), err)
		}
	})
}

// recovering is a checkpoint that names a resource from which something can be recovered.
func recovering(id, uri string) []byte {
	return documentWith(id, "", fmt.Sprintf(`,"resources":[{"id":"r","uri":%q}],"derivation":{"method":"compacted","omissions":[{"description":"1 step","reason":"size","recoverable_from":"r"}]}`, uri))
}
