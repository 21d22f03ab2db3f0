package client

import (
	"encoding/json"
	"strings"
	"testing"
)

var kinds = []Kind{SessionStart, Prompt, Request, Before, After, TurnEnd, Compaction, SessionEnd}

func TestOnlyGuardsBlock(t *testing.T) {
	each(t, func(t *testing.T, c *Client) {
		for _, k := range kinds {
			for _, message := range []string{"no space\nleft", "", " \n"} {
				a := c.Block(k, message)
				if (a.Status == blocked) != k.Guards() || a.Status != blocked && a.Status != 0 {
					t.Errorf("%v: status %d", k, a.Status)
				}
				if text := string(a.Stderr); strings.TrimSpace(text) == "" || strings.Count(text, "\n") != 1 {
					t.Errorf("%v: text %q", k, text)
				}
			}
			if a := c.Allow(k); a.Status != 0 || len(a.Stdout)+len(a.Stderr) > 0 {
				t.Errorf("%v: %+v", k, a)
			}
			if a := c.Report(k, "x"); a.Status != 0 || string(a.Stdout) != `{"systemMessage":"x"}`+"\n" {
				t.Errorf("%v: %+v", k, a)
			}
		}
	})
}

func TestStopEndsTheTurnWhereItCan(t *testing.T) {
	want := map[string]string{
		"claude-code": `{"continue":false,"stopReason":"<x>","systemMessage":"<x>"}`,
		"codex":       `{"systemMessage":"<x>","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"<x>"}}`,
		"gemini-cli":  `{"systemMessage":"<x>","hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"<x>"}}`,
		"opencode":    ``,
	}
	each(t, func(t *testing.T, c *Client) {
		a := c.Stop(After, "<x>")
		if got := strings.TrimSpace(string(a.Stdout)); got != want[c.Name] || (a.Status == blocked) != (c == openCode) {
			t.Errorf("%d %s", a.Status, got)
		}
		if a := c.Stop(TurnEnd, "x"); a.Status != 0 || strings.Contains(string(a.Stdout), "continue") {
			t.Errorf("a turn end is stopped: %+v", a)
		}
	})
}

func TestContextIsTheText(t *testing.T) {
	each(t, func(t *testing.T, c *Client) {
		const text = "a \"b\" <c>\n\x01 d\u2028"
		var o output
		if err := json.Unmarshal(c.Context(text).Stdout, &o); err != nil || o.Specific.Context != text || o.Specific.Event != c.events[0].word {
			t.Errorf("%v %+v", err, o)
		}
	})
}

func TestFailureTextsHoldNothingThatAShellReads(t *testing.T) {
	for _, k := range kinds {
		if strings.ContainsAny(failure(k), "'\"\\!$`\n") {
			t.Errorf("%v: %s", k, failure(k))
		}
	}
}
