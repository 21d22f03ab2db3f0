package store

// migrations bring the schema from each version to the next; the first makes it. What was released is never edited.
//
// Ids of checkpoints are bytes, because a text column cannot hold every string of JSON. An id may be longer than an index entry, so its
// digest is indexed.
var migrations = []string{`
CREATE SCHEMA IF NOT EXISTS ocp;
CREATE TABLE ocp.format (version integer NOT NULL);
INSERT INTO ocp.format VALUES (0);
CREATE TABLE ocp.objects (
	digest bytea PRIMARY KEY, -- SHA-256 of body
	body   bytea NOT NULL
);
CREATE TABLE ocp.agents (
	agent text PRIMARY KEY,
	head  bytea
);
CREATE TABLE ocp.saves (
	agent         text NOT NULL REFERENCES ocp.agents,
	digest        bytea NOT NULL REFERENCES ocp.objects,
	number        bigint GENERATED ALWAYS AS IDENTITY, -- the order of the saves
	saved_at      timestamptz NOT NULL,
	was_head      boolean NOT NULL,
	canonical     bytea NOT NULL,  -- SHA-256 of the canonical form
	id            bytea NOT NULL,
	parent        bytea NOT NULL,  -- id of the parent, empty without one
	parent_digest text NOT NULL,
	needs         bytea[] NOT NULL, -- what it names as places of recovery
	size          bigint NOT NULL,
	PRIMARY KEY (agent, digest)
);
ALTER TABLE ocp.agents ADD FOREIGN KEY (agent, head) REFERENCES ocp.saves (agent, digest);
CREATE INDEX saves_id ON ocp.saves (sha256(id));
CREATE INDEX saves_digest ON ocp.saves (digest);
CREATE INDEX saves_canonical ON ocp.saves (canonical);
CREATE INDEX saves_order ON ocp.saves (agent COLLATE "C", number);
`}

// The keys of the advisory locks: migrating, and pruning, which excludes saving.
const (
	migrating = 0x6f637001
	pruning   = 0x6f637002
)
