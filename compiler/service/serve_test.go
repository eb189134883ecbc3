package service_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/eval"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphfile"
	"github.com/copaflash/copaflash/compiler/graph/graphtest"
	"github.com/copaflash/copaflash/compiler/graph/jsonvalue"
	"github.com/copaflash/copaflash/compiler/image"
	"github.com/copaflash/copaflash/compiler/service"
)

var update = flag.Bool("update", false, "write the answers of the session in docs/serve.md")

func options() service.Options {
	return service.Options{
		Target: "oracle",
		Open:   func(context.Context) (device.Device, error) { return oracle.New("x86_64") },
	}
}

// serve answers requests, one a line.
func serve(t testing.TB, opt service.Options, input string) []string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, service.Serve(t.Context(), strings.NewReader(input), &out, opt))
	text := strings.TrimSuffix(out.String(), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// One graph with everything in one place: y = x*x + v.v, and the sum of all y.
const sample = `{"format":"copaflash-graph","version":1,"nodes":[{"op":"input","type":"f32","name":"x","value":3},` +
	`{"op":"mul","type":"f32","args":[0,0]},{"op":"input","type":"i32","name":"unused","value":5},{"op":"const","type":"i32","value":0},` +
	`{"op":"input","type":"i32","shape":[2],"name":"k","value":[7,8]},{"op":"index","type":"i32","args":[4],"index":1},{"op":"floordiv","type":"i32","args":[5,3]}],` +
	`"outputs":[{"name":"y","node":1},{"name":"q","node":6},{"name":"k","node":4}]}`

const loadSample = `{"id":1,"do":"load","graph":` + sample + "}\n"

// The session in the documentation is what happens. Times differ from run to run.
func TestDocumentedSession(t *testing.T) {
	const file = "../../docs/serve.md"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)```session\n(.*?)```").FindSubmatch(text)
	require.NotNil(t, block)
	var requests, want []string
	for l := range strings.Lines(string(block[1])) {
		l = strings.TrimSuffix(l, "\n")
		if r, ok := strings.CutPrefix(l, "> "); ok {
			requests = append(requests, r)
		} else {
			a, ok := strings.CutPrefix(l, "< ")
			require.True(t, ok, l)
			want = append(want, a)
		}
	}
	got := serve(t, options(), strings.Join(requests, "\n"))
	require.Len(t, got, len(requests))
	times := regexp.MustCompile(`"run_ns":\{"min":[\d.e+]+,"mean":[\d.e+]+,"max":[\d.e+]+\}`)
	for i := range got {
		got[i] = times.ReplaceAllString(got[i], `"run_ns":{"min":40,"mean":42.5,"max":71}`)
	}
	if *update {
		var session strings.Builder
		for i, r := range requests {
			fmt.Fprintf(&session, "> %s\n< %s\n", r, got[i])
		}
		text = bytes.Replace(text, block[1], []byte(session.String()), 1)
		require.NoError(t, os.WriteFile(file, text, 0o644))
		return
	}
	require.Equal(t, want, got, "run with -update if that is as it should be")
}

// Every request is in the table of the documentation, and in the session there
// or in a test here.
func TestDocumentedRequests(t *testing.T) {
	text, err := os.ReadFile("../../docs/serve.md")
	require.NoError(t, err)
	var hello struct{ Requests []string }
	require.NoError(t, json.Unmarshal([]byte(serve(t, options(), `{"do":"hello"}`)[0]), &hello))
	require.NotEmpty(t, hello.Requests)
	for _, r := range hello.Requests {
		require.Contains(t, string(text), "\n| `"+r+"` |")
	}
}

