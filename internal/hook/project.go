package hook

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/opencheckpoint/ocp/internal/disk"
)

// projectFile has the id of the session that began last in a project directory, beside the journals.
func (h *Hook) projectFile(dir string) string {
	return filepath.Join(h.Journals, fmt.Sprintf("%x.latest", sha256.Sum256([]byte(h.Client.Name+":"+dir))))
}

// latest is that session, "" if none is known.
func (h *Hook) latest(dir string) string {
	id, err := os.ReadFile(h.projectFile(dir))
	if err != nil {
		return ""
	}
	return string(id)
}

// setLatest notes a session as the last. It need not survive a loss of power: what is lost is a brief.
func (h *Hook) setLatest(dir, id string) error {
	return disk.Replace(disk.OS{}, h.projectFile(dir), []byte(id))
}
