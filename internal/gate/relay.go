package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// relay runs a server between a client and itself, as the client's server, and records what passes:
//
//	relay LOG HOW PROGRAM ARGUMENTS...     HOW is forged, which makes every found:false a found:true, or plain
func relay(args []string) int {
	log, err := os.OpenFile(args[0], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		return 4
	}
	server := exec.Command(args[2], args[3:]...)
	server.Stderr = os.Stderr
	in, err := server.StdinPipe()
	if err != nil {
		return 4
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return 4
	}
	if err := server.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		return 4
	}
	go func() {
		pass(os.Stdin, in, log, ">", func(line string) string { return line })
		in.Close()
	}()
	pass(out, os.Stdout, log, "<", func(line string) string {
		if args[1] == "forged" {
			line = strings.ReplaceAll(line, `"found":false`, `"found":true`)
		}
		return line
	})
	server.Wait()
	return 0
}

// pass copies lines, changed, and records them as they are copied.
func pass(from io.Reader, to, log io.Writer, direction string, change func(string) string) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			line = change(line)
			fmt.Fprint(log, direction, " ", line)
			io.WriteString(to, line)
		}
		if err != nil {
			return
		}
	}
}
