package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/opencheckpoint/ocp/compact"
	"github.com/opencheckpoint/ocp/fork"
	"github.com/opencheckpoint/ocp/internal/checkpoint"
	"github.com/opencheckpoint/ocp/internal/tokens"
)

// compactArgs are the arguments of checkpoint_compact. That evidence was checked is not an agent's to say.
type compactArgs struct {
	source
	Budget    budget          `json:"budget" jsonschema:"the size that the document may have: tokens, or bytes with a unit, or min"`
	Tokenizer string          `json:"tokenizer,omitempty" jsonschema:"what counts tokens; o200k_base if it is absent"`
	Keep      []string        `json:"keep,omitempty" jsonschema:"local ids of objects to keep whole"`
	KeepKinds []statementKind `json:"keep_kinds,omitempty" jsonschema:"kinds of statements to keep whole"`
	DropDone  bool            `json:"drop_done,omitempty" jsonschema:"as the last resort give up rejected approvals and actions that are over"`
}

// compacted is what checkpoint_compact returns.
type compacted struct {
	ID         string   `json:"id"`
	Unchanged  bool     `json:"unchanged" jsonschema:"it fitted as it was"`
	Size       int      `json:"size"`
	Unit       string   `json:"unit"`
	Stale      []string `json:"stale" jsonschema:"statements that became stale"`
	Checkpoint embedded `json:"checkpoint"`
}

func compactTool() tool {
	return newTool(sdk.Tool{
		Name: "checkpoint_compact", Title: "Compact a checkpoint", Annotations: reads(),
		Description: "Make a document fit a budget with the smallest loss, without a model. Instructions, constraints, decisions, open questions, " +
			"what is not over and what a destination must check are never lost; what goes is recorded. Nothing is saved.",
	}, schemaOf[compacted](), compactOne)
}

func compactOne(ctx context.Context, s *server, a *compactArgs) (*answer, error) {
	size, err := compact.ParseBudget(string(a.Budget))
	if err != nil {
		return nil, wrong("budget", "%v", err)
	}
	if _, err := tokens.NewCounter(a.Tokenizer); err != nil {
		return nil, wrong("", "%v", err)
	}
	text, name, err := a.read(ctx, s)
	if err != nil {
		return nil, err
	}
	opts := compact.Options{Budget: size, Tokenizer: a.Tokenizer, Keep: a.Keep, DropDone: a.DropDone, Lenient: a.Lenient}
	for _, kind := range a.KeepKinds {
		opts.KeepKinds = append(opts.KeepKinds, string(kind))
	}
	r, err := compact.Compact(text, opts)
	if err != nil {
		return nil, about(name, err)
	}
	data := &compacted{r.ID, r.Unchanged, r.Size, r.Unit.String(), append([]string{}, r.Stale...), embed(r.Bytes())}
	done := "compacted"
	if r.Unchanged {
		done = "unchanged, it fits"
	}
	return show(data, data.facts(), [][]byte{r.Bytes()}, "%s: %d %s", done, r.Size, r.Unit)
}

func embed(text []byte) embedded { return embedded{json.RawMessage(text)} }

// forkArgs are the arguments of checkpoint_fork. An agent can add a constraint in its own name, and no instruction (§6.5).
type forkArgs struct {
	source
	N           integer      `json:"n" jsonschema:"how many forks to make"`
	Labels      []string     `json:"labels,omitempty" jsonschema:"their labels, one each; 1, 2, 3... if they are absent"`
	Owner       string       `json:"owner,omitempty" jsonschema:"all pending actions are actionable in this fork, a label or a number"`
	Spread      bool         `json:"spread,omitempty" jsonschema:"deal the pending actions to the forks in turn"`
	Assign      []assignment `json:"assign,omitempty" jsonschema:"make an operation actionable in one fork"`
	Remove      bool         `json:"remove,omitempty" jsonschema:"drop what another fork owns, where nothing refers to it, instead of forbidding it"`
	Constraints []constraint `json:"constraints,omitempty" jsonschema:"add a constraint to one fork; its origin is agent"`
}

type assignment struct {
	Operation string `json:"operation" jsonschema:"its local id"`
	Fork      string `json:"fork" jsonschema:"a label or a number"`
}

type constraint struct {
	Fork string `json:"fork" jsonschema:"a label or a number"`
	Text string `json:"text"`
}

// forked is what checkpoint_fork returns.
type forked struct {
	Forks []oneFork `json:"forks"`
	Notes []string  `json:"notes"`
}

