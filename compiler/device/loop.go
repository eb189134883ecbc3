package device

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/copaflash/copaflash/compiler"
	"github.com/copaflash/copaflash/compiler/image"
)

// A Looper is a program that its device can run every tick by itself.
type Looper interface {
	Program
	// StartLoop starts the loop. Until it has ended, Call fails with ErrTicking.
	StartLoop(ctx context.Context, c LoopConfig) (Loop, error)
}

// ErrTicking is wrapped by what is not possible while the loop runs.
var ErrTicking = errors.New("the loop is running")

// ErrNoPins says that a program is connected to pins, where there are none.
var ErrNoPins = errors.New("the program is bound to channels of a board, which this target does not have")

// ErrPinsInLoops says that a program that is connected to pins was to run without a loop.
var ErrPinsInLoops = errors.New("the program is bound to channels of a board, which only its loop uses")

// ErrEnded is wrapped by what needs a loop that runs.
var ErrEnded = errors.New("the loop has ended")

// A Task is an entry of the program and how often it runs.
type Task struct {
	Entry   int // of the image
	Divisor int // it runs in ticks whose number is a multiple of this, from tick 0 on; at least 1
}

// LoopConfig says how a loop runs.
type LoopConfig struct {
	Period time.Duration // from one tick to the next: Hz tells it more exactly where that is not 0
	Hz     float64       // ticks a second; 0: as Period says
	Tasks  []Task        // in the order in which they run within a tick; nil: the first entry, in every tick
	// Limit is how long a tick may take before it is ended as a fault; 0: four periods.
	Limit time.Duration
	// Misses is how many due times missed in a row end the loop; 0: it goes on, and counts them.
	Misses int
	// Silence of the host ends the loop; 0: it goes on.
	Silence time.Duration
	// Watchdog is the time after which the hardware resets a board that does not answer to it; 0: never.
	Watchdog time.Duration
	// Safe are the values that variables take, within a tick, when the loop ends for whatever reason.
	Safe []Piece
	// Pins is the place in the image's code of the lists for the pins; 0: none.
	Pins uint32
}

// A Loop is a program that runs every tick. Its methods may be called from several goroutines.
type Loop interface {
	// Stop ends the loop between two ticks.
	Stop(ctx context.Context) (*LoopStatus, error)
	// Status tells how it goes, also after the end.
	Status(ctx context.Context) (*LoopStatus, error)
	// Read reads what belongs together: all of it is of the same moment between two ticks, of which
	// it returns the number of ticks that had ended.
	Read(ctx context.Context, spans []Span) (data [][]byte, ticks uint32, err error)
	// Set changes variables together, at the start of the first tick whose number is not less than
	// at, and returns that tick's number once it has been.
	Set(ctx context.Context, writes []Piece, at uint32) (tick uint32, err error)
	// Subscribe has records of variables sent, and ends an earlier subscription. It fails with
	// OversubscribedError where the link cannot carry them.
	Subscribe(ctx context.Context, s Subscription) (Stream, error)
	// Capture takes records of every tick around a trigger.
	Capture(ctx context.Context, c CaptureConfig) (Captured, error)
	// Swap goes on with another program, loaded beside this one, between two ticks. The Loop stays
	// the same one. SwapPlan tells in advance what that would do.
	Swap(ctx context.Context, next Next) (*SwapReport, error)
	// Budget tells what a subscription would cost.
	Budget(s Subscription) Budget
}

// LoopStatus is how a loop goes.
type LoopStatus struct {
	Running bool
	End     string        // why it ended, as messages.cddl has it ("stopped", "fault", ...); empty while it runs
	Fault   error         // with "fault" and "time-limit", and after a swap that went back
	Period  time.Duration // as it is kept; 0: only who started the loop knows it
	Ticks   uint32        // that have ended
	Missed  uint32        // due times that passed without a tick
	Applied uint32        // sets that took effect
	Drops   uint32        // telemetry records that found no room
	Flags   Flags         // raised so far
	Swap    string        // state of the last swap: "none", "pending", "trial", "kept", "back"
	// Lateness is the start of a tick less its due time, Execution its length, Slack what was left of
	// the period.
	Lateness, Execution, Slack Spread
	// Resolution is one count of the timer that they were measured with.
	Resolution time.Duration
}

