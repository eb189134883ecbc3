package session

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/copaflash/copaflash/protocol/packet"
)

// Every error type of this package says in Error what happened, and in Hint
// what to do next.

// ErrClosed says that the session was closed on this side.
var ErrClosed = errors.New("session is closed")

// ErrTaken says that another program has opened a session with the runner,
// which ends this one's. Whether the request was carried out is not known, and
// what is loaded may be that program's.
var ErrTaken error = takenError{}

type takenError struct{}

func (takenError) Error() string {
	return "another host is talking on this line: it has taken over the runner"
}

// Hint says what to do next.
func (takenError) Hint() string { return takenHint }

const takenHint = "let one program at a time talk to the board, then load again"

// A TimeoutError says that the runner did not answer.
type TimeoutError struct {
	Op     string        // what was asked, such as "hello"
	Target string        // the transport's name
	Wait   time.Duration // how long
	Tries  int           // how often
	Noise  uint64        // bytes that came instead of an answer and are no packets
	Others int           // packets that came for other hosts
	Heard  int           // packets of this session that came without being the answer, for longer than any work takes
	Quiet  time.Duration // for which nothing at all had come in the end
}

func (e *TimeoutError) Error() string {
	wait := e.Wait.Round(time.Millisecond)
	switch {
	case e.Heard > 0:
		return fmt.Sprintf("%s: no answer to %s in %s, but %d packets that are none (sent %d times)", e.Target, e.Op, wait, e.Heard, e.Tries)
	case e.Others > 0:
		return fmt.Sprintf("%s: no answer to %s in %s: another host is talking on this line, and was answered %d times",
			e.Target, e.Op, wait, e.Others)
	}
	if e.Noise > 0 {
		return fmt.Sprintf("%s: no answer to %s in %s, but %d bytes that are not packets",
			e.Target, e.Op, e.Wait.Round(time.Millisecond), e.Noise)
	}
	return fmt.Sprintf("%s: no answer to %s in %s (sent %d times)", e.Target, e.Op, e.Wait.Round(time.Millisecond), e.Tries)
}

// Hint says what to do next.
func (e *TimeoutError) Hint() string {
	switch {
	case e.Heard > 0:
		return "the runner is stuck, or what answers is none: reset the board"
	case e.Others > 0:
		return takenHint
	case e.Noise > 0:
		return "something else talks on this line, or at another rate: check the port and --baud"
	case e.Op == packet.MsgHello.String() && e.Wait < runnerLimit:
		return absentHint + "; a board that another program has left in a run hears nothing until that ends, at most 10 s: then try again"
	case e.Op == packet.MsgHello.String():
		return absentHint
	}
	return "check cable and power; if the board was reset, connect again"
}

const absentHint = "check that the board has power, that the runner is flashed on it, and that this is its port; if all of this is so, reset the board"

// MayBeDeaf reports whether a runner that hears nothing inside a run would seem like this: what is sent is taken, and nothing
// comes, but for what it has to say to others in between.
func (e *TimeoutError) MayBeDeaf() bool { return e.Tries > 0 && (e.Others > 0 || e.Quiet >= e.Wait/2) }

// Timeout reports true, as for errors of package net.
func (*TimeoutError) Timeout() bool { return true }

// A VersionError says that the runner speaks another version of the protocol.
type VersionError struct{ Host, Runner uint8 }

func (e *VersionError) Error() string {
	return fmt.Sprintf("the runner speaks protocol version %d, this program version %d", e.Runner, e.Host)
}

// Hint says what to do next.
func (e *VersionError) Hint() string {
	if e.Runner > e.Host {
		return "the runner is newer: use a newer copaflash"
	}
	return flashOlder
}

// flashOlder is the hint where a newer runner would not refuse.
const flashOlder = "the runner is older: flash the runner of this version with copaflash flash"

// An ArchError says that an image is for other machines than the runner's.
type ArchError struct {
	Image, Runner packet.Arch
	Missing       packet.Features // needed by the image, absent there; 0: the architecture differs
}

