package client

// What is known of each client was seen with Claude Code 2.1.332, Codex 0.171.0, Gemini CLI 0.61.0 and OpenCode 1.18.33.

// clients are all clients, in the order in which help shows them.
var clients = []*Client{claudeCode, codex, geminiCLI, openCode}

// claudeCode names no server: the tool of one is mcp__SERVER__TOOL.
var claudeCode = &Client{
	Name: "claude-code",
	events: []event{
		{"SessionStart", SessionStart, false},
		{"UserPromptSubmit", Prompt, false},
		{"PreToolUse", Before, false},
		{"PostToolUse", After, false},
		{"PostToolUseFailure", After, true},
		{"Stop", TurnEnd, false},
		{"PreCompact", Compaction, false},
		{"SessionEnd", SessionEnd, false},
	},
	files: files{name: "settings.json", home: "CLAUDE_CONFIG_DIR", user: ".claude", project: ".claude"},
	stops: endsTurn,
	clock: 1,
}

// codex shows the model the text of a hook that stops after a tool in place of the result, and goes on; nothing there ends the turn.
var codex = &Client{
	Name: "codex",
	events: []event{
		{"SessionStart", SessionStart, false},
		{"UserPromptSubmit", Prompt, false},
		{"PreToolUse", Before, false},
		{"PostToolUse", After, false},
		{"Stop", TurnEnd, false},
		{"PreCompact", Compaction, false},
		{"SessionEnd", SessionEnd, false},
	},
	files: files{name: "hooks.json", home: "CODEX_HOME", user: ".codex", project: ".codex", trust: "config.toml"},
	stops: tellsModel,
	clock: 1,
}

// geminiCLI gives calls no id, and announces a compaction before each request, whether or not there is one.
var geminiCLI = &Client{
	Name: "gemini-cli",
	events: []event{
		{"SessionStart", SessionStart, false},
		{"BeforeAgent", Prompt, false},
		{"BeforeModel", Request, false},
		{"BeforeTool", Before, false},
		{"AfterTool", After, false},
		{"AfterAgent", TurnEnd, false},
		{"PreCompress", Compaction, false},
		{"SessionEnd", SessionEnd, false},
	},
	files: files{comments: true, name: "settings.json", home: "GEMINI_CLI_HOME", under: ".gemini", user: ".gemini", project: ".gemini"},
	stops: endsTurn,
	clock: 1000,
}

// openCode has no hooks of its own but plugins; the words and members are those of the plugin file that Install writes.
var openCode = &Client{
	Name: "opencode",
	events: []event{
		{"session.start", SessionStart, false},
		{"chat.message", Prompt, false},
		{"chat.params", Request, false},
		{"tool.execute.before", Before, false},
		{"tool.execute.after", After, false},
		{"session.idle", TurnEnd, false},
		{"session.compacting", Compaction, false},
		{"session.end", SessionEnd, false},
	},
	plugin: true,
	files:  files{name: "ocp-hook.js", home: "XDG_CONFIG_HOME", under: "opencode/plugins", user: ".config/opencode/plugins", project: ".opencode/plugins"},
	stops:  aborts,
}