func TestRefused(t *testing.T) {
	for request, message := range map[string]string{
		`{`:                                                 "the request is not a JSON object",
		`[1]`:                                               "the request is not a JSON object",
		"{\"id\":\"\xff\",\"do\":\"hello\"}":                "not UTF-8",
		`"text"`:                                            "the request is not a JSON object",
		`{"id":7}`:                                          `unknown request ""`,
		`{"id":7,"do":"frob"}`:                              `unknown request "frob"`,
		`{"id":{"a":1},"do":"hello"}`:                       "the id is neither a number nor a string",
		`{"do":"hello","more":1}`:                           `unknown field "more"`,
		`{"do":"run","program":"one"}`:                      "cannot unmarshal",
		`{"do":"run","program":2}`:                          "there is no program 2",
		`{"do":"run"}`:                                      "there is no program 0",
		`{"do":"run","program":1,"n":0}`:                    "n is 0: 1 to 1048576 runs",
		`{"do":"run","program":1,"n":1e9}`:                  "cannot unmarshal",
		`{"do":"run","program":1,"n":999999999}`:            "1 to 1048576 runs",
		`{"do":"run","program":1,"get":["z"]}`:              `the program has no "z"`,
		`{"do":"run","program":1,"set":{"z":1}}`:            `the program has no "z"`,
		`{"do":"run","program":1,"set":{"y":1}}`:            `"y" is computed by the program`,
		`{"do":"run","program":1,"set":{"x":[1]}}`:          "x: ",
		`{"do":"run","program":1,"set":{"x":null}}`:         "is not of type f32",
		`{"do":"run","program":1,"set":{"k":[1,2,3]}}`:      "more than 2 elements",
		`{"do":"run","program":1,"set":{"k":[1.5,2]}}`:      "is not of type i32",
		`{"do":"read","program":1,"get":["z"]}`:             `the program has no "z"`,
		`{"do":"write","program":1,"set":{"z":1}}`:          `the program has no "z"`,
		`{"do":"grad","program":1,"of":"z","by":["x"]}`:     `the program has no "z"`,
		`{"do":"grad","program":1,"of":"y","by":["z"]}`:     `the program has no "z"`,
		`{"do":"grad","program":1,"of":"y"}`:                "grad needs the names",
		`{"do":"grad","program":1,"of":"y","by":["x","x"]}`: `"x" appears twice`,
		`{"do":"grad","program":1,"of":"k","by":["x"]}`:     "the result has shape (2,)",
		`{"do":"compile","program":1,"arch":"z80"}`:         `unknown architecture "z80"`,
		`{"do":"load"}`:                                     "load takes either graph",
		`{"do":"load","graph":{},"cbor":"oA=="}`:            "load takes either graph",
		`{"do":"load","cbor":"?"}`:                          "illegal base64",
		`{"do":"load","cbor":"oA=="}`:                       `the format is ""`,
		`{"do":"load","graph":7}`:                           "neither a JSON object nor a CBOR map",
		`{"do":"load","graph":{"format":"copaflash-graph","version":1,"nodes":[{"op":"sin","type":"f32","args":[0]}]}}`:                                    "node 0 (sin): operand 0 is node 0",
		`{"do":"load","graph":{"format":"copaflash-graph","version":1,"nodes":[{"op":"state","type":"f32","value":1}],"outputs":[{"name":"s","node":0}]}}`: "has no next value",
	} {
		answers := serve(t, options(), loadSample+request+"\n"+`{"id":"next","do":"run","program":1,"get":["y"]}`)
		require.Len(t, answers, 3, request)
		var a struct {
			ID    any
			OK    bool
			Error service.Error
		}
		require.NoError(t, json.Unmarshal([]byte(answers[1]), &a), answers[1])
		require.False(t, a.OK, request)
		require.Equal(t, service.CodeUsage, a.Error.Code, request)
		require.Contains(t, a.Error.Message, message, request)
		require.Contains(t, answers[2], `"id":"next","ok":true,"values":{"y":9}`, "after %s", request)
	}
}

func TestLines(t *testing.T) {
	// Blank lines are nothing, the last line needs no end, ids come back as they were.
	answers := serve(t, options(), "\n \r\n"+`{"id":1.50,"do":"unload","program":0}`+"\r\n\n"+`{"id":"a\u00e4","do":"bye"}`)
	require.Len(t, answers, 2)
	require.True(t, strings.HasPrefix(answers[0], `{"id":1.50,"ok":false,`), answers[0])
	require.Equal(t, `{"id":"a\u00e4","ok":true}`, answers[1])

	// Nothing is answered after bye.
	require.Len(t, serve(t, options(), `{"do":"bye"}`+"\n"+`{"do":"hello"}`+"\n"), 1)

	// A line that is too long is passed over.
	opt := options()
	opt.MaxLine = 5000
	long := `{"id":1,"do":"hello","x":"` + strings.Repeat("x", 20_000) + `"}`
	answers = serve(t, opt, long+"\n"+`{"id":2,"do":"hello"}`+"\n"+long)
	require.Len(t, answers, 3)
	for _, i := range []int{0, 2} {
		require.Contains(t, answers[i], `{"id":null,"ok":false,"error":{"code":2,"message":"the request is longer than 5000 bytes"`)
	}
	require.Contains(t, answers[1], `{"id":2,"ok":true,`)
	just := `{"id":3,"do":"bye"` + strings.Repeat(" ", 4981) + "}"
	require.Len(t, just, 5000)
	require.Equal(t, []string{`{"id":3,"ok":true}`}, serve(t, opt, just+"\n"))
	require.Contains(t, serve(t, opt, " "+just+"\n")[0], "longer than 5000")
}

