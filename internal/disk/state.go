package disk

import (
	"os"
	"path/filepath"
)

// StateDir is where a program keeps its state under a name when nobody says where (XDG Base Directory Specification). The error says that there
// is no home directory.
func StateDir(name string) (string, error) {
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) { // others are to be ignored
		return filepath.Join(state, name), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "state", name), nil
}
