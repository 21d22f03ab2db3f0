package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// client is an agent client that npm installs.
type client struct {
	name   string
	module string // of npm
	binary string // a pattern below node_modules
	strict bool   // it holds structured content against the schema that the tool declares
	speaks protocol
	// setUp writes the client's settings into dir and returns its arguments and its environment. Without a server there is the client's own shell.
	setUp func(dir, model string, server []string) (args, env []string, err error)
	hook  *hooked
}

var clients = []*client{
	{"opencode", "opencode-ai", "opencode-linux-" + architecture + "/bin/opencode", true, chat{}, setUpOpenCode, hookedOpenCode},
	{"codex", "@openai/codex", ".bin/codex", false, responses{}, setUpCodex, hookedCodex},
	{"claude", "@anthropic-ai/claude-code", "@anthropic-ai/claude-code-linux-" + architecture + "/claude", true, messages{}, setUpClaude, hookedClaude},
	{"gemini", "@google/gemini-cli", ".bin/gemini", true, contents{}, setUpGemini, hookedGemini},
}

// architecture is what npm calls that of this machine.
var architecture = cmp.Or(map[string]string{"amd64": "x64"}[runtime.GOARCH], runtime.GOARCH)

// prompt is what the person says; the model does not listen.
const prompt = "go"

func setUpOpenCode(dir, model string, server []string) (args, env []string, err error) {
	settings := object{
		"autoupdate": false, "share": "disabled", "enabled_providers": []string{"scripted"}, "model": "scripted/scripted", "small_model": "scripted/scripted",
		"permission": object{"*": "allow"},
		"provider": object{"scripted": object{
			"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": object{"baseURL": model + "/v1", "apiKey": "none"},
			"models": object{"scripted": object{"name": "scripted", "tool_call": true, "limit": object{"context": 64000, "output": 4000}}},
		}},
	}
	if len(server) > 0 {
		settings["mcp"] = object{"ocp": object{"type": "local", "enabled": true, "command": server}}
	}
	env = []string{"OPENCODE_CONFIG=" + filepath.Join(dir, "opencode.json"), "npm_config_offline=true"}
	for _, name := range []string{"AUTOUPDATE", "MODELS_FETCH", "PROJECT_CONFIG", "LSP_DOWNLOAD", "SHARE", "EXTERNAL_SKILLS", "DEFAULT_PLUGINS", "CLAUDE_CODE"} {
		env = append(env, "OPENCODE_DISABLE_"+name+"=1")
	}
	return []string{"run", "--format", "json", prompt}, env, writeJSON(filepath.Join(dir, "opencode.json"), settings)
}

func setUpCodex(dir, model string, server []string) (args, env []string, err error) {
	home := filepath.Join(dir, "codex")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, nil, err
	}
	settings := fmt.Sprintf(`model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
`, model)
	if len(server) > 0 {
		settings += fmt.Sprintf("[mcp_servers.ocp]\ncommand = %q\nargs = %s\ndefault_tools_approval_mode = \"approve\"\n", server[0], text(server[1:]))
	}
	env = []string{"CODEX_HOME=" + home, "SCRIPTED_KEY=none"}
	return []string{"exec", "--json", "--skip-git-repo-check", prompt}, env, os.WriteFile(filepath.Join(home, "config.toml"), []byte(settings), 0o600)
}

func setUpClaude(dir, model string, server []string) (args, env []string, err error) {
	args = []string{"-p", prompt, "--output-format", "stream-json", "--verbose"}
	env = []string{
		"CLAUDE_CONFIG_DIR=" + filepath.Join(dir, "claude"), "ANTHROPIC_BASE_URL=" + model, "ANTHROPIC_API_KEY=none",
		"ANTHROPIC_MODEL=scripted", "ANTHROPIC_SMALL_FAST_MODEL=scripted", "ENABLE_TOOL_SEARCH=false", "MCP_CONNECTION_NONBLOCKING=0",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
	}
	if len(server) == 0 {
		return append(args, "--allowedTools", "Bash"), env, nil
	}
	servers := filepath.Join(dir, "mcp.json")
	settings := object{"mcpServers": object{"ocp": object{"command": server[0], "args": server[1:]}}}
	args = append(args, "--mcp-config", servers, "--strict-mcp-config", "--allowedTools", "mcp__ocp")
	return args, env, writeJSON(servers, settings)
}

func setUpGemini(dir, model string, server []string) (args, env []string, err error) {
	home := filepath.Join(dir, "home", ".gemini")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, nil, err
	}
	settings := object{
		"security": object{"auth": object{"selectedType": "gemini-api-key"}}, "privacy": object{"usageStatisticsEnabled": false},
		"telemetry": object{"enabled": false}, "general": object{"disableAutoUpdate": true, "enableAutoUpdate": false},
	}
	if len(server) > 0 {
		settings["mcpServers"] = object{"ocp": object{"command": server[0], "args": server[1:], "trust": true}}
	}
	args = []string{"-p", prompt, "-m", "gemini-2.5-flash", "--yolo", "-o", "stream-json"}
	env = []string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=" + model, "GEMINI_CLI_TRUST_WORKSPACE=true"}
	return args, env, writeJSON(filepath.Join(home, "settings.json"), settings)
}

// object is a JSON object.
type object = map[string]any

func writeJSON(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}
