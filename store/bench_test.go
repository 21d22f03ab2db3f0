package store

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/opencheckpoint/ocp/internal/disk"
	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// many is how many checkpoints the stores have in which listing, resuming and saving are measured.
const many = 100_000

// benchStores are a store of each kind at a place of its own.
func benchStores(b *testing.B, run func(b *testing.B, s Store)) {
	b.Run("directory", func(b *testing.B) { run(b, open(b, filepath.Join(b.TempDir(), "store"))) })
	b.Run("database", func(b *testing.B) { run(b, open(b, newDatabase(b))) })
}

// BenchmarkSave is one saver after the other, each save synced: a small checkpoint, and one of 1 MB.
func BenchmarkSave(b *testing.B) {
	benchStores(b, func(b *testing.B, s Store) {
		large := fmt.Sprintf(`,"extensions":{"org.example.x":%s}`, testdoc.Large(1, 1<<20, false))
		for name, filling := range map[string]string{"small": "", "1MB": large} {
			b.Run(name, func(b *testing.B) {
				parent, n := "", 0
				for b.Loop() {
					id := fmt.Sprint("n", n)
					if saved := save(b, s, name, documentWith(id, parent, filling), SaveOptions{}); !saved.Head {
						b.Fatal(saved)
					}
					parent, n = id, n+1
				}
			})
		}
	})
}

// BenchmarkMany is what the verbs take in a store of 100,000 checkpoints of 100 agents.
func BenchmarkMany(b *testing.B) {
	benchStores(b, func(b *testing.B, s Store) {
		fill(b, s)
		b.Run("resume", func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Resume(b.Context(), "agent7"); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("get", func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Get(b.Context(), "agent7.500"); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("list", func(b *testing.B) { benchList(b, s, "", many) })
		b.Run("list-agent", func(b *testing.B) { benchList(b, s, "agent7", many/100) })
		b.Run("prune-dry", func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Prune(b.Context(), PruneOptions{Keep: 10}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("save", func(b *testing.B) {
			parent := fmt.Sprint("agent7.", many/100-1)
			for n := 0; b.Loop(); n++ {
				id := fmt.Sprintf("more%d.%d", b.N, n)
				save(b, s, "agent7", document(id, parent), SaveOptions{Force: true})
				parent = id
			}
		})
	})
}

func benchList(b *testing.B, s Store, agent string, want int) {
	for b.Loop() {
		n := 0
		for _, err := range s.List(b.Context(), agent) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n < want {
			b.Fatalf("%d", n)
		}
	}
}

// fill saves many checkpoints without waiting for a disk.
func fill(b *testing.B, s Store) {
	b.Helper()
	switch s := s.(type) {
	case *directory:
		s.disk = lazyDisk{}
		defer func() { s.disk = disk.OS{} }()
	case *database:
		if _, err := s.pool.Exec(b.Context(), `ALTER SYSTEM SET fsync = off`); err != nil {
			b.Fatal(err)
		}
		reload := func() { s.pool.Exec(b.Context(), `SELECT pg_reload_conf()`) }
		reload()
		defer func() { s.pool.Exec(b.Context(), `ALTER SYSTEM RESET fsync`); reload() }()
	}
	for agent := range 100 {
		parent := ""
		for n := range many / 100 {
			id := fmt.Sprintf("agent%d.%d", agent, n)
			save(b, s, fmt.Sprint("agent", agent), document(id, parent), SaveOptions{})
			parent = id
		}
	}
}

// lazyDisk syncs nothing.
type lazyDisk struct{ disk.OS }

func (lazyDisk) SyncDir(string) error { return nil }

func (lazyDisk) Create(name string) (disk.File, error) {
	f, err := disk.OS{}.Create(name)
	return lazyFile{f}, err
}

func (lazyDisk) OpenWriter(name string) (disk.File, error) {
	f, err := disk.OS{}.OpenWriter(name)
	return lazyFile{f}, err
}

type lazyFile struct{ disk.File }

func (lazyFile) Sync() error { return nil }
