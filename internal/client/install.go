package client

import (
	"bytes"
	"errors"
)

// Install puts the hooks of all events into settings; program is what they run, a path or a name that the shell finds. Settings that have them as this version
// writes them stay as they are. What stands there besides keeps every byte. The error is a [*SettingsError] where the settings are not what the client reads.
func (c *Client) Install(p Place, program string) (changed bool, err error) {
	if program == "" {
		return false, errors.New("a hook needs a program to run")
	}
	f, err := openFile(p.File)
	if err != nil {
		return false, err
	}
	text, err := c.installed(f, p.File, program)
	if err != nil || !f.none && bytes.Equal(text, f.text) {
		return false, err
	}
	return true, f.replace(text)
}

// installed is the text of a file with the hooks in it.
func (c *Client) installed(f *file, name, program string) ([]byte, error) {
	if c.plugin {
		return c.pluginText(f, name, program)
	}
	s, err := parseSettings(name, f, c.files)
	if err != nil {
		return nil, err
	}
	_, lists, err := s.eventLists(name)
	if err != nil {
		return nil, err
	}
	found := c.hooks(s, lists)
	if c.complete(found, program) {
		return f.text, nil
	}
	if len(found) > 0 {
		if s, err = c.without(s, name); err != nil {
			return nil, err
		}
	}
	return c.insert(s, program, name)
}

// complete says whether each event has its hook once, as this version writes it.
func (c *Client) complete(found []hook, program string) bool {
	seen := map[string]bool{}
	for _, h := range found {
		if !h.exact || h.program != program || seen[h.event.word] {
			return false
		}
		seen[h.event.word] = true
	}
	return len(seen) == len(c.events)
}

// without is the settings as they were before Install.
func (c *Client) without(s *settings, name string) (*settings, error) {
	text, err := c.remove(s, name)
	if err != nil {
		return nil, err
	}
	return parseSettings(name, &file{text: text, none: text == nil}, c.files)
}

// Remove takes out what Install wrote, whichever program it runs. Right after Install the settings are what they were before, byte for byte, and gone where there
// were none; folders stay.
func (c *Client) Remove(p Place) (changed bool, err error) {
	f, err := openFile(p.File)
	if err != nil || f.none {
		return false, err
	}
	if c.plugin {
		if !isPlugin(f.text) {
			return false, nil
		}
		return true, f.replace(nil)
	}
	s, err := parseSettings(p.File, f, c.files)
	if err != nil || s.root.Len() == 0 {
		return false, err
	}
	text, err := c.remove(s, p.File)
	if err != nil || text != nil && bytes.Equal(text, f.text) {
		return false, err
	}
	return true, f.replace(text)
}
