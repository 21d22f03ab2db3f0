package client

import (
	"errors"
	"path/filepath"
)

// Place is where hooks are installed: a file of the user's, or of a project's.
type Place struct {
	File  string // the settings, or the plugin
	Trust string // where the client keeps which hooks and projects the person trusts; empty where it asks no trust

	project string // the folder; empty at the user's place
}

// files says where a client keeps what the hooks are installed in.
type files struct {
	name     string // of the file
	home     string // the variable that moves the user's folder
	under    string // where the folder is below what the variable names
	user     string // the folder below the user's home
	project  string // the folder below a project
	comments bool   // the client reads comments and trailing commas
	mark     bool   // the client passes over a byte order mark
	trust    string // the file beside the user's one that holds trust
}

// UserPlace is the place for all of a person's sessions. getenv is [os.Getenv], or what stands in for it.
func (c *Client) UserPlace(getenv func(string) string) (Place, error) {
	folder, err := c.files.folder(getenv)
	if err != nil {
		return Place{}, err
	}
	return c.files.place(folder, folder), nil
}

// ProjectPlace is the place for the sessions in one folder. Codex keeps the trust in a project's hooks with the person.
func (c *Client) ProjectPlace(project string, getenv func(string) string) (Place, error) {
	folder, err := c.files.folder(getenv)
	if err != nil && c.files.trust != "" {
		return Place{}, err
	}
	p := c.files.place(filepath.Join(project, filepath.FromSlash(c.files.project)), folder)
	p.project = project
	return p, nil
}

func (f files) place(folder, user string) Place {
	p := Place{File: filepath.Join(folder, f.name)}
	if f.trust != "" {
		p.Trust = filepath.Join(user, f.trust)
	}
	return p
}

// folder is the user's.
func (f files) folder(getenv func(string) string) (string, error) {
	if moved := getenv(f.home); moved != "" {
		return filepath.Join(moved, filepath.FromSlash(f.under)), nil
	}
	for _, home := range []string{"HOME", "USERPROFILE"} {
		if dir := getenv(home); dir != "" {
			return filepath.Join(dir, filepath.FromSlash(f.user)), nil
		}
	}
	return "", errors.New("neither HOME nor " + f.home + " is set")
}
