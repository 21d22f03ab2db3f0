package client

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"
	"github.com/opencheckpoint/ocp/internal/jsonspan"
)

// Codex runs a hook only when its own settings hold the hash of what it runs, put there when the person has looked at it (`/hooks` in Codex). It names a hook by file,
// event and place in the list, so a hook that stands before ours and goes costs ours its trust. Seen: a session says nothing of a hook that it passes over.

// codexConfig is what of config.toml bears on hooks.
type codexConfig struct {
	Features map[string]any `toml:"features"`
	Projects map[string]struct {
		Trust string `toml:"trust_level"`
	} `toml:"projects"`
	Hooks struct {
		State map[string]hookState `toml:"state"`
	} `toml:"hooks"`
}

type hookState struct {
	Enabled *bool  `toml:"enabled"`
	Trusted string `toml:"trusted_hash"`
}

// trusted compares the hashes of what is installed with those that the person has trusted.
func (s *Status) trusted(c *Client, p Place, found []hook) error {
	if p.Trust == "" {
		return nil
	}
	var config codexConfig
	text, err := os.ReadFile(p.Trust)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := toml.Unmarshal(text, &config); err != nil {
		return &SettingsError{File: p.Trust, Msg: strings.TrimPrefix(err.Error(), "toml: ")}
	}
	if config.Features["hooks"] == false {
		s.problem(Damaged, "hooks are turned off by features.hooks in %s", p.Trust)
		s.AllTools = false
	}
	if p.project != "" && !config.project(p.project) {
		s.problem(NotTrusted, "the project is not trusted yet, so Codex reads nothing in it")
		s.AllTools = false
	}
	for _, h := range found {
		state := config.state(p.File, h)
		switch {
		case state.Enabled != nil && !*state.Enabled:
			s.problem(Damaged, "the hook for %s is turned off in %s", h.event.word, p.Trust)
		case state.Trusted == "":
			s.problem(NotTrusted, "the hook for %s is not trusted yet", h.event.word)
		case state.Trusted != c.hash(h):
			s.problem(NotTrusted, "the hook for %s is not the one that was trusted", h.event.word)
		default:
			continue
		}
		s.AllTools = s.AllTools && !h.event.tool()
	}
	return nil
}

// project says whether a folder, or one above it, is trusted.
func (c codexConfig) project(dir string) bool {
	dir, err := filepath.Abs(dir)
	for err == nil {
		if c.Projects[dir].Trust == "trusted" {
			return true
		}
		above := filepath.Dir(dir)
		if above == dir {
			return false
		}
		dir = above
	}
	return false
}

// state is what is kept of a hook, whichever way the path of its file is written.
func (c codexConfig) state(file string, h hook) hookState {
	place := ":" + snake(h.event.word) + ":" + strconv.Itoa(h.group) + ":" + strconv.Itoa(h.index)
	if s, ok := c.Hooks.State[file+place]; ok {
		return s
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return hookState{}
	}
	return c.Hooks.State[real+place]
}

// hash is Codex's of a hook without matcher: SHA-256 of its members in order of their names.
func (c *Client) hash(h hook) string {
	text := `{"event_name":` + quoted(snake(h.event.word)) + `,"hooks":[{"async":false,"command":` + quoted(c.command(h.event, h.program)) +
		`,"timeout":` + strconv.Itoa(h.event.patience()) + `,"type":"command"}]}`
	canonical, err := jsonspan.Canonical([]byte(text))
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// snake is PreToolUse as pre_tool_use.
func snake(word string) string {
	var b strings.Builder
	for i, r := range word {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
