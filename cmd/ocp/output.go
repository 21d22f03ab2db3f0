package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// sink is standard output. After a write that failed nothing is written any more: what came behind it would be out of place.
type sink struct {
	w   io.Writer
	err error
}

// Write writes b unless a write failed before.
func (s *sink) Write(b []byte) (n int, err error) {
	if s.err == nil {
		n, s.err = s.w.Write(b)
	}
	return n, s.err
}

// output is where a verb's documents or reports go: standard output, or a file that appears only when all went well.
type output struct {
	w       io.Writer
	name    string
	target  string     // of a file that is replaced at the end
	temp    *os.File   // beside it
	temps   *tempFiles // of the run
	fresh   bool       // it was placed where nothing was
	summary string     // what to say of it once it is there
}

// create opens an output; "" and "-" are standard output. What is there and is no regular file is written to directly, with --force.
func (c *command) create(path string) (*output, error) {
	if path == "" || path == "-" {
		return &output{w: c.streams.out, name: "standard output"}, nil
	}
	o := &output{name: path, target: path, temps: &c.temps}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, o.failed(errors.New("it is a directory"))
	case err == nil && !info.Mode().IsRegular():
		if !c.common.force {
			return nil, &failure{exitRefused, path, "it is no regular file", "--force writes to it directly"}
		}
		return o.direct()
	case err != nil:
		info = nil
	}
	o.target = followLinks(path)
	return o, o.prepare(info)
}

// followLinks returns what a path names through symbolic links, whether that exists or not.
func followLinks(path string) string {
	const most = 40
	for range most {
		link, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		path = link
	}
	dir, base := filepath.Split(path)
	if real, err := filepath.EvalSymlinks(cmp.Or(dir, ".")); err == nil {
		return filepath.Join(real, base)
	}
	return path
}

// direct writes to a device or a pipe, which cannot be replaced.
func (o *output) direct() (*output, error) {
	file, err := os.OpenFile(o.target, os.O_WRONLY, 0)
	if err != nil {
		return nil, o.failed(err)
	}
	o.w, o.temp, o.target = file, file, ""
	return o, nil
}

// prepare makes the temporary file, with the mode of the file that it will replace, if there is one. It has the name of a hidden file, so that nobody takes
// it for the result.
func (o *output) prepare(old os.FileInfo) error {
	dir, base := filepath.Split(o.target)
	name := fmt.Sprintf("%s.%s.%x", dir, base, rand.Uint64())
	temp, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return o.failed(err)
	}
	o.temp, o.w = temp, temp
	o.temps.add(name)
	if old == nil {
		return nil
	}
	if err := temp.Chmod(old.Mode().Perm()); err != nil {
		o.abandon()
		return o.failed(err)
	}
	return nil
}

// writeDocument writes a document and the line feed behind it.
func (o *output) writeDocument(doc io.WriterTo) error {
	if _, err := doc.WriteTo(o.w); err != nil {
		return o.failed(err)
	}
	return o.write([]byte{'\n'})
}

func (o *output) write(b []byte) error {
	if _, err := bytes.NewReader(b).WriteTo(o.w); err != nil {
		return o.failed(err)
	}
	return nil
}

// commit finishes the file and puts it in its place.
func (o *output) commit() error {
	if err := o.finish(); err != nil {
		return err
	}
	return o.place()
}

// finish makes what was written durable.
func (o *output) finish() error {
	if o.temp == nil {
		return nil
	}
	if o.target == "" {
		return o.orFailed(o.temp.Close())
	}
	if err := o.temp.Sync(); err != nil {
		o.abandon()
		return o.failed(err)
	}
	if err := o.temp.Close(); err != nil {
		o.remove()
		return o.failed(err)
	}
	return nil
}

// place gives a finished file its name.
func (o *output) place() error {
	if o.temp == nil || o.target == "" {
		return nil
	}
	if err := os.Rename(o.temp.Name(), o.target); err != nil {
		o.remove()
		return o.failed(err)
	}
	o.temps.done(o.temp.Name())
	return nil
}

// exists says whether there is something where the file will be.
func (o *output) exists() bool {
	_, err := os.Lstat(o.target)
	return err == nil
}

func (o *output) orFailed(err error) error {
	if err == nil {
		return nil
	}
	return o.failed(err)
}

// abandon removes what was written; the file that was there before stays.
func (o *output) abandon() {
	if o.temp == nil {
		return
	}
	o.temp.Close()
	if o.target != "" {
		o.remove()
	}
}

// remove removes the temporary file.
func (o *output) remove() {
	os.Remove(o.temp.Name())
	o.temps.done(o.temp.Name())
}

func (o *output) failed(err error) *failure {
	return &failure{status: exitIO, where: o.name, what: plainError(err)}
}
