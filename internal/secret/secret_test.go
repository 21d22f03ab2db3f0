package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Every credential here is put together when the test runs, so that no scanner takes this file for a leak.
var (
	b64     = strings.Repeat("k9Xw2LmQz7Rt4Vb/", 4)
	token   = strings.Repeat("a1B2", 20)
	jwtText = "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0In0." + "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	hex64   = strings.Repeat("9f86d081884c7d65", 4)
)

// planted are credentials that are found wherever they stand, and the kind each is found as.
var planted = []struct{ text, kind string }{
	{"AKIA" + "IOSFODNN7QRSTUVW", awsKeyID},
	{"ASIA" + "Y34FZKBOKMUTVV7A", awsKeyID},
	{"ghp_" + token[:36], gitHub},
	{"gho_" + token[:36], gitHub},
	{"ghu_" + token[:36], gitHub},
	{"ghs_" + token[:36], gitHub},
	{"ghr_" + token[:76], gitHub},
	{"github_pat_" + token[:22] + "_" + token[:59], gitHub},
	{"glpat-" + "x7Kq_m2-Rt9ZpLw4VbNd", gitLab},
	{"xoxb-" + "123456789012-1234567890123-" + token[:24], slack},
	{"xoxp-" + "123456789012-123456789012-" + hex64[:32], slack},
	{"https://hooks.slack" + ".com/services/T01ABCDEF/B01ABCDEF/" + token[:24], slackHook},
	{`https:\/\/hooks.slack` + `.com\/services\/T01ABCDEF\/B01ABCDEF\/` + token[:24], slackHook},
	{"sk_live_" + token[:24], stripe},
	{"rk_live_" + token[:24], stripe},
	{"sk-" + token[:20] + "T3BlbkFJ" + token[:20], openAI},
	{"sk-proj-" + token[:40] + "-_T3BlbkFJ" + token[:40], openAI},
	{"sk-ant-" + "api03-" + token + "-x_AA", anthropic},
	{"AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", googleKey},
	{"ya29." + "a0AfH6SMBx-" + token[:40], googleAuth},
	{"npm_" + token[:36], npm},
	{"pypi-" + "AgEIcHlwaS5vcmc" + token[:60], pyPI},
	{"SG." + "ngeVfQFYQlKU0ufo8x5d1A" + "." + "TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr", sendGrid},
	{"SK" + hex64[:32], twilio},
	{"hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh", huggingFc},
	{jwtText, webToken},
}

func TestPlanted(t *testing.T) {
	frames := []struct{ before, after string }{
		{"", ""}, {" ", " "}, {`{"text":"`, `"}`}, {`key is `, `.`}, {`a\n`, `\nb`}, {`a\\n`, `\\n`}, {`\u0026`, `\u0026x=1`}, {"é", "é"},
		{"(", ")"}, {"key=", "&x=1"}, {"key%3D", "%26"}, {"'", "'"}, {"`", "`"}, {`\"`, `\"`}, {`\t`, `\t`}, {"<", ">"}, {"a\r\n", "\r\n"},
		{strings.Repeat("word, ", block/6-1), " end"},
	}
	for _, p := range planted {
		for _, f := range frames {
			if i := strings.Index(p.text, "hooks"); i < 0 || f.before == "" {
				found(t, f.before+p.text+f.after, strings.TrimPrefix(strings.TrimPrefix(p.text, "https://"), `https:\/\/`), p.kind)
			}
		}
	}
}

// TestOffsets moves every credential over the strides of a run and over the border of two blocks.
func TestOffsets(t *testing.T) {
	for _, p := range planted {
		for off := range 3 * stride {
			if got := Find([]byte(strings.Repeat(" ", off) + p.text + " ")); len(got) != 1 {
				t.Errorf("%q at %d: %v", p.text, off, got)
			}
		}
		for off := block - len(p.text) - 2; off < block+2; off++ {
			if got := Find([]byte(strings.Repeat("-", off-1) + " " + p.text + "," + strings.Repeat(" ", 20))); len(got) != 1 {
				t.Errorf("%q at %d: %v", p.text, off, got)
			}
		}
	}
}

