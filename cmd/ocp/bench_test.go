package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/itchyny/gojq"

	"github.com/opencheckpoint/ocp/internal/testdoc"
)

// BenchmarkStream validates 10,000 documents of 10 kB in one stream; gojq reads and writes them.
func BenchmarkStream(b *testing.B) {
	line := append(testdoc.Large(1, 10<<10, false), '\n')
	path := filepath.Join(b.TempDir(), "stream")
	if err := os.WriteFile(path, bytes.Repeat(line, 10_000), 0o600); err != nil {
		b.Fatal(err)
	}
	b.Run("ocp", func(b *testing.B) {
		b.SetBytes(int64(10_000 * len(line)))
		for b.Loop() {
			if status := run([]string{"validate", "--quiet", path}, streams{in: os.Stdin, out: io.Discard, err: io.Discard}); status != 0 {
				b.Fatal(status)
			}
		}
	})
	b.Run("gojq", func(b *testing.B) {
		b.SetBytes(int64(10_000 * len(line)))
		for b.Loop() {
			throughGojq(b, path)
		}
	})
}

func throughGojq(b *testing.B, path string) {
	query, err := gojq.Parse(".")
	if err != nil {
		b.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	decoder := json.NewDecoder(bufio.NewReader(file))
	for {
		var doc any
		if err := decoder.Decode(&doc); err == io.EOF {
			return
		} else if err != nil {
			b.Fatal(err)
		}
		value, _ := query.Run(doc).Next()
		text, err := gojq.Marshal(value)
		if err != nil {
			b.Fatal(err)
		}
		io.Discard.Write(text)
	}
}

// BenchmarkStart runs the program on one small document, and an empty program.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	empty := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(empty, []byte("package main\nfunc main() {}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	doc := filepath.Join(dir, "doc.ocp.json")
	if err := os.WriteFile(doc, testdoc.Large(1, 10<<10, false), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, program := range []struct {
		name, source string
		args         []string
	}{{"ocp", ".", []string{"validate", doc}}, {"empty", empty, nil}} {
		binary := filepath.Join(dir, program.name)
		build := exec.Command("go", "build", "-o", binary, program.source)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		b.Run(program.name, func(b *testing.B) {
			for b.Loop() {
				if err := exec.Command(binary, program.args...).Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
