package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/device"
	"github.com/copaflash/copaflash/compiler/device/oracle"
	"github.com/copaflash/copaflash/compiler/device/pool"
	"github.com/copaflash/copaflash/compiler/graph/graphfile"
	"github.com/copaflash/copaflash/compiler/sweep"
	"github.com/copaflash/copaflash/compiler/sweep/cluster/embedded"
)

// The test binary is a worker where the environment names servers.
const workerEnv = "SWEEP_TEST_WORKER"

func TestMain(m *testing.M) {
	urls := os.Getenv(workerEnv)
	if urls == "" {
		os.Exit(m.Run())
	}
	w := Work{Server: Server{URL: urls}, Release: release, Name: "worker " + strconv.Itoa(os.Getpid()), Device: slow(2 * time.Millisecond), Note: func(text string) { fmt.Println(text) }}
	if err := w.Run(context.Background()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

const release = "1.2.3"

// slowly is the oracle with programs that take their time.
type slowly struct {
	device.Device
	takes time.Duration
	fails string // the bytes of the parameter whose run faults; "": none
}

func slow(takes time.Duration) device.Device {
	dev, err := oracle.New("x86_64")
	if err != nil {
		panic(err)
	}
	return &slowly{Device: dev, takes: takes}
}

func (s *slowly) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	l, err := s.Device.Load(ctx, p)
	return &slowProgram{l, s}, err
}

type slowProgram struct {
	device.Program
	dev *slowly
}

func (p *slowProgram) Call(ctx context.Context, c device.Call) (device.Result, error) {
	pause(ctx, p.dev.takes)
	for _, w := range c.Writes {
		if p.dev.fails != "" && strings.HasPrefix(string(w.Bytes), p.dev.fails) {
			return device.Result{}, errors.New("a fault")
		}
	}
	return p.Program.Call(ctx, c)
}

const squares = `{"format":"copaflash-graph","version":1,"nodes":[
{"op":"input","type":"f32","name":"x","value":2},
{"op":"mul","type":"f32","args":[0,0]},
{"op":"sin","type":"f32","args":[1]}
],"outputs":[{"name":"square","node":1},{"name":"sine","node":2}]}`

// newJob is a job of n runs, and the table that a sweep on this machine alone gives.
func newJob(t *testing.T, n int) (*Job, *sweep.Sweep, string) {
	t.Helper()
	f, err := graphfile.Decode([]byte(squares))
	require.NoError(t, err)
	job, s, err := NewJob(t.Context(), release, f, false, sweep.Spec{Sets: []string{fmt.Sprintf("x=0:1:%d", n)}})
	require.NoError(t, err)
	dev := slow(0)
	workers, err := pool.New(t.Context(), dev, s.Program, 1)
	require.NoError(t, err)
	defer workers.Close()
	var want []byte
	require.NoError(t, s.Each(t.Context(), workers, 0, s.Len(), true, func(c sweep.Chunk) error {
		want = append(want, c.CSV...)
		return nil
	}))
	return job, s, string(want)
}

func notes(t *testing.T) (func(string), func() string) {
	var mu sync.Mutex
	var all strings.Builder
	return func(text string) {
			mu.Lock()
			defer mu.Unlock()
			all.WriteString(text + "\n")
			t.Log(text)
		}, func() string {
			mu.Lock()
			defer mu.Unlock()
			return all.String()
		}
}

func startServer(t *testing.T, o embedded.Options) *embedded.Server {
	t.Helper()
	if o.Folder == "" {
		o.Folder = t.TempDir()
	}
	s, err := embedded.Start(o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// working has a worker in this process until the test ends.
func working(t *testing.T, w Work) {
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = w.Run(ctx)
	}()
	t.Cleanup(func() { stop(); <-ended })
}

// streams are the names of those that are on a server.
func streams(t *testing.T, s Server) (names []string) {
	t.Helper()
	conn, err := connect(t.Context(), s, "test", func(string) {})
	require.NoError(t, err)
	defer conn.Close()
	list := conn.js.StreamNames(t.Context())
	for name := range list.Name() {
		names = append(names, name)
	}
	return names
}

// freePorts are addresses of this machine that nobody listens at.
func freePorts(t *testing.T, n int) (list []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		list = append(list, l.Addr().String())
	}
	return list
}

// TestKilled: three servers, one of which is started again, and four workers, each of which is
// killed: every chunk has one result, and the table is that of a sweep on one machine.
func TestKilled(t *testing.T) {
	const nodes, workers = 3, 4
	ports := freePorts(t, 2*nodes)
	clients, peers := ports[:nodes], ports[nodes:]
	var options []embedded.Options
	var servers []*embedded.Server
	urls := make([]string, nodes)
	for i := range nodes {
		options = append(options, embedded.Options{Listen: clients[i], Peers: peers[i], Name: fmt.Sprintf("n%d", i), Cluster: "sweeps", Routes: peers, Token: "secret", Folder: t.TempDir()})
		servers = append(servers, startServer(t, options[i]))
		urls[i] = servers[i].URL()
	}
	at := Server{URL: strings.Join(urls, ",")}
	require.Eventually(t, func() bool {
		// The leader knows of all.
		return slices.ContainsFunc(servers, func(s *embedded.Server) bool { return len(s.JetStreamClusterPeers()) == nodes })
	}, time.Minute, 50*time.Millisecond)

	start := func() *exec.Cmd {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), workerEnv+"="+at.URL)
		require.NoError(t, c.Start())
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		return c
	}
	var running [workers]*exec.Cmd
	for i := range running {
		running[i] = start()
	}

	job, s, want := newJob(t, 4000)
	chunks := job.chunks(s.Len())
	require.Greater(t, chunks, 200)
	note, _ := notes(t)
	var got []byte
	seen, killed, restarted := 0, 0, false
	again := make(chan struct{})
	c := Collection{Server: at, Job: job, Lease: time.Second, Note: note, Done: func(c sweep.Chunk) error {
		require.Equal(t, seen*job.Chunk, c.First)
		got = s.AppendCSV(got, c.First, c.Rows)
		seen++
		if killed < workers && seen*(workers+1) > chunks*(killed+1) {
			require.NoError(t, running[killed].Process.Kill()) // SIGKILL, with a chunk in its hands
			running[killed] = start()
			killed++
		}
		if !restarted && seen*2 > chunks {
			restarted = true
			servers[1].Close()
			go func() {
				defer close(again)
				s, err := embedded.Start(options[1])
				if assert.NoError(t, err) {
					t.Cleanup(s.Close)
				}
			}()
		}
		if seen == chunks {
			conn, err := connect(t.Context(), at, "test", note)
			require.NoError(t, err)
			defer conn.Close()
			_, name, err := job.encode()
			require.NoError(t, err)
			stream, err := conn.js.Stream(t.Context(), resultStream(name))
			require.NoError(t, err)
			info, err := stream.Info(t.Context())
			require.NoError(t, err)
			assert.EqualValues(t, chunks+1, info.State.Msgs, "the job, and one result for each chunk")
			assert.Equal(t, 3, info.Config.Replicas)
		}
		return nil
	}}
	require.NoError(t, c.Collect(t.Context(), s))
	<-again
	assert.Equal(t, workers, killed)
	assert.Equal(t, chunks, seen)
	assert.Equal(t, want, string(got))
	assert.Empty(t, streams(t, at), "nothing of the job is left")
}

