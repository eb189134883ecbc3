package model

import "github.com/copaflash/copaflash/protocol/packet"

func (r *Runner) swap(q *packet.SwapRequest) (packet.Status, []any) {
	l := &r.loop
	switch {
	case r.state != packet.StateTicking || r.beside.state != packet.StateReady:
		return packet.StatusBadState, nil
	case r.swapping || l.staged != 0:
		return packet.StatusBusy, nil
	}
	p, status := r.plan(&r.beside.image, q.Tasks, q.Safe)
	if status != packet.StatusOK {
		return status, nil
	}
	var ok bool
	var at uint32
	if p.pins, at, ok = r.checkPins(&r.beside.image, q.Pins); !ok {
		return packet.StatusOutOfRange, detail(at)
	}
	if q.Telemetry != 0 {
		n, ok := r.carry(p.block, q.Telemetry, r.stream.ring.place, anyLength, check)
		if l.program.telemetry == 0 || !ok || n != r.stream.ring.bytes {
			return packet.StatusOutOfRange, nil
		}
	}
	p.telemetry = q.Telemetry
	l.other = p
	l.gather, l.scatter, l.scratch, l.trial = q.Gather, q.Scatter, q.Scratch, q.Trial
	l.swapState = packet.SwapPending
	r.swapping = true
	return packet.StatusOK, nil
}

// goOver goes over to the program that waits, before a tick, unless what that is to take over cannot be copied.
func (r *Runner) goOver() {
	l := &r.loop
	if l.swapState != packet.SwapPending {
		return
	}
	if l.captureState != packet.CaptureDone {
		l.captureState = packet.CaptureOff
	}
	l.swapTick = l.tick
	if l.gather != 0 {
		n, ok := r.carry(l.program.block, l.gather, l.scratch, anyLength, gather)
		if ok {
			var m uint32
			m, ok = r.carry(l.other.block, l.scatter, l.scratch, uint64(n), scatter)
			ok = ok && m == n
		}
		if !ok {
			l.swapState = packet.SwapBack
			return
		}
	}
	l.goesOn = true
	l.swapState = packet.SwapTrial
	if l.trial == 0 {
		l.swapState = packet.SwapKept
	}
}

// tried judges a tick of the trial; it is true if the old program goes on, with the next tick.
func (l *loop) tried(missed uint32, end packet.LoopEnd) bool {
	if l.swapState != packet.SwapTrial {
		return false
	}
	if missed != 0 || end != packet.LoopEndNone {
		l.goesOn, l.swapState, l.swapTick, l.staged = false, packet.SwapBack, l.tick, 0
		if l.captureState != packet.CaptureDone {
			l.captureState = packet.CaptureOff
		}
		return true
	}
	if l.trial--; l.trial == 0 {
		l.swapState = packet.SwapKept
	}
	return false
}

// settle is when a swap is over, or the loop.
func (r *Runner) settle() {
	l := &r.loop
	if !r.swapping || r.state == packet.StateTicking && l.swapState != packet.SwapKept && l.swapState != packet.SwapBack {
		return
	}
	if l.goesOn {
		r.image, l.program, l.goesOn = r.beside.image, l.other, false
		if l.program.telemetry == 0 {
			r.stream.batch = 1 // what is left of it is sent
		}
	}
	r.swapping = false
	r.beside.state = packet.StateIdle
}