func (e *ArchError) Error() string {
	if e.Missing != 0 {
		return fmt.Sprintf("the image needs %v, which this %v does not have", e.Missing, e.Runner)
	}
	return fmt.Sprintf("the image is for %v, the runner is %v", e.Image, e.Runner)
}

// Hint says what to do next.
func (e *ArchError) Hint() string {
	if e.Missing&packet.FeatBareEntry != 0 {
		return flashOlder // all entries for these cores need it
	}
	if e.Missing != 0 {
		return "compile without these features (--features), or give deploy the script, which it compiles for this runner"
	}
	return fmt.Sprintf("compile for %v with --arch %v", e.Runner, e.Runner)
}

// A SizeError says that an image does not fit the runner's memory.
type SizeError struct {
	Region      string // "code" or "data"
	Needs, Have uint64 // bytes
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("the image needs %d bytes of %s memory, the runner has %d", e.Needs, e.Region, e.Have)
}

// Hint says what to do next.
func (e *SizeError) Hint() string {
	return "keep loops rolled up, use smaller arrays, or take a board with more memory"
}

// A RemoteError is a request that the runner refused.
type RemoteError struct {
	Op     packet.Message
	Status packet.Status
	Detail uint32 // meaning by status; see messages.cddl
}

func (e *RemoteError) Error() string {
	text := fmt.Sprintf("the runner refused %v: %v", e.Op, e.Status)
	if doc, _, _ := strings.Cut(e.Status.Doc(), ";"); doc != "" {
		text += ": " + doc
	}
	if e.Status == packet.StatusMissingFeature {
		return text + fmt.Sprintf(" (%v)", packet.Features(e.Detail))
	}
	if e.Detail != 0 {
		text += fmt.Sprintf(" (%d)", e.Detail)
	}
	return text
}

// hints has what to do about a refusal, where that is not the general advice.
var hints = map[packet.Status]string{
	packet.StatusBadState:       "load a program first; after a fault, load it again",
	packet.StatusNoMemory:       "use a smaller program, or a board with more memory",
	packet.StatusWrongArch:      "compile for the runner's architecture",
	packet.StatusMissingFeature: "compile without the features that the runner lacks (--features)",
	packet.StatusOutOfRange:     "the offset is outside of the program's data: check that this program is the one loaded",
	packet.StatusDigestMismatch: "load again; if it happens again, the line or the board's memory is faulty",
	packet.StatusIncomplete:     "load again",
	packet.StatusBadPatch:       "compile again: the image is damaged or from another version",
	packet.StatusBusy:           "try again in a moment",
	packet.StatusSilence:        "the line was interrupted during the run: check the cable, then run again",
	packet.StatusUnsupported:    "ask for something that copaflash info lists",
}

// Hint says what to do next.
func (e *RemoteError) Hint() string {
	if e.Status == packet.StatusMissingFeature && packet.Features(e.Detail)&packet.FeatBareEntry != 0 {
		return flashOlder
	}
	if h, ok := hints[e.Status]; ok {
		return h
	}
	return "the runner and this program disagree: flash the runner of this version"
}

// A FaultError says that a program was stopped by a fault or its time limit.
type FaultError struct {
	packet.Fault
	Runs uint32 // that ended normally before
	// About is what waited in vain, if somebody knows: "mpu6050 at 0x68 on I2C0".
	About string
}

func (e *FaultError) Error() string {
	if e.Kind == packet.FaultWait {
		return vain(&e.Fault, e.About)
	}
	if e.Kind == packet.FaultDevice {
		return failed(&e.Fault)
	}
	where := fmt.Sprintf("at address %#x outside of the program's code", e.PC)
	if e.Inside {
		where = fmt.Sprintf("at offset %#x of the code", e.PC)
	}
	text := fmt.Sprintf("the program stopped in run %d of entry %d, %s: %s", e.Run, e.Entry, where, e.Kind.Doc())
	if e.Address != 0 {
		text += fmt.Sprintf(" (address %#x)", e.Address)
	}
	return text
}

