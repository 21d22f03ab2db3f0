// Package golden holds vectors for implementations of OpenCheckpoint 0.1 in any language: a directory a case, with the arguments, the
// input, and the output and exit status that the specification and the design demand. README.md states the format.
//
// It holds data only. The vectors are run by the tests of cmd/ocp, and they seed the tests of the laws and the fuzz targets.
package golden

import "embed"

// FS has the cases: GROUP/CASE/FILE, and GROUP/CASE/DIRECTORY/FILE where a case has a directory.
//
//go:embed validate compact fork merge digest store cli mcp
var FS embed.FS
