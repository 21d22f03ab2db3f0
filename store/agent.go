package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/opencheckpoint/ocp/internal/disk"
)

// agentDir is what a directory store holds for one agent.
type agentDir struct {
	*directory
	key   string // SHA-256 of the agent id
	state state
}

// state is the content of a head file. What it states is what was saved.
type state struct {
	Agent string  `json:"agent"`
	Log   string  `json:"log"`  // name of the file
	Size  int64   `json:"size"` // of what was acknowledged of it, in bytes
	Head  *record `json:"head,omitempty"`
}

// firstLog is the log of a new agent.
const firstLog = "log.1"

func keyOf(agent string) string {
	sum := sha256.Sum256([]byte(agent))
	return hex.EncodeToString(sum[:])
}

// part names a file of the agent in messages.
func (a *agentDir) part(name string) string { return filepath.Join("agents", a.key, name) }

func (a *agentDir) corruptHead(why string) error { return a.corrupt(HeadPart, a.part("head"), why) }

func (a *agentDir) corruptLog(why string) error { return a.corrupt(LogPart, a.part(a.state.Log), why) }

func (a *agentDir) file(name string) string { return a.at("agents", a.key, name) }

// openAgent reads the state of an agent; nil, with no error, if the agent has no directory. Whether that means absence, the caller has to ask.
func (d *directory) openAgent(key string) (*agentDir, error) {
	a := &agentDir{directory: d, key: key}
	line, err := d.disk.ReadFile(a.file("head"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, a.headless()
	}
	if err != nil {
		return nil, d.failed(err)
	}
	if err := decodeLine(line, &a.state); err != nil {
		return nil, a.corruptHead(err.Error())
	}
	if keyOf(a.state.Agent) != key {
		return nil, a.corruptHead("it is another agent's")
	}
	return a, nil
}

// headless is what is wrong with an agent that has no head file: it is made with one.
func (a *agentDir) headless() error {
	_, err := a.disk.Stat(a.file(""))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return a.failed(err)
	}
	return a.corruptHead("it is missing")
}

// newAgent makes the directory of an agent that has saved nothing yet, as a whole.
func (d *directory) newAgent(agent string) (*agentDir, error) {
	a := &agentDir{directory: d, key: keyOf(agent), state: state{Agent: agent, Log: firstLog}}
	temp := d.temp()
	err := d.disk.Mkdir(temp)
	if err == nil {
		err = disk.WriteFile(d.disk, filepath.Join(temp, firstLog), nil)
	}
	if err == nil {
		err = disk.WriteFile(d.disk, filepath.Join(temp, "head"), encodeLine(a.state))
	}
	if err == nil {
		err = d.disk.SyncDir(temp)
	}
	if err == nil {
		err = d.disk.Rename(temp, a.file(""))
	}
	if err != nil {
		d.removeAll(temp)
		return nil, d.failed(err)
	}
	return a, nil
}

// removeAll removes a file, or a directory with files, as far as it can.
func (d *directory) removeAll(name string) {
	entries, _ := d.disk.ReadDir(name)
	for _, entry := range entries {
		d.disk.Remove(filepath.Join(name, entry.Name()))
	}
	d.disk.Remove(name)
}

// log reads what was acknowledged of the log, as lines.
func (a *agentDir) log() ([]byte, error) {
	text, err := a.disk.ReadFile(a.file(a.state.Log))
	if err := a.logFault(int64(len(text)), err); err != nil {
		return nil, err
	}
	return text[:a.state.Size], nil
}

// checkLog fails if the log is shorter than what was acknowledged of it. What is written behind a hole cannot be read.
func (a *agentDir) checkLog() error {
	info, err := a.disk.Stat(a.file(a.state.Log))
	if err != nil {
		return a.logFault(0, err)
	}
	return a.logFault(info.Size(), nil)
}

// logFault is what is wrong with the log, by its size in bytes and the error with which it was looked at.
func (a *agentDir) logFault(size int64, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a.corruptLog("it is missing")
	case err != nil:
		return a.failed(err)
	case size < a.state.Size:
		return a.corruptLog(fmt.Sprintf("it has %d bytes, and %d were saved", size, a.state.Size))
	}
	return nil
}

// records decodes the lines of a log that contain a text; an empty one is in every line.
func (a *agentDir) records(log, containing []byte) (records []record, err error) {
	for len(log) > 0 {
		at := bytes.Index(log, containing)
		if at < 0 {
			break
		}
		start := bytes.LastIndexByte(log[:at], '\n') + 1
		line, rest, _ := bytes.Cut(log[start:], []byte("\n"))
		log = rest
		var r record
		if err := decodeLine(line, &r); err != nil {
			return nil, a.corruptLog(err.Error())
		}
		records = append(records, r)
	}
	return records, nil
}

// find returns the records that contain a text.
func (a *agentDir) find(containing []byte) ([]record, error) {
	log, err := a.log()
	if err != nil {
		return nil, err
	}
	return a.records(log, containing)
}

// commit makes a state the one that holds, durably.
func (a *agentDir) commit(next state) error {
	temp := a.file("head.new")
	err := disk.WriteFile(a.disk, temp, encodeLine(next))
	if err == nil {
		err = a.disk.Rename(temp, a.file("head"))
	}
	if err == nil {
		err = a.disk.SyncDir(a.file(""))
	}
	if err == nil {
		a.state = next
	}
	return a.failed(err)
}
