// Package testdoc makes OpenCheckpoint documents for tests: valid ones of every shape the specification allows (§4 to §7, with the
// schema-level rules of §6 and the errors of §8.2 respected), large ones of a wanted size, and damaged ones.
//
// It is test support. It imports only the standard library and nothing of ours, so that it is an oracle independent of the
// code it tests: it holds its own reading of the object table and of the rules, and it writes JSON text itself. What Random
// returns is valid by construction, and a validator that rejects it disagrees with this reading; where the specification's
// prose leaves a choice open, Random keeps to the narrow side.
//
// Nothing here depends on the platform, on map order, on floating point or on a clock: a seed names its bytes.
package testdoc
