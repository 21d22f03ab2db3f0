package capture

// Arguments are the arguments of a call, the JSON text of an object, as a checkpoint shows them: without credentials, and without what I-JSON cannot hold; nil if they
// are no object.
func Arguments(text []byte) []byte {
	r, ok := readRecord(text)
	if !ok {
		return nil
	}
	return cleaner{&ledger{}}.arguments("", r, r.value)
}
