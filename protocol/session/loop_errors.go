package session

import (
	"errors"
	"fmt"

	"github.com/copaflash/copaflash/protocol/packet"
)

// A NoLoopError says that a runner cannot run loops.
type NoLoopError struct {
	Live uint32 // bytes of its live memory
}

func (e *NoLoopError) Error() string {
	return fmt.Sprintf("this runner has no loops: it has %d bytes of live memory", e.Live)
}

// Hint says what to do next.
func (e *NoLoopError) Hint() string {
	return "run the program one by one, or take a board with more memory"
}

// An EndedError says that a loop runs no more.
type EndedError struct {
	End   packet.LoopEnd
	Fault *packet.Fault // that ended it; nil: there was none
	Lost  bool          // the runner knows of no loop: it was loaded or started anew
}

func (e *EndedError) Error() string {
	switch {
	case e.Lost:
		return "the runner knows of no loop: it has restarted, or was loaded with another program"
	case e.Fault != nil:
		return fmt.Sprintf("the loop has ended: %v", (&FaultError{Fault: *e.Fault, Runs: e.Fault.Run}).Error())
	}
	return fmt.Sprintf("the loop has ended: %s", endTexts[e.End])
}

var endTexts = map[packet.LoopEnd]string{
	packet.LoopEndNone:      "it was not started",
	packet.LoopEndStopped:   "it was stopped",
	packet.LoopEndFault:     "the program raised a fault",
	packet.LoopEndTimeLimit: "a tick took longer than its limit",
	packet.LoopEndMisses:    "too many due times were missed in a row",
	packet.LoopEndSilence:   "the host was silent for too long",
	packet.LoopEndPlan:      "a list in live memory was not valid",
	packet.LoopEndDevice:    "a driver of the runner's machine failed",
	packet.LoopEndWait:      "a register did not get the value that the pins wait for",
}

// Hint says what to do next.
func (e *EndedError) Hint() string {
	if e.Fault != nil && e.Fault.Kind == packet.FaultDevice {
		return failedHint
	}
	return "start it again"
}

// A TickingError says that a loop runs where something else was to be done.
type TickingError struct{}

func (TickingError) Error() string { return "a loop runs there" }

// Hint says what to do next.
func (TickingError) Hint() string {
	return "stop the loop first (copaflash stop), or have it go on with another program without a stop (copaflash swap)"
}

// A FeatureError says that a runner has no room for a part of what loops can do.
type FeatureError struct {
	What    string
	Feature packet.LoopFeatures
}

func (e *FeatureError) Error() string { return "this runner has no " + e.What }

// Hint says what to do next.
func (*FeatureError) Hint() string {
	return "copaflash info tells what it has: small boards leave out what there is no room for"
}

// ErrNoNote says that live memory cannot be used.
var ErrNoNote error = noNoteError{}

type noNoteError struct{}

func (noNoteError) Error() string {
	return "the loop was started by a program that left no note of what lies where in live memory: it can be read and stopped, and nothing else"
}

// Hint says what to do next.
func (noNoteError) Hint() string { return "stop the loop, and start it again" }

// ErrOnTrial says that live memory cannot be used yet.
var ErrOnTrial error = onTrialError{}

type onTrialError struct{}

func (onTrialError) Error() string {
	return "another host has swapped the program, and it is not known yet which of the two goes on: the loop can be read and stopped, and nothing else"
}

// Hint says what to do next.
func (onTrialError) Hint() string { return "try again when the trial is over: copaflash status tells" }

// mapped reports why nothing can be placed in live memory. For who holds the loop's mutex.
func (l *Loop) mapped() error {
	switch {
	case l.arena != nil:
		return nil
	case l.lacking != nil:
		return l.lacking
	}
	return ErrNoNote
}

// has reports whether the runner has a part of what loops can do.
func (l *Loop) has(f packet.LoopFeatures, what string) error {
	if l.s.Info().LoopFeatures&f == 0 {
		return &FeatureError{what, f}
	}
	return nil
}

// A PeriodError says that a runner cannot keep a period, hold a tick to a limit, or notice a silence.
type PeriodError struct{ Period, Limit, Silence, Hz uint64 } // counts of its timer, and how many there are in a second

func (e *PeriodError) Error() string {
	seconds := func(counts uint64) float64 { return float64(counts) / float64(e.Hz) }
	text := fmt.Sprintf("a period of %.6g s", seconds(e.Period))
	if e.Limit != 0 || e.Silence != 0 {
		text += fmt.Sprintf(", a limit of %.6g s and a silence of %.6g s", seconds(e.Limit), seconds(e.Silence))
	}
	return fmt.Sprintf("%s: the runner's timer of %d Hz cannot keep that", text, e.Hz)
}

// Hint says what to do next.
func (*PeriodError) Hint() string {
	return "take shorter ones, and for what is slower tasks that run in every so many ticks: microcontrollers keep up to 2^30 counts"
}

const watchdogWhat = "hardware watchdog for loops"

// A WatchdogError says that a hardware watchdog cannot have a time.
type WatchdogError struct {
	Time        uint32 // milliseconds, all of them
	Least, Most uint32 // what it reaches; 0: that is not known
	Fixed       bool   // it runs already, and keeps its time until the board is reset
}

func (e *WatchdogError) Error() string {
	switch {
	case e.Fixed:
		return fmt.Sprintf("a hardware watchdog of %d ms: this board's runs already, with another time, which only a reset can change", e.Time)
	case e.Most != 0:
		return fmt.Sprintf("a hardware watchdog of %d ms: this board's reaches from %d to %d ms", e.Time, e.Least, e.Most)
	}
	return fmt.Sprintf("a hardware watchdog of %d ms: this board's does not reach that, or its timer cannot keep the period", e.Time)
}

// Hint says what to do next.
func (e *WatchdogError) Hint() string {
	switch {
	case e.Fixed:
		return "give the time that it was started with, or reset the board"
	case e.Most != 0:
		return "give a time in this range"
	}
	return "PORTING.md says what the watchdogs of chips reach: give another time"
}

// startRefused says more of what the runner said against START.
func startRefused(err error, period *PeriodError, watchdog uint32) error {
	var refused *RemoteError
	switch {
	case !errors.As(err, &refused) || refused.Op != packet.MsgStart:
	case refused.Status == packet.StatusBadLength && watchdog == 0:
		return fmt.Errorf("%w (%w)", period, err)
	case watchdog != 0 && (refused.Status == packet.StatusBadLength || refused.Status == packet.StatusBusy):
		return fmt.Errorf("%w (%w)", &WatchdogError{Time: watchdog, Fixed: refused.Status == packet.StatusBusy}, err)
	case refused.Status == packet.StatusUnsupported:
		return fmt.Errorf("%w (%w)", &FeatureError{watchdogWhat, packet.LoopWatchdog}, err)
	}
	return err
}