// TestResumed: a collector that was interrupted is followed by another one, which gets all results.
func TestResumed(t *testing.T) {
	server := startServer(t, embedded.Options{Listen: "127.0.0.1:0"})
	at := Server{URL: server.URL()}
	note, _ := notes(t)
	working(t, Work{Server: at, Release: release, Name: "a", Device: slow(0), Note: note})
	job, s, want := newJob(t, 2000)
	ctx, interrupt := context.WithCancel(t.Context())
	c := Collection{Server: at, Job: job, Note: note, Done: func(c sweep.Chunk) error {
		if c.First > 500 {
			interrupt()
		}
		return nil
	}}
	require.ErrorIs(t, c.Collect(ctx, s), context.Canceled)
	require.Len(t, streams(t, at), 2)

	note, told := notes(t)
	var got []byte
	c.Note = note
	c.Done = func(c sweep.Chunk) error { got = s.AppendCSV(got, c.First, c.Rows); return nil }
	require.NoError(t, c.Collect(t.Context(), s))
	assert.Equal(t, want, string(got))
	assert.Contains(t, told(), "going on from there")
	assert.Empty(t, streams(t, at))
}

// TestFault: a run that fails ends the sweep with its error, and nothing is left of it.
func TestFault(t *testing.T) {
	server := startServer(t, embedded.Options{Listen: "127.0.0.1:0"})
	at := Server{URL: server.URL()}
	note, _ := notes(t)
	dev := slow(0).(*slowly)
	dev.fails = "\x00\x00\x40\x3f" // x = 0.75
	working(t, Work{Server: at, Release: release, Name: "a", Device: dev, Note: note})
	job, s, _ := newJob(t, 1001)
	c := Collection{Server: at, Job: job, Note: note, Done: func(sweep.Chunk) error { return nil }}
	require.EqualError(t, c.Collect(t.Context(), s), "run 750 (x=0.75): a fault (at a)")
	assert.Empty(t, streams(t, at))
}