type oneFork struct {
	ID         string   `json:"id"`
	Label      string   `json:"label"`
	Owns       []string `json:"owns" jsonschema:"operations that are actionable in this fork and no other"`
	Guarded    []string `json:"guarded" jsonschema:"operations that a stop condition of this fork forbids"`
	Removed    []string `json:"removed"`
	Kept       []string `json:"kept" jsonschema:"guarded ones that could not be removed"`
	Checkpoint embedded `json:"checkpoint"`
}

func forkTool() tool {
	return newTool(sdk.Tool{
		Name: "checkpoint_fork", Title: "Fork a checkpoint", Annotations: reads(),
		Description: fmt.Sprintf("Make up to %d siblings of a document, for agents that go on in parallel. A pending action that may change the world is actionable in "+
			"at most one; without owner, spread or assign in none. Nothing is saved.", MaxForks),
	}, schemaOf[forked](), forkOne)
}

func forkOne(ctx context.Context, s *server, a *forkArgs) (*answer, error) {
	if a.N < 1 || a.N > MaxForks {
		return nil, wrong("n", "%d: from 1 to %d forks can be made here", a.N, MaxForks)
	}
	opts, err := a.options()
	if err != nil {
		return nil, err
	}
	text, name, err := a.read(ctx, s)
	if err != nil {
		return nil, err
	}
	if _, err := checkpoint.ParseOne(text, checkpoint.Options{Lenient: a.Lenient}); err != nil {
		return nil, about(name, err)
	}
	forks, _, err := fork.First(text, int(a.N), opts)
	if err != nil {
		return nil, about(name, err)
	}
	return collect(name, forks)
}

// options turns the arguments into the library's options.
func (a *forkArgs) options() (opts fork.Options, err error) {
	opts = fork.Options{Labels: a.Labels, Owner: a.Owner, Spread: a.Spread, Remove: a.Remove, Lenient: a.Lenient}
	for _, x := range a.Assign {
		opts.Assign = append(opts.Assign, fork.Assignment{Operation: x.Operation, Fork: x.Fork})
	}
	for _, c := range a.Constraints {
		opts.Statements = append(opts.Statements, fork.Statement{Fork: c.Fork, Kind: "constraint", Text: c.Text, By: fork.Origin{Type: "agent"}})
	}
	return opts, a.check()
}

// check refuses here, by the argument's name, what the library would say of the document.
func (a *forkArgs) check() error {
	if a.Owner != "" && a.Spread {
		return wrong("", "owner and spread exclude each other")
	}
	err := a.checkLabels()
	if err == nil && a.Owner != "" {
		err = a.checkFork("owner", a.Owner)
	}
	for i, x := range a.Assign {
		err = cmp.Or(err, a.checkFork(fmt.Sprintf("assign[%d].fork", i), x.Fork))
	}
	for i, c := range a.Constraints {
		err = cmp.Or(err, a.checkFork(fmt.Sprintf("constraints[%d].fork", i), c.Fork))
	}
	return err
}

func (a *forkArgs) checkLabels() error {
	if len(a.Labels) > 0 && len(a.Labels) != int(a.N) {
		return wrong("labels", "it names %s and n makes %d", count(len(a.Labels), "fork"), a.N)
	}
	for i, label := range a.Labels {
		switch {
		case !fork.IsLabel(label):
			return wrong(fmt.Sprintf("labels[%d]", i), "%q: a label has letters, digits, '.', '_' and '-', and no '.' first", label)
		case slices.Contains(a.Labels[:i], label):
			return wrong(fmt.Sprintf("labels[%d]", i), "%q is given twice", label)
		}
	}
	return nil
}

// checkFork refuses a fork that there is not.
func (a *forkArgs) checkFork(argument, name string) error {
	names := a.Labels
	for i := len(names); i < int(a.N); i++ {
		names = append(names, strconv.Itoa(i+1))
	}
	if _, ok := fork.Find(names, name); !ok {
		return wrong(argument, "there is no fork %q", name)
	}
	return nil
}

// collect makes the forks, as far as an answer holds them.
func collect(name string, forks *fork.Forks) (*answer, error) {
	data := &forked{[]oneFork{}, append([]string{}, forks.Notes...)}
	var documents [][]byte
	size := 0
	for r, err := range forks.All() {
		if err != nil {
			return nil, about(name, err)
		}
		if size += len(r.Bytes()); size > MaxAnswer {
			return nil, wrong(name, "%d forks of it have more than the %d bytes that an answer holds; ocp fork has no such limit", forks.Len(), MaxAnswer)
		}
		none := []string{}
		data.Forks = append(data.Forks, oneFork{r.ID, r.Label, append(none, r.Owns...), append(none, r.Guarded...), append(none, r.Removed...),
			append(none, r.Kept...), embed(r.Bytes())})
		documents = append(documents, r.Bytes())
	}
	return show(data, data.facts(), documents, "%s", count(len(documents), "fork"))
}

// count puts a number before a noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
