package service

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/bind"
	"github.com/copaflash/copaflash/compiler/graph"
	"github.com/copaflash/copaflash/compiler/graph/graphfile"
)

// request is a row of the table of what a client can ask for.
type request struct {
	name string
	do   func(s *server, ctx context.Context, text []byte) (any, error)
}

var requests []request

func init() { // a function, since hello lists the table
	requests = []request{
		{"hello", as((*server).hello)},
		{"ops", as((*server).ops)},
		{"load", as((*server).load)},
		{"run", as((*server).run)},
		{"read", as((*server).read)},
		{"write", as((*server).write)},
		{"reset", as((*server).reset)},
		{"start", as((*server).start)},
		{"stop", as((*server).stop)},
		{"status", as((*server).status)},
		{"set", as((*server).set)},
		{"get", as((*server).get)},
		{"stream", as((*server).stream)},
		{"records", as((*server).records)},
		{"grad", as((*server).grad)},
		{"export", as((*server).export)},
		{"compile", as((*server).compile)},
		{"unload", as((*server).unload)},
		{"bye", as((*server).bye)},
	}
}

func requestNames() string {
	names := make([]string, len(requests))
	for i, r := range requests {
		names[i] = r.name
	}
	return strings.Join(names, ", ")
}

// nothing is the answer of requests that only say that they are done.
type nothing struct{}

func (s *server) hello(_ context.Context, _ *head) (any, error) {
	types := []string{}
	for t := graph.Bool; t.Valid(); t++ {
		types = append(types, t.String())
	}
	names := make([]string, len(requests))
	for i, r := range requests {
		names[i] = r.name
	}
	return struct {
		Version  int      `json:"version"`
		Graphs   int      `json:"graph_version"`
		Target   string   `json:"target"`
		Archs    []string `json:"archs"`
		Types    []string `json:"types"`
		Requests []string `json:"requests"`
		MaxLine  int      `json:"max_line"`
		Programs int      `json:"max_programs"`
		Runs     int      `json:"max_runs"`
	}{Version, graphfile.Version, s.opt.Target, compiler.Archs(), types, names, s.opt.MaxLine, MaxPrograms, MaxRuns}, nil
}

func (s *server) ops(_ context.Context, _ *head) (any, error) {
	type op struct {
		Name       string `json:"name"`
		Operands   int    `json:"operands"` // -1: one or more
		Doc        string `json:"doc"`
		Meaning    string `json:"meaning"`
		Derivative string `json:"derivative"`
	}
	var list []op
	for i := range graph.NumOps {
		info := i.Info()
		list = append(list, op{info.Name, info.Arity, info.Doc, info.Meaning, info.Derivative})
	}
	return struct {
		Ops []op `json:"ops"`
	}{list}, nil
}

func (s *server) load(_ context.Context, r *struct {
	head
	Graph json.RawMessage `json:"graph"`
	CBOR  []byte          `json:"cbor"` // base64
	Fast  *bool           `json:"fast"` // missing: as Options say

	Bind map[string]string `json:"bind"` // channels by the names of inputs
	Rate float64           `json:"rate"` // ticks per second, for channels that count in seconds
}) (any, error) {
	data := []byte(r.Graph)
	if r.CBOR != nil {
		data = r.CBOR
	}
	if len(data) == 0 || r.CBOR != nil && r.Graph != nil {
		return nil, refuse("see docs/graph-file.md", "load takes either graph, an object, or cbor, a file in base64")
	}
	f, err := graphfile.Decode(data)
	if err != nil {
		return nil, refuse("see docs/graph-file.md", "%v", err)
	}
	if f, err = s.bound(f, r.Bind, r.Rate); err != nil {
		return nil, err
	}
	fast := s.opt.Fast
	if r.Fast != nil {
		fast = *r.Fast
	}
	return s.keep(f, fast)
}