// TestSystemCalls: a request is one read and an answer one write, whether they fit a page or not, and a request
// that was refused leaves nothing behind for the next one.
func TestSystemCalls(t *testing.T) {
	const n = 3000
	load := `{"do":"load","graph":{"format":"copaflash-graph","version":1,"nodes":[{"op":"input","type":"f32","shape":[3000],"name":"v","value":[` +
		strings.Repeat("1,", n-1) + `1]},{"op":"neg","type":"f32","shape":[3000],"args":[0]}],"outputs":[{"name":"y","node":1}]}}` + "\n"
	requests := []string{load,
		`{"do":"run","program":1}` + "\n",
		`{"do":"run","program":1,"get":["v"],"set":{"v":[` + strings.Repeat("0.25,", n-1) + "0.5]}}\n",
		`{"do":"run","program":1,"more":[1,2,3]}` + "\n",
		`{"do":"run","program":1,"get":["y"]}` + " \r\n",
	}
	in, out := &pieces{list: requests}, &pieces{}
	require.NoError(t, service.Serve(t.Context(), in, out, options()))
	require.Equal(t, len(requests)+1, in.calls, "the last one finds the end")
	require.Len(t, out.list, len(requests))
	for i, want := range []string{`"ok":true`, `"values":{"y":[-1,-1,`, `"values":{"v":[0.25,0.25,`, `unknown field \"more\"`, `"values":{"y":[-0.25,-0.25,`} {
		require.Contains(t, out.list[i][:min(200, len(out.list[i]))], want)
		require.True(t, strings.HasSuffix(out.list[i], "}\n"))
	}
}

// pieces are what was read or written at a time.
type pieces struct {
	list  []string
	calls int
}

func (p *pieces) Read(b []byte) (int, error) {
	p.calls++
	if len(p.list) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.list[0])
	if p.list[0] = p.list[0][n:]; p.list[0] == "" {
		p.list = p.list[1:]
	}
	return n, nil
}

func (p *pieces) Write(b []byte) (int, error) {
	p.list = append(p.list, string(b))
	return len(b), nil
}

// Inputs that the compiled program has no need of can be set and read all the
// same; integer faults are told.
func TestValues(t *testing.T) {
	answers := serve(t, options(), loadSample+
		`{"id":2,"do":"read","program":1,"get":["unused"]}`+"\n"+
		`{"id":3,"do":"run","program":1,"set":{"unused":-6,"x":"-inf"},"get":["unused","x","y","q"]}`+"\n"+
		`{"id":4,"do":"write","program":1,"set":{"k":[1,-2]}}`+"\n"+
		`{"id":5,"do":"read","program":1,"get":["k","x"]}`)
	require.Contains(t, answers[0], `"inputs":[{"name":"x","type":"f32","shape":[]},{"name":"unused","type":"i32","shape":[]},{"name":"k","type":"i32","shape":[2]}],"states":[],`)
	require.Equal(t, `{"id":2,"ok":true,"values":{"unused":5}}`, answers[1])
	require.Contains(t, answers[2], `"values":{"q":0,"unused":-6,"x":"-inf","y":"inf"}`)
	require.Equal(t, `{"id":4,"ok":true}`, answers[3])
	// The output k is the input itself.
	require.Equal(t, `{"id":5,"ok":true,"values":{"k":[1,-2],"x":"-inf"}}`, answers[4])
}