// TestRefused: a worker of another release, and one whose bits are others, take no chunk.
func TestRefused(t *testing.T) {
	server := startServer(t, embedded.Options{Listen: "127.0.0.1:0"})
	at := Server{URL: server.URL()}
	quiet := func(string) {}
	other := slow(0).(*slowly)
	working(t, Work{Server: at, Release: "9.9.9", Name: "old", Device: slow(0), Note: quiet})
	working(t, Work{Server: at, Release: release, Name: "odd", Device: &inexact{other}, Note: quiet})
	job, s, want := newJob(t, 600)
	note, told := notes(t)
	var got []byte
	c := Collection{Server: at, Job: job, Note: note, Done: func(c sweep.Chunk) error { got = s.AppendCSV(got, c.First, c.Rows); return nil }}
	go func() {
		for !strings.Contains(told(), "old: ") || !strings.Contains(told(), "odd: ") {
			time.Sleep(20 * time.Millisecond)
		}
		w := Work{Server: at, Release: release, Name: "good", Device: slow(0), Note: quiet, Idle: time.Second}
		_ = w.Run(t.Context())
	}()
	require.NoError(t, c.Collect(t.Context(), s))
	assert.Equal(t, want, string(got))
	assert.Contains(t, told(), "old: the job is of copaflash 1.2.3, and this worker of copaflash 9.9.9")
	assert.Contains(t, told(), "odd: run 300 has other bits here than at the collector")
}

// inexact is a device whose results differ in a bit.
type inexact struct{ *slowly }

func (d *inexact) Load(ctx context.Context, p *compiler.Program) (device.Program, error) {
	l, err := d.slowly.Load(ctx, p)
	return &inexactProgram{l}, err
}

type inexactProgram struct{ device.Program }

func (p *inexactProgram) Call(ctx context.Context, c device.Call) (device.Result, error) {
	r, err := p.Program.Call(ctx, c)
	for _, d := range r.Data {
		if len(d) > 0 && d[0] != 0 {
			d[0] ^= 1
		}
	}
	return r, err
}

