package capture

// Answer is what a client tells a hook of the answer to a call.
type Answer struct {
	Tool, Server string // as in Call
	Result       []byte // a JSON value, or nil; of an error it may be the client's text as a JSON string
	Failed       bool   // the client says that it is an error
	Interrupted  bool   // the client says that a person broke it off
}

// ProofOf is what an answer to a client's hook proves, by the rules for the client's log: Finished, FinishedWithError, or no more than Started where it says that
// the call goes on, or where the client, the transport, a timeout or a person answered in the tool's place.
func ProofOf(client string, a Answer) Proof {
	if a.Interrupted {
		return Started
	}
	switch a.outcome(client) {
	case succeeded:
		return Finished
	case failed:
		return FinishedWithError
	}
	return Started
}

func (a *Answer) outcome(client string) outcome {
	for _, f := range formats {
		if f.name != client || f.answer == nil {
			continue
		}
		if r, ok := readRecord(a.Result); ok {
			return f.answer(a, r.value)
		}
	}
	if a.Failed {
		return failed
	}
	return succeeded
}

// claudeHooked reads what the log has beside the result of a call, or the text of an error.
func claudeHooked(a *Answer, v value) outcome {
	outside := a.Server != ""
	if a.Failed {
		return claudeFailure(v.text(), value{}, outside, false)
	}
	if _, goesOn := claudeGoesOn(v.text(), v, outside); goesOn {
		return running
	}
	return succeeded
}

// codexHooked reads a command's output, without the exit code that the log has.
func codexHooked(a *Answer, v value) outcome {
	if _, goesOn := runningSession(v.text()); goesOn {
		return running
	}
	switch text := v.text(); {
	case hasPrefix(text, codexUnclear), hasPrefix(text, codexNever), hasPrefix(text, codexRefused):
		return unclear // the client's words, or the command's
	case a.Failed:
		return failed
	}
	return succeeded
}

// openCodeHooked reads the state of a call that is completed.
func openCodeHooked(a *Answer, v value) outcome {
	if a.Failed {
		return failed
	}
	return openCodeEnd(a.Tool, v.members())
}

// geminiHooked reads what the model is shown.
func geminiHooked(a *Answer, v value) outcome {
	return geminiOutcome(a.Tool, "success", contentText(v.get("llmContent"))+v.get("error").text("message"), a.Failed)
}
