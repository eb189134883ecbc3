package target

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/boards"
	"github.com/copaflash/copaflash/protocol/session"
	"github.com/copaflash/copaflash/protocol/session/sessiontest"
	"github.com/copaflash/copaflash/protocol/transport"
	"github.com/copaflash/copaflash/protocol/transport/transporttest"
)

// A runner starts at 115 200 baud, whatever rate is asked for on the command line,
// and has to be there for the next command.
func TestRate(t *testing.T) {
	const fast = 921600
	for _, tt := range []struct {
		name   string
		runner int // its rate
		want   int
		tries  int // ports opened
	}{
		{"default", DefaultBaud, DefaultBaud, 1},
		{"changed", DefaultBaud, fast, 1},
		{"left behind", fast, fast, 2},
		{"left behind at another rate than that wanted", fast, 3_000_000, 3},
		{"left behind, default", fast, DefaultBaud, 2},
		{"left behind at a slow rate, default", 9600, DefaultBaud, 12},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var line *transporttest.Line
				tries := 0
				open := func(baud int) (transport.Transport, error) {
					tries++
					line = transporttest.New(transporttest.Config{Baud: baud})
					require.NoError(t, line.Runner.SetBaud(tt.runner))
					end := line.Runner
					r := sessiontest.New()
					r.Hello.Bauds = []uint32{DefaultBaud, fast, 3_000_000, 9600}
					go func() { _ = r.Serve(end) }()
					return line.Host, nil
				}
				dev := &Runner{opt: Options{Baud: tt.want}}
				require.NoError(t, dev.meet(t.Context(), open))
				assert.Equal(t, tt.tries, tries)
				assert.Equal(t, tt.want, line.Runner.Baud())
				_, err := dev.Status(t.Context())
				require.NoError(t, err)
				dev.Close()
				assert.Equal(t, DefaultBaud, line.Runner.Baud(), "after Close")
			})
		})
	}
}

func TestRateThatTheRunnerHasNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := transporttest.New(transporttest.Config{Baud: DefaultBaud})
		go func() { _ = sessiontest.New().Serve(line.Runner) }()
		dev := &Runner{opt: Options{Baud: 123456}}
		err := dev.meet(t.Context(), func(int) (transport.Transport, error) { return line.Host, nil })
		dev.Close()
		var rate *session.RateError
		require.ErrorAs(t, err, &rate)
		assert.Contains(t, rate.Hint(), "115200")
	})
}

// A program that has raised the rate is killed; the next one, which asks for nothing, finds
// the board, and brings it back.
func TestRateAfterAKilledProgram(t *testing.T) {
	for _, rate := range []int{230400, 921600, 3_000_000} {
		synctest.Test(t, func(t *testing.T) {
			r := sessiontest.New()
			r.Hello.Bauds = []uint32{DefaultBaud, 230400, 921600, 3_000_000}
			runner := DefaultBaud // its rate
			var line *transporttest.Line
			served := make(chan struct{})
			close(served)
			open := func(baud int) (transport.Transport, error) {
				if line != nil {
					line.Cut()
				}
				<-served
				line, served = transporttest.New(transporttest.Config{Baud: baud}), make(chan struct{})
				require.NoError(t, line.Runner.SetBaud(runner))
				end, done := line.Runner, served
				go func() {
					defer close(done)
					_ = r.Serve(end)
				}()
				return line.Host, nil
			}
			killed := &Runner{opt: Options{Baud: rate}}
			require.NoError(t, killed.meet(t.Context(), open))
			runner = line.Runner.Baud()
			require.Equal(t, rate, runner)

			dev := &Runner{opt: Options{Baud: DefaultBaud}}
			start := time.Now()
			require.NoError(t, dev.meet(t.Context(), open))
			assert.Less(t, time.Since(start), 15*time.Second)
			assert.Equal(t, DefaultBaud, line.Runner.Baud())
			_, err := dev.Status(t.Context())
			require.NoError(t, err)
			dev.Close()
			for _, l := range killed.links {
				_ = l.Close()
			}
			<-served
		})
	}
}

// A runner that hears nothing for some time, at the first rate or at that which a killed program has left, is found
// as soon as it listens again.
func TestDeafAtAnyRate(t *testing.T) {
	for _, rate := range []int{DefaultBaud, 921600, 9600} {
		for deaf := 4 * time.Second; deaf <= 10*time.Second; deaf += time.Second {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				done := make(chan struct{}, 100)
				tries := 0
				var told []string
				dev := &Runner{opt: Options{Baud: DefaultBaud, Session: session.Options{
					Notice: func(text string) { told = append(told, text) },
				}}}
				require.NoError(t, dev.meet(t.Context(), func(baud int) (transport.Transport, error) {
					line := transporttest.New(transporttest.Config{Baud: baud})
					require.NoError(t, line.Runner.SetBaud(rate))
					tries++
					r := sessiontest.New()
					r.Hello.Bauds = []uint32{DefaultBaud, 921600, 9600}
					time.AfterFunc(max(deaf-time.Since(start), 0), func() {
						_ = r.Serve(line.Runner)
						done <- struct{}{}
					})
					return line.Host, nil
				}))
				assert.Less(t, time.Since(start), 16*time.Second)
				if rate == DefaultBaud {
					assert.Less(t, time.Since(start), deaf+5*time.Second)
				}
				assert.LessOrEqual(t, len(told), 1)
				_, err := dev.Status(t.Context())
				require.NoError(t, err)
				dev.Close()
				time.Sleep(time.Minute)
				for range tries {
					<-done
				}
			})
		}
	}
}

// A user who leaves while the rate is raised leaves the board where the next program looks for it.
func TestRateWhenTheUserLeaves(t *testing.T) {
	for after := time.Millisecond; after < 100*time.Millisecond; after += time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			line := transporttest.New(transporttest.Config{Baud: DefaultBaud, Latency: 2 * time.Millisecond})
			r := sessiontest.New()
			served := make(chan struct{})
			go func() {
				defer close(served)
				_ = r.Serve(line.Runner)
			}()
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			dev := &Runner{opt: Options{Baud: 921600}}
			err := dev.meet(ctx, func(int) (transport.Transport, error) { return line.Host, nil })
			start := time.Now()
			dev.Close()
			assert.LessOrEqual(t, time.Since(start), lowerWait)
			assert.Equal(t, DefaultBaud, line.Host.Baud(), "after %v: %v", after, err)
			assert.Equal(t, DefaultBaud, line.Runner.Baud(), "after %v: %v", after, err)
			_ = line.Host.Close()
			<-served
		})
	}
}

// Where nobody is, that is what is said, and soon.
func TestNobodyAtAnyRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dev := &Runner{opt: Options{Baud: DefaultBaud}}
		start := time.Now()
		err := dev.meet(t.Context(), func(baud int) (transport.Transport, error) {
			return transporttest.New(transporttest.Config{Baud: baud}).Host, nil
		})
		var silent *session.TimeoutError
		require.ErrorAs(t, err, &silent)
		assert.Less(t, time.Since(start), 20*time.Second)
	})
}

func TestAllRatesOfBoardsAreTried(t *testing.T) {
	all, err := boards.Descriptions()
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, b := range all {
		for _, baud := range b.UART.Bauds {
			assert.True(t, baud == DefaultBaud || slices.Contains(rates, int(baud)), "%s: %d", b.Name, baud)
		}
		assert.EqualValues(t, DefaultBaud, b.UART.Bauds[0], b.Name)
	}
}
