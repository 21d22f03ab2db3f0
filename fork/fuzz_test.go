package fork_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/fork"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// FuzzFork: whatever the bytes and the wishes, there are forks for which all laws hold, or an error of a kind that is documented.
func FuzzFork(f *testing.F) {
	for seed := range uint64(24) {
		src, _ := document(seed)
		if len(src) > 12_000 {
			continue
		}
		f.Add(src, byte(seed), byte(seed*7), "op-1", "fork.A.constraint", "text")
		f.Add(testdoc.Mutate(src, seed), byte(seed), byte(seed*11), "a", "A", "\x00\u2028")
	}
	f.Add([]byte(head+"}"), byte(0), byte(0), "", "", "")
	f.Add([]byte(head+`,"":{"":[]},"parent/id":1,"derivation":{"method":"captured","":{},"OMISSIONS":[]}}`), byte(2), byte(1), "", "", "")
	f.Add([]byte(head+`,"extensions":{"`+forkKey+`":`+strings.Repeat("[", 998)+strings.Repeat("]", 998)+"}}"), byte(1), byte(1), "", "", "")
	f.Fuzz(func(t *testing.T, src []byte, n, flags byte, operation, statement, text string) {
		n %= 12
		opts := fork.Options{Now: later, Lenient: flags&1 != 0, Remove: flags&2 != 0, Spread: flags&4 != 0, IDs: fuzzIDs(n, text)}
		if flags&8 != 0 {
			opts.Owner = text
		}
		if flags&16 != 0 {
			opts.Assign = []fork.Assignment{{Operation: operation, Fork: "1"}}
		}
		if flags&32 != 0 {
			opts.Statements = []fork.Statement{{Fork: "1", Kind: "constraint", Text: text, By: fork.Origin{Type: "tool", Name: text}}}
		}
		if flags&64 != 0 {
			opts.Supersede = []string{statement}
		}
		if flags&128 != 0 {
			opts.Now, opts.ParentURI = earlier, text
		}
		if list, err := fork.Fork(src, int(n), opts); err != nil {
			if list != nil {
				t.Error("forks and an error")
			}
			known(t, err)
			return
		}
		trial, err := run(src, int(n), opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range trial.hold() {
			t.Error(err)
		}
	})
}

func fuzzIDs(n byte, text string) (ids []string) {
	for i := range n {
		ids = append(ids, text+" "+string('A'+rune(i)))
	}
	return ids
}

// known fails for an error of a kind that is not documented.
func known(t *testing.T, err error) {
	var (
		syntax  *jsonspan.SyntaxError
		invalid *checkpoint.InvalidError
		instant *checkpoint.InstantError
		request *fork.RequestError
	)
	switch {
	case errors.As(err, &syntax), errors.As(err, &invalid), errors.As(err, &instant), errors.As(err, &request):
	case errors.Is(err, checkpoint.ErrSameID), errors.Is(err, checkpoint.ErrText):
	default:
		t.Errorf("%T: %v", err, err)
	}
}

// lawsOf holds all laws against a damaged document, if it is still valid.
func lawsOf(seed, mutation uint64) (valid bool, errs []error) {
	src, _ := document(seed)
	for range 1 + mutation%3 {
		src = testdoc.Mutate(src, mutation)
	}
	lenient := mutation%2 == 0
	if _, err := checkpoint.ParseOne(src, checkpoint.Options{Lenient: lenient}); err != nil {
		return false, nil
	}
	n, opts := wishes(newDice(seed, 15), mustModel(src))
	opts.Lenient = lenient
	trial, err := run(src, n, opts)
	switch {
	case errors.As(err, new(*checkpoint.InstantError)):
		return false, nil
	case err != nil:
		return true, []error{err}
	}
	return true, trial.hold()
}

// TestDamaged: parents that are valid by a hair, with warnings, shapes that are only inferred, undefined members.
func TestDamaged(t *testing.T) {
	valid := make(chan bool, 2000)
	testdoc.Seeds(t, 800, func(seed uint64) []error {
		is, errs := lawsOf(seed, seed+50_000)
		if is {
			valid <- true
		}
		return errs
	})
	t.Logf("%d valid documents", len(valid))
}
