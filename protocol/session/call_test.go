package session_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// Words of the program that calls are tested with.
const (
	runsAt  = 4  // how often it has run
	inAt    = 8  // given
	outAt   = 12 // three times the input and the number of runs
	tickLen = 10 // ticks a run
)

func triple(_ uint32, data []byte) (uint64, *packet.Fault) {
	n := binary.LittleEndian.Uint32(data[runsAt:]) + 1
	binary.LittleEndian.PutUint32(data, 1<<(n%2)) // sticky flags
	binary.LittleEndian.PutUint32(data[runsAt:], n)
	binary.LittleEndian.PutUint32(data[outAt:], 3*binary.LittleEndian.Uint32(data[inAt:])+n)
	return tickLen * uint64(n), nil
}

// callImage is the image of triple: the runner is asked for nothing but room.
func callImage() *packet.Image {
	m := someImage(1000)
	clear(m.Data)
	return m
}

func word(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }

// call is one call with an input.
func call(in uint32) session.Call {
	return session.Call{
		Writes: []session.Piece{{Offset: inAt, Bytes: word(in)}},
		Run:    session.Run{Count: 1, Limit: time.Second},
		Reads:  []session.Span{{Offset: outAt, Length: 4}},
	}
}

// onCallLine is onLine with triple loaded.
func onCallLine(t *testing.T, c transporttest.Config, change func(*sessiontest.Runner), test func(*bench)) {
	t.Helper()
	// On a line that loses each fourth frame an answer sometimes fails to come in 5 s.
	onLineFor(t, c, session.Options{Timeout: 20 * time.Second}, func(r *sessiontest.Runner) {
		r.Program = triple
		if change != nil {
			change(r)
		}
	}, func(b *bench) {
		_, err := b.Load(b.Context(), callImage(), nil)
		require.NoError(b, err)
		test(b)
	})
}

// checkCall makes call number n, from 1, which must have the result of its own input and
// of exactly so many runs.
func (b *bench) checkCall(n uint32) {
	b.Helper()
	r, err := b.Call(b.Context(), call(1000*n))
	require.NoError(b, err, "call %d", n)
	require.Equal(b, [][]byte{word(3000*n + n)}, r.Data, "call %d", n)
	want := packet.RunResponse{Runs: 1, Total: tickLen * uint64(n), Min: tickLen * uint64(n), Max: tickLen * uint64(n), Sticky: 1 << (n % 2)}
	require.Equal(b, want, r.Run, "call %d", n)
}

// TestCallIsOneRoundTrip: the latency of an adapter, here that of both ways, counts once; three
// times where a call is made in parts.
func TestCallIsOneRoundTrip(t *testing.T) {
	for _, latency := range []time.Duration{time.Millisecond, 16 * time.Millisecond} {
		for _, baud := range []int{115200, 921600} {
			t.Run(fmt.Sprintf("%v, %d baud", latency, baud), func(t *testing.T) {
				onCallLine(t, transporttest.Config{Baud: 115200, Pace: baud, Latency: latency / 2}, nil, func(b *bench) {
					const calls = 100
					b.checkCall(1)
					before := b.line.ToRunner()
					start := time.Now()
					for n := range uint32(calls) {
						b.checkCall(n + 2)
					}
					took := time.Since(start) / calls
					sent := b.line.ToRunner()
					assert.Equal(b, 3*calls, sent.Frames-before.Frames, "nothing is sent twice")
					answers := 80
					line := time.Duration((sent.Bytes-before.Bytes)/calls+answers) * 10 * time.Second / time.Duration(baud)
					assert.Less(b, took, latency+line)

					start = time.Now()
					for n := range uint32(calls) {
						c := call(n)
						require.NoError(b, b.Write(b.Context(), c.Writes[0].Offset, c.Writes[0].Bytes))
						_, err := b.Session.Run(b.Context(), c.Run)
						require.NoError(b, err)
						_, err = b.Read(b.Context(), c.Reads[0].Offset, c.Reads[0].Length)
						require.NoError(b, err)
					}
					parts := time.Since(start) / calls
					assert.Greater(b, parts, took+2*latency)
					b.Logf("%.1f calls a second; in parts %.1f", 1/took.Seconds(), 1/parts.Seconds())
				})
			})
		}
	}
}

