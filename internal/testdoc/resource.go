package testdoc

var (
	availabilities = []string{"available", "unavailable", "unknown"}
	resourceTypes  = []string{"file", "repository", "document", "record", "web_page", "artifact", "tool_output", "dataset", "message"}
	sensitivities  = []string{"public", "internal", "confidential", "personal"}
	mediaTypes     = []string{"text/plain", "text/csv; charset=utf-8", "application/json", "application/vnd.opencheckpoint+json"}
	resolvers      = []string{"mcp:files", "git", "https", "warehouse gateway"}
)

// uriHeads begin URIs without userinfo (OCP-S008), some with an @ or a colon where it is none.
var uriHeads = []string{
	"https://docs.example.org/a/", "https://docs.example.org/@team/", "https://docs.example.org?mail=a@example.org&n=",
	"https://docs.example.org#a:b@c", "https://[2001:db8::1]:8443/x/", "https://docs.example.org:8080/a%20b/%40/", "s3://bucket/2026/",
	"file:///srv/data/", "file:data/", "urn:example:", "mailto:desk@example.org?subject=", "x-private:opaque@thing:", "mcp://files/",
	"git+https://git.example.org/team/repo@v1.2/", "tag:example.org,2026:", "HTTPS://DOCS.example.org/", "ssh://git.example.org/~a/",
}

// resource returns a resource (§6.4): with a uri, a locator or both.
func (g *generator) resource(id string) any {
	o := object{{"id", id}}
	located := g.below(3)
	if located != 0 {
		o.put("uri", pick(g.dice, uriHeads)+g.hex(6))
	}
	if located != 1 {
		o.put("locator", g.locator())
	}
	g.putChoice(&o, "type", resourceTypes)
	g.putText(&o, "title")
	g.putText(&o, "description")
	g.putChoice(&o, "media_type", mediaTypes)
	if g.maybe() {
		o.put("revision", pick(g.dice, []string{"v", "", "W/\"e\"-", "2026-"})+g.hex(7))
	}
	if g.maybe() {
		o.put("digest", g.digest())
	}
	g.putPast(&o, "observed_at")
	g.putChoice(&o, "availability", availabilities)
	g.putChoice(&o, "resolver", resolvers)
	if g.maybe() {
		o.put("excerpt", g.bounded(4096))
	}
	g.putChoice(&o, "sensitivity", sensitivities)
	g.extend(&o)
	return o
}

// locator returns a locator.
func (g *generator) locator() object {
	o := object{{"system", pick(g.dice, []string{"erp", "mail", "ticketing", "Lager"})}}
	if g.maybe() {
		o.put("type", pick(g.dice, []string{"record", "message", "order/line"}))
	}
	o.put("key", pick(g.dice, []string{"K-", "<m@example.org>/", "2026/11#", "é "})+g.hex(5))
	return o
}

// putChoice adds an optional member with one of the values, sometimes.
func (g *generator) putChoice(o *object, name string, values []string) {
	if g.maybe() {
		o.put(name, pick(g.dice, values))
	}
}