// TestEverybodyEnds: a chunk over which one worker after the other ends does not hold the sweep up for ever.
func TestEverybodyEnds(t *testing.T) {
	server := startServer(t, embedded.Options{Listen: "127.0.0.1:0"})
	at := Server{URL: server.URL()}
	job, s, want := newJob(t, 3)
	_, name, err := job.encode()
	require.NoError(t, err)
	conn, err := connect(t.Context(), at, "test", func(string) {})
	require.NoError(t, err)
	defer conn.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for ctx.Err() == nil {
			chunks, err := conn.js.Consumer(t.Context(), workStream(name), consumerName)
			if err != nil {
				continue // not there yet
			}
			if m, err := chunks.Next(jetstream.FetchMaxWait(time.Second)); err == nil {
				_ = m.Nak()
			}
		}
	}()
	note, _ := notes(t)
	c := Collection{Server: at, Job: job, Note: note, Done: func(sweep.Chunk) error { return nil }}
	require.ErrorIs(t, c.Collect(t.Context(), s), errEnded)
	stop()
	// The chunk is queued again by the next collector.
	working(t, Work{Server: at, Release: release, Name: "a", Device: slow(0), Note: note})
	var got []byte
	c.Done = func(c sweep.Chunk) error { got = s.AppendCSV(got, c.First, c.Rows); return nil }
	require.NoError(t, c.Collect(t.Context(), s))
	assert.Equal(t, want, string(got))
}

// TestDisk: what fails at the collector can be mended, so the job stays.
func TestDisk(t *testing.T) {
	server := startServer(t, embedded.Options{Listen: "127.0.0.1:0"})
	at := Server{URL: server.URL()}
	note, _ := notes(t)
	working(t, Work{Server: at, Release: release, Name: "a", Device: slow(0), Note: note})
	job, s, want := newJob(t, 300)
	full := errors.New("the disk is full")
	c := Collection{Server: at, Job: job, Note: note, Done: func(sweep.Chunk) error { return full }}
	require.ErrorIs(t, c.Collect(t.Context(), s), full)
	var got []byte
	c.Done = func(c sweep.Chunk) error { got = s.AppendCSV(got, c.First, c.Rows); return nil }
	require.NoError(t, c.Collect(t.Context(), s))
	assert.Equal(t, want, string(got))
	// Unless it is to begin anew.
	c.Done = func(sweep.Chunk) error { return full }
	require.ErrorIs(t, c.Collect(t.Context(), s), full)
	note, told := notes(t)
	c.Note, c.Discard, c.Done = note, true, func(sweep.Chunk) error { return nil }
	require.NoError(t, c.Collect(t.Context(), s))
	assert.NotContains(t, told(), "going on from there")
}

// TestNoServer: what is wrong, and what to do.
func TestNoServer(t *testing.T) {
	job, s, _ := newJob(t, 3)
	port := freePorts(t, 1)[0]
	server := startServer(t, embedded.Options{Listen: "127.0.0.1:0"})
	for url, says := range map[string][2]string{
		"nats://user:pw@" + port:                 {"cannot reach NATS at nats://...@" + port, "nats-server -js"},
		"nats://wrong@" + server.Addr().String(): {"Authorization Violation", "--creds"},
		"tls://" + server.Addr().String():        {"cannot reach NATS", "tls://"},
	} {
		c := Collection{Server: Server{URL: url}, Job: job, Note: func(string) {}, Done: func(sweep.Chunk) error { return nil }}
		err := c.Collect(t.Context(), s)
		var wrong *Error
		require.ErrorAs(t, err, &wrong, url)
		assert.Contains(t, err.Error(), says[0])
		assert.Contains(t, wrong.Hint(), says[1])
		assert.NotContains(t, err.Error(), "pw")
	}
}

// TestDamaged: a job that is not the one it is called by is refused.
func TestDamaged(t *testing.T) {
	job, _, _ := newJob(t, 3)
	text, name, err := job.encode()
	require.NoError(t, err)
	again, err := decodeJob(text, name)
	require.NoError(t, err)
	assert.Equal(t, job, again)
	text[len(text)/2] ^= 1
	_, err = decodeJob(text, name)
	require.ErrorContains(t, err, "damaged")
}
