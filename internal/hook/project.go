package hook

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/opencheckpoint/ocp/internal/disk"
)

// A project directory has a folder beside the journals with one file for each session that began there and is not known to be over: two that begin at the
// same time write different files. A file need not survive a loss of power: what is lost is a brief.

// begun is a session of a project directory.
type begun struct {
	id   string
	at   time.Time // when it last began or went on
	file string
}

func (h *Hook) projectFolder(dir string) string {
	return filepath.Join(h.Journals, fmt.Sprintf("%x.project", sha256.Sum256([]byte(h.Client.Name+":"+dir))))
}

// begins notes that a session begins in a directory, or goes on there.
func (h *Hook) begins(dir, id string) error {
	folder := h.projectFolder(dir)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	file := filepath.Join(folder, fmt.Sprintf("%x", sha256.Sum256([]byte(id))))
	return disk.Replace(disk.OS{}, file, []byte(h.Now().UTC().Format(time.RFC3339Nano)+"\n"+id))
}

// begun are the sessions of a directory, the last one last.
func (h *Hook) begun(dir string) (list []begun) {
	folder := h.projectFolder(dir)
	entries, _ := os.ReadDir(folder) // none is there before the first session
	for _, entry := range entries {
		file := filepath.Join(folder, entry.Name())
		text, err := os.ReadFile(file)
		at, id, _ := strings.Cut(string(text), "\n")
		if began, bad := time.Parse(time.RFC3339Nano, at); err == nil && bad == nil && id != "" {
			list = append(list, begun{id, began, file})
		}
	}
	slices.SortFunc(list, func(a, b begun) int { return a.at.Compare(b.at) })
	return list
}

// forget takes a session from those of its directory.
func (b *begun) forget() { os.Remove(b.file) }