// TestCallsOverABadLine: no call ever runs with other inputs than its own, or twice,
// or gives the results of another.
func TestCallsOverABadLine(t *testing.T) {
	boards := map[string]func(*sessiontest.Runner){
		"board":       nil,
		"small board": func(r *sessiontest.Runner) { r.Hello.MaxPacket, r.Hello.Window = 256, 512 },
		"slow board": func(r *sessiontest.Runner) {
			r.Work = map[packet.Message]time.Duration{packet.MsgRun: 200 * time.Millisecond}
		},
	}
	for name, change := range boards {
		for _, loss := range []float64{0.01, 0.1, 0.25} {
			t.Run(fmt.Sprintf("%s, %.0f %%", name, 100*loss), func(t *testing.T) {
				harm := 0
				for seed := range uint64(6) {
					f := transporttest.Faults{DropFrame: loss / 2, CorruptFrame: loss / 4, TruncFrame: loss / 4, DoubleFrame: loss}
					c := transporttest.Config{Baud: 115200, Latency: time.Millisecond, Receiver: 1024, ToRunner: f, ToHost: f}
					c.ToRunner.Seed, c.ToHost.Seed = seed, seed+1000
					onCallLine(t, c, change, func(b *bench) {
						for n := range uint32(60) {
							b.checkCall(n + 1)
						}
						assert.Equal(b, 60, b.runner.Done(packet.MsgRun))
						for _, side := range []transporttest.Tally{b.line.ToRunner(), b.line.ToHost()} {
							harm += side.Dropped + side.Spoiled + side.Doubled
						}
					})
				}
				assert.NotZero(t, harm, "the line did no harm")
			})
		}
	}
}

// Each frame of a call is lost in turn, each answer, and all pairs of them.
func TestCallWithEachFrameLost(t *testing.T) {
	for lost := range 64 {
		var first [2]int // frames of the call, by direction; from 0
		c := transporttest.Config{Baud: 115200}
		loses := func(side int) func(int) bool {
			return func(n int) bool {
				return first[side] > 0 && n >= first[side] && n < first[side]+3 && lost>>(3*side+n-first[side])&1 != 0
			}
		}
		c.ToRunner.Lose, c.ToHost.Lose = loses(0), loses(1)
		onCallLine(t, c, nil, func(b *bench) {
			b.checkCall(1)
			first = [2]int{b.line.ToRunner().Frames, b.line.ToHost().Frames}
			for n := range uint32(3) {
				b.checkCall(n + 2)
			}
			assert.Equal(b, 4, b.runner.Done(packet.MsgRun), "lost %06b", lost)
		})
	}
}

// A fault is told also when the answer that tells it is lost and results could be read.
func TestCallThatFaults(t *testing.T) {
	for name, loses := range map[string]func(n int) bool{
		"good line":       nil,
		"answer lost":     func(n int) bool { return n == 1 },
		"all but READ's":  func(n int) bool { return n < 2 },
		"all lost once":   func(n int) bool { return n < 3 },
		"STATUS lost too": func(n int) bool { return n == 1 || n == 3 },
	} {
		t.Run(name, func(t *testing.T) {
			first := 0
			c := transporttest.Config{Baud: 115200}
			if loses != nil {
				c.ToHost.Lose = func(n int) bool { return first > 0 && n >= first && loses(n-first) }
			}
			faulty := packet.Fault{Kind: packet.FaultArithmetic, PC: 8, Inside: true}
			onCallLine(t, c, func(r *sessiontest.Runner) {
				r.Program = func(e uint32, data []byte) (uint64, *packet.Fault) {
					if binary.LittleEndian.Uint32(data[inAt:]) == 13 {
						f := faulty
						return 0, &f
					}
					return triple(e, data)
				}
			}, func(b *bench) {
				b.checkCall(1)
				first = b.line.ToHost().Frames
				r, err := b.Call(b.Context(), call(13))
				var fault *session.FaultError
				require.ErrorAs(b, err, &fault)
				assert.Equal(b, faulty, fault.Fault)
				assert.Empty(b, r.Data)
				_, err = b.Call(b.Context(), call(1))
				var remote *session.RemoteError
				require.ErrorAs(b, err, &remote)
				assert.Equal(b, packet.StatusBadState, remote.Status)
				assert.Equal(b, packet.MsgWrite, remote.Op)
			})
		})
	}
}

