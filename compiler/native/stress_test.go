//go:build (linux || darwin || windows) && (amd64 || arm64)

package native

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/internal/extent"
)

var stressFor = flag.Duration("stress", extent.Of(4*time.Second, 10*time.Minute), "how long TestStress takes")

// stress is what goes on at the same time.
type stress struct {
	t                     *testing.T
	samples               []*sample
	stop                  chan struct{}
	wg                    sync.WaitGroup
	calls, faults, loads  atomic.Int64
	dumps, traces, wrongs atomic.Int64
	guarded               bool
}

// beside repeats f in a goroutine until the end.
func (s *stress) beside(f func(rng *rand.Rand)) {
	rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
	s.wg.Go(func() {
		for {
			select {
			case <-s.stop:
				return
			default:
				f(rng)
			}
		}
	})
}

// deep calls f on a stack that is new to it and grows and moves.
func deep(n int, f func()) {
	var room [100]byte
	if n > 0 {
		deep(n-1, f)
	} else {
		f()
	}
	runtime.KeepAlive(&room)
}

// call runs a program some times and compares every result with what has been compared with the oracle.
func (s *stress) call(rng *rand.Rand, p *Program, of *sample) {
	p.long = rng.IntN(3) == 0 || of.Image.Budget.Instructions > shortCall
	deep(rng.IntN(200), func() {
		for range 1 + rng.IntN(200) {
			of.spoil(p.Data())
			err := p.Run()
			for i, want := range of.known {
				if err == nil && !bytes.Equal(of.Output(i).In(p.Data()), want) {
					err = of.check(p.Data())
				}
			}
			if s.calls.Add(1); err != nil {
				s.wrongs.Add(1)
				s.t.Error(err)
			}
		}
	})
}

// caller calls its own copies of all programs, one after the other.
func (s *stress) caller() {
	var own []*Program
	for _, of := range s.samples {
		own = append(own, load(s.t, of.Image))
	}
	bad := load(s.t, forged(illegal()...))
	s.beside(func(rng *rand.Rand) {
		i := rng.IntN(len(own))
		s.call(rng, own[i], s.samples[i])
		if s.guarded && rng.IntN(8) == 0 {
			bad.long = rng.IntN(2) == 0
			var fault *Fault
			if err := bad.Run(); !errors.As(err, &fault) {
				s.t.Error(err)
			}
			s.faults.Add(1)
		}
	})
}

func illegal() []byte {
	if runtime.GOARCH == "arm64" {
		return code(0)
	}
	return []byte{0x0f, 0x0b}
}

type node struct {
	next *node
	text string
}

// TestStress runs programs beside allocation, collections, growing stacks, profiles, traces, dumps and signals of a
// timer, with one processor and with two, and compares every result. Flag -stress says how long.
func TestStress(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	samples := append(random(t, 12), loop(t, 3), loop(t, 400), loop(t, 5000))
	for _, of := range samples {
		p := load(t, of.Image)
		require.NoError(t, p.Run())
		require.NoError(t, of.check(p.Data()))
		for i := range of.want {
			of.known = append(of.known, bytes.Clone(of.Output(i).In(p.Data())))
		}
	}
	for _, processors := range []int{1, 2} {
		runtime.GOMAXPROCS(processors)
		s := &stress{t: t, samples: samples, stop: make(chan struct{}), guarded: GuardFaults() == nil}
		before := collections()
		for range 8 {
			s.caller()
		}
		for range 3 {
			var list *node
			s.beside(func(rng *rand.Rand) {
				if list = (&node{list, fmt.Sprint(rng.Uint64())}); rng.IntN(500) == 0 {
					list = nil
				}
			})
		}
		s.beside(func(rng *rand.Rand) { // programs come and go, some without a farewell
			of := s.samples[rng.IntN(len(s.samples))]
			p, err := Load(of.Image)
			if err != nil {
				s.t.Error(err)
				return
			}
			s.call(rng, p, of)
			if s.loads.Add(1); rng.IntN(4) > 0 {
				_ = p.Close()
			}
		})
		s.beside(func(*rand.Rand) { time.Sleep(3 * time.Millisecond); runtime.GC() })
		s.beside(func(*rand.Rand) {
			time.Sleep(20 * time.Millisecond)
			runtime.Stack(make([]byte, 1<<16), true)
			s.dumps.Add(1)
		})
		s.beside(func(*rand.Rand) {
			if err := trace.Start(io.Discard); err == nil {
				time.Sleep(50 * time.Millisecond)
				trace.Stop()
				s.traces.Add(1)
			}
			time.Sleep(100 * time.Millisecond)
		})
		var profile bytes.Buffer
		profiling := pprof.StartCPUProfile(&profile)
		stopSignals := timerSignals(t)
		time.Sleep(*stressFor / 2)
		close(s.stop)
		s.wg.Wait()
		signals := stopSignals()
		if profiling == nil {
			pprof.StopCPUProfile()
			require.NotZero(t, profile.Len())
		}
		t.Logf("GOMAXPROCS %d: %d calls, %d wrong, %d faults, %d loads, %d collections, %d signals, %d traces, %d dumps",
			processors, s.calls.Load(), s.wrongs.Load(), s.faults.Load(), s.loads.Load(), collections()-before, signals, s.traces.Load(), s.dumps.Load())
		require.Greater(t, s.calls.Load(), int64(100))
		require.Greater(t, collections(), before)
	}
}

func collections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}
