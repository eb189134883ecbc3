package session

import (
	"slices"
	"time"

	"github.com/copaflash/copaflash/protocol/frame"
	"github.com/copaflash/copaflash/protocol/packet"
)

// A question is frames that want answers.
type question struct {
	op     packet.Message // of the next answer
	frame  []byte         // to send now
	repeat func() []byte  // returns what to send again when no answer comes in time
	knock  []byte         // sent behind it when it had to be repeated more than once
	bytes  int            // on the line until the next answer, both ways
	timed  int            // bytes sent whose answer tells the line's round trip, 0: none
	work   time.Duration  // that the runner may be deaf and dumb before it answers
	span   time.Duration  // that all of its work may take, beyond that
	limit  time.Duration  // silence after which to give up, beside work and line time
	match  func(frame.Packet) (done bool, err error)

	several bool // it is runs, between which the runner answers HELLO
	living  bool // set by match: there is no answer yet, but a sign of life, which renews the patience
	atWork  bool // set by match, too: the runner says that the work goes on
	ours    bool // set by match: a packet of this session, answer or not
	moved   bool // set by match: an answer came; frame is what to send behind it, and bytes, work and op are renewed
	others  int  // counted by match: packets for other hosts
}

const (
	// quietTries is how often a question is put before the runner is asked whether
	// it is still there.
	quietTries = 2
	// renewals is how many times its patience a question may take, whatever comes instead of an answer.
	renewals = 8
	// pausesInPatience is how often a question is repeated at least before it is given up, where the line is fast enough for that.
	pausesInPatience = 4
	// asleep is how late a repetition is only where this process did not run, as on a host that was suspended.
	asleep = time.Second
)

// longestPause is the longest time between two repetitions.
func longestPause(first, patience time.Duration) time.Duration {
	return max(first, patience/pausesInPatience)
}

// patience returns how long the runner may be silent, and how long an answer may take at all.
func (t *timing) patience(q *question) (silence, whole time.Duration) {
	silence = q.limit + q.work + t.line(q.bytes)
	if q.several {
		// A sign of life takes a HELLO, which is sent from the third time on, a round trip, and some of either may be lost.
		silence = max(silence, 2*pausesInPatience*t.wait(q.bytes))
	}
	return silence, renewals*silence + q.span
}

// An inquiry decides when a question is sent, and again, and when it is given up. It does no input or
// output and has no clock: the time is an argument.
type inquiry struct {
	*question
	timing *timing

	out      []byte // to be sent now, nil: nothing
	begun    bool   // something of it was sent
	tries    int    // sendings since the last answer
	heard    int    // signs of life since the last answer
	repeated bool   // what comes may answer an earlier sending

	first  time.Duration // pause before the first repetition
	quiet  time.Duration // how long the runner may be silent
	start  time.Time
	again  time.Time // when to repeat; zero: not before it is sent
	giveUp time.Time // unless there is a sign of life
	end    time.Time // whatever comes
}

func (t *timing) inquire(q *question, now time.Time) *inquiry {
	i := &inquiry{question: q, timing: t, out: q.frame, start: now}
	q.frame = nil
	i.expect(now)
	i.renew(now)
	return i
}

// expect sets the times for the next answer.
func (i *inquiry) expect(now time.Time) {
	var whole time.Duration
	i.first = i.timing.wait(i.bytes)
	i.quiet, whole = i.timing.patience(i.question)
	i.end = now.Add(whole)
}

// renew gives the runner its patience once more.
func (i *inquiry) renew(now time.Time) { i.giveUp = now.Add(i.quiet) }

// next returns when something is due if nothing happens before.
func (i *inquiry) next() time.Time {
	at := i.giveUp
	if i.end.Before(at) {
		at = i.end
	}
	if !i.again.IsZero() && i.again.Before(at) {
		at = i.again
	}
	return at
}

// sent notes that out is on its way.
func (i *inquiry) sent(now time.Time) {
	i.out, i.begun = nil, true
	pause := max(backoff(i.first, i.tries), time.Duration(i.tries)*(i.work/64), now.Sub(i.start)/quietShare)
	i.again = now.Add(min(pause, longestPause(i.first, i.quiet)))
	i.tries++
}

// take takes a packet. It reports whether the question is answered, perhaps by an error.
func (i *inquiry) take(p frame.Packet, now time.Time) (done bool, err error) {
	done, err = i.match(p)
	if i.moved && i.timed > 0 && !i.repeated {
		i.timing.sample(now.Sub(i.start), i.timed+frame.EncodedLength(len(p.Body)))
	}
	if done {
		return true, err
	}
	if i.moved {
		i.moved, i.timed = false, 0
		i.expect(now)
		i.tries, i.heard = 1, 0
		i.again = now.Add(i.first)
		if i.frame != nil {
			i.out, i.tries, i.frame = slices.Concat(i.out, i.frame), 0, nil
		}
	}
	// Ours may be acknowledgements of CHUNKs: on a slow line, or before a runner
	// that has little of its processor, repetitions of them may come first.
	// A runner that is not at work, and hears HELLO but never the question, or
	// whose answers never get through, would be asked forever.
	if i.ours || i.living && (i.atWork || i.tries <= maxTries) {
		i.heard++
		i.renew(now)
	}
	i.ours, i.living = false, false
	return false, nil
}

// tick looks at what is due. It reports whether the question is to be given up, and how many signs of life
// there were if that is for lack of an answer.
func (i *inquiry) tick(now time.Time) (over bool, heard int) {
	if late := now.Sub(i.again); !i.again.IsZero() && late > asleep { // nobody has waited meanwhile
		i.giveUp, i.end = i.giveUp.Add(late), i.end.Add(late)
	}
	switch {
	case !now.Before(i.giveUp):
		return true, 0
	case !now.Before(i.end):
		return true, i.heard
	case !i.again.IsZero() && !now.Before(i.again):
		i.again, i.out, i.repeated = time.Time{}, i.repeat(), true
		if i.tries >= quietTries {
			i.out = slices.Concat(i.out, i.knock)
		}
	}
	return false, 0
}
