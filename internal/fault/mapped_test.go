//go:build linux

package fault

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestMapped reads a mapped file that was cut short.
func TestMapped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	b, err := syscall.Mmap(int(file.Fd()), 0, 1<<20, syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(b)
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	sum := 0
	if err := Catch(func() { sum += int(b[1<<19]) }); err == nil {
		t.Errorf("a byte that is gone was read: %d", sum)
	}
}
