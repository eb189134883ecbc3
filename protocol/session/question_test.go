package session

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
)

// errWrong is what a packet may say against a question.
var errWrong = errors.New("wrong")

// play tells an inquiry what happens, at its own times, and returns what it does: each sending with its time in
// milliseconds, and how it ends. Packets come at the given times; until busy the line takes nothing.
func play(q *question, tm *timing, packets map[int]func(*question) (bool, error), busy int) string {
	var did []string
	zero := time.Unix(0, 0)
	at := func(ms int) time.Time { return zero.Add(time.Duration(ms) * time.Millisecond) }
	arrived := func(*question) (bool, error) { panic("no packet") }
	q.match = func(frame.Packet) (bool, error) { return arrived(q) }
	q.repeat = func() []byte { return []byte("r") }
	q.knock = []byte("k")
	i := tm.inquire(q, zero)
	for ms := 0; ms < 3_600_000; ms++ {
		now := at(ms)
		if !now.Before(i.next()) {
			if over, heard := i.tick(now); over {
				return strings.Join(append(did, fmt.Sprintf("%d!%d", ms, heard)), " ")
			}
		}
		if p := packets[ms]; p != nil {
			arrived = p
			if done, err := i.take(frame.Packet{}, now); done {
				return strings.Join(append(did, fmt.Sprintf("%d=%v", ms, err)), " ")
			}
		}
		if i.out != nil && ms >= busy {
			did = append(did, fmt.Sprintf("%d:%s", ms, i.out))
			i.sent(now)
		}
	}
	return strings.Join(did, " ") + " ..."
}

// What comes for a question.
var (
	answered = func(*question) (bool, error) { return true, nil }
	refused  = func(*question) (bool, error) { return true, errWrong }
	others   = func(q *question) (bool, error) { q.others++; return false, nil }
	ours     = func(q *question) (bool, error) { q.ours = true; return false, nil }
	there    = func(q *question) (bool, error) { q.living, q.atWork = true, false; return false, nil }
	atWork   = func(q *question) (bool, error) { q.living, q.atWork = true, true; return false, nil }
	goOn     = func(q *question) (bool, error) { q.moved, q.ours = true, true; return false, nil }
	goOnWith = func(q *question) (bool, error) { q.moved, q.ours, q.frame = true, true, []byte("n"); return false, nil }
)

func every(step, until int, what func(*question) (bool, error)) map[int]func(*question) (bool, error) {
	m := map[int]func(*question) (bool, error){}
	for ms := step; ms < until; ms += step {
		m[ms] = what
	}
	return m
}

func TestInquiry(t *testing.T) {
	type packets = map[int]func(*question) (bool, error)
	for _, tt := range []struct {
		name    string
		change  func(*question)
		packets packets
		busy    int
		want    string
	}{
		{"answered at once", nil, packets{3: answered}, 0, "0:q 3=<nil>"},
		{"refused", nil, packets{3: refused}, 0, "0:q 3=wrong"},
		{"repeated, then with HELLO, then given up", nil, nil, 0, "0:q 500:r 1000:rk 1500:rk 2000!0"},
		{"answered late", nil, packets{1700: answered}, 0, "0:q 500:r 1000:rk 1500:rk 1700=<nil>"},
		{"busy line", nil, packets{900: answered}, 700, "700:q 900=<nil>"},
		{"the line takes nothing", nil, nil, 9999, "2000!0"},
		{"the line takes one frame for a long time", nil, packets{2100: answered}, 1500, "1500:q 2000!0"},
		{"others change nothing", nil, every(100, 9000, others), 0, "0:q 500:r 1000:rk 1500:rk 2000!0"},
		{"a packet of the session renews the patience", nil, packets{1900: ours, 2600: answered}, 0, "0:q 500:r 1000:rk 1500:rk 2000:rk 2500:rk 2600=<nil>"},
		{"for eight times at most", nil, every(1000, 99000, ours), 0, "... 16000!15"},
		{"a runner that is there but not at work", nil, every(400, 99000, there), 0, "... 12000!0"},
		{"a runner that is there for eight times", func(q *question) { q.limit = 400 * time.Millisecond }, every(300, 99000, there), 0, "... 3200!10"},
		{"a runner at work", nil, every(1500, 99000, atWork), 0, "... 16000!10"},
		{"a runner at long work", func(q *question) { q.span = time.Minute }, every(1500, 99000, atWork), 0, "... 76000!50"},
		{"a deaf runner is not asked often", func(q *question) { q.work = 10 * time.Second }, nil, 0,
			"0:q 500:r 1000:rk 1500:rk 2000:rk 2625:rk 3407:rk 4345:rk 5439:rk 6689:rk 8096:rk 9659:rk 11378:rk 12000!0"},
		{"several answers", nil, packets{100: goOn, 300: goOn, 400: answered}, 0, "0:q 400=<nil>"},
		{"the second answer is lost", nil, packets{100: goOn, 700: answered}, 0, "0:q 600:r 700=<nil>"},
		{"more to send behind an answer", nil, packets{100: goOnWith, 200: answered}, 0, "0:q 100:n 200=<nil>"},
		{"more to send before the last has left", nil, packets{100: goOnWith, 300: answered}, 200, "200:qn 300=<nil>"},
		{"patience begins again with an answer", nil, packets{1900: goOn}, 0, "0:q 500:r 1000:rk 1500:rk 2400:r 2900:rk 3400:rk 3900!0"},
		{"of several runs", func(q *question) { q.several, q.limit = true, 100*time.Millisecond }, nil, 0,
			"0:q 500:r 1000:rk 1500:rk 2000:rk 2500:rk 3000:rk 3500:rk 4000!0"},
	} {
		q := &question{op: packet.MsgStatus, frame: []byte("q"), limit: 2 * time.Second}
		if tt.change != nil {
			tt.change(q)
		}
		got := play(q, &timing{}, tt.packets, tt.busy)
		if want, ok := strings.CutPrefix(tt.want, "... "); ok {
			got, tt.want = got[strings.LastIndexByte(got, ' ')+1:], want
		}
		assert.Equal(t, tt.want, got, tt.name)
	}
}

