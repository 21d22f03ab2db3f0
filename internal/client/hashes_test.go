package client

// seenHashes is what Codex 0.171.0 lists as the hashes of these hooks for the program /usr/local/bin/ocp.
var seenHashes = []struct{ word, hash string }{
	{"PreToolUse", "sha256:f7f2507d662f87747c569e0dfd2d3d17d2aff76526d2e98a51a4c6bdbe188726"},
	{"PostToolUse", "sha256:034f0255ad28d5c2bd1d2986577a9031c3a6e92faeb208c42e3d9efc9c96fa08"},
	{"PreCompact", "sha256:c6e2ddd580dc9acf2289bed59e7cf0a3959435c29a8ad0258d728198950548ff"},
	{"SessionStart", "sha256:2c5d5e7005a24e18fc99a99cad46e46f2cc541e96e77a6ecad5ad3821ae0707a"},
	{"SessionEnd", "sha256:139b64bb50a1b669b01eb6754177ce8a696164542506b883ef4e3f8662d636be"},
	{"UserPromptSubmit", "sha256:0e8bc9208f2104f147b17bf6a1bf3d77d58d33c1d68f86b73f3df68664a74015"},
	{"Stop", "sha256:f11b450de20a1cc3ff9208e438ae9bf4d4254dcdb4612d006e79c263fa4773b2"},
}
