package client

// seenHashes is what Codex 0.171.0 lists as the hashes of these hooks for the program /usr/local/bin/ocp.
var seenHashes = []struct{ word, hash string }{
	{"PreToolUse", "sha256:531c53e7321a8c747b5444dee66d3665cb43fe483613d48f2ae5468a0b467472"},
	{"PostToolUse", "sha256:9f73befacf5c4c8163b19573c3201addebcc81b7fe2a45a25577f35489662339"},
	{"PreCompact", "sha256:b0fb8e837d242c97c803808fc48da2c66336d52af53500c7305f539bbdacce2c"},
	{"SessionStart", "sha256:775ccf04ef8d14a72240a9bdef3fe5f4a22bd021bbe35c768a205b39f0bbe72c"},
	{"SessionEnd", "sha256:94153309550389cb05a3e6ab7a5303f7a31e08482ed8c6ea7c2286b5c6c9c301"},
	{"UserPromptSubmit", "sha256:6e4c73b01533f70f932b83ecef5ef23fe2ea5b2953cb75528544d97bec21c117"},
	{"Stop", "sha256:05118c02a65954e331d024a512c0b6fe5e334ea98d15e26b0f8db291d666c3aa"},
}
