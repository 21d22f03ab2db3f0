// Command ocp makes OpenCheckpoint documents from session logs and transforms them: it makes them fit a budget, checks them, and tells their
// digests. It is a filter: documents on standard input and output, everything for people on standard error.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}
