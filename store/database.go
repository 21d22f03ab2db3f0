package store

import "context"

func openDatabase(ctx context.Context, address string, create bool) (Store, error) {
	return nil, &AddressError{"postgres:", "no database is known"}
}