// Only the answer to what was sent once tells how long answers take.
func TestInquiryMeasuresTheRoundTrip(t *testing.T) {
	type packets = map[int]func(*question) (bool, error)
	last := func(q *question) (bool, error) { q.moved = true; return true, nil }
	for _, tt := range []struct {
		name    string
		packets packets
		timed   int
		want    time.Duration // 0: nothing is measured
	}{
		{"one answer", packets{40: last}, 10, 40 * time.Millisecond},
		{"not to be timed", packets{40: last}, 0, 0},
		{"repeated", packets{600: last}, 10, 0},
		{"the first of two", packets{40: goOn, 90: last}, 10, 40 * time.Millisecond},
		{"others before", packets{20: others, 40: last}, 10, 40 * time.Millisecond},
	} {
		tm := timing{}
		play(&question{op: packet.MsgStatus, frame: []byte("q"), limit: time.Second, timed: tt.timed}, &tm, tt.packets, 0)
		assert.Equal(t, tt.want, tm.mean, tt.name)
		assert.Equal(t, tt.want != 0, tm.measured, tt.name)
	}
}

// A question of which nothing was sent has begun nothing.
func TestInquiryBegins(t *testing.T) {
	zero := time.Unix(0, 0)
	i := (&timing{}).inquire(&question{frame: []byte("q"), limit: time.Second}, zero)
	assert.False(t, i.begun)
	i.sent(zero)
	assert.True(t, i.begun)
	i.match = func(frame.Packet) (bool, error) { return goOnWith(i.question) }
	_, _ = i.take(frame.Packet{}, zero.Add(time.Millisecond))
	assert.NotNil(t, i.out, "there is more to send")
	assert.True(t, i.begun, "but what went before was sent")
}

// A host that was suspended asks again before it gives up, and then waits as long as it would have.
func TestInquiryOfASuspendedHost(t *testing.T) {
	zero := time.Unix(0, 0)
	tm := &timing{baud: 115200}
	q := &question{frame: []byte("q"), limit: 5 * time.Second, repeat: func() []byte { return []byte("r") }}
	i := tm.inquire(q, zero)
	i.sent(zero)
	again, giveUp := i.again, i.giveUp
	woken := zero.Add(time.Hour)
	over, _ := i.tick(woken)
	require.False(t, over)
	require.Equal(t, "r", string(i.out))
	i.sent(woken)
	require.Equal(t, giveUp.Sub(again), i.giveUp.Sub(woken))
	for over, at := false, woken; !over; at = i.next() {
		if over, _ = i.tick(at); over {
			require.Equal(t, i.giveUp, at)
			return
		}
		if i.out != nil {
			i.sent(at)
		}
	}
}
