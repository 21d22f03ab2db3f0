package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/opencheckpoint/ocp/digest"
)

// shards are the directories of the objects, by the first digit of their digest. All are made with the store, so that no save has to make one durable.
const shards = "0123456789abcdef"

// objectPart is where a checkpoint is, within the store, by the digest of its bytes. The digest was parsed before.
func objectPart(sum string) string {
	name := sum[strings.Index(sum, ":")+1:]
	return filepath.Join("objects", name[:1], name)
}

// object reads a checkpoint that a record names.
func (d *directory) object(sum string) ([]byte, error) {
	if parsed, err := digest.Parse(sum); err != nil || parsed.String() != sum {
		return nil, d.corrupt(HeadPart, "a record", "it names no object")
	}
	text, err := d.disk.ReadFile(d.at(objectPart(sum)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, d.corrupt(ObjectPart, objectPart(sum), "it is missing")
	case err != nil:
		return nil, d.failed(err)
	case digest.OfBytes(text).String() != sum:
		return nil, d.corrupt(ObjectPart, objectPart(sum), "its bytes have another digest")
	}
	return text, nil
}

// putObject keeps a checkpoint durably. One that is there and whole is made durable only, by whoever it was put: that one may have been killed. One
// that is corrupt is replaced.
func (d *directory) putObject(draft *draft) (known bool, err error) {
	var corrupt *CorruptError
	_, err = d.object(draft.Digest)
	switch {
	case err == nil:
		return true, d.failed(d.disk.SyncDir(filepath.Dir(d.at(objectPart(draft.Digest)))))
	case errors.As(err, &corrupt):
		_, err = d.disk.Stat(d.at(objectPart(draft.Digest)))
		return err == nil, d.failed(d.place(draft.text, d.at(objectPart(draft.Digest))))
	}
	return false, err
}