// Random graphs, loaded in both forms, give what the oracle gives.
func TestRandomGraphs(t *testing.T) {
	for seed := range uint64(30) {
		g, outs := graphtest.Random(rand.New(rand.NewPCG(seed, 11)), graphtest.Config{Arrays: seed%2 == 0, States: seed%3 == 0})
		f := &graphfile.File{Graph: g}
		ids := make([]graph.ID, len(outs))
		for i, v := range outs {
			ids[i] = v.ID()
			f.Outputs = append(f.Outputs, graphfile.Output{Name: fmt.Sprint("out", i), Node: ids[i]})
		}
		text, err := f.JSON()
		require.NoError(t, err)
		binary, err := f.CBOR()
		require.NoError(t, err)
		var line bytes.Buffer
		require.NoError(t, json.Compact(&line, text))
		answers := serve(t, options(), `{"do":"load","graph":`+line.String()+"}\n"+
			`{"do":"load","cbor":"`+base64.StdEncoding.EncodeToString(binary)+"\"}\n"+
			`{"do":"run","program":1}`+"\n"+`{"do":"run","program":2,"n":2}`+"\n"+`{"do":"export","program":2}`)
		for runs := 1; runs <= 2; runs++ {
			want, states, _, err := eval.Runs(g, ids, nil, runs)
			require.NoError(t, err)
			var got struct{ Values map[string]json.RawMessage }
			a := answers[1+runs]
			require.NoError(t, json.Unmarshal([]byte(a), &got), a)
			require.Len(t, got.Values, len(outs))
			for i, w := range want {
				if left, ok := states[ids[i]]; ok {
					w = left // an output that is a state is what the run left in it
				}
				require.Equal(t, string(jsonvalue.Append(nil, w)), string(got.Values[fmt.Sprint("out", i)]), "seed %d, output %d, run %d", seed, i, runs)
			}
		}
		require.Equal(t, `{"id":null,"ok":true,"graph":`+line.String()+"}", answers[4])
	}
}

func TestGradients(t *testing.T) {
	answers := serve(t, options(), loadSample+
		`{"do":"grad","program":1,"of":"y","by":["x","unused"]}`+"\n"+
		`{"do":"run","program":2,"set":{"x":-1.5}}`+"\n"+
		`{"do":"grad","program":2,"of":"d(y)/d(x)","by":["x"]}`+"\n"+
		`{"do":"grad","program":2,"of":"y","by":["x"]}`+"\n"+
		`{"do":"run","program":3,"get":["d(d(y)/d(x))/d(x)"]}`+"\n"+
		`{"do":"run","program":1}`)
	require.Contains(t, answers[1], `"gradients":{"unused":"d(y)/d(unused)","x":"d(y)/d(x)"}`)
	require.Contains(t, answers[2], `"d(y)/d(unused)":0,"d(y)/d(x)":-3,`)
	require.Contains(t, answers[4], `"gradients":{"x":"d(y)/d(x)#2"}`)
	require.Contains(t, answers[5], `"values":{"d(d(y)/d(x))/d(x)":2}`)
	require.Contains(t, answers[6], `"values":{"k":[7,8],"q":0,"y":9}`, "the graph itself is as before")
}

func TestCompile(t *testing.T) {
	for _, arch := range []string{"x86_64", "aarch64"} {
		answer := serve(t, options(), loadSample+`{"do":"compile","program":1,"arch":"`+arch+`"}`)[1]
		var got struct {
			OK     bool
			Image  []byte
			Digest string
			Code   int `json:"code_bytes"`
		}
		require.NoError(t, json.Unmarshal([]byte(answer), &got))
		require.True(t, got.OK, answer)
		img, err := image.Decode(got.Image)
		require.NoError(t, err)
		require.Equal(t, arch, img.Arch.String())
		digest := img.Digest()
		require.Equal(t, fmt.Sprintf("%x", digest[:]), got.Digest)
		require.Len(t, img.Code, got.Code)
	}
}

func TestOps(t *testing.T) {
	var got struct {
		Ops []struct{ Name, Doc, Meaning, Derivative string }
	}
	require.NoError(t, json.Unmarshal([]byte(serve(t, options(), `{"do":"ops"}`)[0]), &got))
	require.Len(t, got.Ops, int(graph.NumOps))
	for i, op := range got.Ops {
		require.Equal(t, graph.Ops[i].Name, op.Name)
		require.Equal(t, graph.Ops[i].Meaning, op.Meaning)
		require.Equal(t, graph.Ops[i].Derivative, op.Derivative)
	}
}

