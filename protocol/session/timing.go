package session

import "time"

const (
	// firstMargin is what is allowed for the runner's reaction before any
	// round trip was measured: USB adapters take 16 ms, an emulator that
	// shares the processor much more.
	firstMargin = 300 * time.Millisecond
	minMargin   = 50 * time.Millisecond
	maxMargin   = 4 * time.Second // an emulator that hardly gets its processor
	// streamMargin is the least where there is no line that could lose
	// anything: repetitions only serve a runner that has dropped something.
	streamMargin = 500 * time.Millisecond
	// maxBackoff bounds how far the pause between repetitions grows. It grows
	// for the sake of a runner that is at work, not of the line, which has no
	// other users.
	maxBackoff = 500 * time.Millisecond
	// quietShare is the part of the time without any answer that a pause is at least: an
	// emulator that hardly gets its processor has to look at all that was repeated meanwhile.
	quietShare  = 8
	bitsPerByte = 10
)

// timing estimates how long an answer may take before something is lost.
type timing struct {
	baud     int           // line rate in bits per second, 0 unlimited
	mean     time.Duration // smoothed round trip without the time on the line
	spread   time.Duration // smoothed deviation from it
	measured bool
}

// line returns how long bytes are on the line.
func (t *timing) line(bytes int) time.Duration {
	if t.baud <= 0 {
		return 0
	}
	return time.Duration(bytes) * bitsPerByte * time.Second / time.Duration(t.baud)
}

// wait returns how long to wait for the answer to what has this many bytes
// before it and with it on the line, both ways.
func (t *timing) wait(bytes int) time.Duration {
	margin := firstMargin
	if t.measured {
		margin = min(max(2*t.mean+4*t.spread, minMargin), maxMargin)
	}
	if t.baud <= 0 {
		return max(margin, streamMargin)
	}
	return t.line(bytes) + margin
}

// sample takes a measured round trip of this many bytes (as in RFC 6298).
func (t *timing) sample(took time.Duration, bytes int) {
	took = max(took-t.line(bytes), 0)
	if !t.measured {
		t.mean, t.spread, t.measured = took, took/2, true
		return
	}
	t.spread += ((took - t.mean).Abs() - t.spread) / 4
	t.mean += (took - t.mean) / 8
}

// backoff returns the pause before repetition number try, from 0.
func backoff(first time.Duration, try int) time.Duration {
	for range try {
		first = min(2*first, max(first, maxBackoff))
	}
	return first
}
