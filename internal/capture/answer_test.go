package capture

import "testing"

// TestProofOf: what a hook is told proves no more than the log of the same call would.
func TestProofOf(t *testing.T) {
	for _, c := range []struct {
		client string
		answer Answer
		want   Proof
	}{
		{"claude-code", Answer{Tool: "Bash", Result: []byte(`{"stdout":"ok","stderr":"","interrupted":false}`)}, Finished},
		{"claude-code", Answer{Tool: "Bash", Result: []byte(`{"stdout":"","interrupted":true}`), Interrupted: true}, Started},
		{"claude-code", Answer{Tool: "Bash", Result: []byte(`{"stdout":"","backgroundTaskId":"b1"}`)}, Started},
		{"claude-code", Answer{Tool: "Agent", Result: []byte(`{"isAsync":true,"status":"async_launched","agentId":"a1"}`)}, Started},
		{"claude-code", Answer{Tool: "Read", Result: []byte(`"no such file"`), Failed: true}, FinishedWithError},
		{"claude-code", Answer{Tool: "Bash", Result: []byte(`"Exit code 143\nCommand timed out after 2s"`), Failed: true}, Started},
		{"claude-code", Answer{Tool: "pay", Server: "bank", Result: []byte(`"MCP error -32001: Request timed out"`), Failed: true}, Started},
		{"claude-code", Answer{Tool: "pay", Server: "bank", Result: []byte(`[{"type":"text","text":"paid"}]`)}, Finished},
		{"claude-code", Answer{Tool: "Bash"}, Finished},
		{"claude-code", Answer{Tool: "Bash", Failed: true}, FinishedWithError},
		{"codex", Answer{Tool: "Bash", Result: []byte(`""`)}, Finished},
		{"codex", Answer{Tool: "Bash", Result: []byte(`"aborted by user after 3.1s"`)}, Started},
		{"gemini-cli", Answer{Tool: "run_shell_command", Result: []byte(`{"llmContent":"Output: ok\nProcess Group PGID: 4"}`)}, Finished},
		{"gemini-cli", Answer{Tool: "run_shell_command", Result: []byte(`{"llmContent":"Output: (empty)\nExit Code: 1\nProcess Group PGID: 4"}`)}, FinishedWithError},
		{"gemini-cli", Answer{Tool: "run_shell_command", Result: []byte(`{"llmContent":"Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output."}`)}, Started},
		{"gemini-cli", Answer{Tool: "pay", Result: []byte(`{"llmContent":[{"text":"no"}],"error":{"message":"no"}}`), Failed: true}, FinishedWithError},
		{"gemini-cli", Answer{Tool: "pay", Result: []byte(`{"llmContent":"","error":{"message":"MCP error -32001: Request timed out"}}`), Failed: true}, Started},
		{"opencode", Answer{Tool: "bash", Result: []byte(`{"title":"x","output":"ok","metadata":{"exit":0}}`)}, Finished},
		{"opencode", Answer{Tool: "bash", Result: []byte(`{"title":"x","output":"","metadata":{"exit":1}}`)}, FinishedWithError},
		{"opencode", Answer{Tool: "bash", Result: []byte(`{"title":"x","output":"","metadata":{"exit":null}}`)}, Started},
		{"opencode", Answer{Tool: "pay", Result: []byte(`not JSON`)}, Finished},
	} {
		if got := ProofOf(c.client, c.answer); got != c.want {
			t.Errorf("%s, %+v %s: %d, want %d", c.client, c.answer, c.answer.Result, got, c.want)
		}
	}
}
