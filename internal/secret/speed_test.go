package secret

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/opencheckpoint/ocp/internal/testdoc"
)

var vocabulary = strings.Fields(`the of and to in a is that it was for on are with as they at be this from have or by one had not but what
all were when we there can an your which their said if do will each about how up out them then she many some so these would other into has
more her two like him see time could no make than first been its who now people my made over did down only way find use may water long
little very after words called just where most know checkpoint operation resource statement constraint implementation configuration
database migration deployment between environment understanding acknowledged password token authorization key secret because however`)

// prose makes n bytes of a document: statements of English with ids, digests, times and paths. A seed names its bytes.
func prose(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	b.WriteString(`{"statements":[`)
	for k := 0; b.Len() < n; k++ {
		fmt.Fprintf(&b, `{"id":"stmt-%06d","kind":"observation","status":"active","text":"`, k)
		for w := range 40 + rng.IntN(80) {
			word := vocabulary[rng.IntN(len(vocabulary))]
			switch {
			case w == 0:
				word = strings.ToUpper(word[:1]) + word[1:]
			case rng.IntN(12) == 0:
				word += ","
			case rng.IntN(15) == 0:
				word += `.\n`
			case rng.IntN(60) == 0:
				word = fmt.Sprintf("src/%s/%s_%d.go:%d", word, word, rng.IntN(9), rng.IntN(500))
			case rng.IntN(200) == 0:
				word = fmt.Sprintf("%s@example.com", word)
			}
			b.WriteString(word)
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, `","origin":{"type":"agent","id":"%08x-%04x-4%03x-a%03x-%012x"},"created_at":"2025-%02d-%02dT%02d:%02d:%02dZ",`,
			rng.Uint32(), rng.IntN(1<<16), rng.IntN(1<<12), rng.IntN(1<<12), rng.Uint64N(1<<48), 1+rng.IntN(12), 1+rng.IntN(28), rng.IntN(24), rng.IntN(60), rng.IntN(60))
		fmt.Fprintf(&b, `"digest":"sha256:%016x%016x%016x%016x","uri":"https://example.com/repo/%d?ref=main"},`, rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.IntN(1e6))
	}
	return b.Bytes()[:n]
}

// encoded makes n bytes of base64, the worst of honest texts.
func encoded(n int) []byte {
	rng := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, n)
	for i := range b {
		b[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[rng.IntN(64)]
	}
	return b
}

func BenchmarkFind(b *testing.B) {
	for _, c := range []struct {
		name string
		text []byte
	}{{"prose", prose(32 << 20)}, {"base64", encoded(32 << 20)}, {"small", prose(2000)}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				if len(Find(c.text)) > 0 {
					b.Fatal("a match")
				}
			}
		})
	}
}

// TestHonest finds nothing in much text without a credential.
func TestHonest(t *testing.T) {
	for _, text := range [][]byte{prose(4 << 20), encoded(4 << 20)} {
		for _, m := range Find(text) {
			t.Errorf("%s %q", m.Kind, text[m.Start:m.End])
		}
	}
}

// slow is more than a linear matcher needs for a megabyte on a slow machine, and less than a quadratic one needs on any.
const slow = 5 * time.Second

// TestHostile has texts that an eager matcher would take quadratic time for.
func TestHostile(t *testing.T) {
	size := testdoc.Few(1 << 20)
	units := []string{
		"eyJ", "eyJ-", "eyJ.", "eyJ-eyJ.eyJ-", "eyJabcdefgh.", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "PRIVATE KEY-----", "V", "://a:b", "://a:b@", "a://a:b@", "@", "a@", ":", "=",
		"xoxb-", "xoxb-a1", "sk-", "sk-ant-", "sk-proj-", "glpat-", "ghp_", "-ghp_", "github_pat_", "pypi-AgE", "-pypi-AgE", "ya29.", "SG.", "AIza", "-AIza", "hooks.slack.com/services/",
		"token=", "token=a", "password=", "password:", "secret:'", "sig=", "sig=aAbB0011aAbB0011aAbB0011aAbB0011aAbB0011,", `token=\\`, `\`, `\\\/`, `\n`, "Bearer ", "Basic ", "Bearer a1-", "Basic QUJD",
		`token="token='token=`, `"token=a&`, `\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\"token=a`, `token=\"a`, `token='a\'`, `token='a"b`, "token=`a&", "\"token=a1A,a", "awssecretkey=a1A",
		"cookie=", "cookie:", "cookie:a=", "cookie=a=1;", "cookie:[", "cookie:['", "cookie:['a=b',", "cookie: a=b; c ", `cookie=\"a=\\"`, "; ", "cookie:a=b;;",
		"x_amz_signature=", "-", "é", "\x00", "a", "A", "0", "hf_", "-hf_a", "AKIA", "SK0a",
	}
	for _, u := range units {
		text := []byte(strings.Repeat(u, size/len(u)))
		begin := time.Now()
		Find(text)
		if took := time.Since(begin); took > slow {
			t.Errorf("%q: %v", u, took)
		}
	}
	dense(t, size)
}

// dense has one unending token that begins again and again.
func dense(t *testing.T, size int) {
	for _, v := range vendors {
		text := []byte(strings.Repeat(v.prefix+"-", size/len(v.prefix)) + strings.Repeat("a", size))
		begin := time.Now()
		Find(text)
		if took := time.Since(begin); took > slow {
			t.Errorf("%q: %v", v.prefix, took)
		}
	}
}
