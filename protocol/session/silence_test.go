package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/packet"
)

// What a RUN says about its host's silence follows from the line: at least 2 s, and where answers are slow what four
// repetitions and more take.
func TestSilenceFollowsTheLine(t *testing.T) {
	for _, tt := range []struct {
		name      string
		baud      int
		roundTrip time.Duration // 0: not measured
		timeout   time.Duration
		limit     time.Duration // of a run
		least     time.Duration
		most      time.Duration
	}{
		{"fast line", 921600, 2 * time.Millisecond, 5 * time.Second, 10 * time.Second, 15 * time.Second, 16 * time.Second},
		{"short runs", 921600, 2 * time.Millisecond, 5 * time.Second, time.Millisecond, 5 * time.Second, 6 * time.Second},
		{"little time", 921600, 2 * time.Millisecond, 50 * time.Millisecond, time.Millisecond, 2 * time.Second, 2 * time.Second},
		{"no line", 0, 50 * time.Microsecond, 5 * time.Second, 10 * time.Second, 15 * time.Second, 16 * time.Second},
		{"not measured", 9600, 0, 300 * time.Millisecond, time.Millisecond, 4 * time.Second, 7 * time.Second},
		{"slow line", 9600, 400 * time.Millisecond, 300 * time.Millisecond, time.Millisecond, 9 * time.Second, 15 * time.Second},
		{"slower than all", 1200, time.Minute, 300 * time.Millisecond, time.Millisecond, 40 * time.Second, 70 * time.Second},
		{"patient user", 115200, 2 * time.Millisecond, 1000 * time.Hour, time.Second, maxSilence, maxSilence},
	} {
		s := &Session{knock: make([]byte, 24), timing: timing{baud: tt.baud}}
		for range 20 {
			if tt.roundTrip != 0 {
				s.timing.sample(tt.roundTrip+s.timing.line(100), 100)
			}
		}
		run := &step{request: &packet.RunRequest{Count: 2}, reply: smallReply, work: tt.limit, frame: make([]byte, 30)}
		got := s.silence(run, tt.timeout)
		assert.GreaterOrEqual(t, got, tt.least.Truncate(time.Microsecond), tt.name)
		assert.LessOrEqual(t, got, tt.most, tt.name)
	}
}

// Only several runs that are to end with their host say anything.
func TestWhoseRunsEndWithTheirHost(t *testing.T) {
	s := &Session{}
	for _, tt := range []struct {
		run  Run
		want bool
	}{
		{Run{Count: 1}, false}, {Run{Count: 2}, true}, {Run{Count: 2, Stay: true}, false},
	} {
		st, err := s.runStep(tt.run)
		require.NoError(t, err)
		assert.Equal(t, tt.want, st.mortal)
	}
}
