package session_test

import (
	"context"
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

// notices collects what a user is told.
type notices []string

func (n *notices) options() session.Options {
	return session.Options{Notice: func(text string) { *n = append(*n, text) }}
}

// A program was killed and has left its runner inside a run, during which that hears nothing: the
// next one waits for the end of the run, and says why.
func TestOpenWhileTheRunnerIsDeaf(t *testing.T) {
	for work := 3500 * time.Millisecond; work < 10*time.Second; work += 495 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			b := connect(t, transporttest.Config{Baud: 115200, Receiver: 2048}, func(r *sessiontest.Runner) {
				r.Work = map[packet.Message]time.Duration{packet.MsgRun: work}
			})
			hub := transporttest.NewHub(b.line.Host, 0, 1)
			defer hub.Close()
			killed, err := session.Open(t.Context(), hub.Plug(), session.Options{})
			require.NoError(t, err)
			_, err = killed.Load(t.Context(), someImage(1000), nil)
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			_, err = killed.Run(ctx, session.Run{Count: 1})
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.NoError(t, killed.Close())

			var told notices
			start := time.Now()
			s, err := session.Open(t.Context(), hub.Plug(), told.options())
			require.NoError(t, err, "deaf for %v", work)
			assert.Less(t, time.Since(start), work+time.Second)
			assert.Equal(t, work > 5*time.Second, len(told) > 0, "told after %v: %q", work, told)
			_, err = s.Status(t.Context())
			require.NoError(t, err)
			require.NoError(t, s.Close())
		})
	}
}

// How long nobody answers before that is said depends on whether it may be a runner inside a run.
func TestHowLongNobodyIsWaitedFor(t *testing.T) {
	talk := func(line *transporttest.Line) {
		for range 6 {
			_, _ = line.Runner.Write([]byte("tick\n"))
			time.Sleep(time.Second)
		}
	}
	for _, tt := range []struct {
		name  string
		opt   session.Options
		other func(*transporttest.Line) // at the other end
		want  time.Duration
		told  int
		hint  string
	}{
		{"silent", session.Options{}, nil, 11 * time.Second, 1, "reset the board"},
		{"silent since a piece of text", session.Options{}, func(l *transporttest.Line) { _, _ = l.Runner.Write([]byte("login:")) }, 11 * time.Second, 1, "rate"},
		{"somebody who talks", session.Options{}, talk, 5 * time.Second, 0, "something else"},
		{"time given", session.Options{Timeout: 2 * time.Second}, nil, 2 * time.Second, 0, "in a run"},
		{"time for the greeting given", session.Options{Greeting: 2 * time.Second}, nil, 2 * time.Second, 0, "in a run"},
		{"much time given", session.Options{Timeout: 20 * time.Second}, nil, 20 * time.Second, 0, "reset the board"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				line := transporttest.New(transporttest.Config{Baud: 115200})
				if tt.other != nil {
					go tt.other(line)
				}
				var told notices
				tt.opt.Notice = told.options().Notice
				start := time.Now()
				_, err := session.Open(t.Context(), line.Host, tt.opt)
				var silent *session.TimeoutError
				require.ErrorAs(t, err, &silent)
				assert.InDelta(t, tt.want.Seconds(), time.Since(start).Seconds(), 0.2)
				assert.InDelta(t, tt.want.Seconds(), silent.Wait.Seconds(), 0.2)
				assert.Len(t, told, tt.told)
				assert.Contains(t, silent.Hint(), tt.hint)
				time.Sleep(time.Minute) // until the other end has ended
			})
		})
	}
}

// Who waits can leave at any time, and a board that is pulled out is noticed at once.
func TestWaitForADeafRunnerEnds(t *testing.T) {
	for after := 500 * time.Millisecond; after < session.MayBeDeaf; after += time.Second {
		synctest.Test(t, func(t *testing.T) {
			line := transporttest.New(transporttest.Config{Baud: 115200})
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			start := time.Now()
			_, err := session.Open(ctx, line.Host, session.Options{})
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, after, time.Since(start))

			line = transporttest.New(transporttest.Config{Baud: 115200})
			time.AfterFunc(after, line.Cut)
			start = time.Now()
			_, err = session.Open(t.Context(), line.Host, session.Options{})
			require.Error(t, err)
			assert.Equal(t, after, time.Since(start))
		})
	}
}
