package target

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
					go func() { _ = sessiontest.New().Serve(end) }()
					return line.Host, nil
				}
				dev := &Target{opt: Options{Baud: tt.want}}
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
		dev := &Target{opt: Options{Baud: 123456}}
		err := dev.meet(t.Context(), func(int) (transport.Transport, error) { return line.Host, nil })
		dev.Close()
		var rate *session.RateError
		require.ErrorAs(t, err, &rate)
		assert.Contains(t, rate.Hint(), "115200")
	})
}
