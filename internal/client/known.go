package client

// What is known of each client was seen with Claude Code 2.1.332, Codex 0.171.0, Gemini CLI 0.61.0 and OpenCode 1.18.33.

// clients are all clients, in the order in which help shows them.
var clients = []*Client{claudeCode, codex, geminiCLI, openCode}

// claudeCode names no server: the tool of one is mcp__SERVER__TOOL.
var claudeCode = &Client{
	Name: "claude-code",
	events: []event{
		{word: "SessionStart", kind: SessionStart},
		{word: "UserPromptSubmit", kind: Prompt},
		{word: "PreToolUse", kind: Before},
		{word: "PostToolUse", kind: After},
		{word: "PostToolUseFailure", kind: After, failure: true},
		{word: "Stop", kind: TurnEnd},
		{word: "PreCompact", kind: Compaction},
		{word: "SessionEnd", kind: SessionEnd},
	},
	files:  files{mark: true, name: "settings.json", home: "CLAUDE_CONFIG_DIR", user: ".claude", project: ".claude"},
	stops:  endsTurn,
	strict: true,
	clock:  1,
}

// codex shows the model the text of a hook that stops after a tool in place of the result, and goes on; nothing there ends the turn.
var codex = &Client{
	Name: "codex",
	events: []event{
		{word: "SessionStart", kind: SessionStart},
		{word: "UserPromptSubmit", kind: Prompt},
		{word: "PreToolUse", kind: Before},
		{word: "PostToolUse", kind: After},
		{word: "Stop", kind: TurnEnd},
		{word: "PreCompact", kind: Compaction},
		{word: "SessionEnd", kind: SessionEnd, limit: 3},
	},
	files: files{name: "hooks.json", home: "CODEX_HOME", user: ".codex", project: ".codex", trust: "config.toml"},
	stops: tellsModel,
	clock: 1,
}

// geminiCLI gives calls no id. It announces a compaction before each request, whether or not there is one, and keeps in its log what it compacts: that event is not
// asked for. It can end the turn after a tool, but then its log has
// an error in place of the result; the event before the next request ends the turn as well.
var geminiCLI = &Client{
	Name: "gemini-cli",
	events: []event{
		{word: "SessionStart", kind: SessionStart},
		{word: "BeforeAgent", kind: Prompt},
		{word: "BeforeModel", kind: Request},
		{word: "BeforeTool", kind: Before},
		{word: "AfterTool", kind: After},
		{word: "AfterAgent", kind: TurnEnd},
		{word: "SessionEnd", kind: SessionEnd},
	},
	files:  files{comments: true, name: "settings.json", home: "GEMINI_CLI_HOME", under: ".gemini", user: ".gemini", project: ".gemini"},
	stops:  tellsModel,
	titled: true,
	clock:  1000,
}

// openCode has no hooks of its own but plugins; the words and members are those of the plugin file that Install writes.
var openCode = &Client{
	Name: "opencode",
	events: []event{
		{word: "session.start", kind: SessionStart},
		{word: "chat.message", kind: Prompt},
		{word: "chat.params", kind: Request},
		{word: "tool.execute.before", kind: Before},
		{word: "tool.execute.after", kind: After},
		{word: "session.idle", kind: TurnEnd},
		{word: "session.compacting", kind: Compaction},
		{word: "session.end", kind: SessionEnd},
	},
	plugin: true,
	files:  files{name: "ocp-hook.js", home: "XDG_CONFIG_HOME", under: "opencode/plugins", user: ".config/opencode/plugins", project: ".opencode/plugins"},
	stops:  aborts,
}