// What a call wants to write where there is no data is refused, and nothing is run.
func TestCallOutside(t *testing.T) {
	onCallLine(t, transporttest.Config{Baud: 115200}, nil, func(b *bench) {
		for _, c := range []session.Call{
			{Writes: []session.Piece{{Offset: 0xfffffffc, Bytes: word(1)}}, Run: session.Run{Count: 1}},
			{Writes: []session.Piece{{Offset: 8, Bytes: make([]byte, 5000)}}, Run: session.Run{Count: 1}},
			{Run: session.Run{Count: 1, Entry: 2}},
		} {
			_, err := b.Call(b.Context(), c)
			var remote *session.RemoteError
			require.ErrorAs(b, err, &remote)
			assert.Equal(b, packet.StatusOutOfRange, remote.Status)
		}
		_, data := b.runner.Memory()
		assert.Equal(b, word(0), data[runsAt:][:4], "it never ran")
		b.checkCall(1)
		_, err := b.Call(b.Context(), session.Call{Run: session.Run{Count: 1}, Reads: []session.Span{{Offset: 5000, Length: 4}}})
		require.ErrorContains(b, err, "refused read")
	})
}

// Of a program that another session has loaded nothing is known, so that each part of a
// call waits for the one before.
func TestCallOfAProgramThatWasThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t, transporttest.Config{Baud: 115200}, func(r *sessiontest.Runner) { r.Program = triple })
		first, err := session.Open(t.Context(), b.line.Host, session.Options{})
		require.NoError(t, err)
		_, err = first.Load(t.Context(), callImage(), nil)
		require.NoError(t, err)
		require.NoError(t, first.Close())
		<-b.served

		f := transporttest.Faults{DropFrame: 0.1, DoubleFrame: 0.1}
		b.line = transporttest.New(transporttest.Config{Baud: 115200, ToRunner: f, ToHost: f})
		go func() { assert.NoError(t, b.runner.Serve(b.line.Runner)) }()
		b.Session, err = session.Open(t.Context(), b.line.Host, session.Options{})
		require.NoError(t, err)
		defer b.Close()
		_, err = b.Call(t.Context(), session.Call{Writes: []session.Piece{{Offset: 5000, Bytes: word(1)}}, Run: session.Run{Count: 1}})
		require.ErrorContains(t, err, "refused write")
		for n := range uint32(50) {
			b.checkCall(n + 1)
		}
	})
}

// A program that was taken off the board is not known any more.
func TestCallAfterDrop(t *testing.T) {
	onCallLine(t, transporttest.Config{Baud: 115200}, nil, func(b *bench) {
		require.NoError(b, b.Drop(b.Context()))
		before := b.line.ToRunner().Frames
		_, err := b.Call(b.Context(), call(1))
		require.ErrorContains(b, err, "refused write")
		assert.Equal(b, 1, b.line.ToRunner().Frames-before, "nothing was sent behind it")
	})
}

// What is sent behind a single run that takes long waits in the runner's queue, and
// repetitions do not fill it.
func TestCallThatTakesLong(t *testing.T) {
	for _, work := range []time.Duration{100 * time.Millisecond, time.Second, 8 * time.Second} {
		onCallLine(t, transporttest.Config{Baud: 115200, Receiver: 1024}, func(r *sessiontest.Runner) {
			r.Hello.MaxPacket, r.Hello.Window = 256, 512
			r.Work = map[packet.Message]time.Duration{packet.MsgRun: work}
		}, func(b *bench) {
			start := time.Now()
			for n := range uint32(5) {
				c := call(n)
				c.Run.Limit = 10 * time.Second
				r, err := b.Call(b.Context(), c)
				require.NoError(b, err)
				require.Equal(b, word(3*n+n+1), r.Data[0])
			}
			assert.Less(b, time.Since(start), 5*work+time.Second)
			assert.Equal(b, 5, b.runner.Done(packet.MsgRun))
			assert.Equal(b, 1, b.runner.Done(packet.MsgHello), "still the first session")
			assert.Zero(b, b.line.ToRunner().Overruns)
		})
	}
}

