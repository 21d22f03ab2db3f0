package hook

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode"

	"github.com/opencheckpoint/ocp/store"
)

// agentID is made of the names of client, project directory and session. What a store does not take as an id, it has a digest of.
func agentID(client, dir, session string) string {
	id := client + ":" + dir + ":" + session
	if len(id) <= store.MaxAgent && !strings.ContainsFunc(id, unicode.IsControl) {
		return id
	}
	return fmt.Sprintf("%s:%x", client, sha256.Sum256([]byte(id)))
}
