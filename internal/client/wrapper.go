package client

import (
	"strconv"
	"strings"
)

// The command in the settings is a line for whatever shell the client starts, which may be the person's own. It names /bin/sh and uses nothing but words in single
// quotes and ||. Two shells stand around the hook, and neither trusts the other:
//
//   - guard, the inner one, runs the hook and kills it at the deadline; its status is the hook's.
//   - the outer one says what any failure means. It lives as long as the inner one, so that it is there when that is killed, too.
//
// The line stands in the settings as a whole and calls no script beside it: a script can be missing, and Codex trusts the text of the command,
// which is more than a name if all of it is there. It holds no version, so a newer ocp at the same path has the same line and keeps the trust.

// The time a hook has, in seconds, and the time the settings ask the client for; an event may have less.
const (
	deadline       = 10
	clientDeadline = 60
)

// deadline is the time that the guard gives the hook.
func (e event) deadline() int { return min(deadline, e.patience()-1) }

// patience is the time that the client gives the guard.
func (e event) patience() int {
	if e.limit > 0 {
		return e.limit
	}
	return clientDeadline
}

// guard runs its arguments as a command. The watch beside it wakes each second, so that it leaves no long sleep behind, and holds none of the descriptors that a
// client waits on. It ends with the guard; when somebody else ended the guard, it ends the hook.
func guard(seconds int) string {
	return `exec 3<&0; "$0" "$@" <&3 3<&- & h=$!; ` +
		`(i=0; while [ $i -lt ` + strconv.Itoa(seconds) + ` ] && kill -0 $$; do sleep 1; i=$((i+1)); done; kill -9 $h) </dev/null 3<&- >/dev/null 2>&1 & w=$!; ` +
		`exec 3<&-; wait $h; s=$?; kill $w 2>/dev/null; exit $s`
}

// The parts of a line.
const (
	shell   = `/bin/sh -c `
	refusal = ` || ` + shell + `'echo "$0" >&2; exit 2' `
	notice  = ` || echo `
)

// command is the line for an event.
func (c *Client) command(e event, program string) string {
	return shell + quote(guard(e.deadline())) + " " + quote(program) + c.arguments(e) + c.fallback(e)
}

// arguments are what the hook is called with.
func (c *Client) arguments(e event) string { return " hook " + c.Name + " " + e.word }

// fallback is what the outer shell does when the hook failed: what the event guards does not happen, after a tool the turn ends where it can, and at others
// the person is told.
func (c *Client) fallback(e event) string {
	if e.kind.Guards() {
		return refusal + quote(failure(e.kind))
	}
	return notice + quote(strings.TrimSpace(string(c.Stop(e.kind, failure(e.kind)).Stdout)))
}

// failure is what a person is told. No apostrophe is in it.
func failure(k Kind) string {
	switch k {
	case Before:
		return "ocp hook: this call was not run, because it could not be recorded first (see: ocp hook status)"
	case Prompt:
		return "ocp hook: this prompt was not sent, because it could not be recorded first (see: ocp hook status)"
	case Request:
		return "ocp hook: this request was not sent, because it could not be recorded first (see: ocp hook status)"
	}
	return "ocp hook: the hook at " + k.String() + " failed; what happened since the last record may be missing (see: ocp hook status)"
}

// ours says whether a command is one that Install wrote for an event, now or in another version, and which program it runs.
func (c *Client) ours(command string, e event) (program string, ok bool) {
	at := strings.LastIndex(command, c.arguments(e)+" || ")
	if at < 0 || !strings.HasPrefix(command, shell+"'") || !strings.Contains(command[at:], "ocp hook: ") {
		return "", false
	}
	return lastQuoted(command[:at])
}

// quote makes one word of a shell's command line out of text. It holds in every shell, but for a backslash before an apostrophe in fish.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// lastQuoted takes back the word that quote put at the end of a line.
func lastQuoted(s string) (string, bool) {
	body, ok := strings.CutSuffix(s, "'")
	if !ok {
		return "", false
	}
	at := strings.LastIndex(strings.ReplaceAll(body, `'\''`, "\x00\x00\x00\x00"), "' '")
	if at < 0 {
		return "", false
	}
	return strings.ReplaceAll(body[at+3:], `'\''`, "'"), true
}
