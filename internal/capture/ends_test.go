package capture

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// quoted is a text as JSON.
func quoted(t *testing.T, text string) string {
	t.Helper()
	b, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// geminiCall is a turn with a call of a tool whose status is success.
func geminiCall(t *testing.T, tool, output string) string {
	t.Helper()
	return fmt.Sprintf(`"type":"gemini","content":"","toolCalls":[{"id":"c","name":%q,"args":{"command":"make"},"status":"success","timestamp":"2026-01-01T00:00:03Z",`+
		`"result":[{"functionResponse":{"id":"c","name":%q,"response":{"output":%s}}}]}]`, tool, tool, quoted(t, output))
}

// TestEndsInGemini: the client's shell tool succeeds whatever becomes of the command; what the client writes of it counts, not what the command printed.
func TestEndsInGemini(t *testing.T) {
	const (
		timeout   = "Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output."
		uncertain = "op.c=uncertain verify_first"
		failing   = "op.c=failed verify_first"
	)
	for _, c := range []struct{ tool, output, want string }{
		{geminiShell, timeout + " There was no output before it was cancelled.", uncertain},
		{geminiShell, "<untrusted_context>\n" + timeout + " Below is the output before it was cancelled:\nx\n</untrusted_context>", uncertain},
		{geminiShell, "Output too large. Showing first 9 and last 9 characters. For full output see: /o\n<untrusted_context>\n" + timeout + " x\n</untrusted_context>", uncertain},
		{geminiShell, "Command was cancelled by user before it could complete. There was no output before it was cancelled.", uncertain},
		{geminiShell, "Output: " + timeout + "\nProcess Group PGID: 4", ""},
		{geminiShell, "<untrusted_context>\nCommand moved to background (PID: 12). Output hidden. Press Ctrl+B to view.\n</untrusted_context>", uncertain},
		{geminiShell, "Command is running in background. PID: 12. Initial output:\nx", uncertain},
		{"read_file", timeout, ""},
		{geminiShell, "Output: (empty)\nExit Code: 1\nProcess Group PGID: 4", failing},
		{geminiShell, "<untrusted_context>\nOutput: x\nExit Code: 2\nBackground PIDs: 5, 6\nProcess Group PGID: 4\n</untrusted_context>\n\n<hook_context>x</hook_context>", failing},
		{geminiShell, "Output: x\nError: (none)\nExit Code: 1\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: (none)", failing},
		{geminiShell, "Output: x\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: (none)", ""},
		{geminiShell, "Output: Exit Code: 0\nExit Code: 1", failing},
		{geminiShell, "Output: x\nSignal: 9\nProcess Group PGID: 4", failing},
		{geminiShell, "Output: Exit Code: 1\nExit Code: 1\nmore\nProcess Group PGID: 4", ""},
		{geminiShell, "Output: (empty)\nProcess Group PGID: 4", ""},
		{geminiShell, "", ""},
		{"read_file", "Output: (empty)\nExit Code: 1\nProcess Group PGID: 4", ""},
	} {
		got, texts := witnessed(t, geminiLog(geminiUser("do it"), geminiCall(t, c.tool, c.output), `"type":"gemini","content":"done"`), Options{})
		t.Run(c.output, func(t *testing.T) { expect(t, got, c.want) })
		if goesOn := strings.Contains(texts, ": still running when the log ended"); goesOn != strings.Contains(c.output, "PID: 12") {
			t.Errorf("%q: %s", c.output, texts)
		}
		if complained := strings.Contains(texts, `"id":"error.c","kind":"observation"`); c.want == failing && !complained {
			t.Errorf("%q: %s", c.output, texts)
		}
	}
}

// openCodeCall is the export of a session with a call whose status is completed.
func openCodeCall(t *testing.T, tool, output, metadata string) string {
	t.Helper()
	return `{"info":{"id":"s","directory":"/w"},"messages":[{"info":{"id":"m1","role":"user","time":{"created":1767225600000}},"parts":[{"id":"p","type":"text","text":"do it"}]},` +
		`{"info":{"id":"m2","role":"assistant","time":{"created":1767225601000}},"parts":[{"id":"q","type":"tool","tool":"` + tool + `","callID":"c","state":{"status":"completed",` +
		`"input":{"command":"make"},"output":` + quoted(t, output) + `,"metadata":` + metadata + `,"time":{"start":1767225602000,"end":1767225603000}}}]}]}`
}

// TestEndsInOpenCode: a command that was killed is completed for the client.
func TestEndsInOpenCode(t *testing.T) {
	const (
		timeout   = "bash tool terminated command after exceeding timeout 120000 ms"
		uncertain = "op.c=uncertain verify_first"
	)
	for _, c := range []struct{ tool, output, metadata, want string }{
		{"bash", "x\n\n<bash_metadata>\n" + timeout + "\n</bash_metadata>", `{"exit":null}`, uncertain},
		{"bash", "x\n\n<bash_metadata>\n" + timeout + "\n</bash_metadata>", `{"exit":0}`, uncertain},
		{"bash", "x\n\n<shell_metadata>\nshell tool terminated command after exceeding timeout 9 ms. If this\n</shell_metadata>", `{}`, uncertain},
		{"bash", "x\n\n<bash_metadata>\nUser aborted the command\n</bash_metadata>", `{}`, uncertain},
		{"bash", "x\n\n(Command timed out after 60000 ms)", `{}`, uncertain},
		{"bash", "x\n\n(Command was aborted)", `{}`, uncertain},
		{"bash", "x", `{"exit":null}`, uncertain},
		{"bash", "x", `{"exit":0}`, ""},
		{"bash", "x", `{"exit":2}`, "op.c=failed verify_first"},
		{"read", "x", `{"exit":2}`, ""},
		{"bash", "x", `{}`, ""},
		{"bash", "User aborted the command\n" + timeout + "\nx", `{"exit":0}`, ""},
		{"bash", "<bash_metadata>\n" + timeout + "\n</bash_metadata>\nx", `{"exit":0}`, ""},
		{"read", "x\n\n<bash_metadata>\n" + timeout + "\n</bash_metadata>", `{}`, ""},
	} {
		got, _ := witnessed(t, openCodeCall(t, c.tool, c.output, c.metadata), Options{})
		t.Run(c.output+c.metadata, func(t *testing.T) { expect(t, got, c.want) })
	}
}

// TestEndsInClaude: the line with the exit code stands before the client's word that it killed the command.
func TestEndsInClaude(t *testing.T) {
	for text, want := range map[string]string{
		"Exit code 143\nCommand timed out after 2s x\ny":                  "op.c=uncertain verify_first",
		"Exit code 137\n[Request interrupted by user for tool use]\nPING": "op.c=uncertain verify_first",
		"Exit code 1\nmake: Command timed out after 2s":                   "op.c=failed verify_first",
		"Exit code 1\nConnection closed":                                  "op.c=failed verify_first",
		"Exit code 1":                                                     "op.c=failed verify_first",
		"Exit code of x\nCommand timed out after 2s":                      "op.c=failed verify_first",
	} {
		got, _ := witnessed(t, claudeHead+claudeCall("c", "Bash", `{"command":"make"}`)+claudeAnswer("c", text, true), Options{})
		t.Run(text, func(t *testing.T) { expect(t, got, want) })
	}
}

// TestAgentsInClaude: an agent that was launched goes on behind its result, until the client is told of its end by its id.
func TestAgentsInClaude(t *testing.T) {
	const launched = "Async agent launched successfully. (x)\nagentId: a1 (internal ID)\nThe agent is working in the background."
	head := claudeHead + claudeCall("c", "Task", `{"prompt":"look"}`)
	result := func(detail string) string {
		return strings.Replace(claudeAnswer("c", launched, false), `"message"`, `"toolUseResult":`+detail+`,"message"`, 1)
	}
	end := func(status string) string {
		return `{"type":"user","uuid":"n","parentUuid":"rc","sessionId":"s","timestamp":"2026-01-01T00:01:00Z","origin":{"kind":"task-notification"},"message":{"role":"user","content":` +
			quoted(t, "<task-notification>\n<task-id>a1</task-id>\n<status>"+status+"</status>\n</task-notification>") + "}}\n"
	}
	for _, c := range []struct{ name, log, want string }{
		{"launched", head + result(`{"isAsync":true,"status":"async_launched","agentId":"a1"}`), "op.c=uncertain verify_first"},
		{"without an id", head + result(`{"isAsync":true}`), "op.c=uncertain verify_first"},
		{"by its words", head + claudeAnswer("c", launched, false), "op.c=uncertain verify_first"},
		{"elsewhere", head + result(`{"status":"remote_launched","taskId":"a1"}`) + end("completed"), ""},
		{"completed", head + result(`{"isAsync":true,"status":"async_launched","agentId":"a1"}`) + end("completed"), ""},
		{"completed, by its words", head + claudeAnswer("c", launched, false) + end("completed"), ""},
		{"completed, for an older client", head + claudeAnswer("c", launched, false) + strings.NewReplacer("task-", "agent-").Replace(end("completed")), ""},
		{"failed", head + result(`{"isAsync":true,"status":"async_launched","agentId":"a1"}`) + end("failed"), "op.c=failed verify_first"},
		{"another", head + result(`{"isAsync":true,"status":"async_launched","agentId":"a2"}`) + end("completed"), "op.c=uncertain verify_first"},
		{"of a server", claudeHead + claudeCall("c", "mcp__x__y", `{}`) + claudeAnswer("c", launched, false), "op.c=completed"},
	} {
		got, texts := witnessed(t, c.log, Options{})
		t.Run(c.name, func(t *testing.T) { expect(t, got, c.want) })
		if status := got["op.c"]; strings.HasPrefix(status, "uncertain") && !strings.Contains(texts, ": still running when the log ended") {
			t.Errorf("%s: %s", c.name, texts)
		}
	}
}