// bound is a graph whose inputs are bound to channels.
func (s *server) bound(f *graphfile.File, channels map[string]string, rate float64) (*graphfile.File, error) {
	if len(channels) == 0 {
		return f, nil
	}
	if rate < 0 {
		return nil, refuse("", "rate is %v: ticks per second", rate)
	}
	set := &bind.Set{ReadFile: s.opt.ReadFile, Plant: s.opt.Plant}
	for _, name := range slices.Sorted(maps.Keys(channels)) {
		if err := bind.Check(channels[name]); err != nil {
			return nil, refuse(hintOf(err), "bind: %s: %v", name, err)
		}
		set.Put(bind.Binding{Variable: name, Channel: channels[name]})
	}
	f, err := compiler.BindFile(f, set, rate)
	if err != nil {
		return nil, refuse(hintOf(err), "bind: %v", err)
	}
	return f, nil
}

// hintOf is the next step that an error of bindings names.
func hintOf(err error) string {
	if e := (*bind.Error)(nil); errors.As(err, &e) {
		return e.Hint()
	}
	return ""
}

// keep gives a graph a number and describes it.
func (s *server) keep(f *graphfile.File, fast bool) (*signature, error) {
	if len(s.programs) >= MaxPrograms {
		return nil, refuse("unload those that are not needed any more", "%d programs are loaded already", len(s.programs))
	}
	p, err := newProgram(f)
	if err != nil {
		return nil, err
	}
	p.fast = fast
	s.last++
	s.programs[s.last] = p
	sig := p.signature()
	sig.Program = s.last
	return sig, nil
}

// of names a program, in requests that are about one.
type of struct {
	head
	Program int `json:"program"`
}

func (s *server) find(number int) (*program, error) {
	if p := s.programs[number]; p != nil {
		return p, nil
	}
	return nil, refuse("load answers with the number of its program", "there is no program %d", number)
}

// ready finds a program and sees to it that it is on the target.
func (s *server) ready(ctx context.Context, number int) (*program, error) {
	p, err := s.find(number)
	if err != nil || p.loaded != nil {
		return p, err
	}
	if s.device == nil {
		if s.device, err = s.opt.Open(ctx); err != nil {
			s.device = nil
			return nil, err
		}
	}
	return p, p.load(ctx, s.device)
}

// values is an answer with numbers.
type values struct {
	Values map[string]json.RawMessage `json:"values"`
}

func (s *server) run(ctx context.Context, r *struct {
	of
	Set map[string]json.RawMessage `json:"set"`
	Get []string                   `json:"get"`
	N   *int                       `json:"n"`
}) (any, error) {
	n := 1
	if r.N != nil {
		n = *r.N
	}
	if n < 1 || n > MaxRuns {
		return nil, refuse("", "n is %d: 1 to %d runs in one request", n, MaxRuns)
	}
	p, err := s.ready(ctx, r.Program)
	if err != nil {
		return nil, err
	}
	if err := p.checkNames(r.Get); err != nil {
		return nil, err // before anything has changed
	}
	words, err := p.parse(r.Set)
	if err != nil {
		return nil, err
	}
	if r.Get == nil {
		r.Get = p.outputNames()
	}
	got, times, err := p.use(ctx, words, n, r.Get)
	if err != nil {
		return nil, err
	}
	return struct {
		values
		Runs  int      `json:"runs"`
		Time  runTimes `json:"run_ns"`
		Flags []string `json:"flags,omitempty"`
	}{got, n, times, p.flags.Names()}, nil
}

// runTimes are those of the runs that the target kept, by its own timer.
type runTimes struct {
	Min  int64   `json:"min"`
	Mean float64 `json:"mean"`
	Max  int64   `json:"max"`

	count int
}

func (t *runTimes) add(d time.Duration) {
	ns := d.Nanoseconds()
	if t.count++; t.count == 1 {
		t.Min = ns
	}
	t.Min, t.Max = min(t.Min, ns), max(t.Max, ns)
	t.Mean += (float64(ns) - t.Mean) / float64(t.count)
}

