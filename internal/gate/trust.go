package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"
)

// trustInCodex does what a person does who looks at the hooks and accepts them: Codex itself says what each is called, and its hash.
func trustInCodex(r *room) error {
	listed, err := hooksInCodex(r)
	if err != nil {
		return err
	}
	file := filepath.Join(r.dir, "codex", "config.toml")
	config, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	const table = "[hooks.state."
	settings, _, _ := strings.Cut(string(config), table)
	for _, h := range listed {
		settings += fmt.Sprintf("%s%s]\ntrusted_hash = %q\n", table, text(h.Get("key").Str), h.Get("currentHash").Str)
	}
	return os.WriteFile(file, []byte(settings), 0o600)
}

// hooksInCodex asks Codex which hooks it knows.
func hooksInCodex(r *room) ([]gjson.Result, error) {
	program, err := r.client.program(r.npm)
	if err != nil {
		return nil, err
	}
	c := exec.Command(program, "app-server")
	c.Dir, c.Env = filepath.Join(r.dir, "project"), r.env
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	defer c.Wait()
	defer in.Close()
	fmt.Fprintln(in, text(object{"id": 0, "method": "initialize", "params": object{"clientInfo": object{"name": "gate", "version": "1"}}}))
	fmt.Fprintln(in, text(object{"method": "initialized"}))
	fmt.Fprintln(in, text(object{"id": 1, "method": "hooks/list", "params": object{"cwds": []string{c.Dir}}}))
	answers := json.NewDecoder(out)
	for {
		var answer json.RawMessage
		if err := answers.Decode(&answer); err != nil {
			return nil, fmt.Errorf("codex app-server: %w", err)
		}
		if gjson.GetBytes(answer, "id").Raw == "1" {
			return gjson.GetBytes(answer, "result.data.0.hooks").Array(), nil
		}
	}
}