// Several runs are not followed by anything until they have ended.
func TestCallOfManyRuns(t *testing.T) {
	onCallLine(t, transporttest.Config{Baud: 115200}, func(r *sessiontest.Runner) {
		r.Work = map[packet.Message]time.Duration{packet.MsgRun: 40 * time.Millisecond}
	}, func(b *bench) {
		before := b.line.ToRunner().Frames
		c := call(5)
		c.Run.Count, c.Samples = 10, 10
		r, err := b.Call(b.Context(), c)
		require.NoError(b, err)
		assert.Equal(b, word(25), r.Data[0])
		assert.Equal(b, []uint32{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}, r.Samples)
		assert.Equal(b, uint64(550), r.Run.Total)
		assert.Equal(b, 4, b.line.ToRunner().Frames-before, "nothing is sent twice")
	})
}

// An emulated board gets bytes faster than its line would bring them, and has all of a
// call when RUN begins.
func TestCallOverAFastLine(t *testing.T) {
	onCallLine(t, transporttest.Config{Baud: 115200, Pace: 1 << 30}, func(r *sessiontest.Runner) {
		r.Work = map[packet.Message]time.Duration{packet.MsgWrite: time.Millisecond}
	}, func(b *bench) {
		before := b.line.ToRunner().Frames
		for n := range uint32(50) {
			b.checkCall(n + 1)
		}
		assert.Equal(b, 150, b.line.ToRunner().Frames-before, "nothing is sent twice")
	})
}

// Data of several packets goes there and back with all that the window has room for.
func TestCallWithMuchData(t *testing.T) {
	for _, loss := range []float64{0, 0.1} {
		f := transporttest.Faults{DropFrame: loss}
		c := transporttest.Config{Baud: 115200, Latency: 16 * time.Millisecond, Receiver: 1024, ToRunner: f, ToHost: f}
		onLine(t, c, func(r *sessiontest.Runner) {
			r.Hello.MaxPacket, r.Hello.Window = 256, 512
			r.Program = func(_ uint32, data []byte) (uint64, *packet.Fault) {
				for i := range data[100:] {
					data[100+i]++
				}
				return 1, nil
			}
		}, func(b *bench) {
			m := someImage(20000)
			m.BSS = 10000
			_, err := b.Load(b.Context(), m, nil)
			require.NoError(b, err)
			data := make([]byte, 5000)
			for round := range 3 {
				start := time.Now()
				for i := range data {
					data[i] = byte(i + round)
				}
				r, err := b.Call(b.Context(), session.Call{
					Writes: []session.Piece{{Offset: 100, Bytes: data[:2500]}, {Offset: 2600, Bytes: data[2500:]}},
					Run:    session.Run{Count: 1},
					Reads:  []session.Span{{Offset: 5000, Length: 100}, {Offset: 9}, {Offset: 100, Length: 4900}},
				})
				require.NoError(b, err)
				for i := range data {
					data[i]++
				}
				require.Equal(b, data[4900:], r.Data[0])
				require.Empty(b, r.Data[1])
				require.Equal(b, data[:4900], r.Data[2])
				if loss == 0 {
					b.Logf("%v", time.Since(start))
					assert.Less(b, time.Since(start), 1300*time.Millisecond, "10 000 bytes are 870 ms")
				}
			}
			assert.Zero(b, b.line.ToRunner().Overruns)
		})
	}
}

// A runner that is slower than the line never has more in its queue than the window.
func TestCallKeepsTheWindow(t *testing.T) {
	onLine(t, transporttest.Config{Baud: 921600, Receiver: 512}, func(r *sessiontest.Runner) {
		r.Hello.MaxPacket, r.Hello.Window = 256, 512
		r.Program = triple
		r.Work = map[packet.Message]time.Duration{packet.MsgWrite: 20 * time.Millisecond}
	}, func(b *bench) {
		_, err := b.Load(b.Context(), someImage(10000), nil)
		require.NoError(b, err)
		c := call(1)
		c.Writes = append(c.Writes, session.Piece{Offset: 16, Bytes: make([]byte, 2000)})
		for range 10 {
			_, err = b.Call(b.Context(), c)
			require.NoError(b, err)
		}
		assert.Zero(b, b.line.ToRunner().Overruns)
		assert.Equal(b, 10, b.runner.Done(packet.MsgRun))
	})
}
