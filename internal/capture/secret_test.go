package capture

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// The credentials here are put together when the test runs, so that no scanner takes this file for a leak.
var (
	half = strings.Repeat("a1B2", 10)
	key  = strings.Repeat("k9Xw2LmQz7Rt4Vb/", 4)
)

// plants are credentials, each with the part of it that must not pass.
var plants = []struct{ text, must string }{
	{"the key AKIA" + "IOSFODNN7QRSTUVW is", "IOSFODNN7QRSTUVW"},
	{"aws_secret_access_key = wJalrXUtnFEMI" + "/K7MDENG/bPxRfiCY3xAmPlKeYq", "wJalrXUtnFEMI"},
	{"AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "9tSrke72PouQMnMX"},
	{"ghp_" + half[:36], half[:36]},
	{"xoxb-" + "123456789012-1234567890123-" + half[:24], "1234567890123"},
	{"-----BEGIN " + "RSA PRIVATE KEY-----\n" + key + "\n" + key + "\n-----END RSA PRIVATE KEY-----", key},
	{"https://admin:" + "hunter2secret@db.example/x", "hunter2secret"},
	{"https://bucket.s3.amazonaws.com/o?X-Amz-Date=1&X-Amz-Signature=" + strings.Repeat("9f86d081884c7d65", 4), "9f86d081884c7d65"},
	{"https://acct.blob.core.windows.net/c/b?sv=2024-01-01&se=2030-01-01&sig=" + "k9Xw2LmQz7Rt4VbPq8sT1uYh3nJc6dFg5aZe0iOw%3D", "k9Xw2LmQz7Rt4VbPq8sT1uYh3nJc6dFg5aZe0iOw"},
	{"Authorization: Bearer " + half[:32], half[:32]},
	{"ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0In0." + "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "dBjftJeZ4CVP"},
}

// planting is a log of each format with a text in every place where a log has one. # is the text as it stands within a JSON string, and %
// as it stands within one within one.
var planting = map[string]string{
	"claude-code": `{"type":"user","uuid":"#","parentUuid":null,"sessionId":"#","cwd":"/#","version":"#","message":{"role":"user","content":"do # it"}}
{"type":"assistant","uuid":"b","parentUuid":"#","sessionId":"#","message":{"role":"assistant","model":"#","content":[{"type":"text","text":"said #"},{"type":"tool_use","id":"c/#","name":"n/#","input":{"command":"run #","#":1,"deep":{"list":["#"]}}},{"type":"tool_use","id":"d","name":"mcp__s__#","input":{"a":"#"}},{"type":"tool_use","id":"e","name":"Write","input":{"file_path":"/tmp/#"}}]}}
{"type":"user","uuid":"c","parentUuid":"b","sessionId":"#","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"d","content":"gave # back","is_error":true},{"type":"tool_result","tool_use_id":"e","content":[{"type":"text","text":"#"}]}]}}
{"type":"user","uuid":"d","parentUuid":"c","sessionId":"#","isCompactSummary":true,"message":{"role":"user","content":"it was #"}}
{"type":"assistant","uuid":"f","parentUuid":"d","sessionId":"#","message":{"role":"assistant","content":[{"type":"tool_use","id":"g","name":"TodoWrite","input":{"todos":[{"content":"plan #","status":"pending"}]}}]}}
{"type":"user","uuid":"h","parentUuid":"f","sessionId":"#","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"g","content":"ok"}]}}
`,
	"codex": `{"type":"session_meta","payload":{"id":"#","cli_version":"#","cwd":"/#","forked_from_id":"#","history_base":{"thread_id":"#","end_ordinal_exclusive":3}}}
{"type":"turn_context","payload":{"model":"#"}}
{"type":"event_msg","payload":{"type":"user_message","message":"do # it"}}
{"type":"event_msg","payload":{"type":"thread_goal_updated","goal":{"objective":"goal #"}}}
{"type":"response_item","payload":{"type":"function_call","call_id":"#","name":"#","arguments":"{\"cmd\":\"run %\"}"}}
{"type":"response_item","payload":{"type":"custom_tool_call","call_id":"d","name":"apply_patch","input":"*** Add File: /x/#\nbody #"}}
{"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"d","output":"exec command rejected by user #"}}
{"type":"event_msg","payload":{"type":"exec_approval_request","call_id":"#","reason":"because #"}}
{"type":"compacted","payload":{"message":"it was #"}}
`,
	"opencode": `{"info":{"id":"#","directory":"/#","version":"#"},"messages":[{"info":{"role":"user","modelID":"#"},"parts":[{"type":"text","text":"do # it"}]},{"info":{"role":"assistant","modelID":"#","providerID":"#"},"parts":[{"type":"text","text":"said #"},{"type":"tool","tool":"#","callID":"#","state":{"status":"running","input":{"command":"run #"}}},{"type":"tool","tool":"bash","callID":"b","state":{"status":"error","input":{"command":"run #"},"error":"gave #"}},{"type":"tool","tool":"write","callID":"w","state":{"status":"completed","input":{"filePath":"#"},"output":"gave #"}}]}]}`,
	"gemini-cli": `{"sessionId":"#","projectHash":"x"}
{"id":"a","type":"user","content":[{"text":"do # it"}]}
{"id":"b","type":"gemini","model":"#","content":"said #","toolCalls":[{"id":"#","name":"#","args":{"command":"run #"},"status":"executing"},{"id":"c","name":"mcp_s_#","args":{"x":"#"},"status":"error","result":[{"functionResponse":{"response":{"error":"gave #"}}}]}]}
`,
	"dsh": `{"type":"session","version":0,"id":"#","createdAt":1768035600000,"cwd":"/#"}
{"type":"command/run","seq":0,"time":1768035600000,"data":{"name":"#","args":" #","source":{"kind":"user"}}}
{"type":"user/message","seq":1,"time":1768035600000,"data":{"content":[{"type":"text","text":"do # it"}],"source":{"kind":"user"}}}
{"type":"assistant/message","seq":2,"time":1768035600000,"data":{"message":{"content":[{"type":"text","text":"said #"},{"type":"tool-call","id":"#","name":"#","arguments":"{\"command\":\"run %\"}"}],"source":{"kind":"model","provider":"#","model":"#"}}}}
{"type":"approval/asked","seq":3,"time":1768035600000,"data":{"id":"#","callId":"#","reason":"because #"}}
{"type":"approval/decided","seq":4,"time":1768035600000,"data":{"id":"#","outcome":"rejected","by":"#"}}
{"type":"tool/result","seq":5,"time":1768035600000,"data":{"message":{"content":[{"type":"tool-result","toolCallId":"#","content":[{"type":"text","text":"gave #"}],"isError":true}]}}}
{"type":"compaction/summary","seq":6,"time":1768035600000,"data":{"summary":[{"type":"text","text":"it was #"}]}}
`,
	"pi": `{"type":"session","id":"#","timestamp":"2026-01-01T00:00:00Z","cwd":"/#","provider":"#","modelId":"#"}
{"type":"message","message":{"role":"user","content":[{"type":"text","text":"do # it"}]}}
{"type":"message","message":{"role":"assistant","model":"#","content":[{"type":"text","text":"said #"},{"type":"toolCall","id":"#","name":"#","arguments":{"command":"run #"}},{"type":"toolCall","id":"d","name":"edit","arguments":{"path":"#"}}],"stopReason":"toolUse"}}
{"type":"message","message":{"role":"toolResult","toolCallId":"d","content":[{"type":"text","text":"gave # back"}],"isError":true}}
{"type":"message","message":{"role":"bashExecution","command":"run #","output":"gave #","timestamp":1}}
`,
}

// TestCredentials plants credentials in every text of a log of each format.
func TestCredentials(t *testing.T) {
	for format, pattern := range planting {
		for _, p := range plants {
			r := captured(t, format, planted(pattern, p.text))
			sound(t, r)
			plain := unescaped(r.Bytes())
			if strings.Contains(plain, p.must) {
				t.Errorf("%s: %q passed\n%.3000s", format, p.must, plain)
			}
			if r.Credentials == 0 || !strings.Contains(plain, "replaced by a marker") {
				t.Errorf("%s: %q is not recorded", format, p.must)
			}
		}
	}
}

// TestNoCredentials shows that the logs are read to their places: the same text without a credential passes everywhere.
func TestNoCredentials(t *testing.T) {
	for format, pattern := range planting {
		r := captured(t, format, planted(pattern, "harmless"))
		if n := strings.Count(string(r.Bytes()), "harmless"); r.Credentials != 0 || n < 8 {
			t.Errorf("%s: %d credentials, the text %d times", format, r.Credentials, n)
		}
	}
}

// TestCutCredential moves credentials over the end of an excerpt.
func TestCutCredential(t *testing.T) {
	for _, p := range plants {
		for before := excerptLength - len(p.text) - 2; before < excerptLength+2; before += 3 {
			text := strings.Repeat("x", max(before-1, 0)) + " " + p.text
			log := planted(`{"type":"session","id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}
{"type":"message","message":{"role":"user","content":[{"type":"text","text":"do it"}]}}
{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"d","name":"edit","arguments":{}}],"stopReason":"toolUse"}}
{"type":"message","message":{"role":"toolResult","toolCallId":"d","content":[{"type":"text","text":"#"}],"isError":true}}
`, text)
			if plain := unescaped(captured(t, "pi", log).Bytes()); strings.Contains(plain, p.must[:min(len(p.must), 12)]) {
				t.Fatalf("at %d: %q passed", before, p.must)
			}
		}
	}
}

func captured(t testing.TB, format, log string) *Result {
	t.Helper()
	r, err := Capture(strings.NewReader(log), Options{From: format, ID: "urn:example:captured", Now: testNow})
	if err != nil {
		t.Fatalf("%s: %v\n%s", format, err, log)
	}
	return r
}

// planted puts a text into the places of a pattern.
func planted(pattern, text string) string {
	once := inside(text)
	return strings.NewReplacer("#", once, "%", inside(once)).Replace(pattern)
}

// inside is a text as it stands within a JSON string.
func inside(text string) string {
	quoted := jsonspan.AppendQuoted(nil, text)
	return string(quoted[1 : len(quoted)-1])
}

// unescaped has every string of a JSON text, names included, as the characters that it stands for.
func unescaped(doc []byte) string {
	var b strings.Builder
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		panic(err)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, m := range v {
				b.WriteString(name + "\n")
				walk(m)
			}
		case []any:
			for _, m := range v {
				walk(m)
			}
		default:
			fmt.Fprintln(&b, v)
		}
	}
	walk(v)
	return b.String()
}
