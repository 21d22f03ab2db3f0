package store

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/opencheckpoint/ocp/internal/disk"
)

// Open opens the store at an address: a directory by its path or file: URL, a database by its postgres: URL; "" is the default directory,
// $XDG_STATE_HOME/ocp or else ~/.local/state/ocp, which is made when something is saved. A store that is named and is not there is a
// *MissingStoreError, here or at the first use. The other errors are an *AddressError, a *VersionError, a *CorruptError and an *IOError.
func Open(ctx context.Context, address string, opts Options) (Store, error) {
	scheme, _, found := strings.Cut(address, ":")
	switch scheme = strings.ToLower(scheme); {
	case address == "":
		path, err := defaultDirectory()
		if err != nil {
			return nil, err
		}
		return openDirectory(&directory{path: path, name: path, disk: disk.OS{}}, opts.Create)
	case found && (scheme == "postgres" || scheme == "postgresql"):
		return openDatabase(ctx, address, opts.Create)
	case found && scheme == "file":
		path, err := pathOf(address)
		if err != nil {
			return nil, err
		}
		return openNamed(path, opts.Create)
	case found && strings.HasPrefix(address[len(scheme):], "://"):
		return nil, &AddressError{redacted(address), "no store has an address that begins with " + scheme + ":"}
	}
	return openNamed(address, opts.Create)
}

func openNamed(path string, create bool) (Store, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, &IOError{path, err}
	}
	return openDirectory(&directory{path: absolute, name: path, named: true, disk: disk.OS{}}, create)
}

// pathOf is the path that a file: URL names on this machine (RFC 8089).
func pathOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Path == "" || u.Host != "" && !strings.EqualFold(u.Host, "localhost") {
		return "", &AddressError{address, "the URL names no directory of this machine"}
	}
	return filepath.FromSlash(u.Path), nil
}
