package main

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// withOutputs opens outputs, does the work, and puts the files in their places if no document failed, or if --keep-going asked
// for the rest.
func (c *command) withOutputs(paths []string, work func([]*output)) {
	var outputs []*output
	for _, path := range paths {
		o, err := c.create(path)
		if err != nil {
			c.fail(err)
			abandon(outputs)
			return
		}
		outputs = append(outputs, o)
	}
	work(outputs)
	if c.status != 0 && !(c.common.keepGoing && c.status <= exitRefused) {
		abandon(outputs)
		return
	}
	for i, o := range outputs {
		if err := o.commit(); err != nil {
			c.fail(err)
			abandon(outputs[i+1:])
			return
		}
	}
}

// apartFrom refuses a file that is one of some others.
func apartFrom(flag, path string, others []string) error {
	for _, other := range others {
		if other != "" && other != "-" && sameFile(path, other) {
			return usageError("%s %s is the file of a document", flag, path)
		}
	}
	return nil
}

// sameFile says whether two paths name one file, or the same place for one.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	absA, errA := filepath.Abs(followLinks(a))
	absB, errB := filepath.Abs(followLinks(b))
	return errA == nil && errB == nil && absA == absB
}

func abandon(outputs []*output) {
	for _, o := range outputs {
		o.abandon()
	}
}

// filePath is the path that a file: URI names on this machine (RFC 8089).
func filePath(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return "", err
	}
	if u.Host != "" && !strings.EqualFold(u.Host, "localhost") || u.Path == "" {
		return "", errors.New("the URI names no file of this machine")
	}
	return filepath.FromSlash(u.Path), nil
}
