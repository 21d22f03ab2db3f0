package store

import (
	"context"
)

// Open opens the store at an address: a directory by its path or file: URL, a database by its postgres: URL; "" is the default directory,
// $XDG_STATE_HOME/ocp or else ~/.local/state/ocp, which is made when something is saved. A store that is named and is not there is a
// *MissingStoreError, here or at the first use. The other errors are an *AddressError, a *VersionError and an *IOError.
func Open(ctx context.Context, address string, opts Options) (Store, error) {
	return nil, &AddressError{address, "no kind of store is known"}
}