// A Spread sums up a time of all ticks. Percentiles are 0 where the device had no room for a histogram.
type Spread struct {
	Min, Mean, Max time.Duration
	P50, P99, P999 time.Duration // within 2 % or one count of the timer
	Buckets        []Bucket      // of the histogram that were hit, in order
}

// A Bucket counts ticks from Low on, up to the next bucket's.
type Bucket struct {
	Low   time.Duration
	Width time.Duration
	Count uint64
}

// A Subscription asks for records of variables.
type Subscription struct {
	Spans []Span
	Every int // ticks from one record to the next, at least 1
}

// A Record is the values of a subscription at one tick.
type Record struct {
	Tick  uint32
	Time  time.Duration // at which the tick started, since tick 0 was due
	Data  []byte        // of the spans, one after the other
	Drops uint32        // records that were lost directly before this one, on the device or on the link
}

// A Stream gives records in order.
type Stream interface {
	// Next waits for a record. It returns io.EOF after the last one: the loop has ended, or the
	// stream was closed. With io.EOF a Record has nothing but Drops: what was lost after the last one.
	Next(ctx context.Context) (Record, error)
	Close() error
}

// A Budget is what telemetry costs, per second of the device's time.
type Budget struct {
	RecordBytes    int     // of values
	BytesPerSec    float64 // on the link, frames and all
	LinkBytes      float64 // that the link can carry, 0: no limit is known
	GreatestRate   float64 // records a second that would fit
	LeastEvery     int     // the same as ticks from one record to the next
	PayloadShare   float64 // values / bytes on the link
	TicksPerPacket int
}

// OversubscribedError says that the link cannot carry a subscription.
type OversubscribedError struct{ Budget Budget }

// CaptureConfig describes a capture.
type CaptureConfig struct {
	Spans   []Span
	Before  int // records before the trigger
	After   int // and after it
	Trigger Trigger
}

// A Trigger starts the end of a capture.
type Trigger struct {
	Kind      string // "now", "above", "below", "rising", "falling", "end", as messages.cddl has it
	Offset    uint32 // of the variable
	Float     bool   // it is an f32, else an i32 or a bool
	Threshold uint32 // bits
}

// Captured is a capture under way.
type Captured interface {
	// Wait waits until all records are there, and reads them.
	Wait(ctx context.Context) (records []Record, trigger uint32, err error)
	// Cancel gives the memory back.
	Cancel(ctx context.Context) error
}

// Next is the program that a swap goes on with.
type Next struct {
	Program *compiler.Program
	Tasks   []Task
	// Moves are values that the new program starts with: states that have the same name, type and shape.
	Moves []Move
	Trial int     // ticks in which a fault or a missed tick brings the old program back
	Safe  []Piece // of the new program
	Pins  uint32  // of the new program, as in LoopConfig; its list for the start is not carried out
	// Telemetry has the places of the subscription's spans in the new program; nil: it ends.
	Telemetry []Span
}

// A Move takes bytes from the old program's data block to the new one's.
type Move struct {
	From, To Span
}

// SwapReport tells what a swap has done.
type SwapReport struct {
	Tick  uint32 // first of the new program
	Back  bool   // it failed its trial: the old one goes on
	Cause error  // why it went back
}

func (e *OversubscribedError) Error() string {
	b := e.Budget
	return fmt.Sprintf("telemetry of %.0f bytes a second does not fit a link of %.0f", b.BytesPerSec, b.LinkBytes)
}

// Hint says what would fit.
func (e *OversubscribedError) Hint() string {
	return fmt.Sprintf("a record every %d ticks fits (%.4g a second), or name fewer variables", e.Budget.LeastEvery, e.Budget.GreatestRate)
}

// An Attacher is a device whose loop may outlive the process that started it.
type Attacher interface {
	Device
	// Running tells the digest of the program whose loop runs there, nil if none does.
	Running(ctx context.Context) (digest []byte, err error)
	// Attach takes over the loop that runs there. Its image must have that digest.
	Attach(ctx context.Context, m *image.Image) (Loop, error)
}
