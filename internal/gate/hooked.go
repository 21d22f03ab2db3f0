package main

import "path/filepath"

// hooked is what the proofs have to know of a client's hooks.
type hooked struct {
	name string // what ocp calls the client
	// shell is a call of the client's own shell.
	shell func(command string) turn
	// goOn are the arguments, in the place of all or behind them, with which the last session goes on.
	goOn func(args []string) []string
	// trust has the client trust the hooks that are in its settings, nil where it does so unasked.
	trust func(r *room) error
	// refuse has the client refuse calls of the shell.
	refuse func(r *room) error
	// log is a pattern below the room for the client's own logs of sessions, "" where there is no such file.
	log string
	// limits are proofs that cannot be given, by the beginning of their names.
	limits map[string]limit
}

// limit is something that a client makes impossible.
type limit struct {
	words string // for the table
	seen  string // in the error that the proof ends with
}

var hookedOpenCode = &hooked{
	name:  "opencode",
	shell: commanded("bash"),
	goOn:  func(args []string) []string { return append(args, "--continue") },
	refuse: func(r *room) error {
		return r.edit(filepath.Join(r.dir, "opencode.json"), func(settings object) {
			settings["permission"] = object{"*": "allow", "bash": object{"*": "allow", "touch *": "deny"}}
		})
	},
	limits: map[string]limit{
		"prompt blocked": {"blocked; opencode run says no more than that there was an error", "there is no message"},
	},
}

var hookedCodex = &hooked{
	name: "codex",
	shell: func(command string) turn {
		return turn{tool: "exec_command", args: object{"cmd": command, "yield_time_ms": 30000}}
	},
	goOn: func(args []string) []string {
		return append([]string{"exec", "resume", "--last"}, args[1:]...)
	},
	trust: trustInCodex,
	refuse: func(r *room) error {
		return writeText(filepath.Join(r.dir, "codex", "rules", "default.rules"), `prefix_rule(pattern=["touch"], decision="forbidden")`+"\n")
	},
	limits: map[string]limit{
		"prompt blocked": {"blocked; codex exec --json prints no message", "there is no message"},
	},
	log: "codex/sessions/*/*/*/rollout-*.jsonl",
}

var hookedClaude = &hooked{
	name:  "claude-code",
	shell: commanded("Bash"),
	goOn:  func(args []string) []string { return append(args, "--continue") },
	refuse: func(r *room) error {
		r.args = r.args[:len(r.args)-2] // without --allowedTools
		return nil
	},
	log: "claude/projects/*/*.jsonl",
}

var hookedGemini = &hooked{
	name:  "gemini-cli",
	shell: commanded("run_shell_command"),
	goOn:  func(args []string) []string { return append(args, "--resume", "latest") },
	refuse: func(r *room) error {
		const rule = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"touch\"\ndecision = \"deny\"\npriority = 999\n"
		return writeText(filepath.Join(r.dir, "home", ".gemini", "policies", "gate.toml"), rule)
	},
	log: "home/.gemini/tmp/*/chats/session-*.jsonl",
	limits: map[string]limit{
		"killed before the record": {"nothing is left: this client logs a call only with its result", `the call: "" instead of "planned"`},
	},
}

// commanded is a call of a tool that takes a command and a description.
func commanded(tool string) func(string) turn {
	return func(command string) turn {
		return turn{tool: tool, args: object{"command": command, "description": "a step of the script"}}
	}
}