// Hint says what to do next.
func (e *FaultError) Hint() string {
	if e.Kind == packet.FaultWait {
		return vainHint
	}
	if e.Kind == packet.FaultDevice {
		return failedHint
	}
	if e.Kind == packet.FaultTimeLimit {
		return "allow more time for a run, by --limit on the command line or limit= of tg.run and cp.Target, or make the program shorter"
	}
	return "the data can still be read; load a program to go on. A compiled program should never do this: please report it"
}

// A LimitError says that a run was to be given more time than a runner allows.
type LimitError struct{ Want time.Duration }

func (e *LimitError) Error() string {
	return fmt.Sprintf("a limit of %v for a run: a runner hears nothing during a run, which may take %v at most", e.Want, runnerLimit)
}

// Hint says what to do next.
func (*LimitError) Hint() string {
	return fmt.Sprintf("give a limit of %v or less, and do longer work in several runs", runnerLimit)
}

// An AnswerError says that an answer does not fit what was asked for.
type AnswerError struct {
	Op  packet.Message
	Err error
}

func (e *AnswerError) Error() string { return fmt.Sprintf("answer to %v: %v", e.Op, e.Err) }

// Hint says what to do next.
func (*AnswerError) Hint() string {
	return "what answers is not a runner of this protocol, or is damaged: flash the runner of this version"
}

func (e *AnswerError) Unwrap() error { return e.Err }

// A RestartError says that the runner was started anew since the session was
// opened. What was loaded is gone.
type RestartError struct {
	Target   string
	Watchdog bool // a loop ran, with a hardware watchdog
}

func (e *RestartError) Error() string {
	if e.Watchdog {
		return fmt.Sprintf("%s: the runner has restarted while its loop ran, probably by the hardware watchdog of the loop", e.Target)
	}
	return fmt.Sprintf("%s: the runner has restarted", e.Target)
}

// Hint says what to do next.
func (e *RestartError) Hint() string {
	if e.Watchdog {
		return "a tick, or the runner, took longer than the watchdog's time: look for what can take so long, or give it a longer one, then load the program again"
	}
	return "load the program again"
}

// A DeliveryError says how far a load had come when it failed.
type DeliveryError struct {
	Delivered, Total int // bytes of code, data and patches that the runner has acknowledged, of all
	Err              error
}

func (e *DeliveryError) Error() string {
	return fmt.Sprintf("load stopped with %d of %d bytes delivered: %v", e.Delivered, e.Total, e.Err)
}

// Hint says what to do next.
func (e *DeliveryError) Hint() string {
	var h interface{ Hint() string }
	if errors.As(e.Err, &h) {
		return h.Hint()
	}
	return "check the cable, then load again: nothing of a partial load can run"
}

func (e *DeliveryError) Unwrap() error { return e.Err }

// A BaudError says that a change of the line rate did not work.
type BaudError struct {
	Want, Now int   // bits per second; Now is the rate that works
	Err       error // what kept this end from the rate, nil if it was the line
}

func (e *BaudError) Error() string {
	text := fmt.Sprintf("the line does not work at %d baud; it is back at %d", e.Want, e.Now)
	if e.Err != nil {
		text += fmt.Sprintf(": %v", e.Err)
	}
	return text
}

func (e *BaudError) Unwrap() error { return e.Err }

// Hint says what to do next.
func (*BaudError) Hint() string { return "use a lower rate, or a better adapter or cable" }

// A RateError says that the runner does not offer a line rate.
type RateError struct {
	Want    int // bits per second
	Offered []uint32
}

func (e *RateError) Error() string {
	return fmt.Sprintf("%d baud: the runner offers %v", e.Want, e.Offered)
}

// Hint says what to do next.
func (e *RateError) Hint() string { return fmt.Sprintf("choose a rate of %v with --baud", e.Offered) }
