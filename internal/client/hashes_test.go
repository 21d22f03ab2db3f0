package client

var seenHashes = []struct{ word, hash string }{}
