package capture

import (
	"strconv"
	"strings"
)

// geminiShell is the client's tool that runs commands. It succeeds whatever becomes of the command, of which only its text tells.
const geminiShell = "run_shell_command"

// What the client writes in place of the output of a command that it killed, and of one that goes on as a process whose number follows.
var (
	geminiKilled = []string{"Command was automatically cancelled because it exceeded the timeout of ", "Command was cancelled by user before it could "}
	geminiGoesOn = []string{"Command moved to background (PID: ", "Command is running in background. PID: "}
)

// geminiCommand says how a command ended.
func geminiCommand(text string) outcome {
	switch report := geminiReport(text); {
	case hasPrefix(report, geminiKilled):
		return unclear
	case hasPrefix(report, geminiGoesOn):
		return running
	case geminiFailed(report):
		return failed
	}
	return succeeded
}

// geminiFailed says whether the lines that the client writes behind the output tell of an exit code or a signal. They end in the number of the
// process, if that is known; whatever stands before them the command printed.
func geminiFailed(report string) bool {
	if i := strings.LastIndex(report, "\nProcess Group PGID: "); i >= 0 {
		report = report[:i]
	}
	for {
		i := strings.LastIndexByte(report, '\n')
		switch label, what, _ := strings.Cut(report[i+1:], ": "); label {
		case "Exit Code":
			code, err := strconv.Atoi(what)
			return err == nil && code != 0
		case "Signal":
			if what != "(none)" {
				return true
			}
		case "Background PIDs":
		default:
			return false
		}
		report = report[:max(i, 0)]
	}
}

// geminiReport is what the client wrote of a command, without a line on what it left out, and without the element that it puts around it and
// what hooks added behind. The client escapes the end of the element within it.
func geminiReport(text string) string {
	if strings.HasPrefix(text, "Output too large. Showing first ") {
		_, text, _ = strings.Cut(text, "\n")
	}
	if inside, ok := strings.CutPrefix(text, "<untrusted_context>\n"); ok {
		text, _, _ = strings.Cut(inside, "\n</untrusted_context>")
	}
	return text
}