func TestPrograms(t *testing.T) {
	var in strings.Builder
	for range service.MaxPrograms + 1 {
		in.WriteString(loadSample)
	}
	in.WriteString(`{"do":"unload","program":3}` + "\n" + loadSample + `{"do":"run","program":3}` + "\n" + `{"do":"run","program":257,"get":["y"]}`)
	answers := serve(t, options(), in.String())
	require.Contains(t, answers[service.MaxPrograms], "256 programs are loaded already")
	rest := answers[service.MaxPrograms+1:]
	require.Equal(t, `{"id":null,"ok":true}`, rest[0])
	require.Contains(t, rest[1], `"ok":true,"program":257`)
	require.Contains(t, rest[2], "there is no program 3")
	require.Contains(t, rest[3], `"values":{"y":9}`)
}

// A target that cannot be opened is tried again with the next request; what went
// wrong is explained by the caller.
func TestTargetErrors(t *testing.T) {
	cause := errors.New("no board here")
	opened := 0
	opt := options()
	working := opt.Open
	opt.Open = func(ctx context.Context) (device.Device, error) {
		if opened++; opened == 1 {
			return nil, cause
		}
		return working(ctx)
	}
	opt.Explain = func(err error) (int, string) {
		require.ErrorIs(t, err, cause)
		return 3, "connect one"
	}
	const run = `{"id":2,"do":"run","program":1,"get":["y"]}` + "\n"
	answers := serve(t, opt, loadSample+run+run+run)
	require.Equal(t, `{"id":2,"ok":false,"error":{"code":3,"message":"no board here","hint":"connect one"}}`, answers[1])
	require.Contains(t, answers[2], `"values":{"y":9}`)
	require.Contains(t, answers[3], `"values":{"y":9}`)
	require.Equal(t, 2, opened)
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error)  { return 0, b.err }
func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestEndings(t *testing.T) {
	cause := errors.New("gone")
	require.ErrorIs(t, service.Serve(t.Context(), broken{cause}, io.Discard, options()), cause)
	require.ErrorIs(t, service.Serve(t.Context(), strings.NewReader(loadSample), broken{cause}, options()), cause)
	require.NoError(t, service.Serve(t.Context(), strings.NewReader(""), broken{cause}, options()))

	// Cancelled while it waits for a request.
	ctx, cancel := context.WithCancel(t.Context())
	in, never := io.Pipe()
	defer never.Close()
	ended := make(chan error)
	go func() { ended <- service.Serve(ctx, in, io.Discard, options()) }()
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

// Whatever comes in, every line that is not blank gets one answer that is JSON.
func FuzzServe(f *testing.F) {
	f.Add(loadSample + `{"id":2,"do":"grad","program":1,"of":"y","by":["x"]}` + "\n" + `{"do":"export","program":2}`)
	f.Add(loadSample + `{"do":"run","program":1,"set":{"k":[1,2]}}` + "\n" + `{"do":"bye"}`)
	f.Add(`{"id":[1],"do":"hello"}` + "\n\n{}\n" + `{"do":"load","cbor":"rQA="}`)
	opt := options()
	opt.MaxLine = 4096
	opt.Open = func(context.Context) (device.Device, error) { return nil, errors.New("none") }
	f.Fuzz(func(t *testing.T, input string) {
		if strings.Contains(input, `"shape":[`) && regexp.MustCompile(`\d{5}`).MatchString(input) {
			return // large arrays are right, and slow to write
		}
		lines := 0
		for l := range strings.Lines(input) {
			if strings.TrimSpace(l) != "" {
				lines++
			}
		}
		answers := serve(t, opt, input)
		if len(answers) > lines || len(answers) < lines && !strings.Contains(input, "bye") && !strings.Contains(input, `\u`) {
			t.Fatalf("%d answers for %d lines", len(answers), lines)
		}
		for _, a := range answers {
			if !json.Valid([]byte(a)) {
				t.Fatalf("no JSON: %s", a)
			}
		}
	})
}