// found checks that secret, and nothing else, is found in text.
func found(t *testing.T, text, secret, kind string) {
	t.Helper()
	got := Find([]byte(text))
	if len(got) != 1 || text[got[0].Start:got[0].End] != secret || got[0].Kind != kind {
		t.Errorf("%.200q: %v, want %s %q", text, shown(text, got), kind, secret)
	}
}

func shown(text string, found []Match) (all []string) {
	for _, m := range found {
		all = append(all, m.Kind+" "+text[m.Start:m.End])
	}
	return all
}

// TestAnnounced has a § before and after what is to be found.
func TestAnnounced(t *testing.T) {
	pw, sign, long := "Tr0ub4dor"+"&3xyz!", "Tr0ub4dor"+"&3xQz9ab", token[:24]
	for _, c := range []struct{ text, kind string }{
		{"Authorization: Bearer §" + token[:30] + "§", bearerToken},
		{`{"Authorization":"Bearer §` + "v1.k9Xw2LmQz7Rt4Vb+/aa_-~==" + `§"}`, bearerToken},
		{`\nBearer §` + token[:20] + `§\n`, bearerToken},
		{"bearer §" + "550e8400-e29b-41d4-a716-446655440000" + "§.", bearerToken},
		{"Authorization: Bearer §" + jwtText + "§", webToken},
		{"Authorization: Basic §" + "YWRtaW46aHVudGVyMg==" + "§ and", basicAuth},
		{`"Basic §` + "dXNlcm5hbWU6cGFzc3dvcmQx" + `§"`, basicAuth},
		{"postgres://§app:" + "s3cr3t§@db.example.com:5432/app", urlPassword},
		{`"uri":"https:\/\/§user:` + `hunter2§@host\/x"`, urlPassword},
		{"redis://§:" + "pw§@h", urlPassword},
		{"https://§user:" + "p@ss$w!rd§@[::1]/", urlPassword},
		{"https://§user:" + "password§@host", urlPassword},
		{"git clone https://x-access-token:" + "§ghp_" + token[:36] + "§@github.com/a/b", ""},
		{"https://b.s3.amazonaws.com/k?X-Amz-Date=20250101T000000Z&X-Amz-Signature=§" + hex64 + "§", signedURL},
		{`https://storage.googleapis.com/b?x=1\u0026X-Goog-Signature=§` + hex64 + `§\u0026y=2`, signedURL},
		{"https://a.blob.core.windows.net/c?sv=2022-11-02&se=2025-01-01&sig=§" + "k9Xw2%2BLmQz7Rt4Vb%2FaaBBccDDee1122334455%3D" + "§", signedURL},
		{`?sig=§` + "k9Xw2%2BLmQz7Rt4Vb%2FaaBBccDDee1122334455%3D" + `§\u0026sv=2022`, signedURL},
		{"https://h/p?access_token=§" + long + "§&x=1", accessTok},
		{"https://h/p?api_key=§" + long[:16] + "§ top", apiKey},
		{`https:\/\/h\/p?token=§` + long + `§`, accessTok},
		{"//registry.npmjs.org/:_authToken=§" + long + "§", accessTok},
		{"DB_PASSWORD=§" + "abc123def456" + "§", password},
		{"export PASSWORD='§" + pw[:9] + "$3xyz!" + "§'", password},
		{`{"password":"§` + "abc123def456" + `§"}`, password},
		{`{"password" : "§` + "a!c#2$def^56" + `§"}`, password},
		{`"{\"password\": \"§` + "abc123def456" + `§\"}"`, password},
		{`"{\\\"passwd\\\":\\\"§` + "abc123def456" + `§\\\"}"`, password},
		{`"pw":"password: §` + "Summer2024Rain77" + `§\nnext"`, password},
		{"pwd := `§" + "Blue-Horse-4471" + "§`", password},
		{`{"DB_PASSWORD":"§` + sign + `§"}`, password},
		{`{"DB_PASSWORD":"§` + "Tr0ub4dor,3xQz9ab" + `§"}`, password},
		{`{"DB_PASSWORD":"§` + "Tr0ub4dor;p@ss=w0rd)x" + `§"}`, password},
		{`{"DB_PASSWORD":"§` + `Tr0ub4dor\u00263xQz9ab` + `§"}`, password},
		{`{"DB_PASSWORD":"§` + `Tr0ub4dor&3x\\nQz9ab` + `§"}`, password},
		{`{"DB_PASSWORD":"§` + "abc123def456&x" + `§\n"}`, password},
		{`{"password":"§` + "onlyletters123,x" + `§"}`, password},
		{`{"password":"§` + sign + `§`, password},
		{`{"password":"§` + sign + `§\\"}`, password},
		{`"{\"password\": \"§` + sign + `§\"}"`, password},
		{`"{\"password\": \"§` + sign + `§\\\\\"}"`, password},
		{`"{\\\"password\\\":\\\"§` + sign + `§\\\"}"`, password},
		{`"cmd":"export PASSWORD='§` + sign + `§'"`, password},
		{"PASSWORD='§" + `Tr0ub\'4dor)3xQz9` + "§'", password},
		{"`password`: `§" + sign + "§`", password},
		{`"password=§` + "Tr0ub4dor&3xQz9" + `§"`, password},
		{`'password=§` + "Tr0ub4dor&3xQz9" + `§'`, password},
		{`"cmd":"curl -d \"password=§` + "Tr0ub4dor&3xQz9" + `§\" h"`, password},
		{`["--password=§` + "Tr0ub4dor,3xQz9" + `§","x"]`, password},
		{`"password: §` + "Tr0ub4dor&3xQz9" + `§"`, password},
		{`"password=§` + "abc123def456" + `§&user=x"`, password},
		{`"password=§` + "abc123def456" + `§, and"`, password},
		{`"password=§` + "abc123def456" + `§ and"`, password},
		{`log("the password:§` + "abc123def456" + `§",x)`, password},
		{`{"password":"§` + "abc123def456" + `§, and so on"}`, password},
		{`{"a":"password='§` + "Tr0ub4dor3xQz9" + `§","b":"y'"}`, password},
		{"Cookie: session=§" + long + "§; other=x", sessionCookie},
		{"cookie: theme=dark; lang=en-US;sid=§" + long + "§\nHost: y", sessionCookie},
		{"Set-Cookie: sessionid=§" + long + "§; Path=/; HttpOnly", sessionCookie},
		{"< set-cookie: connect.sid=§" + "s%3AaB3dEf5h.k9Xw2LmQ/z7Rt4Vb" + "§; Domain=abc1def2.cloudfront.net; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Secure\r\n", sessionCookie},
		{"Set-Cookie: a=b; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Secure, sid=§" + long + "§; Path=/", sessionCookie},
		{"Set-Cookie: a=b; HttpOnly Set-Cookie: sid=§" + long + "§; Path=/", sessionCookie},
		{"Set-Cookie: sid=\"§" + long + "§\"; Path=/", sessionCookie},
		{"I sent Cookie: sid=§" + long + "§ and got 403", sessionCookie},
		{"curl -H 'Cookie: session=§" + long + "&x=a,b)" + "§' h", sessionCookie},
		{`"cmd":"curl -H 'Cookie: a=1; session=§` + long + `§' h"`, sessionCookie},
		{`"cmd":"curl -H \"Cookie: a=1; session=§` + long + `§\" h"`, sessionCookie},
		{`["-H","Cookie: session=§` + long + `§; a=1"]`, sessionCookie},
		{`{"headers":{"Cookie":"a=; session=§` + long + `§","X":"c=` + long + `"}}`, sessionCookie},
		{`"{\"Cookie\":\"session=§` + long + `§; x=1\"}"`, sessionCookie},
		{`"out":"Set-Cookie: session=§` + long + `§; Path=/; HttpOnly\r\nDate: x"`, sessionCookie},
		{`"set-cookie":["a=b; Path=/; HttpOnly","sid=§` + long + `§; Path=/"]`, sessionCookie},
		{"{\"set-cookie\": [\n  \"a=b; Path=/\",\n  \"sid=§" + long + "§\"\n]}", sessionCookie},
		{`document.cookie = "sid=§` + long + `§; path=/"`, sessionCookie},
		{`Cookie: sid=§` + "550e8400-e29b-41d4-a716-446655440000" + `§`, sessionCookie},
		{`client_secret=§` + long + `§;`, secretText},
		{`'api-key': '§` + long + `§',`, apiKey},
		{"AccountKey=§" + b64 + "==§;", apiKey},
		{"aws_secret_access_key = §" + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzAAAA12" + "§", awsSecret},
		{`"SecretAccessKey": "§` + `wJalrXUtnFEMI\/K7MDENG\/bPxRfiCYzzzzAAAA12` + `§"`, awsSecret},
		{`AWS_SECRET_ACCESS_KEY="§` + "wJalrXUtnFEMI/K7+DENG/bPxRfiCYzzzzAAAA12" + `§"`, awsSecret},
		{"token=§ghp_" + token[:36] + "§", gitHub},
		{"§-----BEGIN RSA PRIVATE KEY-----" + `\n` + b64 + `\n` + b64 + `\nQUJD\n-----END RSA PRIVATE KEY-----` + `§\n`, privateKey},
		{`x: §-----BEGIN PRIVATE` + ` KEY-----\\r\\n` + b64 + `\\r\\n-----END PRIVATE KEY-----` + `§ y`, privateKey},
		{`§-----BEGIN OPENSSH PRIVATE` + ` KEY-----\u000a` + strings.ReplaceAll(b64, "/", `\/`) + `§ cut`, privateKey},
		{`§-----BEGIN EC PRIVATE` + ` KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,` + hex64[:32] + `\n\n` + b64 + `\n-----END EC PRIVATE KEY-----§`, privateKey},
		{`§-----BEGIN PGP PRIVATE` + ` KEY BLOCK-----\nVersion: GnuPG v1.4.11\n\n` + b64 + `\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----§`, privateKey},
	} {
		parts := strings.Split(c.text, "§")
		text, want := strings.Join(parts, ""), parts[1]
		if c.kind == "" {
			if got := Find([]byte(text)); len(got) != 1 || !strings.Contains(text[got[0].Start:got[0].End], want) {
				t.Errorf("%q: %v", text, shown(text, got))
			}
			continue
		}
		found(t, text, want, c.kind)
	}
}

// TestLines has a key over lines that are parted by control characters: a match may not hold one, and no line is left over.
func TestLines(t *testing.T) {
	text := "a\n-----BEGIN PRIVATE" + " KEY-----\r\n" + b64 + "\r\n" + b64 + "\r\n-----END PRIVATE KEY-----\r\nb"
	got := Find([]byte(text))
	if len(got) != 4 || text[got[1].Start:got[1].End] != b64 || got[3].End != len(text)-3 {
		t.Errorf("%q", shown(text, got))
	}
}

// TestParts has values that hold a quote: a match may not, and no part is left over.
func TestParts(t *testing.T) {
	for _, text := range []string{
		`{"password":"§Tr0ub\"§4dor&3\\\"§xQz9§"}`,
		`"{\"password\":\"§Tr0ub\\\"§4dor&3§\"}"`,
		`password='§Tr0ub"§4dor&3§'`,
		`"a":"password='§Tr0ub\"§4dor&3§'"`,
	} {
		var want []string
		for _, part := range strings.Split(text, "§")[1:strings.Count(text, "§")] {
			want = append(want, strings.TrimRight(part, `\"`))
		}
		text = strings.ReplaceAll(text, "§", "")
		var got []string
		for _, m := range Find([]byte(text)) {
			got = append(got, text[m.Start:m.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestInJSON has values of any signs in JSON, and in JSON in strings of JSON: all of each is found, and what is left around a marker is
// JSON still.
func TestInJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		middle := make([]byte, rng.IntN(8))
		for i := range middle {
			middle[i] = "aZ09&,;)]}<>([\"'`\\/!=@"[rng.IntN(22)]
		}
		pw := "Tr0ub4dor" + string(middle) + "3xQz9ab"
		frame := []string{`{"password":%s}`, `{"a":[{"password": %s,"b":"c"}]}`, `{"headers":{"Cookie":"sid=` + token[:20] + `"},"secret":%s}`}[rng.IntN(3)]
		text := fmt.Sprintf(frame, quoted(pw, rng.IntN(2) == 0))
		for range rng.IntN(3) {
			text = `{"text":` + quoted(text, rng.IntN(2) == 0) + `}`
		}
		left := []byte(text)
		for _, m := range slices.Backward(Find(left)) {
			left = slices.Replace(left, m.Start, m.End, []byte("[redacted]")...)
		}
		if bytes.Contains(left, []byte("Tr0ub")) || bytes.Contains(left, []byte("9ab")) || !json.Valid(left) {
			t.Fatalf("%s became %s", text, left)
		}
	}
}

// quoted is text as JSON, with or without the escapes that are for HTML.
func quoted(text string, html bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	e.Encode(text)
	return strings.TrimSpace(b.String())
}

func TestNothing(t *testing.T) {
	x36 := strings.Repeat("x", 36)
	for _, text := range []string{
		"", "a", `{"digest":"sha256:` + hex64 + `"}`, "550e8400-e29b-41d4-a716-446655440000", "2025-01-02T03:04:05.678Z", "01HZXYABCDEFGHJKMNPQRSTVWX",
		"commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", strings.Repeat(b64, 50), "data:image/png;base64," + b64, strings.Repeat("eyJhIjoi", 10),
		"AKIA" + "IOSFODNN7EXAMPLE", "AKIA" + "IOSFODNN7QRSTUVWX", "xAKIA" + "IOSFODNN7QRSTUVW", "AKIA" + strings.Repeat("X", 16),
		"ghp_" + x36, "ghp_" + token[:35], "ghp_...", "ghp_<token>", "gh" + "p_" + strings.Repeat("*", 36), "hf_" + strings.Repeat("a", 34),
		"npm_config_user_agent_and_something_else", "sk-learn-pipeline-with-a-long-name-v2", "sk-ant-<your-api-key-goes-here-and-so-on>",
		"sk-ant-" + "your-api-key-here-12a34b56c", "sk-proj-" + strings.Repeat("x", 48), "task-" + token[:40], "glpat-" + "my-own-access-token-2", "xoxb-not-a-real-token-at-all",
		"https://hooks.slack.com/services/T00000000/B00000000/" + strings.Repeat("X", 24), "SK" + hex64[:31], "SK" + hex64[:33], "ey" + "JhbGciOiJIUzI1NiJ9." + token,
		"Bearer authentication-of-the-client", "Bearer ${ACCESS_TOKEN_0123456789}", "Bearer <token1234567890123456>", "Bearer " + token[:19], "the bearer of sha256",
		"Bearer " + strings.Repeat("*", 40), "Bearer your-token-0a1b2c3d4e5f6g", "Basic authentication with a password", "Basic understanding1234567890", "Basic " + strings.Repeat("QUJD", 8),
		"https://user@host/", "ssh://git@github.com/a/b", "mailto:bob@example.com", "https://medium.com/@user:x", "https://host:8080/a@b", "a:b@c",
		"https://user:****@host", "https://user:***@host", "https://user:${PW}@host", "https://user:$PW@host", "https://user:<password>@host", "postgres://%s:%s@%s/db",
		"https://user:%s@host", "https://user:REDACTED@host", "https://user:@host", "scheme://user:password@ host",
		"?token=abc", "?page_token=" + token[:24], `"nextPageToken":"` + token[:24] + `"`, "?sig=" + token[:44], "token=<token1234567890ab>", "token=${TOKEN_1234567890}",
		"max_tokens: 1234567890123456", `"tokens":"` + token + `"`, "idempotency_key=" + token[:30], `"key":"` + token[:30] + `"`, `"signature":"` + hex64 + `"`,
		"password=", "password: string", "password=short1", "password=onlyletterslong", "password=123456789012", "password=${DB_PASSWORD_1}", "password={{ pw12345 }}",
		"password=<password1234>", "password=xxxx1234xxxx", "password=************", "password=changeme1234", `"password":"REDACTED12345"`, "password: example12345a",
		`"password":"must be at least 12 characters"`, "password: /run/secrets/db-password-1", "password = config.database1.password", "password: getPassword12345()",
		"secret: arn:aws:secretsmanager:us-east-1:123456789012:secret:foo", `"secret":"https://vault.example/v1/db8a2f9c1e"`, "token = tokens[1234567890123456]",
		"const apiKey = process.env.OPENAI_API_KEY_2", "secret: base64EncodedSecretValue", `"password":"","id":"abc123def456ghi"`, `"password":{"type":"string","id":"abc123def4567"}`,
		`"token":"<token1234567890ab>"`, `"token":"id,name,created_at1"`, `"password":"required,min=12,max=64"`, `"password":"^(?=.*[A-Z])(?=.*\\d).{12,}$"`,
		`"password":"{\"type\":\"string\",\"min\":12}"`, `"pwd":"/srv/one,/srv/two2"`, `"password":"short1 & 12 more (or less)"`, `"password":"at least 12, at most 64"`,
		`log("the token:",tokenValue1234,"x")`, `log("token=",tokenValue1234,"x")`, `"password: getPassword12345()"`, `"token=abc&id=1234567890123456a"`,
		`["enter the password:",1234567890e10,"x"]`, `"token:user1,scope:read1"`, `{"a":"password='x1","b":"c1d2e3f4g5h6'"}`,
		"Cookie: theme=dark; lang=en-US; consent=1", "Set-Cookie: id=a3fWa; Path=/app1x2/home; Max-Age=2592000; SameSite=Lax", "Cookie: session=${SESSION_0123456789}",
		"Set-Cookie: a=b; Domain=abc1def2ghi3.cloudfront.net", "Cookie: session=<session0123456789>", "Cookie: _ga=GA1.2.1234567890.1234567890", "Cookie: " + token[:24],
		`"Cookie":"a=","id":"c=` + token[:24] + `"`, `"Cookie":["a=b"],"id":["c=` + token[:24] + `"]`, "the cookie: a session=" + token[:24], `const cookie = parseCookie1234567("a=b")`,
		"-----BEGIN PUBLIC KEY-----\\n" + b64 + "\\n-----END PUBLIC KEY-----", "-----BEGIN PRIVATE KEY-----\\n...\\n-----END PRIVATE KEY-----",
		"begins with -----BEGIN PRIVATE KEY----- and then the base64 of the key follows", "PRIVATE KEY", "-----BEGIN PRIVATE KEY", `"-----BEGIN PRIVATE KEY-----","` + b64 + `"`,
		"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzAAAA12",
	} {
		if got := Find([]byte(text)); len(got) > 0 {
			t.Errorf("%.100q: %q", text, shown(text, got))
		}
	}
}

// TestPrefixes holds the table of first and second bytes against the prefixes, and the order of the prefixes.
func TestPrefixes(t *testing.T) {
	prefixes := []string{"eyJ", "SG.", "hooks.slack.com"}
	for _, v := range vendors {
		prefixes = append(prefixes, v.prefix)
	}
	for k, p := range prefixes {
		if firsts[p[0]]&seconds[p[1]] == 0 {
			t.Errorf("%s is not in the table", p)
		}
		for _, q := range prefixes[k+1:] {
			if strings.HasPrefix(q, p) {
				t.Errorf("%s hides %s", p, q)
			}
		}
	}
}

// TestTails holds the table of last letters against the names.
func TestTails(t *testing.T) {
	for _, n := range names {
		for _, end := range []string{n.end, strings.ToUpper(n.end)} {
			tail := end[len(end)-3:]
			if !endsName(uint64(tail[0]) | uint64(tail[1])<<8 | uint64(tail[2])<<16) {
				t.Errorf("%s is not in the table", end)
			}
		}
	}
}

// TestDisjoint has matches that overlap: one covers all of both, and none is lost.
func TestDisjoint(t *testing.T) {
	got := disjoint([]Match{{5, 9, "b"}, {0, 6, "a"}, {9, 12, "c"}, {5, 7, "d"}})
	if len(got) != 2 || got[0] != (Match{0, 9, "a"}) || got[1] != (Match{9, 12, "c"}) {
		t.Errorf("%v", got)
	}
}
