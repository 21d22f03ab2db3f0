package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	ocpclient "github.com/opencheckpoint/ocp/internal/client"
)

// edit changes settings that are JSON.
func (r *room) edit(file string, change func(object)) error {
	settings := object{}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &settings)
	}
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	change(settings)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return writeJSON(file, settings)
}

// writeText makes a file, and the folder for it.
func writeText(file, content string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(content), 0o600)
}

// settings is the file that the hooks are in.
func (r *room) settings() (string, error) {
	c, err := ocpclient.Named(r.hook.name)
	if err != nil {
		return "", err
	}
	place, err := c.UserPlace(r.getenv)
	return place.File, err
}

// addForeign puts a hook into the settings that keeps every tool from running. It stands before what is installed later; in OpenCode, which takes plugins
// by name, behind.
func (r *room) addForeign() error {
	file, err := r.settings()
	if err != nil {
		return err
	}
	if filepath.Ext(file) == ".js" {
		const plugin = `export const Foreign = async () => ({ "tool.execute.before": async () => { throw new Error("the other hook says no") } })` + "\n"
		return writeText(filepath.Join(filepath.Dir(file), "z-foreign.js"), plugin)
	}
	return r.edit(file, func(settings object) {
		settings["hooks"] = object{r.words(ocpclient.Before)[0]: []object{{"hooks": []object{{"type": "command", "command": "echo the other hook says no >&2; exit 2"}}}}}
	})
}

// unwrap takes the wrapper away from what is installed: the client runs ocp itself.
func (r *room) unwrap() error {
	file, err := r.settings()
	if err != nil {
		return err
	}
	if filepath.Ext(file) == ".js" {
		return unguard(file)
	}
	err = r.edit(file, func(settings object) {
		for word, list := range settings["hooks"].(object) {
			for _, group := range list.([]any) {
				for _, hook := range group.(object)["hooks"].([]any) {
					hook.(object)["command"] = fmt.Sprintf("'%s' hook %s %s", r.program(), r.hook.name, word)
					delete(hook.(object), "onFailure") // by which Claude Code blocks itself
				}
			}
		}
	})
	if err != nil {
		return err
	}
	return r.trust()
}

// unguard takes out of OpenCode's plugin what it does when the hook failed.
func unguard(file string) error {
	const returns = "if (!r.failure) return"
	plugin, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !strings.Contains(string(plugin), returns) {
		return errors.New("the plugin has no guard that is known here")
	}
	return os.WriteFile(file, []byte(strings.Replace(string(plugin), returns, "return", 1)), 0o600)
}
