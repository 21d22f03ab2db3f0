package store

import (
	"os"
	"path/filepath"
	"testing"
)

func damageObject(t *testing.T, address, sum string, remove bool) {
	t.Helper()
	name := filepath.Join(address, objectPart(sum))
	if remove {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		return
	}
	info, err := os.Stat(name)
	if err == nil {
		err = os.Truncate(name, info.Size()-1)
	}
	if err != nil {
		t.Fatal(err)
	}
}
