package transporttest

import (
	"bytes"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/transport"
)

// pass writes p at the host end and returns what arrives when all is sent.
func pass(t *testing.T, l *Line, p []byte) []byte {
	t.Helper()
	go func() {
		for len(p) > 0 {
			n := bytes.IndexByte(p, 0) + 1
			_, err := l.Host.Write(p[:n])
			assert.NoError(t, err)
			p = p[n:]
		}
		time.Sleep(time.Minute)
		l.Cut()
	}()
	var got []byte
	buf := make([]byte, 100)
	for {
		n, err := l.Runner.Read(buf)
		got = append(got, buf[:n]...)
		if err != nil {
			require.ErrorIs(t, err, transport.ErrHangup)
			return got
		}
	}
}

// frames returns n frames of 100 bytes.
func frames(n int) []byte { return bytes.Repeat(append(bytes.Repeat([]byte{9}, 99), 0), n) }

func TestLineTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{Baud: 9600, Latency: 30 * time.Millisecond})
		start := time.Now()
		_, err := l.Host.Write(frames(1))
		require.NoError(t, err)
		assert.Zero(t, time.Since(start), "it fits the sender's queue")
		_, err = io.ReadFull(l.Runner, make([]byte, 100))
		require.NoError(t, err)
		assert.InDelta(t, 100*10.0/9600+0.03, time.Since(start).Seconds(), 1e-6)
	})
}

func TestWriteWaitsForTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{Baud: 115200, Queue: 100})
		start := time.Now()
		for range 11 {
			_, err := l.Host.Write(frames(1))
			require.NoError(t, err)
		}
		assert.InDelta(t, 900*10.0/115200, time.Since(start).Seconds(), 1e-6)
	})
}

func TestNothingIsLostWithoutFaults(t *testing.T) {
	for _, baud := range []int{0, 115200} {
		synctest.Test(t, func(t *testing.T) {
			l := New(Config{Baud: baud})
			assert.Equal(t, frames(50), pass(t, l, frames(50)))
			assert.Equal(t, Tally{Bytes: 5000, Frames: 50}, l.ToRunner())
		})
	}
}

func TestFaultsHappenAsOftenAsAsked(t *testing.T) {
	for name, c := range map[string]struct {
		faults Faults
		bytes  float64 // that arrive of 100 000
		want   Tally
	}{
		"drop":    {Faults{DropFrame: 0.1}, 90000, Tally{Dropped: 100}},
		"corrupt": {Faults{CorruptFrame: 0.1}, 100000, Tally{Spoiled: 100}},
		"cut":     {Faults{TruncFrame: 0.1}, 95000, Tally{Spoiled: 100}},
		"noise":   {Faults{Garbage: 0.1}, 102050, Tally{Spoiled: 100}},
		"bytes":   {Faults{DropByte: 0.001}, 99900, Tally{Dropped: 100}},
		"bits":    {Faults{FlipBit: 0.001}, 100000, Tally{Spoiled: 100}},
		"double":  {Faults{DoubleFrame: 0.1}, 110000, Tally{Doubled: 100}},
		"chosen":  {Faults{Lose: func(n int) bool { return n%10 == 3 }}, 90000, Tally{Dropped: 100}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := New(Config{Baud: 115200, ToRunner: c.faults})
				got := pass(t, l, frames(1000))
				assert.InDelta(t, c.bytes, len(got), 3000)
				tally := l.ToRunner()
				assert.InDelta(t, c.want.Dropped, tally.Dropped, 40)
				assert.InDelta(t, c.want.Spoiled, tally.Spoiled, 40)
				assert.InDelta(t, c.want.Doubled, tally.Doubled, 40)
				assert.Zero(t, l.ToHost())
			})
		})
	}
}

func TestSameSeedSameFaults(t *testing.T) {
	run := func(seed uint64) (got []byte) {
		synctest.Test(t, func(t *testing.T) {
			got = pass(t, New(Config{Baud: 115200, ToRunner: Faults{Seed: seed, DropByte: 0.01, FlipBit: 0.01}}), frames(20))
		})
		return got
	}
	assert.Equal(t, run(1), run(1))
	assert.NotEqual(t, run(1), run(2))
}

func TestReceiverOverrun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{Baud: 115200, Receiver: 250})
		_, err := l.Host.Write(frames(5))
		require.NoError(t, err)
		time.Sleep(time.Second)
		got := make([]byte, 1000)
		n, err := l.Runner.Read(got)
		require.NoError(t, err)
		assert.Equal(t, 250, n)
		assert.Equal(t, 250, l.ToRunner().Overruns)
	})
}

func TestEndsAtDifferentRatesUnderstandNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{Baud: 115200})
		require.NoError(t, l.Runner.SetBaud(9600))
		_, err := l.Host.Write([]byte("hello"))
		require.NoError(t, err)
		got := make([]byte, 5)
		_, err = io.ReadFull(l.Runner, got)
		require.NoError(t, err)
		assert.NotEqual(t, "hello", string(got))
		assert.ErrorIs(t, New(Config{}).Host.SetBaud(9600), transport.ErrNotSerial)
	})
}

func TestCloseAndCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			end  func(*Line)
			want error
		}{
			"own end":   {func(l *Line) { l.Host.Close() }, transport.ErrClosed},
			"other end": {func(l *Line) { l.Runner.Close() }, transport.ErrHangup},
			"cable":     {(*Line).Cut, transport.ErrHangup},
		} {
			l := New(Config{Baud: 115200})
			time.AfterFunc(time.Second, func() { c.end(l) })
			_, err := l.Host.Read(make([]byte, 1))
			assert.ErrorIs(t, err, c.want, name)
			_, err = l.Host.Write([]byte{1})
			assert.ErrorIs(t, err, c.want, name)
		}
	})
}
