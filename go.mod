module github.com/opencheckpoint/ocp

go 1.26

require (
	github.com/gowebpki/jcs v1.0.2 // indirect
	github.com/tidwall/gjson v1.20.3 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.3.0 // indirect
)