func (s *server) read(ctx context.Context, r *struct {
	of
	Get []string `json:"get"`
}) (any, error) {
	p, err := s.ready(ctx, r.Program)
	if err != nil {
		return nil, err
	}
	if r.Get == nil {
		r.Get = p.outputNames()
	}
	if err := p.checkNames(r.Get); err != nil {
		return nil, err
	}
	got, _, err := p.use(ctx, nil, 0, r.Get)
	return got, err
}

func (s *server) write(ctx context.Context, r *struct {
	of
	Set map[string]json.RawMessage `json:"set"`
}) (any, error) {
	_, err := s.assign(ctx, r.Program, r.Set)
	return nothing{}, err
}

// assign changes variables of a program: in its loop between two ticks.
func (s *server) assign(ctx context.Context, number int, values map[string]json.RawMessage) (*program, error) {
	p, err := s.ready(ctx, number)
	if err != nil {
		return nil, err
	}
	words, err := p.parse(values)
	if err != nil {
		return nil, err
	}
	_, _, err = p.use(ctx, words, 0, nil)
	return p, err
}

func (s *server) reset(ctx context.Context, r *of) (any, error) {
	p, err := s.find(r.Program)
	if err != nil || p.loaded == nil {
		return nothing{}, err
	}
	return nothing{}, p.reset(ctx)
}

func (s *server) grad(_ context.Context, r *struct {
	of
	Of string   `json:"of"`
	By []string `json:"by"`
}) (any, error) {
	p, err := s.find(r.Program)
	if err != nil {
		return nil, err
	}
	f, names, err := p.grad(r.Of, r.By)
	if err != nil {
		return nil, err
	}
	sig, err := s.keep(f, p.fast)
	if err != nil {
		return nil, err
	}
	return struct {
		*signature
		Gradients map[string]string `json:"gradients"` // output, by variable
	}{sig, names}, nil
}

func (s *server) export(_ context.Context, r *of) (any, error) {
	p, err := s.find(r.Program)
	if err != nil {
		return nil, err
	}
	text, err := p.file.JSON()
	return struct {
		Graph json.RawMessage `json:"graph"`
	}{text}, err
}

func (s *server) compile(_ context.Context, r *struct {
	of
	Arch     string   `json:"arch"`
	Features []string `json:"features"`
}) (any, error) {
	p, err := s.find(r.Program)
	if err != nil {
		return nil, err
	}
	if err := compiler.CheckArch(r.Arch); err != nil {
		return nil, refuse("arch is one of "+strings.Join(compiler.Archs(), ", "), "%v", err)
	}
	features, err := compiler.ParseFeatures(r.Arch, r.Features)
	if err != nil {
		return nil, refuse("they are listed by copaflash compile --help", "%v", err)
	}
	prog, err := p.compile(compiler.Options{Arch: r.Arch, Features: features})
	if err != nil {
		return nil, err
	}
	data, err := prog.Image.Encode()
	if err != nil {
		return nil, err
	}
	digest := prog.Image.Digest()
	return struct {
		Image  []byte `json:"image"` // a .copa file in base64
		Digest string `json:"digest"`
		Fast   string `json:"fast,omitempty"` // "whole" or "parts"
		Ops    uint64 `json:"ops"`
		Code   int    `json:"code_bytes"`
		Data   uint64 `json:"data_bytes"`
		Stack  uint32 `json:"stack_bytes"`
	}{data, hex.EncodeToString(digest[:]), prog.Image.Fast.Label(), prog.Image.Budget.TotalOps(), len(prog.Image.Code), prog.Image.DataSize(), prog.Image.Budget.StackBytes}, nil
}

func (s *server) unload(ctx context.Context, r *of) (any, error) {
	p, err := s.find(r.Program)
	if err != nil {
		return nil, err
	}
	p.release(ctx)
	delete(s.programs, r.Program)
	return nothing{}, nil
}

func (s *server) bye(_ context.Context, _ *head) (any, error) {
	s.done = true
	return nothing{}, nil
}
